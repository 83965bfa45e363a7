package client

import (
	"context"
	"iter"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// CreateWebhookEndpoint registers an address that receives events (decision D-68). The Secret of the result is shown here, and
// when the call is repeated with its key: store it for [VerifyWebhook]. Errors: [TooManyWebhookEndpoints].
func (c *Client) CreateWebhookEndpoint(
	ctx context.Context, endpoint api.WebhookEndpointRequest, options ...CallOption,
) (*api.WebhookEndpoint, error) {
	r, err := api.NewCreateWebhookEndpointRequest(c.base, nil, endpoint)
	return one[api.WebhookEndpoint](ctx, c, createWebhookEndpoint, r, encoded(endpoint, err), options)
}

// ListWebhookEndpoints reads one page of your webhook endpoints, oldest first; [Client.WebhookEndpoints] goes through pages.
// params may be nil.
func (c *Client) ListWebhookEndpoints(
	ctx context.Context, params *api.ListWebhookEndpointsParams, options ...CallOption,
) (*api.WebhookEndpointPage, error) {
	r, err := api.NewListWebhookEndpointsRequest(c.base, params)
	return one[api.WebhookEndpointPage](ctx, c, listWebhookEndpoints, r, err, options)
}

// GetWebhookEndpoint reads a webhook endpoint, without its secret. Errors: [NotFound].
func (c *Client) GetWebhookEndpoint(ctx context.Context, id uuid.UUID, options ...CallOption) (*api.WebhookEndpoint, error) {
	r, err := api.NewGetWebhookEndpointRequest(c.base, id)
	return one[api.WebhookEndpoint](ctx, c, getWebhookEndpoint, r, err, options)
}

// UpdateWebhookEndpoint changes the fields of change that are not nil; []api.EventType{} asks for events of all types. It is
// never retried. Errors: [NotFound].
func (c *Client) UpdateWebhookEndpoint(
	ctx context.Context, id uuid.UUID, change api.WebhookEndpointChange, options ...CallOption,
) (*api.WebhookEndpoint, error) {
	r, err := api.NewUpdateWebhookEndpointRequest(c.base, id, change)
	return one[api.WebhookEndpoint](ctx, c, updateWebhookEndpoint, r, encoded(change, err), options)
}

// DeleteWebhookEndpoint deletes a webhook endpoint with its deliveries, and returns it as it was. It is never retried.
// Errors: [NotFound].
func (c *Client) DeleteWebhookEndpoint(ctx context.Context, id uuid.UUID, options ...CallOption) (*api.WebhookEndpoint, error) {
	r, err := api.NewDeleteWebhookEndpointRequest(c.base, id)
	return one[api.WebhookEndpoint](ctx, c, deleteWebhookEndpoint, r, err, options)
}

// RotateWebhookSecret makes a new secret for a webhook endpoint. Until PreviousExpiresAt the one before signs too: give
// [VerifyWebhook] both. Errors: [NotFound].
func (c *Client) RotateWebhookSecret(ctx context.Context, id uuid.UUID, options ...CallOption) (*api.WebhookSecret, error) {
	r, err := api.NewRotateWebhookSecretRequest(c.base, id, nil)
	return one[api.WebhookSecret](ctx, c, rotateWebhookSecret, r, err, options)
}

// ListWebhookDeliveries reads one page of what was sent to a webhook endpoint, newest first; [Client.WebhookDeliveries] goes
// through pages. params may be nil. Errors: [NotFound].
func (c *Client) ListWebhookDeliveries(
	ctx context.Context, id uuid.UUID, params *api.ListWebhookDeliveriesParams, options ...CallOption,
) (*api.WebhookDeliveryPage, error) {
	r, err := api.NewListWebhookDeliveriesRequest(c.base, id, params)
	return one[api.WebhookDeliveryPage](ctx, c, listWebhookDeliveries, r, err, options)
}

// RetryWebhookDelivery makes the next attempt of a delivery now, also after the last one failed or succeeded (decision D-69). It
// is never retried. Errors: [NotFound].
func (c *Client) RetryWebhookDelivery(ctx context.Context, id, eventID uuid.UUID, options ...CallOption) (*api.WebhookDelivery, error) {
	r, err := api.NewRetryWebhookDeliveryRequest(c.base, id, eventID)
	return one[api.WebhookDelivery](ctx, c, retryWebhookDelivery, r, err, options)
}

// TestWebhookEndpoint sends an event of type ping to a webhook endpoint, and returns its delivery (decision D-69). It is never
// retried. Errors: [NotFound].
func (c *Client) TestWebhookEndpoint(ctx context.Context, id uuid.UUID, options ...CallOption) (*api.WebhookDelivery, error) {
	r, err := api.NewTestWebhookEndpointRequest(c.base, id)
	return one[api.WebhookDelivery](ctx, c, testWebhookEndpoint, r, err, options)
}

// WebhookEndpoints iterates over all webhook endpoints, oldest first. params and errors are as for [Client.Transactions].
func (c *Client) WebhookEndpoints(
	ctx context.Context, params *api.ListWebhookEndpointsParams, options ...CallOption,
) iter.Seq2[api.WebhookEndpoint, error] {
	var first api.ListWebhookEndpointsParams
	if params != nil {
		first.Limit, first.Cursor = copied(params.Limit), copied(params.Cursor)
	}
	return objects(listWebhookEndpoints, first.Cursor, options, func(cursor *api.Cursor, options []CallOption) ([]api.WebhookEndpoint, *api.Cursor, error) {
		page, err := c.ListWebhookEndpoints(ctx, &api.ListWebhookEndpointsParams{Limit: first.Limit, Cursor: cursor}, options...)
		if err != nil {
			return nil, nil, err
		}
		return page.Items, page.NextCursor, nil
	})
}

// WebhookDeliveries iterates over the deliveries to a webhook endpoint, newest first: those with the Status of params, or all.
// The other params and errors are as for [Client.Transactions].
func (c *Client) WebhookDeliveries(
	ctx context.Context, id uuid.UUID, params *api.ListWebhookDeliveriesParams, options ...CallOption,
) iter.Seq2[api.WebhookDelivery, error] {
	var first api.ListWebhookDeliveriesParams
	if params != nil {
		first.Status, first.Limit, first.Cursor = copied(params.Status), copied(params.Limit), copied(params.Cursor)
	}
	return objects(listWebhookDeliveries, first.Cursor, options, func(cursor *api.Cursor, options []CallOption) ([]api.WebhookDelivery, *api.Cursor, error) {
		at := first
		at.Cursor = cursor
		page, err := c.ListWebhookDeliveries(ctx, id, &at, options...)
		if err != nil {
			return nil, nil, err
		}
		return page.Items, page.NextCursor, nil
	})
}
