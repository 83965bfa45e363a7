package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// A service that ended after the first part of what it had to cancel goes on when it starts. No delivery waits for its own job,
// which is due much later.
func TestTheRestIsCanceledAfterAStart(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		in := newInbox(t, nil)
		id := w.endpoint(client, in.url)
		w.waiting(id, 2500, time.Hour)
		w.disable(id, true)
		if n := w.pending(id); n != 1500 {
			t.Fatalf("%d deliveries wait after the first part, want 1500", n)
		}
		w.replica()
		until(t, "all are canceled", func() bool { return w.pending(id) == 0 })
		until(t, "the cancelation ends", func() bool {
			jobs, err := w.db.WebhookJobs(t.Context())
			return err == nil && jobs.Running == 0 && jobs.Due == 0
		})
		if _, requests := in.all(); requests != 0 {
			t.Errorf("%d requests", requests)
		}
	})
}

// What is due before its part is canceled is not sent, and is canceled by its own job.
func TestADeliveryToADisabledEndpointIsCanceled(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		in := newInbox(t, nil)
		id := w.endpoint(client, in.url)
		w.waiting(id, 3, 0)
		w.disable(id, false)
		w.replica()
		w.drained()
		if n := w.pending(id); n != 0 {
			t.Errorf("%d deliveries still wait", n)
		}
		if _, requests := in.all(); requests != 0 {
			t.Errorf("%d requests", requests)
		}
	})
}

// An attempt that is being made when its endpoint is disabled is the last one, though its part is not canceled yet.
func TestAnAttemptInFlightIsTheLast(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		arrived, answer := make(chan struct{}, 10), make(chan struct{})
		in := newInbox(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
			arrived <- struct{}{}
			<-answer
			w.WriteHeader(http.StatusInternalServerError)
		})
		id := w.endpoint(client, in.url)
		w.waiting(id, 1, 0)
		w.replica()
		<-arrived
		w.disable(id, false)
		close(answer)
		until(t, "it is recorded", func() bool { return len(w.delivery(client, id, "event 0").Attempts) > 0 })
		d := w.delivery(client, id, "event 0")
		if d.Status != payout.WebhookCanceled || len(d.Attempts) != 1 || !d.NextAttemptAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
	})
}

// waiting writes deliveries to an endpoint whose next attempts are due after a pause.
func (w *world) waiting(id payout.WebhookEndpointID, n int, pause time.Duration) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx payout.Tx) error {
		for i := range n {
			d := payout.WebhookDelivery{
				EndpointID: id, EventID: payout.EventID(fmt.Sprint("event ", i)), EventType: payout.WebhookPing, Payload: []byte("{}"),
				Status: payout.WebhookPending, NextAttemptAt: time.Now().Add(pause), CreatedAt: time.Now(),
			}
			if _, err := tx.InsertWebhookDelivery(ctx, client, d); err != nil {
				return err
			}
			if err := tx.EnqueueWebhook(ctx, client, id, d.EventID, pause); err != nil {
				return err
			}
		}
		return nil
	})
}

// disable disables an endpoint, and cancels the first part of what waits if that is wanted.
func (w *world) disable(id payout.WebhookEndpointID, first bool) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx payout.Tx) error {
		e, _, err := tx.LockWebhookEndpoint(ctx, client, id)
		if err != nil {
			return err
		}
		e.Disabled = true
		if err := tx.UpdateWebhookEndpoint(ctx, client, e); err != nil || !first {
			return err
		}
		_, err = tx.CancelWebhookDeliveries(ctx, client, id)
		return err
	})
}

// pending counts what waits for an endpoint.
func (w *world) pending(id payout.WebhookEndpointID) int {
	w.t.Helper()
	all, err := w.db.WebhookDeliveries(w.t.Context(), client, id, payout.WebhookPending, payout.Page{Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(all)
}
