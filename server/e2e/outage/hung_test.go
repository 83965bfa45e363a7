package outage_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// patience is the longest time that a caller waits for an answer while a server hangs: less than the time of handling, so
// that it is told to try again.
const patience = 20 * time.Second

// The primary hangs under load, with its connections open, and its synchronous standby is promoted: what was acknowledged is
// kept, nothing is duplicated, and the service goes over to the new primary by itself (D-08, D-16).
func TestHungPrimary(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	for name, before := range map[string]time.Duration{"promoted at once": 0, "promoted later": 6 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			primary, standby, both := pgtest.Pair(t)
			s, w, load, end := startService(t, both)
			load.grows(t, 100)
			if err := primary.Freeze(); err != nil {
				t.Fatal(err)
			}
			<-time.After(before)
			if before > 0 {
				wantToldEverywhere(t, s, w)
			}
			if err := standby.Promote(); err != nil {
				t.Fatal(err)
			}
			wantRecovery(t, s, w, load)
			load.grows(t, 100)
			// The old primary does not come back: that would be a second one.
			if err := primary.Kill(); err != nil {
				t.Fatal(err)
			}
			end()
		})
	}
}

// The only server hangs under load: callers are told so, and the service recovers with it.
func TestHungServer(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	server := pgtest.Listening(t)
	s, w, load, end := startService(t, server.URL)
	for range 2 {
		load.grows(t, 100)
		if err := server.Freeze(); err != nil {
			t.Fatal(err)
		}
		servertest.Await(t, patience, "/readyz does not say so", func() bool {
			return page(t, s, "/readyz") == http.StatusServiceUnavailable
		})
		wantToldEverywhere(t, s, w)
		if err := server.Thaw(); err != nil {
			t.Fatal(err)
		}
		wantRecovery(t, s, w, load)
	}
	end()
}

// startService starts the service and a load; end ends both and checks what was acknowledged, and when.
func startService(t *testing.T, database string) (s *servertest.Server, w servertest.World, load *traffic, end func()) {
	t.Helper()
	var log bytes.Buffer
	s = servertest.New(t, func(c *server.Config) {
		c.Database, c.Logger = database, slog.New(slog.NewTextHandler(&log, nil))
	})
	w = servertest.NewWorld(t, s.Client)
	load = startTraffic(t, s.Client)
	return s, w, load, func() {
		t.Helper()
		endTraffic(t, s, &log, load)
		if load.slow > patience {
			t.Errorf("a caller waited %s", load.slow)
		}
	}
}
