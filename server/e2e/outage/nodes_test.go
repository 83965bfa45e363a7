package outage_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"
	"time"

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
	if second.seen[http.StatusServiceUnavailable] > 0 {
		t.Errorf("clients of the other worker were answered %v", second.seen)
	}
	if err := coordinator.Crash(); err != nil {
		t.Fatal(err)
	}
	wantToldEverywhere(t, s, w)
	if err := coordinator.Resume(); err != nil {
		t.Fatal(err)
	}
	wantRecovery(t, s, w, first)
	wantRecovery(t, s, w, second)
	db := s.Beside(t)
	servertest.Await(t, time.Minute, "the events are not published", func() bool {
		var waiting int
		err := db.QueryRowContext(t.Context(), `select count(*) from event_queue`).Scan(&waiting)
		return err == nil && waiting == 0
	})
	endTraffic(t, s, &log, first, second)
}
