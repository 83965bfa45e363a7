package webhooks

import (
	"context"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

const created, changed = payout.TransactionCreated, payout.TransactionStatusChanged

func TestEachEndpointGetsWhatItWants(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		w.client("other")
		all, some, others := newInbox(t, nil), newInbox(t, nil), newInbox(t, nil)
		toAll, toSome := w.endpoint(client, all.url), w.endpoint(client, some.url, changed)
		w.endpoint("other", others.url)
		ids := w.publish(client, created, changed, created)
		w.replica()
		until(t, "everything is delivered", func() bool {
			for _, id := range ids {
				if w.delivery(client, toAll, id).Status != payout.WebhookDelivered {
					return false
				}
			}
			return w.delivery(client, toSome, ids[1]).Status == payout.WebhookDelivered
		})
		d := w.delivery(client, toAll, ids[0])
		if len(d.Attempts) != 1 || d.Attempts[0].HTTPStatus != 200 || d.Attempts[0].Error != "" || !d.NextAttemptAt.IsZero() {
			t.Errorf("delivery %+v", d)
		}
		for _, c := range []struct {
			name  string
			inbox *inbox
			want  int
		}{{"all", all, 3}, {"some", some, 1}, {"other client", others, 0}} {
			if events, requests := c.inbox.all(); events != c.want || requests != c.want {
				t.Errorf("%s: %d events in %d requests, want %d", c.name, events, requests, c.want)
			}
		}
		w.drained()
	})
}

func TestAFailedAttemptIsRepeated(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		in := newInbox(t, func(w http.ResponseWriter, _ *http.Request, times int) {
			if times == 1 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		endpoint := w.endpoint(client, in.url)
		id := w.publish(client, created)[0]
		w.replica()
		var d payout.WebhookDelivery // as it is before the next attempt
		until(t, "the first attempt fails", func() bool { d = w.delivery(client, endpoint, id); return len(d.Attempts) == 1 })
		if d.Status != payout.WebhookPending || d.NextAttemptAt.IsZero() || d.Attempts[0].HTTPStatus != 500 || d.Attempts[0].Error != failureStatus {
			t.Errorf("after the first attempt %+v", d)
		}
		if e, _, _ := w.db.WebhookEndpoint(t.Context(), client, endpoint); e.FailingSince.IsZero() {
			t.Error("the failure of the endpoint is not noted")
		}
		until(t, "the second succeeds", func() bool { return w.delivery(client, endpoint, id).Status == payout.WebhookDelivered })
		if e, _, _ := w.db.WebhookEndpoint(t.Context(), client, endpoint); !e.FailingSince.IsZero() {
			t.Error("the endpoint still counts as failing")
		}
		if n := in.times(id); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
		w.drained()
	})
}

// A retry while an attempt is due later makes that one now: there are no two.
func TestARetryReplacesWhatWaits(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		in := newInbox(t, func(w http.ResponseWriter, _ *http.Request, times int) {
			if times == 1 {
				w.Header().Set("Retry-After", "600")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		endpoint := w.endpoint(client, in.url)
		id := w.publish(client, created)[0]
		w.replica()
		until(t, "the first attempt fails", func() bool { return len(w.delivery(client, endpoint, id).Attempts) == 1 })
		for range 3 {
			w.write(func(ctx context.Context, tx payout.Tx) error { return tx.EnqueueWebhookNow(ctx, client, endpoint, id) })
		}
		until(t, "the retry succeeds", func() bool { return w.delivery(client, endpoint, id).Status == payout.WebhookDelivered })
		w.drained()
		if n := in.times(id); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
	})
}

func TestGoneDisables(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		in := newInbox(t, func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusGone) })
		endpoint := w.endpoint(client, in.url)
		later := w.publish(client, created)[0]
		w.write(func(ctx context.Context, tx payout.Tx) error {
			_, err := tx.CancelWebhookDeliveries(ctx, client, endpoint)
			return err
		})
		ids := w.publish(client, created, created, created, created, created, created)
		w.replica()
		w.drained()
		e, _, err := w.db.WebhookEndpoint(t.Context(), client, endpoint)
		if err != nil || !e.Disabled || e.DisabledReason != payout.EndpointGone {
			t.Errorf("endpoint %+v, %v", e, err)
		}
		statuses := map[payout.WebhookDeliveryStatus]int{}
		for _, id := range ids {
			statuses[w.delivery(client, endpoint, id).Status]++
		}
		_, requests := in.all()
		if statuses[payout.WebhookFailed] == 0 || statuses[payout.WebhookFailed]+statuses[payout.WebhookCanceled] != len(ids) || requests > 2 {
			t.Errorf("%v after %d requests", statuses, requests)
		}
		if in.times(later) != 0 {
			t.Error("a canceled delivery was sent")
		}
		w.publish(client, created)
		w.drained()
		if _, after := in.all(); after != requests {
			t.Errorf("%d requests after the endpoint was disabled", after-requests)
		}
	})
}

func TestReplicasShareTheWork(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		in := newInbox(t, nil)
		w.endpoint(client, in.url)
		const events = 200
		types := make([]payout.EventType, events)
		for i := range types {
			types[i] = created
		}
		w.publish(client, types...)
		for range 2 {
			w.replica()
		}
		w.drained()
		if got, requests := in.all(); got != events || requests != events {
			t.Errorf("%d events in %d requests, want %d in as many", got, requests, events)
		}
	})
}

// What a replica has not finished when it stops is delivered by another.
func TestWhatIsInFlightAtAStopIsDeliveredLater(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, w *world) {
		arrived := make(chan struct{}, 10)
		in := newInbox(t, func(_ http.ResponseWriter, r *http.Request, times int) {
			if times == 1 {
				arrived <- struct{}{}
				<-r.Context().Done()
			}
		})
		endpoint := w.endpoint(client, in.url)
		id := w.publish(client, created)[0]
		stop := w.replica()
		<-arrived
		stop()
		if d := w.delivery(client, endpoint, id); d.Status != payout.WebhookPending || len(d.Attempts) != 0 {
			t.Errorf("after the stop %+v", d)
		}
		w.replica()
		until(t, "another delivers it", func() bool { return w.delivery(client, endpoint, id).Status == payout.WebhookDelivered })
		w.drained()
	})
}

// drained waits until nothing is left to do.
func (w *world) drained() {
	w.t.Helper()
	until(w.t, "the queue is empty", func() bool {
		jobs, err := w.db.WebhookJobs(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		return jobs == store.WebhookJobs{}
	})
}
