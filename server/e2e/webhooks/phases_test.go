package webhooks_test

import (
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// On Citus the delivery of an event is on a worker and its job on the coordinator, and both are committed in two phases. If the
// coordinator crashes between them, before or after its own commit, the event is in the feed once and is delivered.
func TestACrashBetweenThePhasesOfCitusLosesNoWebhook(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]func(coordinator, worker *pgtest.Cluster) *pgtest.Cluster{
		"before the commit": func(_, worker *pgtest.Cluster) *pgtest.Cluster { return worker },
		"after the commit":  func(coordinator, _ *pgtest.Cluster) *pgtest.Cluster { return coordinator },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			coordinator, workers := servertest.Nodes(t, "citus.recover_2pc_interval=-1") // not by itself
			s := delivering(t, func(c *server.Config) { c.Database = coordinator.URL })
			sender := servertest.NewSender(t, s.Client)
			receiver := servertest.NewReceiver(t, s.Client, sender.ID)
			db, worker, waiting := s.Beside(t), servertest.Beside(t, workers[0].URL), servertest.Beside(t, waits(coordinator, workers[0]).URL)
			count := func(query string) (n int) {
				t.Helper()
				node := db
				if query == prepared || query == blocked {
					node = worker
				}
				if err := node.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
					t.Fatal(err)
				}
				return n
			}
			servertest.Await(t, time.Minute, "the events are not published", func() bool { return count(`select count(*) from event_queue`) == 0 })
			in := newReceiver(t, nil)
			endpoint := register(t, s, in.URL)

			publisher, err := db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := publisher.ExecContext(t.Context(), `update event_publisher set batches = batches`); err != nil {
				t.Fatal(err)
			}
			created := servertest.Created(t, servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "1.00")))
			// What is committed or prepared there now is on its disk, but the session waits for a standby that does not exist.
			servertest.Exec(t, waiting, `alter system set synchronous_standby_names = 'nobody'`, `select pg_reload_conf()`)
			if err := publisher.Rollback(); err != nil {
				t.Fatal(err)
			}
			servertest.Await(t, time.Minute, "nothing is prepared", func() bool { return count(prepared) > 0 })
			if err := coordinator.Crash(); err != nil {
				t.Fatal(err)
			}
			if err := coordinator.Resume(); err != nil {
				t.Fatal(err)
			}
			servertest.Exec(t, waiting, `alter system reset synchronous_standby_names`, `select pg_reload_conf()`)
			// The job, or whoever publishes the event again, finds nothing yet, and waits.
			servertest.Await(t, time.Minute, "nobody waits for what is prepared", func() bool { return count(blocked) > 0 })
			servertest.Exec(t, db, `select recover_prepared_transactions()`)

			event, err := client.VerifyWebhook(in.await(t, 1)[0].header, in.await(t, 1)[0].body, *endpoint.Secret)
			if err != nil || event.Data.Transaction == nil || event.Data.Transaction.ID != created.ID {
				t.Fatalf("received %+v, %v", event, err)
			}
			delivery(t, s, endpoint.ID, event.ID, api.WebhookDeliveryStatusDelivered, 1)
			feed, _ := follow(t, s, nil)
			if last := feed[len(feed)-1]; last != event.ID.String() {
				t.Errorf("the feed ends with %s, and %s was delivered", last, event.ID)
			}
			if n := count(prepared); n != 0 {
				t.Errorf("%d transactions stay prepared", n)
			}
			s.Stop()
			servertest.WantSound(t, s.Database)
		})
	}
}

const (
	// prepared counts the transactions of a worker between the phases.
	prepared = `select count(*) from pg_prepared_xacts`
	// blocked counts the sessions of a worker that wait for others.
	blocked = `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`
)
