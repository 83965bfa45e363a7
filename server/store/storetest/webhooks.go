package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// newDelivery fills a delivery, whose durations are milliseconds and whose attempts are numbered from 1.
func newDelivery(f *filler) payout.WebhookDelivery {
	d := payout.WebhookDelivery{
		EventID: payout.EventID(f.text()), EventType: "transaction.created", Position: 1 << 40, Payload: []byte(`{"z": 1, "a": "नेपाल"}`),
		Status: payout.WebhookPending, NextAttemptAt: origin.Add(time.Hour), CreatedAt: origin.Add(time.Microsecond),
	}
	for n := range 2 {
		d.Attempts = append(d.Attempts, payout.WebhookAttempt{
			Number: n + 1, At: origin.Add(time.Duration(n+2) * time.Microsecond), Duration: time.Duration(n+17) * time.Millisecond,
			HTTPStatus: 500 + n, Error: fmt.Sprint("TOKEN_", n),
		})
	}
	return d
}

// insertWebhooks writes the endpoint of the world and its delivery.
func (w world) insertWebhooks(ctx context.Context, tx payout.Tx) error {
	if err := keep(tx.InsertWebhookEndpoint(ctx, w.client.ID, w.endpoint, 1000)); err != nil {
		return err
	}
	if err := tx.InsertWebhookRotation(ctx, w.client.ID, w.rotation); err != nil {
		return err
	}
	return w.deliver(ctx, tx, w.delivery)
}

func (w world) deliver(ctx context.Context, tx payout.Tx, d payout.WebhookDelivery) error {
	if err := keep(tx.InsertWebhookDelivery(ctx, w.client.ID, d)); err != nil {
		return err
	}
	for _, a := range d.Attempts {
		if err := tx.AddWebhookAttempt(ctx, w.client.ID, d.EndpointID, d.EventID, a); err != nil {
			return err
		}
	}
	return nil
}

// damageWebhooks makes each write about the webhooks of the world in the name of another client.
func (w world) damageWebhooks(ctx context.Context, tx payout.Tx, other payout.ClientID) error {
	if _, ok, err := tx.LockWebhookEndpoint(ctx, other, w.endpoint.ID); ok || err != nil {
		return fmt.Errorf("locked %t, %w", ok, err)
	}
	if _, err := tx.CancelWebhookDeliveries(ctx, other, w.endpoint.ID); err != nil {
		return err
	}
	changed, delivery := w.endpoint, w.delivery
	changed.URL, changed.Disabled = "https://other.example.com/", !w.endpoint.Disabled
	delivery.Status = payout.WebhookCanceled
	for _, err := range []error{
		tx.UpdateWebhookEndpoint(ctx, other, changed),
		tx.SetWebhookSecrets(ctx, other, w.endpoint.ID, payout.SealedWebhookSecrets{Current: []byte("other")}),
		tx.SetWebhookDelivery(ctx, other, delivery),
		tx.AddWebhookAttempt(ctx, other, w.endpoint.ID, w.delivery.EventID, payout.WebhookAttempt{Error: "OTHER"}),
		tx.DeleteWebhookEndpoint(ctx, other, w.endpoint.ID),
	} {
		if err != nil {
			return err
		}
	}
	n, err := tx.DeleteWebhookDeliveries(ctx, other, w.endpoint.ID, 10)
	if err == nil && n > 0 {
		err = fmt.Errorf("%d deliveries were deleted", n)
	}
	return err
}

func webhookRoundTrip(t *testing.T, db Database) {
	for start, name := range []string{"first", "second"} {
		w, ctx := newWorld(name), t.Context()
		w.endpoint = filled[payout.WebhookEndpoint](&filler{prefix: name, start: start})
		w.rotation.EndpointID, w.delivery.EndpointID = w.endpoint.ID, w.endpoint.ID
		w.put(t, db)
		same(t, "endpoint", found(db.WebhookEndpoint(ctx, w.client.ID, w.endpoint.ID))(t), w.endpoint)
		same(t, "endpoints", must(db.WebhookEndpoints(ctx, w.client.ID, payout.Page{}))(t), []payout.WebhookEndpoint{w.endpoint})
		same(t, "delivery", found(db.WebhookDelivery(ctx, w.client.ID, w.endpoint.ID, w.delivery.EventID))(t), w.delivery)
		same(t, "rotation", found(db.WebhookRotation(ctx, w.client.ID, w.rotation.ID))(t), w.endpoint.ID)

		bare := payout.WebhookEndpoint{
			ID: "bare", URL: "https://example.com/", Secrets: payout.SealedWebhookSecrets{Current: []byte{1}}, CreatedAt: origin, UpdatedAt: origin,
		}
		waiting := payout.WebhookDelivery{EndpointID: bare.ID, EventID: "e", EventType: "ping", Status: payout.WebhookPending, CreatedAt: origin}
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			if err := keep(tx.InsertWebhookEndpoint(ctx, w.client.ID, bare, 1000)); err != nil {
				return err
			}
			if err := w.deliver(ctx, tx, waiting); err != nil {
				return err
			}
			again, err := tx.InsertWebhookDelivery(ctx, w.client.ID, waiting)
			same(t, "a delivery is written again", again, false)
			return err
		})
		same(t, "bare endpoint", found(db.WebhookEndpoint(ctx, w.client.ID, bare.ID))(t), bare)
		same(t, "waiting delivery", must(db.WebhookDeliveries(ctx, w.client.ID, bare.ID, payout.WebhookPending, payout.Page{}))(t),
			[]payout.WebhookDelivery{waiting})
		same(t, "failed deliveries", must(db.WebhookDeliveries(ctx, w.client.ID, bare.ID, payout.WebhookFailed, payout.Page{}))(t), nil)
	}
}

func webhookChanges(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	f := filler{prefix: "new", start: 1}
	changed := filled[payout.WebhookEndpoint](&f)
	changed.ID, changed.CreatedAt = w.endpoint.ID, w.endpoint.CreatedAt
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		locked := found(tx.LockWebhookEndpoint(ctx, w.client.ID, w.endpoint.ID))(t)
		same(t, "locked", locked, w.endpoint)
		return tx.UpdateWebhookEndpoint(ctx, w.client.ID, changed)
	})
	want := changed
	want.Secrets = w.endpoint.Secrets
	same(t, "changed", found(db.WebhookEndpoint(ctx, w.client.ID, w.endpoint.ID))(t), want)
	for _, secrets := range []payout.SealedWebhookSecrets{changed.Secrets, {Current: []byte("alone")}} {
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			return tx.SetWebhookSecrets(ctx, w.client.ID, w.endpoint.ID, secrets)
		})
		want.Secrets = secrets
		same(t, "with secrets", found(db.WebhookEndpoint(ctx, w.client.ID, w.endpoint.ID))(t), want)
	}
	delivery := w.delivery
	delivery.Status, delivery.NextAttemptAt = payout.WebhookDelivered, time.Time{}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		return tx.SetWebhookDelivery(ctx, w.client.ID, delivery)
	})
	same(t, "delivery", found(db.WebhookDelivery(ctx, w.client.ID, w.endpoint.ID, delivery.EventID))(t), delivery)
}

func webhookRace(t *testing.T, db Database) {
	const most, writers = 3, 16
	w, ctx := newWorld("a"), t.Context()
	putClient(t, db, w.client, "hash")
	var all sync.WaitGroup
	written := make([]bool, writers)
	for i := range writers {
		all.Go(func() {
			e := w.endpoint
			e.ID = payout.WebhookEndpointID(fmt.Sprint("endpoint ", i))
			if err := db.Write(ctx, func(tx payout.Tx) (err error) {
				written[i], err = tx.InsertWebhookEndpoint(ctx, w.client.ID, e, most)
				return err
			}); err != nil {
				t.Errorf("insert: %v", err)
			}
		})
	}
	all.Wait()
	n := 0
	for _, ok := range written {
		if ok {
			n++
		}
	}
	same(t, "written", n, most)
	same(t, "endpoints", len(must(db.WebhookEndpoints(ctx, w.client.ID, payout.Page{}))(t)), most)
}

func webhookDeletion(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	other := w.endpoint
	other.ID = "other"
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := keep(tx.InsertWebhookEndpoint(ctx, w.client.ID, other, 1000)); err != nil {
			return err
		}
		for i := range 4 {
			for _, endpoint := range []payout.WebhookEndpointID{w.endpoint.ID, other.ID} {
				d := w.delivery
				d.EndpointID, d.EventID = endpoint, payout.EventID(fmt.Sprint("event ", i))
				if err := w.deliver(ctx, tx, d); err != nil {
					return err
				}
			}
		}
		for key, id := range map[string]string{"key of endpoint": string(w.endpoint.ID), "key of rotation": string(w.rotation.ID)} {
			if err := keep(tx.InsertIdempotencyKey(ctx, w.client.ID, payout.Idempotency{Key: key}, id)()); err != nil {
				return err
			}
		}
		return nil
	})
	var rounds []int
	for n := 1; n > 0; rounds = append(rounds, n) {
		write(t, db, func(ctx context.Context, tx payout.Tx) (err error) {
			n, err = tx.DeleteWebhookDeliveries(ctx, w.client.ID, w.endpoint.ID, 2)
			return err
		})
	}
	same(t, "deleted deliveries", rounds, []int{2, 2, 1, 0})
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		return tx.DeleteWebhookEndpoint(ctx, w.client.ID, w.endpoint.ID)
	})
	same(t, "endpoints", must(db.WebhookEndpoints(ctx, w.client.ID, payout.Page{}))(t), []payout.WebhookEndpoint{other})
	same(t, "deliveries of the other", len(must(db.WebhookDeliveries(ctx, w.client.ID, other.ID, "", payout.Page{}))(t)), 4)
	for _, key := range []string{"key of endpoint", "key of rotation"} {
		if _, ok, err := db.IdempotencyKey(ctx, w.client.ID, key); ok || err != nil {
			t.Errorf("the %s: %t, %v", key, ok, err)
		}
	}
}

// webhookCancelation cancels three parts of the deliveries of one of two endpoints.
func webhookCancelation(t *testing.T, db Database) {
	ctx, w := t.Context(), newWorld("cancelation")
	w.put(t, db)
	other := w.endpoint
	other.ID = "other"
	const waiting = 2500
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := keep(tx.InsertWebhookEndpoint(ctx, w.client.ID, other, 1000)); err != nil {
			return err
		}
		for i := range waiting {
			d := payout.WebhookDelivery{EndpointID: w.endpoint.ID, EventID: payout.EventID(fmt.Sprint("e", i)), EventType: "ping",
				Status: payout.WebhookPending, NextAttemptAt: origin, CreatedAt: origin.Add(time.Duration(i/100) * time.Second)}
			if err := keep(tx.InsertWebhookDelivery(ctx, w.client.ID, d)); err != nil {
				return err
			}
			if i < 10 {
				if d.EndpointID = other.ID; i < 5 {
					d.EndpointID, d.EventID, d.Status = w.endpoint.ID, payout.EventID(fmt.Sprint("done", i)), payout.WebhookFailed
				}
				if err := keep(tx.InsertWebhookDelivery(ctx, w.client.ID, d)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	number := func(id payout.WebhookEndpointID, status payout.WebhookDeliveryStatus) int {
		return len(must(db.WebhookDeliveries(ctx, w.client.ID, id, status, payout.Page{}))(t))
	}
	all := number(w.endpoint.ID, payout.WebhookPending) // and that of the world
	for i, want := range []struct {
		more bool
		left int
	}{{true, all - 1000}, {true, all - 2000}, {false, 0}, {false, 0}} {
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			more, err := tx.CancelWebhookDeliveries(ctx, w.client.ID, w.endpoint.ID)
			same(t, fmt.Sprint("more after part ", i), more, want.more)
			return err
		})
		same(t, fmt.Sprint("left after part ", i), number(w.endpoint.ID, payout.WebhookPending), want.left)
	}
	for _, d := range must(db.WebhookDeliveries(ctx, w.client.ID, w.endpoint.ID, payout.WebhookCanceled, payout.Page{}))(t) {
		if all--; !d.NextAttemptAt.IsZero() {
			t.Errorf("canceled delivery %s has a next attempt", d.EventID)
		}
	}
	same(t, "not canceled", all, 0)
	same(t, "failed", number(w.endpoint.ID, payout.WebhookFailed), 5)
	same(t, "of the other", number(other.ID, payout.WebhookPending), 5)
}

func webhookAttempts(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.delivery.Attempts = nil
	w.put(t, db)
	const made = payout.MaxWebhookAttempts + 3
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		for i := range made {
			a := payout.WebhookAttempt{At: origin, HTTPStatus: i}
			if err := tx.AddWebhookAttempt(ctx, w.client.ID, w.endpoint.ID, w.delivery.EventID, a); err != nil {
				return err
			}
		}
		return nil
	})
	kept := found(db.WebhookDelivery(ctx, w.client.ID, w.endpoint.ID, w.delivery.EventID))(t).Attempts
	same(t, "attempts", len(kept), payout.MaxWebhookAttempts)
	same(t, "the first", kept[0], payout.WebhookAttempt{Number: 4, At: origin, HTTPStatus: 3})
	same(t, "the last", kept[len(kept)-1], payout.WebhookAttempt{Number: made, At: origin, HTTPStatus: made - 1})
}

func (w world) pagedEndpoints(t *testing.T, db Database) pagedList {
	ctx, id := t.Context(), w.client.ID
	return pagedList{
		"webhook endpoints", false, string(w.endpoint.ID), w.endpoint.CreatedAt,
		func(p payout.Page) []string { return idsOf(must(db.WebhookEndpoints(ctx, id, p))(t)) },
		func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
			v := w.endpoint
			v.ID, v.CreatedAt = payout.WebhookEndpointID(entry), at
			return keep(tx.InsertWebhookEndpoint(ctx, id, v, 1000))
		},
	}
}

// pagedDeliveries are those of an endpoint, all or of a status, for a client of their own.
func (w world) pagedDeliveries(t *testing.T, db Database, status payout.WebhookDeliveryStatus) pagedList {
	t.Helper()
	ctx := t.Context()
	w.client.ID = payout.ClientID("with deliveries " + status)
	putClient(t, db, w.client, "hash")
	write(t, db, w.insertWebhooks)
	return pagedList{
		"webhook deliveries " + string(status), true, string(w.delivery.EventID), w.delivery.CreatedAt,
		func(p payout.Page) []string {
			var ids []string
			for _, d := range must(db.WebhookDeliveries(ctx, w.client.ID, w.endpoint.ID, status, p))(t) {
				ids = append(ids, string(d.EventID))
			}
			return ids
		},
		func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
			v, another := w.delivery, w.delivery
			v.EventID, v.CreatedAt = payout.EventID(entry), at
			if err := w.deliver(ctx, tx, v); err != nil || status == "" {
				return err
			}
			another.EventID, another.CreatedAt, another.Status = payout.EventID(entry+" of another status"), at, payout.WebhookFailed
			return w.deliver(ctx, tx, another)
		},
	}
}
