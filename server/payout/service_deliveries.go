package payout

import (
	"context"
	"time"
)

// WebhookPing is the type of the event that a test of an endpoint sends. It is in no feed.
const WebhookPing EventType = "ping"

// RetryWebhookDelivery makes the next attempt of a delivery due now, whatever its status, and returns the delivery. An attempt
// that is due later is made now instead. The delivery is CANCELED if the endpoint is disabled. It returns CodeNotFound for an
// unknown endpoint or delivery (D-69).
func (s *Service) RetryWebhookDelivery(ctx context.Context, c Client, id WebhookEndpointID, eventID EventID) (WebhookDelivery, error) {
	if err := s.webhooks(); err != nil {
		return WebhookDelivery{}, err
	}
	var d WebhookDelivery
	err := s.store.Write(ctx, func(tx Tx) error {
		// The job comes first, as when an attempt is recorded; without a delivery nothing is written.
		if err := tx.EnqueueWebhookNow(ctx, c.ID, id, eventID); err != nil {
			return err
		}
		e, err := foundWebhook(tx.LockWebhookEndpoint(ctx, c.ID, id))
		if err != nil {
			return err
		}
		var found bool
		if d, found, err = tx.WebhookDelivery(ctx, c.ID, id, eventID); err != nil {
			return err
		}
		if !found {
			return NotFound("webhook delivery")
		}
		s.due(e, &d)
		return tx.SetWebhookDelivery(ctx, c.ID, d)
	})
	return d, err
}

// TestWebhookEndpoint sends an event of type ping to one endpoint, and returns its delivery. It is CANCELED at once if the
// endpoint is disabled. It returns CodeNotFound for an unknown endpoint (D-69).
func (s *Service) TestWebhookEndpoint(ctx context.Context, c Client, id WebhookEndpointID) (WebhookDelivery, error) {
	if err := s.webhooks(); err != nil {
		return WebhookDelivery{}, err
	}
	d := WebhookDelivery{
		EndpointID: id, EventID: EventID(s.newID()), EventType: WebhookPing, Payload: []byte("{}"), CreatedAt: s.now(),
	}
	err := s.store.Write(ctx, func(tx Tx) error {
		e, err := foundWebhook(tx.LockWebhookEndpoint(ctx, c.ID, id))
		if err != nil {
			return err
		}
		s.due(e, &d)
		if _, err := tx.InsertWebhookDelivery(ctx, c.ID, d); err != nil || e.Disabled {
			return err
		}
		return tx.EnqueueWebhookNow(ctx, c.ID, id, d.EventID)
	})
	return d, err
}

// due makes a delivery due now, or CANCELED if its endpoint is disabled.
func (s *Service) due(e WebhookEndpoint, d *WebhookDelivery) {
	d.Status, d.NextAttemptAt = WebhookPending, s.now()
	if e.Disabled {
		d.Status, d.NextAttemptAt = WebhookCanceled, time.Time{}
	}
}
