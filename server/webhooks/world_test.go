package webhooks

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// onEachEngine runs a test on SQLite, on PostgreSQL, and behind PgBouncer in transaction mode.
func onEachEngine(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for name, url := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db") },
		"PostgreSQL": func(t *testing.T) string { t.Helper(); return pgtest.Database(t) },
		"PgBouncer":  func(t *testing.T) string { t.Helper(); through, _ := pgtest.Pooled(t); return through },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, url(t)))
		})
	}
}

// world is a database with clients, and replicas that deliver.
type world struct {
	t   *testing.T
	url string
	db  *store.Store
}

const client = payout.ClientID("client")

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{t: t, url: url, db: db}
	w.client(client)
	return w
}

func (w *world) client(id payout.ClientID) {
	w.t.Helper()
	c := payout.Client{ID: id, Name: string(id)}
	if err := w.db.PutClient(w.t.Context(), c, payout.HashSecret(string(id)), time.Now()); err != nil {
		w.t.Fatal(err)
	}
}

func testConfig(db *store.Store) Config {
	return Config{
		Store: db, Private: true, Metrics: NewMetrics(db), Now: time.Now, Workers: 100,
		Secrets: func(payout.ClientID, payout.WebhookEndpoint) ([]string, error) {
			return []string{newSecret, oldSecret}, nil
		},
		Body: func(e payout.Event) []byte { return fmt.Appendf(nil, `{"id":%q,"type":%q}`, e.ID, e.Type) },
	}
}

// replica starts a Deliverer, which stops when the test ends unless stop is called before.
func (w *world) replica(configure ...func(*Config)) (stop func()) {
	w.t.Helper()
	c := testConfig(w.db)
	c.Logger = slog.New(slog.NewTextHandler(w.t.Output(), nil))
	for _, f := range configure {
		f(&c)
	}
	d, err := New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := d.Start(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		if err := d.Stop(context.Background()); err != nil {
			w.t.Error(err)
		}
	})
	w.t.Cleanup(stop)
	return stop
}

// endpoint writes an endpoint of a client.
func (w *world) endpoint(of payout.ClientID, url string, types ...payout.EventType) payout.WebhookEndpointID {
	w.t.Helper()
	e := payout.WebhookEndpoint{
		ID: payout.WebhookEndpointID(uuid.NewString()), URL: url, EventTypes: types,
		Secrets: payout.SealedWebhookSecrets{Current: []byte("sealed")}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
	}
	w.write(func(ctx context.Context, tx payout.Tx) error {
		_, err := tx.InsertWebhookEndpoint(ctx, of, e, 1000)
		return err
	})
	return e.ID
}

// publish publishes events of a client.
func (w *world) publish(of payout.ClientID, types ...payout.EventType) []payout.EventID {
	w.t.Helper()
	all := newEvents(types...)
	ids := make([]payout.EventID, len(all))
	for i, e := range all {
		ids[i] = e.ID
	}
	w.write(func(ctx context.Context, tx payout.Tx) error { return tx.InsertEvents(ctx, of, all...) })
	w.publishAll()
	return ids
}

func newEvents(types ...payout.EventType) []payout.Event {
	all := make([]payout.Event, len(types))
	for i, eventType := range types {
		all[i] = payout.Event{
			ID: payout.EventID(uuid.NewString()), Type: eventType, CreatedAt: time.Now(), ResourceID: "resource", UserID: "user", Data: []byte("{}"),
		}
	}
	return all
}

func (w *world) write(fn func(context.Context, payout.Tx) error) {
	w.t.Helper()
	if err := w.db.Write(w.t.Context(), func(tx payout.Tx) error { return fn(w.t.Context(), tx) }); err != nil {
		w.t.Fatal(err)
	}
}

// delivery reads a delivery.
func (w *world) delivery(of payout.ClientID, id payout.WebhookEndpointID, event payout.EventID) payout.WebhookDelivery {
	w.t.Helper()
	d, ok, err := w.db.WebhookDelivery(w.t.Context(), of, id, event)
	if err != nil || !ok {
		w.t.Fatalf("delivery: %t, %v", ok, err)
	}
	return d
}

// until waits for a condition, and fails the test if it does not come true.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// inbox is a receiver that answers with the status of a function of how often an event has come, and keeps what it received.
type inbox struct {
	url      string
	mu       sync.Mutex
	received map[string]int // by webhook-id
	server   *httptest.Server
}

func newInbox(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, times int)) *inbox {
	t.Helper()
	in := &inbox{received: map[string]int{}}
	in.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice that the sender gives up
		in.mu.Lock()
		in.received[r.Header.Get("webhook-id")]++
		times := in.received[r.Header.Get("webhook-id")]
		in.mu.Unlock()
		if answer != nil {
			answer(w, r, times)
		}
	}))
	t.Cleanup(in.server.Close)
	in.url = in.server.URL
	return in
}

// times returns how often an event was received.
func (in *inbox) times(event payout.EventID) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.received[string(event)]
}

// all returns how many events were received, and how many requests there were.
func (in *inbox) all() (events, requests int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, n := range in.received {
		requests += n
	}
	return len(in.received), requests
}

// publishAll publishes what is queued, as each replica of the service does.
func (w *world) publishAll() {
	w.t.Helper()
	for {
		n, _, err := w.db.PublishEvents(w.t.Context(), 200, w.fanout)
		if err != nil {
			w.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func (w *world) fanout(ctx context.Context, tx *sql.Tx, all []payout.Published) error {
	return w.db.FanOutWebhooks(ctx, tx, time.Now(), all)
}
