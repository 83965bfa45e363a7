package console

import (
	"slices"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// eventTypes can be asked for.
var eventTypes = []api.EventType{
	api.EventTypeTransactionCreated, api.EventTypeTransactionStatusChanged, api.EventTypeTransactionDeliveryStatusChanged,
	api.EventTypeUserStatusChanged, api.EventTypeUserInformationRequested, api.EventTypeUserInformationChanged,
	api.EventTypeFundingAccountStatusChanged,
}

type webhooksView struct {
	Endpoints []api.WebhookEndpoint
	Types     []typeBox
	Created   *api.WebhookEndpoint // with its secret, which is shown once
}

type typeBox struct {
	Type    api.EventType
	Checked bool
}

func webhooks(v *visit) (*view, error) {
	shown := webhooksView{}
	for e, err := range v.sdk().WebhookEndpoints(v.Context(), nil) {
		if err != nil {
			return nil, err
		}
		shown.Endpoints = append(shown.Endpoints, e)
	}
	shown.Created, _ = v.outcome.(*api.WebhookEndpoint)
	for _, t := range eventTypes {
		shown.Types = append(shown.Types, typeBox{t, shown.Created == nil && slices.Contains(v.PostForm["type"], string(t))})
	}
	return &view{"webhooks.html", "Webhook endpoints", "webhooks", shown}, nil
}

func createEndpoint(v *visit) error {
	request := api.WebhookEndpointRequest{URL: v.input("url"), Description: v.optional("description")}
	for _, t := range v.PostForm["type"] {
		request.EventTypes = append(request.EventTypes, api.EventType(t))
	}
	created, err := v.sdk().CreateWebhookEndpoint(v.Context(), request)
	if err != nil {
		return err
	}
	v.outcome = created
	return nil
}

type endpointView struct {
	*api.WebhookEndpoint
	Deliveries []api.WebhookDelivery
	Next       string
	Pending    bool
}

func endpoint(v *visit) (*view, error) {
	id, err := uuid.Parse(v.PathValue("endpoint"))
	if err != nil {
		return nil, errNoPage
	}
	shown := endpointView{}
	if shown.WebhookEndpoint, err = v.sdk().GetWebhookEndpoint(v.Context(), id); err != nil {
		return nil, err
	}
	var position client.Position
	params := &api.ListWebhookDeliveriesParams{Limit: new(int32(rowsOfPage)), Cursor: v.optional("cursor")}
	for d, err := range v.sdk().WebhookDeliveries(v.Context(), id, params, client.CapturePosition(&position)) {
		if err != nil {
			return nil, err
		}
		shown.Deliveries = append(shown.Deliveries, d)
		shown.Pending = shown.Pending || d.Status == api.WebhookDeliveryStatusPending
		if len(shown.Deliveries) == rowsOfPage {
			break
		}
	}
	shown.Next = following(v.URL, position.Cursor)
	return &view{"endpoint.html", "Webhook endpoint", "webhooks", shown}, nil
}

func testEndpoint(v *visit) error {
	id, err := uuid.Parse(v.PathValue("endpoint"))
	if err != nil {
		return errNoPage
	}
	if _, err := v.sdk().TestWebhookEndpoint(v.Context(), id); err != nil {
		return err
	}
	return redirect(v.base() + "/webhooks/" + id.String() + "?done=ping")
}

func retryDelivery(v *visit) error {
	id, event, err := v.ids("endpoint", "event")
	if err != nil {
		return err
	}
	if _, err := v.sdk().RetryWebhookDelivery(v.Context(), id, event); err != nil {
		return err
	}
	return redirect(v.base() + "/webhooks/" + id.String() + "?done=retry")
}
