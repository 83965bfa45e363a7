package outage_test

import (
	"bytes"
	"database/sql"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A worker of Citus is killed under load, and then the coordinator: the clients of the worker get 503 with Retry-After, those of the
// other one notice nothing, and once it is back what was acknowledged is kept, and nothing is duplicated.
func TestANodeOfCitusDies(t *testing.T) {
	t.Parallel()
	coordinator, workers := servertest.Nodes(t)
	var log bytes.Buffer
	s := servertest.New(t, func(c *server.Config) {
		c.Database, c.Logger = coordinator.URL, slog.New(slog.NewTextHandler(&log, nil))
	})
	w := servertest.NewWorld(t, s.Client)
	first, second := startTraffic(t, s.Client), startTraffic(t, s.Other)
	for range 3 {
		first.grows(t, 100)
		if err := workers[0].Crash(); err != nil {
			t.Fatal(err)
		}
		servertest.WantUnavailable(t, servertest.Call(t, s, http.MethodGet, "/users/"+w["user_id"], nil))
		second.grows(t, 200)
		if got := page(t, s, "/readyz"); got != http.StatusOK {
			t.Errorf("/readyz answers %d, although the other worker serves its clients", got)
		}
		if err := workers[0].Resume(); err != nil {
			t.Fatal(err)
		}
		wantRecovery(t, s, w, first)
	}
	second.mu.Lock()
	if second.seen[http.StatusServiceUnavailable] > 0 {
		t.Errorf("clients of the other worker were answered %v", second.seen)
	}
	second.mu.Unlock()
	if err := coordinator.Crash(); err != nil {
		t.Fatal(err)
	}
	wantToldEverywhere(t, s, w)
	if err := coordinator.Resume(); err != nil {
		t.Fatal(err)
	}
	wantRecovery(t, s, w, first)
	wantRecovery(t, s, w, second)
	for _, load := range []*traffic{first, second} {
		load.end()
		load.all.Wait()
	}
	awaitCount(t, s.Beside(t), 0, `select count(*) from event_queue`)
	endTraffic(t, s, &log, first, second)
}

// A worker dies when it has committed and before it says so: callers get 503, and the repeat with a key what was created.
func TestANodeOfCitusDiesWhileItCommits(t *testing.T) {
	t.Parallel()
	coordinator, workers := servertest.Nodes(t)
	s := servertest.New(t, func(c *server.Config) { c.Database = coordinator.URL })
	var senders [2]servertest.Sender
	var requests [2]api.TransactionRequest
	for i := range senders {
		senders[i] = servertest.NewSender(t, s.Client)
		requests[i] = servertest.Deposit(t, senders[i], servertest.NewReceiver(t, s.Client, senders[i].ID), "1.00")
	}
	db, worker := s.Beside(t), servertest.Beside(t, workers[0].URL)
	awaitCount(t, db, 0, `select count(*) from event_queue`)
	// What is committed there now is on its disk, but the session waits for a standby that does not exist.
	servertest.Exec(t, worker, `alter system set synchronous_standby_names = 'nobody'`, `select pg_reload_conf()`)
	keys := [2]string{"a key", ""}
	var answers [2]*api.CreateTransactionResponse
	var sent sync.WaitGroup
	for i, key := range keys {
		sent.Go(func() { answers[i] = servertest.Send(t, s.Client, senders[i].ID, key, requests[i]) })
	}
	awaitCount(t, worker, len(keys), `select count(*) from pg_stat_activity where wait_event = 'SyncRep'`)
	if err := workers[0].Crash(); err != nil {
		t.Fatal(err)
	}
	sent.Wait()
	for i, r := range answers {
		if r.StatusCode() != http.StatusServiceUnavailable || r.HTTPResponse.Header.Get("Retry-After") == "" {
			t.Errorf("with key %q: status %d: %s", keys[i], r.StatusCode(), r.Body)
		}
	}
	if err := workers[0].Resume(); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, worker, `alter system reset synchronous_standby_names`, `select pg_reload_conf()`)
	if r := servertest.Send(t, s.Client, senders[0].ID, keys[0], requests[0]); r.StatusCode() != http.StatusOK ||
		r.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the repeat: status %d: %s", r.StatusCode(), r.Body)
	}
	for i, sender := range senders {
		if all := servertest.List(t, s.Client, sender.ID, 100); len(all) != 1 {
			t.Errorf("with key %q there are %d transactions", keys[i], len(all))
		}
	}
	s.Stop()
	servertest.WantSound(t, s.Database)
}

// awaitCount waits until a query counts n.
func awaitCount(t *testing.T, db *sql.DB, n int, query string) {
	t.Helper()
	servertest.Await(t, time.Minute, "not "+strconv.Itoa(n)+": "+query, func() bool {
		var got int
		err := db.QueryRowContext(t.Context(), query).Scan(&got)
		return err == nil && got == n
	})
}
