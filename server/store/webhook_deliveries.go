package store

import (
	"context"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const webhookDeliveryColumns = `endpoint_id, event_id, event_type, position, payload, status, next_attempt_at, created_at`

func scanWebhookDelivery(s scanner, d *payout.WebhookDelivery) error {
	return s.Scan(&d.EndpointID, &d.EventID, &d.EventType, &d.Position, &d.Payload, &d.Status, optionalTimeColumn{&d.NextAttemptAt},
		timeColumn{&d.CreatedAt})
}

// WebhookDeliveries lists a page of what goes to an endpoint, newest first; an empty status is any.
func (r reads) WebhookDeliveries(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, status payout.WebhookDeliveryStatus, page payout.Page,
) ([]payout.WebhookDelivery, error) {
	query, args := `select `+webhookDeliveryColumns+` from webhook_deliveries where client_id = $1 and endpoint_id = $2`,
		[]any{clientID, id, newestMicros(page.After), page.After.ID, limit(page)}
	if status != "" {
		query += ` and status = $6`
		args = append(args, string(status))
	}
	all, err := list(ctx, r, scanWebhookDelivery, query+` and (created_at, event_id) < ($3, $4)
		order by created_at desc, event_id desc limit $5`, args...)
	if err != nil {
		return nil, err
	}
	return all, r.attempts(ctx, clientID, id, all)
}

// WebhookDelivery reads the delivery of an event to an endpoint.
func (r reads) WebhookDelivery(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, eventID payout.EventID,
) (payout.WebhookDelivery, bool, error) {
	d, ok, err := one(ctx, r, scanWebhookDelivery, `select `+webhookDeliveryColumns+` from webhook_deliveries
		where client_id = $1 and endpoint_id = $2 and event_id = $3`, clientID, id, eventID)
	if err != nil || !ok {
		return d, ok, err
	}
	alone := []payout.WebhookDelivery{d}
	err = r.attempts(ctx, clientID, id, alone)
	return alone[0], true, err
}

// attempts reads the attempts of deliveries to an endpoint.
func (r reads) attempts(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, all []payout.WebhookDelivery) error {
	type row struct {
		eventID payout.EventID
		attempt payout.WebhookAttempt
	}
	ids, places := make([]payout.EventID, len(all)), make(map[payout.EventID]int, len(all))
	for i, d := range all {
		ids[i], places[d.EventID] = d.EventID, i
	}
	in, args := inList(ids, clientID, id)
	rows, err := list(ctx, r, func(s scanner, v *row) error {
		var ms int64
		err := s.Scan(&v.eventID, &v.attempt.Number, timeColumn{&v.attempt.At}, &ms, &v.attempt.HTTPStatus, &v.attempt.Error)
		v.attempt.Duration = time.Duration(ms) * time.Millisecond
		return err
	}, `select event_id, number, at, duration_ms, http_status, error from webhook_attempts
		where client_id = $1 and endpoint_id = $2 and event_id in `+in+` order by event_id, number`, args...)
	for _, v := range rows {
		d := &all[places[v.eventID]]
		d.Attempts = append(d.Attempts, v.attempt)
	}
	return err
}

// InsertWebhookDelivery writes a delivery without attempts and returns true, or false without writing if there is one for this
// endpoint and event.
func (t tx) InsertWebhookDelivery(ctx context.Context, clientID payout.ClientID, d payout.WebhookDelivery) (bool, error) {
	var payload *string
	if d.Payload != nil {
		text := string(d.Payload)
		payload = &text
	}
	n, err := t.exec(ctx, `insert into webhook_deliveries (client_id, `+webhookDeliveryColumns+`, attempts)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0) on conflict (client_id, endpoint_id, event_id) do nothing`,
		clientID, d.EndpointID, d.EventID, string(d.EventType), d.Position, payload, string(d.Status), optionalMicros(d.NextAttemptAt),
		micros(d.CreatedAt))
	return n == 1, err
}

// SetWebhookDelivery writes the status of a delivery and the time of its next attempt.
func (t tx) SetWebhookDelivery(ctx context.Context, clientID payout.ClientID, d payout.WebhookDelivery) error {
	return t.execLater(ctx, `update webhook_deliveries set status = $4, next_attempt_at = $5
		where client_id = $1 and endpoint_id = $2 and event_id = $3`,
		clientID, d.EndpointID, d.EventID, string(d.Status), optionalMicros(d.NextAttemptAt))
}

// AddWebhookAttempt writes an attempt of a delivery, numbers it, and forgets the oldest beyond MaxWebhookAttempts.
func (t tx) AddWebhookAttempt(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, eventID payout.EventID, a payout.WebhookAttempt,
) error {
	number, ok, err := one(ctx, t.reads, func(s scanner, n *int64) error { return s.Scan(n) }, `update webhook_deliveries
		set attempts = attempts + 1 where client_id = $1 and endpoint_id = $2 and event_id = $3 returning attempts`, clientID, id, eventID)
	if err != nil || !ok {
		return err
	}
	if err := t.execLater(ctx, `insert into webhook_attempts (client_id, endpoint_id, event_id, number, at, duration_ms, http_status, error)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		clientID, id, eventID, number, micros(a.At), a.Duration.Milliseconds(), a.HTTPStatus, a.Error); err != nil {
		return err
	}
	return t.execLater(ctx, `delete from webhook_attempts where client_id = $1 and endpoint_id = $2 and event_id = $3 and number <= $4`,
		clientID, id, eventID, number-payout.MaxWebhookAttempts)
}

// DeleteWebhookDeliveries deletes at most that many deliveries of an endpoint with their attempts, and returns how many they
// were. It waits for who is adding an attempt to one of them.
func (t tx) DeleteWebhookDeliveries(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, most int) (int, error) {
	ids, err := list(ctx, t.reads, func(s scanner, v *payout.EventID) error { return s.Scan(v) }, `select event_id from webhook_deliveries
		where client_id = $1 and endpoint_id = $2 order by event_id limit $3`+t.engine.exclusive, clientID, id, most)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	last := ids[len(ids)-1]
	for _, table := range []string{"webhook_attempts", "webhook_deliveries"} {
		if _, err := t.execAny(ctx, `delete from `+table+` where client_id = $1 and endpoint_id = $2 and event_id <= $3`,
			clientID, id, last); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}
