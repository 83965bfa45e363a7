package payouttest

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

const (
	// deliveryTime is how long what was sent may need to be accepted.
	deliveryTime = 30 * time.Second
	// deliveryPause is the time between two looks at the deliveries.
	deliveryPause = 10 * time.Millisecond
)

// Webhook is an endpoint of Client to which the service delivers, made by [Sandbox.Webhook].
type Webhook struct {
	ID     uuid.UUID
	Secret string // for client.VerifyWebhook

	sandbox *Sandbox
}

// Webhook registers an address of your code, such as that of an [httptest.Server], for events of these types, or of all types.
// It gets what happens from now on. New needs [Webhooks].
func (s *Sandbox) Webhook(url string, types ...api.EventType) *Webhook {
	s.t.Helper()
	if !s.webhooks {
		s.t.Fatal("Webhook needs a sandbox with the option Webhooks")
	}
	s.publish() // what happened before is for the endpoints that were there
	request := api.WebhookEndpointRequest{URL: url}
	if len(types) > 0 {
		request.EventTypes = types
	}
	made := must(s.direct.CreateWebhookEndpoint(s.t.Context(), request))(s.t)
	return &Webhook{made.ID, *made.Secret, s}
}

// publish puts all events into the feed, from which they are delivered: a read of the feed does.
func (s *Sandbox) publish() {
	s.t.Helper()
	must(s.direct.ListEvents(s.t.Context(), &api.ListEventsParams{Limit: new(int32(1))}))(s.t)
}

// Delivered waits until your code has accepted all that has happened, and returns these events, oldest first. They arrive in any
// order. What your code refuses is sent again, as by the real service but without its pauses; the test fails if your code goes on
// to refuse.
func (w *Webhook) Delivered() []api.Event {
	s := w.sandbox
	s.t.Helper()
	s.publish()
	delivered := w.await()
	var events []api.Event
	for event, err := range s.direct.Events(s.t.Context(), nil) {
		if err != nil {
			s.t.Fatal(err)
		}
		if delivered[event.ID] {
			events = append(events, event)
		}
	}
	return events
}

// Again delivers an event once more, and returns when your code has accepted it. So it sees a repeat, and if there were later
// events, one that comes late.
func (w *Webhook) Again(event uuid.UUID) {
	w.sandbox.t.Helper()
	w.retry(event)
	w.await()
}

// Rotate replaces the secret, and returns the new one. Until 24 hours have passed, by Advance, both sign.
func (w *Webhook) Rotate() (secret string) {
	s := w.sandbox
	s.t.Helper()
	w.Secret = must(s.direct.RotateWebhookSecret(s.t.Context(), w.ID))(s.t).Secret
	return w.Secret
}

func (w *Webhook) retry(event uuid.UUID) {
	s := w.sandbox
	s.t.Helper()
	s.set(func() error {
		_, err := s.direct.RetryWebhookDelivery(s.t.Context(), w.ID, event)
		return err
	})
}

// await returns the events that were delivered, once nothing is pending.
func (w *Webhook) await() map[uuid.UUID]bool {
	s := w.sandbox
	s.t.Helper()
	retried := map[uuid.UUID]int{} // the attempts after which the next one was asked for
	for deadline := time.Now().Add(deliveryTime); ; <-time.After(deliveryPause) {
		delivered, pending := map[uuid.UUID]bool{}, []api.WebhookDelivery(nil)
		for d, err := range s.direct.WebhookDeliveries(s.t.Context(), w.ID, nil) {
			switch {
			case err != nil:
				s.t.Fatal(err)
			case d.Status == api.WebhookDeliveryStatusDelivered:
				delivered[d.EventID] = true
			case d.Status != api.WebhookDeliveryStatusPending || time.Now().After(deadline):
				s.t.Fatal(describe(d))
			default:
				pending = append(pending, d)
			}
		}
		if len(pending) == 0 {
			return delivered
		}
		for _, d := range pending {
			if made := len(d.Attempts); made > retried[d.EventID] && failed(d.Attempts[made-1]) {
				retried[d.EventID] = made
				w.retry(d.EventID)
			}
		}
	}
}

func failed(a api.WebhookAttempt) bool { return a.Error != nil }

// describe says what became of a delivery.
func describe(d api.WebhookDelivery) string {
	text := fmt.Sprintf("the webhook of event %s (%s) is %s after %d attempts", d.EventID, d.EventType, d.Status, len(d.Attempts))
	if n := len(d.Attempts); n > 0 && failed(d.Attempts[n-1]) {
		last := d.Attempts[n-1]
		text += ", the last one: " + string(*last.Error)
		if last.HTTPStatus != nil {
			text += fmt.Sprintf(", HTTP status %d", *last.HTTPStatus)
		}
	}
	return text
}
