package webhooks

import (
	"context"
	"database/sql"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const (
	// With enoughFailures the pause of an endpoint is 16 seconds; soon is well before its end.
	enoughFailures = 6
	soon           = 12 * time.Second
)

// failing starts a replica and an endpoint that fails until up is true, and returns when its pauses are long.
func (w *world) failing() (endpoint payout.WebhookEndpointID, in *inbox, up *atomic.Bool) {
	w.t.Helper()
	up = &atomic.Bool{}
	in = newInbox(w.t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		if !up.Load() {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	endpoint = w.endpoint(client, in.url)
	w.replica()
	for n := range enoughFailures { // those in flight together would count once
		w.publish(client, created)
		until(w.t, "the next attempt fails", func() bool { _, requests := in.all(); return requests > n })
	}
	return endpoint, in, up
}

func TestARetryDoesNotWaitForAFailingEndpoint(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		endpoint, _, up := w.failing()
		waits := w.publish(client, created)[0]
		up.Store(true)
		asked := time.Now()
		until(t, "the retry succeeds", func() bool {
			// Again, because a request counts for nothing while an attempt is made, which may still be turned away.
			w.write(func(ctx context.Context, tx payout.Tx) error {
				return tx.EnqueueWebhookNow(ctx, client, endpoint, waits)
			})
			return w.delivery(client, endpoint, waits).Status == payout.WebhookDelivered
		})
		if took := time.Since(asked); took > soon {
			t.Errorf("the retry took %s", took)
		}
		after, published := w.publish(client, created)[0], time.Now()
		until(t, "the next one succeeds", func() bool { return w.delivery(client, endpoint, after).Status == payout.WebhookDelivered })
		if took := time.Since(published); took > soon {
			t.Errorf("after the retry the next one took %s", took)
		}
	})
}

// Each replica has pauses of its own, and finds out that the failures were forgotten.
func TestAChangedEndpointDoesNotWait(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		endpoint, _, _ := w.failing()
		other := newInbox(t, nil)
		w.write(func(ctx context.Context, tx payout.Tx) error {
			e, _, err := tx.LockWebhookEndpoint(ctx, client, endpoint)
			if err != nil {
				return err
			}
			e.URL, e.FailingSince, e.UpdatedAt = other.url, time.Time{}, time.Now()
			return tx.UpdateWebhookEndpoint(ctx, client, e)
		})
		changed := time.Now()
		until(t, "an event arrives", func() bool {
			w.publish(client, created) // the first may come too early after the look-up before
			_, requests := other.all()
			return requests > 0
		})
		if took := time.Since(changed); took > soon {
			t.Errorf("the first event came after %s", took)
		}
	})
}

// A client asks for an attempt after a job has read that there is nothing to send, and before its end: the job still counts as the
// attempt that is being made.
func TestARetryIsNotLostWhileAnAttemptIsGivenUp(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	w, db := newWorld(t, url), connected(t, url)
	endpoint, event := w.endpoint(client, newInbox(t, nil).url), payout.EventID("event")
	w.write(func(ctx context.Context, tx payout.Tx) error {
		if _, err := tx.InsertWebhookDelivery(ctx, client, payout.WebhookDelivery{
			EndpointID: endpoint, EventID: event, EventType: payout.WebhookPing, Payload: []byte("{}"), Status: payout.WebhookCanceled,
			CreatedAt: time.Now(),
		}); err != nil {
			return err
		}
		return tx.EnqueueWebhookNow(ctx, client, endpoint, event)
	})
	w.write(func(ctx context.Context, tx payout.Tx) error {
		if _, _, err := tx.LockWebhookEndpoint(ctx, client, endpoint); err != nil {
			return err
		}
		w.replica()
		until(t, "the job that reads CANCELED waits for the endpoint", func() bool {
			var waiting int
			err := db.QueryRowContext(ctx, `select count(*) from pg_stat_activity
				where datname = current_database() and wait_event_type = 'Lock'`).Scan(&waiting)
			return err == nil && waiting == 1
		})
		return tx.SetWebhookDelivery(ctx, client, payout.WebhookDelivery{EndpointID: endpoint, EventID: event, Status: payout.WebhookPending})
	})
	until(t, "it is delivered", func() bool { return w.delivery(client, endpoint, event).Status == payout.WebhookDelivered })
}

func connected(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
