package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const (
	// endpointsVariable sets the number of endpoints. `make isolation` sets 1,000.
	endpointsVariable = "PAYOUTD_TEST_ENDPOINTS"
	// Each client has some endpoints. One client after the other has an event, one each beat.
	endpointsOfClient = 10
	beat              = 100 * time.Millisecond
)

// scale returns the number of endpoints, and whether it is that of a measurement, which takes many minutes.
func scale(t *testing.T) (endpoints int, long bool) {
	t.Helper()
	text, long := os.LookupEnv(endpointsVariable)
	if !long {
		return 100, false
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < endpointsOfClient {
		t.Fatalf("%s must be a number of at least %d", endpointsVariable, endpointsOfClient)
	}
	return n, true
}

// inTurn runs a test on one engine after the other, because it measures.
func inTurn(t *testing.T, test func(t *testing.T, url func() string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		test(t, func() string { return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db") })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		test(t, func() string { return pgtest.Database(t) })
	})
}

// An endpoint answers, or hangs, or refuses connections, while it has an event each beat and a backlog. The others have
// theirs as fast in each case.
func TestADeadEndpointDelaysNoOther(t *testing.T) { //nolint:paralleltest // it measures
	endpoints, long := scale(t)
	lasts, rounds := 3*time.Second, 1
	if long {
		lasts, rounds = time.Minute, 2
	}
	// measure returns how much later the others have their events in the worst case.
	measure := func(t *testing.T, url func() string) (worst float64) {
		t.Helper()
		modes := []struct {
			name    string
			backlog int
			delays  []time.Duration
		}{{"answers", 0, nil}, {"hangs", 1000, nil}, {"refuses", 1000, nil}}
		for range rounds {
			for i := range modes {
				m := &modes[i]
				s := newStream(t, url(), endpoints)
				switch m.name {
				case "hangs":
					s.hangs.Store(true)
				case "refuses":
					s.refuse()
				}
				s.publish(extra, slices.Repeat([]payout.EventType{created}, m.backlog)...)
				s.run(lasts)
				s.await()
				m.delays = append(m.delays, s.delays()...)
				t.Logf("it %s: %s", m.name, s.end())
			}
		}
		alive := percentiles(modes[0].delays)
		for _, m := range modes {
			p := percentiles(m.delays)
			t.Logf("it %-8s %5d deliveries to others: median %4d ms (%.2f), p95 %4d ms (%.2f), p99 %4d ms (%.2f)", m.name, len(m.delays),
				p[0].Milliseconds(), ratio(p[0], alive[0]), p[1].Milliseconds(), ratio(p[1], alive[1]), p[2].Milliseconds(), ratio(p[2], alive[2]))
			worst = max(worst, ratio(p[1], alive[1]))
		}
		return worst
	}
	inTurn(t, func(t *testing.T, url func() string) {
		const most, attempts = 3, 3 // again, because other programs may take the processors for a second
		for n := 1; measure(t, url) > most; n++ {
			if n == attempts {
				t.Fatalf("in %d measurements the others had their events %d times as late, or later, when the endpoint was dead", attempts, most)
			}
		}
	})
}

// What waits for an endpoint that was dead is delivered when it is back, and delays no other meanwhile.
func TestADeadEndpointComesBack(t *testing.T) { //nolint:paralleltest // it measures
	endpoints, long := scale(t)
	if !long {
		t.Skip("takes minutes; runs with " + endpointsVariable)
	}
	const backlog, phase = 10_000, 30 * time.Second
	inTurn(t, func(t *testing.T, url func() string) {
		s := newStream(t, url(), endpoints)
		log := func(what string) {
			s.await()
			p := percentiles(s.delays())
			t.Logf("%-36s median %4d ms, p95 %4d ms, p99 %4d ms", what, p[0].Milliseconds(), p[1].Milliseconds(), p[2].Milliseconds())
		}
		s.run(phase)
		log("before:")
		s.hangs.Store(true)
		s.publish(extra, slices.Repeat([]payout.EventType{created}, backlog)...)
		s.run(phase)
		log(fmt.Sprintf("while it hangs, with %d deliveries:", backlog))
		s.hangs.Store(false)
		began, total := time.Now(), s.published[extra]
		for s.arrived(began, total, 99) == 0 && time.Since(began) < 5*time.Minute {
			s.run(phase)
			log("since it is back:")
		}
		t.Logf("it has half of them after %s, 90%% after %s, 99%% after %s: %s", s.arrived(began, total, 50), s.arrived(began, total, 90),
			s.arrived(began, total, 99), s.end())
		if s.arrived(began, total, 99) == 0 {
			t.Errorf("it has %d of %d events", len(s.toExtra), total)
		}
	})
}

const extra = payout.ClientID("extra")

// stream is a service with many clients that have an event in turn, and one, extra, that has one each time.
type stream struct {
	*world
	clients     []payout.ClientID
	extraURL    payout.WebhookEndpointID
	hangs       atomic.Bool // the endpoint of extra
	stop        func()
	published   map[payout.ClientID]int
	beats, want int
	goroutines  int // the most that were seen

	mu      sync.Mutex
	took    []time.Duration // of deliveries to all others
	toExtra []time.Time     // when its deliveries arrived
}

func newStream(t *testing.T, url string, endpoints int) *stream {
	t.Helper()
	s := &stream{world: newWorld(t, url), published: map[payout.ClientID]int{}}
	others := s.receiver(func(*http.Request) {}, func(delay time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.took = append(s.took, delay)
	})
	for i := range endpoints / endpointsOfClient {
		id := payout.ClientID(fmt.Sprintf("client%d", i))
		s.client(id)
		s.endpoints(id, endpointsOfClient, others.URL)
		s.clients = append(s.clients, id)
	}
	s.client(extra)
	s.extraURL = s.endpoint(extra, s.receiver(func(r *http.Request) {
		if s.hangs.Load() {
			<-r.Context().Done()
		}
	}, func(time.Duration) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.toExtra = append(s.toExtra, time.Now())
	}).URL)
	s.stop = s.replica(func(c *Config) {
		c.Workers, c.Body = 0, func(e payout.Event) []byte { return jsonTime(e.CreatedAt) }
	})
	return s
}

func jsonTime(at time.Time) []byte {
	text, _ := at.MarshalJSON() // a time of this century
	return text
}

// receiver answers 200 once before returns, and tells received how old the event is, unless its sender has given up.
func (s *stream) receiver(before func(*http.Request), received func(time.Duration)) *httptest.Server {
	in := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var at time.Time
		text, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(text, &at) != nil {
			return
		}
		before(r)
		if r.Context().Err() == nil {
			received(time.Since(at))
		}
	}))
	s.t.Cleanup(func() {
		in.CloseClientConnections()
		in.Close()
	})
	return in
}

// refuse lets the endpoint of extra refuse connections.
func (s *stream) refuse() {
	s.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.write(func(ctx context.Context, tx payout.Tx) error {
		e, _, err := tx.LockWebhookEndpoint(ctx, extra, s.extraURL)
		if err != nil {
			return err
		}
		e.URL = "http://" + listener.Addr().String()
		return tx.UpdateWebhookEndpoint(ctx, extra, e)
	})
}

func (s *stream) publish(of payout.ClientID, types ...payout.EventType) {
	s.t.Helper()
	s.world.publish(of, types...)
	s.published[of] += len(types)
}

// run publishes an event of one client, and one of extra, each beat.
func (s *stream) run(lasts time.Duration) {
	s.t.Helper()
	s.mu.Lock()
	s.took, s.want = nil, 0
	s.mu.Unlock()
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for end := time.Now().Add(lasts); time.Now().Before(end); <-ticker.C {
		s.publish(s.clients[s.beats%len(s.clients)], created)
		s.publish(extra, created)
		s.beats++
		s.want += endpointsOfClient
		s.goroutines = max(s.goroutines, runtime.NumGoroutine())
	}
}

// await waits until all others have their events.
func (s *stream) await() {
	s.t.Helper()
	until(s.t, "all others have their events", func() bool { return len(s.delays()) >= s.want })
}

func (s *stream) delays() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.took)
}

// arrived returns after what time extra had a part of its deliveries, 0 if it has not.
func (s *stream) arrived(began time.Time, total, percent int) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := total * percent / 100; len(s.toExtra) >= n {
		return s.toExtra[n-1].Sub(began).Round(time.Second)
	}
	return 0
}

// end stops the service, and says what it used.
func (s *stream) end() string {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%d of its %d events delivered, at most %d goroutines, %d MiB in use", len(s.toExtra), s.published[extra],
		s.goroutines, m.HeapInuse>>20)
}

// percentiles returns the median, and what 95 and 99 of 100 do not exceed.
func percentiles(all []time.Duration) [3]time.Duration {
	slices.Sort(all)
	n := len(all)
	return [3]time.Duration{all[n/2], all[n*95/100], all[n*99/100]}
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// endpoints writes many endpoints in one transaction.
func (w *world) endpoints(of payout.ClientID, n int, url string) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx payout.Tx) error {
		for range n {
			e := payout.WebhookEndpoint{
				ID: payout.WebhookEndpointID(uuid.NewString()), URL: url,
				Secrets: payout.SealedWebhookSecrets{Current: []byte("sealed")}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
			}
			if _, err := tx.InsertWebhookEndpoint(ctx, of, e, n+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// A client with many endpoints and a burst of events takes no long transaction: the publisher makes a bounded number of deliveries
// at a time, which would hold up the events of all others, and on SQLite all writes.
func TestABurstIsPublishedInParts(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		const endpoints, events, most = 100, 12, 500
		w.endpoints(client, endpoints, "http://127.0.0.1:1")
		w.write(func(ctx context.Context, tx payout.Tx) error {
			return tx.InsertEvents(ctx, client, newEvents(slices.Repeat([]payout.EventType{created}, events)...)...)
		})
		var parts []int
		for more := true; more; {
			var n int
			var err error
			n, more, err = w.db.PublishEvents(t.Context(), 200, w.fanout)
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, n)
		}
		if want := []int{most / endpoints, most / endpoints, events - 2*most/endpoints}; !slices.Equal(parts, want) {
			t.Errorf("published %v, want %v", parts, want)
		}
		jobs, err := w.db.WebhookJobs(t.Context())
		if err != nil || jobs.Due != endpoints*events || jobs.Oldest.IsZero() {
			t.Errorf("the queue has %+v, %v", jobs, err)
		}
	})
}
