package httpapi

import (
	"context"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// CreateWebhookEndpoint implements POST /webhook-endpoints.
func (h handlers) CreateWebhookEndpoint(
	ctx context.Context, r gen.CreateWebhookEndpointRequestObject,
) (gen.CreateWebhookEndpointResponseObject, error) {
	e, replayed, err := h.service.CreateWebhookEndpoint(ctx, clientOf(ctx), idempotency(ctx, r.Params.XIdempotencyKey), payout.NewWebhookEndpoint{
		URL: r.Body.URL, EventTypes: each(r.Body.EventTypes, toEventType), Description: text(r.Body.Description),
		Disabled: r.Body.Disabled != nil && *r.Body.Disabled,
	})
	if err != nil {
		return nil, err
	}
	body := webhookEndpoint(e.WebhookEndpoint)
	body.Secret = &e.Secret
	headers := gen.CreateWebhookEndpoint200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateWebhookEndpoint200JSONResponse{Body: body, Headers: headers}, nil
}

// ListWebhookEndpoints implements GET /webhook-endpoints.
func (h handlers) ListWebhookEndpoints(
	ctx context.Context, r gen.ListWebhookEndpointsRequestObject,
) (gen.ListWebhookEndpointsResponseObject, error) {
	page, err := pageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	if page.Limit == 0 {
		page.Limit = defaultPage
	}
	all, next, err := h.service.WebhookEndpoints(ctx, clientOf(ctx), page)
	if err != nil {
		return nil, err
	}
	return gen.ListWebhookEndpoints200JSONResponse{
		Body: api.WebhookEndpointPage{Items: each(all, webhookEndpoint), NextCursor: toCursor(next)},
	}, nil
}

// GetWebhookEndpoint implements GET /webhook-endpoints/{webhook_endpoint_id}.
func (h handlers) GetWebhookEndpoint(
	ctx context.Context, r gen.GetWebhookEndpointRequestObject,
) (gen.GetWebhookEndpointResponseObject, error) {
	e, err := h.service.WebhookEndpoint(ctx, clientOf(ctx), payout.WebhookEndpointID(r.WebhookEndpointID.String()))
	if err != nil {
		return nil, err
	}
	return gen.GetWebhookEndpoint200JSONResponse{Body: webhookEndpoint(e)}, nil
}

// UpdateWebhookEndpoint implements PATCH /webhook-endpoints/{webhook_endpoint_id}.
func (h handlers) UpdateWebhookEndpoint(
	ctx context.Context, r gen.UpdateWebhookEndpointRequestObject,
) (gen.UpdateWebhookEndpointResponseObject, error) {
	change := payout.WebhookChange{URL: r.Body.URL, Description: r.Body.Description, Disabled: r.Body.Disabled}
	if r.Body.EventTypes != nil {
		types := each(r.Body.EventTypes, toEventType)
		change.EventTypes = &types
	}
	e, err := h.service.UpdateWebhookEndpoint(ctx, clientOf(ctx), payout.WebhookEndpointID(r.WebhookEndpointID.String()), change)
	if err != nil {
		return nil, err
	}
	return gen.UpdateWebhookEndpoint200JSONResponse{Body: webhookEndpoint(e)}, nil
}

// DeleteWebhookEndpoint implements DELETE /webhook-endpoints/{webhook_endpoint_id}.
func (h handlers) DeleteWebhookEndpoint(
	ctx context.Context, r gen.DeleteWebhookEndpointRequestObject,
) (gen.DeleteWebhookEndpointResponseObject, error) {
	e, err := h.service.DeleteWebhookEndpoint(ctx, clientOf(ctx), payout.WebhookEndpointID(r.WebhookEndpointID.String()))
	if err != nil {
		return nil, err
	}
	return gen.DeleteWebhookEndpoint200JSONResponse{Body: webhookEndpoint(e)}, nil
}

// RotateWebhookSecret implements POST /webhook-endpoints/{webhook_endpoint_id}/secret.
func (h handlers) RotateWebhookSecret(
	ctx context.Context, r gen.RotateWebhookSecretRequestObject,
) (gen.RotateWebhookSecretResponseObject, error) {
	secret, replayed, err := h.service.RotateWebhookSecret(ctx, clientOf(ctx), idempotency(ctx, r.Params.XIdempotencyKey),
		payout.WebhookEndpointID(r.WebhookEndpointID.String()))
	if err != nil {
		return nil, err
	}
	headers := gen.RotateWebhookSecret200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.RotateWebhookSecret200JSONResponse{
		Body: api.WebhookSecret{Secret: secret.Secret, PreviousExpiresAt: optionalTimestamp(secret.PreviousExpires)}, Headers: headers,
	}, nil
}

// ListWebhookDeliveries implements GET /webhook-endpoints/{webhook_endpoint_id}/deliveries.
func (h handlers) ListWebhookDeliveries(
	ctx context.Context, r gen.ListWebhookDeliveriesRequestObject,
) (gen.ListWebhookDeliveriesResponseObject, error) {
	page, err := pageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	if page.Limit == 0 {
		page.Limit = defaultPage
	}
	all, next, err := h.service.WebhookDeliveries(ctx, clientOf(ctx), payout.WebhookEndpointID(r.WebhookEndpointID.String()),
		payout.WebhookDeliveryStatus(text(r.Params.Status)), page)
	if err != nil {
		return nil, err
	}
	return gen.ListWebhookDeliveries200JSONResponse{
		Body: api.WebhookDeliveryPage{Items: each(all, webhookDelivery), NextCursor: toCursor(next)},
	}, nil
}

// RetryWebhookDelivery implements POST /webhook-endpoints/{webhook_endpoint_id}/deliveries/{event_id}/retry.
func (h handlers) RetryWebhookDelivery(
	ctx context.Context, r gen.RetryWebhookDeliveryRequestObject,
) (gen.RetryWebhookDeliveryResponseObject, error) {
	d, err := h.service.RetryWebhookDelivery(ctx, clientOf(ctx), payout.WebhookEndpointID(r.WebhookEndpointID.String()),
		payout.EventID(r.EventID.String()))
	if err != nil {
		return nil, err
	}
	return gen.RetryWebhookDelivery200JSONResponse{Body: webhookDelivery(d)}, nil
}

// TestWebhookEndpoint implements POST /webhook-endpoints/{webhook_endpoint_id}/test.
func (h handlers) TestWebhookEndpoint(
	ctx context.Context, r gen.TestWebhookEndpointRequestObject,
) (gen.TestWebhookEndpointResponseObject, error) {
	d, err := h.service.TestWebhookEndpoint(ctx, clientOf(ctx), payout.WebhookEndpointID(r.WebhookEndpointID.String()))
	if err != nil {
		return nil, err
	}
	return gen.TestWebhookEndpoint200JSONResponse{Body: webhookDelivery(d)}, nil
}

func toEventType(t api.EventType) payout.EventType { return payout.EventType(t) }

// webhookEndpoint converts an endpoint without its secret.
func webhookEndpoint(e payout.WebhookEndpoint) api.WebhookEndpoint {
	return api.WebhookEndpoint{
		ID: toID(e.ID), URL: e.URL, EventTypes: each(e.EventTypes, func(t payout.EventType) api.EventType { return api.EventType(t) }),
		Disabled: e.Disabled, DisabledReason: optional(api.WebhookDisabledReason(e.DisabledReason)), Description: optional(e.Description),
		CreatedAt: timestamp(e.CreatedAt), UpdatedAt: timestamp(e.UpdatedAt),
	}
}

func webhookDelivery(d payout.WebhookDelivery) api.WebhookDelivery {
	return api.WebhookDelivery{
		EventID: toID(d.EventID), EventType: api.EventType(d.EventType), Status: api.WebhookDeliveryStatus(d.Status),
		CreatedAt: timestamp(d.CreatedAt), NextAttemptAt: optionalTimestamp(d.NextAttemptAt),
		Attempts: each(d.Attempts, func(a payout.WebhookAttempt) api.WebhookAttempt {
			return api.WebhookAttempt{
				At: timestamp(a.At), DurationMs: int32(a.Duration.Milliseconds()),
				HTTPStatus: optional(int32(a.HTTPStatus)), Error: optional(api.WebhookAttemptError(a.Error)),
			}
		}),
	}
}
