package outage_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const (
	callers = 16
	// recovery is the time in which the service must recover after the database: the 5 seconds of README, and what other tests take.
	recovery = 15 * time.Second
)

// traffic sends transactions of one sender until it is ended, each with its own key and until it is acknowledged.
type traffic struct {
	client  *api.ClientWithResponses
	sender  servertest.Sender
	request api.TransactionRequest

	end  func()
	mu   sync.Mutex
	ids  map[string]openapi_types.UUID // acknowledged, by key
	seen map[int]int                   // answers by status
	slow time.Duration                 // the longest time of an answer
	all  sync.WaitGroup
}

// startTraffic registers a sender of a client, and sends its transactions.
func startTraffic(t testing.TB, c *api.ClientWithResponses) *traffic {
	t.Helper()
	ended := make(chan struct{})
	l := &traffic{
		client: c, sender: servertest.NewSender(t, c),
		end: sync.OnceFunc(func() { close(ended) }), ids: map[string]openapi_types.UUID{}, seen: map[int]int{},
	}
	l.request = servertest.Deposit(t, l.sender, servertest.NewReceiver(t, c, l.sender.ID), "0.01")
	for caller := range callers {
		l.all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-ended:
					return
				default:
					if !l.acknowledged(t, fmt.Sprintf("caller %d, key %d", caller, n)) {
						return
					}
				}
			}
		})
	}
	t.Cleanup(func() { l.end(); l.all.Wait() })
	return l
}

// acknowledged sends one request until it succeeds. Nothing but 503 asks for another try; false ends the load.
func (l *traffic) acknowledged(t testing.TB, key string) bool {
	t.Helper()
	for {
		began := time.Now()
		r, err := l.client.CreateTransactionWithResponse(t.Context(), l.sender.ID, &api.CreateTransactionParams{XIdempotencyKey: &key}, l.request)
		if err != nil {
			t.Errorf("%s: %v", key, err)
			return false
		}
		l.mu.Lock()
		l.seen[r.StatusCode()]++
		l.slow = max(l.slow, time.Since(began))
		l.mu.Unlock()
		switch {
		case r.StatusCode() == http.StatusOK:
			l.mu.Lock()
			defer l.mu.Unlock()
			l.ids[key] = r.JSON200.ID
			return true
		case r.StatusCode() != http.StatusServiceUnavailable || r.HTTPResponse.Header.Get("Retry-After") == "":
			t.Errorf("%s: status %d: %s", key, r.StatusCode(), r.Body)
			return false
		}
		select {
		case <-t.Context().Done():
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// count returns the number of acknowledged transactions.
func (l *traffic) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.ids)
}

// grows waits until n more transactions are acknowledged.
func (l *traffic) grows(t testing.TB, n int) {
	t.Helper()
	servertest.Await(t, time.Minute, "the load does not get on", func(at int) func() bool {
		return func() bool { return l.count() >= at }
	}(l.count()+n))
}

// The database server is restarted under load, by a shutdown and by a crash: what was acknowledged is kept, nothing is
// duplicated, callers get 503 with Retry-After, and the service recovers by itself (D-08, D-16).
func TestRestartOfTheDatabaseServer(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	for name, how := range map[string]pgtest.Mode{"fast": pgtest.Fast, "immediate": pgtest.Immediate} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster := pgtest.Private(t)
			var log bytes.Buffer
			s := servertest.New(t, func(c *server.Config) {
				c.Database, c.Logger = cluster.URL, slog.New(slog.NewTextHandler(&log, nil))
			})
			w := servertest.NewWorld(t, s.Client)
			load := startTraffic(t, s.Client)
			for range 3 {
				load.grows(t, 100)
				if err := cluster.Halt(how); err != nil {
					t.Fatal(err)
				}
				wantToldEverywhere(t, s, w)
				if err := cluster.Resume(); err != nil {
					t.Fatal(err)
				}
				wantRecovery(t, s, w, load)
			}
			endTraffic(t, s, &log, load)
		})
	}
}

// wantRecovery fails the test unless a read, a write and /readyz succeed in the time of recovery from now.
func wantRecovery(t testing.TB, s *servertest.Server, w servertest.World, load *traffic) {
	t.Helper()
	back, acknowledged := time.Now(), load.count()
	for _, c := range []struct {
		what string
		done func() bool
	}{
		{"a read", func() bool {
			return servertest.Call(t, s, http.MethodGet, "/users/"+w["user_id"], nil).Status == http.StatusOK
		}},
		{"a write", func() bool { return load.count() > acknowledged }},
		{"/readyz", func() bool { return page(t, s, "/readyz") == http.StatusOK }},
	} {
		servertest.Await(t, recovery-time.Since(back), c.what+" does not succeed", c.done)
		t.Logf("%s succeeds after %s", c.what, time.Since(back).Round(time.Millisecond))
	}
}

// The same with connections that break under load, at any point of a transaction.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	var log bytes.Buffer
	s := servertest.New(t, func(c *server.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	load, db := startTraffic(t, s.Client), s.Beside(t)
	for range 25 {
		load.grows(t, 5)
		servertest.Exec(t, db, `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
	}
	endTraffic(t, s, &log, load)
}

// endTraffic ends the loads and checks their result.
func endTraffic(t testing.TB, s *servertest.Server, log *bytes.Buffer, loads ...*traffic) {
	t.Helper()
	for _, load := range loads {
		load.end()
		load.all.Wait()
		t.Logf("%d transactions, answers by status: %v, the slowest in %s", load.count(), load.seen, load.slow.Round(time.Millisecond))
		load.wantKept(t)
	}
	servertest.WantExactUsage(t, s.Beside(t))
	servertest.WantSound(t, s.Database)
	s.Stop()
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, " status=500 ") {
			t.Errorf("a fault of the database server was taken for one of ours: %s", line)
		}
	}
}

// wantToldEverywhere fails the test unless all operations and /readyz answer 503.
func wantToldEverywhere(t testing.TB, s *servertest.Server, w servertest.World) {
	t.Helper()
	for _, op := range s.Contract.Operations() {
		servertest.WantUnavailable(t, w.Send(t, s, op))
	}
	for path, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/healthz": http.StatusOK} {
		if got := page(t, s, path); got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
}

func page(t testing.TB, s *servertest.Server, path string) int {
	t.Helper()
	resp, err := http.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// wantKept fails the test unless exactly the acknowledged transactions exist, each once, with its key and id.
func (l *traffic) wantKept(t testing.TB) {
	t.Helper()
	listed := map[openapi_types.UUID]bool{}
	for _, x := range servertest.List(t, l.client, l.sender.ID, 100) {
		listed[x.ID] = true
	}
	acknowledged := map[openapi_types.UUID]bool{}
	for key, id := range l.ids {
		acknowledged[id] = true
		r := servertest.Send(t, l.client, l.sender.ID, key, l.request)
		if again := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil); again.ID != id || r.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%s was transaction %s, and is %s now", key, id, again.ID)
		}
	}
	if len(acknowledged) != len(l.ids) || !maps.Equal(listed, acknowledged) {
		t.Errorf("%d keys with %d transactions were acknowledged, %d are listed", len(l.ids), len(acknowledged), len(listed))
	}
}
