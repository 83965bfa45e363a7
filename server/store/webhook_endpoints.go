package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const webhookEndpointColumns = `id, url, event_types, description, disabled, disabled_reason, failing_since, secret, old_secret,
	old_secret_expires_at, created_at, updated_at`

func scanWebhookEndpoint(s scanner, e *payout.WebhookEndpoint) error {
	return s.Scan(&e.ID, &e.URL, eventTypesOf(&e.EventTypes), &e.Description, &e.Disabled, &e.DisabledReason,
		optionalTimeColumn{&e.FailingSince}, &e.Secrets.Current, &e.Secrets.Old, optionalTimeColumn{&e.Secrets.OldExpires},
		timeColumn{&e.CreatedAt}, timeColumn{&e.UpdatedAt})
}

func eventTypesOf(into *[]payout.EventType) sql.Scanner {
	return arrayColumn(into, func(text string) payout.EventType { return payout.EventType(text) })
}

// optionalTimeColumn scans a time that may be null, which is the zero time.
type optionalTimeColumn struct{ t *time.Time }

// Scan implements sql.Scanner.
func (c optionalTimeColumn) Scan(src any) error {
	if src == nil {
		*c.t = time.Time{}
		return nil
	}
	return timeColumn(c).Scan(src)
}

// optionalMicros is the reverse of optionalTimeColumn.
func optionalMicros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: micros(t), Valid: !t.IsZero()}
}

// WebhookEndpoints lists a page of the webhook endpoints of a client, oldest first.
func (r reads) WebhookEndpoints(ctx context.Context, clientID payout.ClientID, page payout.Page) ([]payout.WebhookEndpoint, error) {
	return list(ctx, r, scanWebhookEndpoint, `select `+webhookEndpointColumns+` from webhook_endpoints
		where client_id = $1 and (created_at, id) > ($2, $3) order by created_at, id limit $4`,
		clientID, micros(page.After.CreatedAt), page.After.ID, limit(page))
}

const webhookEndpointByID = `select ` + webhookEndpointColumns + ` from webhook_endpoints where client_id = $1 and id = $2`

// WebhookEndpoint reads a webhook endpoint.
func (r reads) WebhookEndpoint(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID) (payout.WebhookEndpoint, bool, error) {
	return one(ctx, r, scanWebhookEndpoint, webhookEndpointByID, clientID, id)
}

// LockWebhookEndpoint reads a webhook endpoint, which no other write changes or refers to before this one ends.
func (t tx) LockWebhookEndpoint(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID) (payout.WebhookEndpoint, bool, error) {
	return one(ctx, t.reads, scanWebhookEndpoint, webhookEndpointByID+t.engine.exclusive, clientID, id)
}

// InsertWebhookEndpoint writes an endpoint and returns true, or false without writing if the client has that many already.
// Concurrent insertions wait for each other at the row of the client.
func (t tx) InsertWebhookEndpoint(ctx context.Context, clientID payout.ClientID, e payout.WebhookEndpoint, most int) (bool, error) {
	text := func(s scanner, v *string) error { return s.Scan(v) }
	if _, _, err := one(ctx, t.reads, text, `select id from clients where id = $1`+t.engine.locked, clientID); err != nil {
		return false, err
	}
	number := func(s scanner, v *int) error { return s.Scan(v) }
	there, _, err := oneAny(ctx, t.reads, number, `select count(*) from webhook_endpoints where client_id = $1`, clientID)
	if err != nil || there >= most {
		return false, err
	}
	err = t.execLater(ctx, `insert into webhook_endpoints (client_id, `+webhookEndpointColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		clientID, e.ID, e.URL, jsonText(e.EventTypes), e.Description, e.Disabled, string(e.DisabledReason), optionalMicros(e.FailingSince),
		e.Secrets.Current, e.Secrets.Old, optionalMicros(e.Secrets.OldExpires), micros(e.CreatedAt), micros(e.UpdatedAt))
	return err == nil, err
}

// UpdateWebhookEndpoint writes all of an endpoint but its secrets and the time of its creation.
func (t tx) UpdateWebhookEndpoint(ctx context.Context, clientID payout.ClientID, e payout.WebhookEndpoint) error {
	return t.execLater(ctx, `update webhook_endpoints set url = $3, event_types = $4, description = $5, disabled = $6, disabled_reason = $7,
		failing_since = $8, updated_at = $9 where client_id = $1 and id = $2`,
		clientID, e.ID, e.URL, jsonText(e.EventTypes), e.Description, e.Disabled, string(e.DisabledReason), optionalMicros(e.FailingSince),
		micros(e.UpdatedAt))
}

// SetWebhookSecrets writes the secrets of an endpoint alone, so that no other change can touch when the old one ends.
func (t tx) SetWebhookSecrets(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, secrets payout.SealedWebhookSecrets,
) error {
	return t.execLater(ctx, `update webhook_endpoints set secret = $3, old_secret = $4, old_secret_expires_at = $5
		where client_id = $1 and id = $2`, clientID, id, secrets.Current, secrets.Old, optionalMicros(secrets.OldExpires))
}

// WebhookRotation returns the endpoint whose secret was rotated.
func (r reads) WebhookRotation(ctx context.Context, clientID payout.ClientID, id payout.WebhookRotationID) (payout.WebhookEndpointID, bool, error) {
	return one(ctx, r, func(s scanner, v *payout.WebhookEndpointID) error { return s.Scan(v) },
		`select endpoint_id from webhook_rotations where client_id = $1 and id = $2`, clientID, id)
}

// InsertWebhookRotation notes that the secret of an endpoint was rotated.
func (t tx) InsertWebhookRotation(ctx context.Context, clientID payout.ClientID, v payout.WebhookRotation) error {
	return t.execLater(ctx, `insert into webhook_rotations (client_id, id, endpoint_id, created_at) values ($1, $2, $3, $4)`,
		clientID, v.ID, v.EndpointID, micros(v.CreatedAt))
}

// DeleteWebhookEndpoint deletes an endpoint that has no deliveries, its rotations, and the idempotency keys of both.
func (t tx) DeleteWebhookEndpoint(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID) error {
	for _, statement := range []string{
		`delete from idempotency_keys where client_id = $1 and resource_id = $2`,
		`delete from idempotency_keys where client_id = $1 and resource_id in
			(select id from webhook_rotations where client_id = $1 and endpoint_id = $2)`,
		`delete from webhook_rotations where client_id = $1 and endpoint_id = $2`,
		`delete from webhook_endpoints where client_id = $1 and id = $2`,
	} {
		if _, err := t.exec(ctx, statement, clientID, id); err != nil {
			return err
		}
	}
	return nil
}
