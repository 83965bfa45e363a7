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
			coordinator, workers := servertest.Nodes(t, "citus.recover_2pc_interval=3s")
			s := delivering(t, func(c *server.Config) { c.Database = coordinator.URL })
			sender := servertest.NewSender(t, s.Client)
			receiver := servertest.NewReceiver(t, s.Client, sender.ID)
			db, worker, waiting := s.Beside(t), servertest.Beside(t, workers[0].URL), servertest.Beside(t, waits(coordinator, workers[0]).URL)
			count := func(query string) (n int) {
				t.Helper()
				node := db
				if query == prepared {
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
			if count(prepared) == 0 {
				t.Error("the crash left nothing prepared")
			}
			servertest.Exec(t, waiting, `alter system reset synchronous_standby_names`, `select pg_reload_conf()`)

			event, err := client.VerifyWebhook(in.await(t, 1)[0].header, in.await(t, 1)[0].body, *endpoint.Secret)
			if err != nil || event.Data.Transaction == nil || event.Data.Transaction.ID != created.ID {
				t.Fatalf("received %+v, %v", event, err)
			}
			delivery(t, s, endpoint.ID, event.ID, api.WebhookDeliveryStatusDelivered, 1)
			feed, _ := follow(t, s, nil)
			if last := feed[len(feed)-1]; last != event.ID.String() {
				t.Errorf("the feed ends with %s, and %s was delivered", last, event.ID)
			}
			servertest.Await(t, time.Minute, "something stays prepared", func() bool { return count(prepared) == 0 })
			s.Stop()
			servertest.WantSound(t, s.Database)
		})
	}
}

// prepared counts the transactions of a worker between the phases.
const prepared = `select count(*) from pg_prepared_xacts`
