package console

import (
	"slices"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

type webhooksView struct {
	Endpoints []api.WebhookEndpoint
	Next      string
}

func webhooks(v *visit) (*view, error) {
	page, err := v.sdk().ListWebhookEndpoints(v.Context(), &api.ListWebhookEndpointsParams{Limit: new(int32(rowsOfPage)), Cursor: v.optional("cursor")})
	if err != nil {
		return nil, err
	}
	return &view{"webhooks.html", "Webhook endpoints", "webhooks", webhooksView{page.Items, following(v.URL, page.NextCursor)}}, nil
}

// newEndpoint is the form for an address that receives events.
func newEndpoint(v *visit) (*sheet, error) {
	var body api.WebhookEndpointRequest
	o := v.operation("createWebhookEndpoint")
	s := &sheet{
		Title: "New webhook endpoint", Submit: "Add endpoint", section: "webhooks", op: o, body: &body,
		Lead:   "An address of yours that receives events as they happen. In this sandbox, http and private addresses work as well.",
		Crumbs: []link{{Label: "Webhook endpoints", To: v.base() + "/webhooks"}},
		Groups: []group{{Fields: o.fields("url", "description", "event_types")}},
	}
	s.named("url").Example, s.named("event_types").Help = "http://127.0.0.1:9000/hook", "None chosen: all events."
	s.send = func(options ...client.CallOption) (string, error) {
		created, err := v.sdk().CreateWebhookEndpoint(v.Context(), body, options...)
		if err != nil {
			return "", err
		}
		s.Secret, s.Title = &secret{Text: plain(created.Secret)}, "The endpoint was created"
		s.Next = link{Label: "Open the endpoint", To: v.base() + "/webhooks/" + created.ID.String()}
		return "", nil
	}
	v.typed(s.fields())
	return s, nil
}

// changeEndpoint is the form for another address, other events, or another description.
func changeEndpoint(v *visit) (*sheet, error) {
	id, err := v.uuidOf("endpoint")
	if err != nil {
		return nil, err
	}
	e, err := v.sdk().GetWebhookEndpoint(v.Context(), id)
	if err != nil {
		return nil, err
	}
	var body api.WebhookEndpointChange
	o := v.operation("updateWebhookEndpoint")
	s := &sheet{
		Title: "Change endpoint", Submit: "Save", section: "webhooks", op: o, ids: []string{id.String()}, body: &body,
		Crumbs: []link{{Label: "Webhook endpoints", To: v.base() + "/webhooks"}, {Label: e.URL, To: v.base() + "/webhooks/" + id.String()}},
		Groups: []group{{Fields: o.fields("url", "description", "event_types")}},
	}
	s.named("url").Value, s.named("description").Value, s.named("event_types").Help = e.URL, plain(e.Description), "None chosen: all events."
	types := s.named("event_types")
	for i, option := range types.Options {
		types.Options[i].Selected = slices.Contains(e.EventTypes, api.EventType(option.Value))
	}
	types.keepEmpty, s.named("description").keepEmpty = true, true
	s.send = func(...client.CallOption) (string, error) {
		_, err := v.sdk().UpdateWebhookEndpoint(v.Context(), id, body)
		return "/webhooks/" + id.String() + "?done=changed", err
	}
	v.typed(s.fields())
	return s, nil
}

type endpointView struct {
	*api.WebhookEndpoint
	Deliveries []api.WebhookDelivery
	Next       string
	Pending    bool
	Secret     *secret // shown once
	Key        string  // for another secret
	Actions    []code
}

// secret is that of an endpoint that was made just now.
type secret struct {
	Text     string
	Previous *api.Timestamp // until when the one before signs too
}

// code is a request that a button sends.
type code struct {
	Label string
	Code  []snippet
}

func endpoint(v *visit) (*view, error) {
	id, err := v.uuidOf("endpoint")
	if err != nil {
		return nil, err
	}
	shown := endpointView{}
	if shown.WebhookEndpoint, err = v.sdk().GetWebhookEndpoint(v.Context(), id); err != nil {
		return nil, err
	}
	shown.Secret, _ = v.outcome.(*secret)
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
	shown.Key = freshKey()
	ids := []string{id.String()}
	toggle, change := "Disable", api.WebhookEndpointChange{Disabled: new(!shown.Disabled)}
	if shown.Disabled {
		toggle = "Enable"
	}
	shown.Actions = []code{
		{"Send a test", v.codeOf(v.operation("testWebhookEndpoint"), ids, nil, "")},
		{"Rotate the secret", v.codeOf(v.operation("rotateWebhookSecret"), ids, nil, shown.Key)},
		{toggle, v.codeOf(v.operation("updateWebhookEndpoint"), ids, &change, "")},
		{"Delete", v.codeOf(v.operation("deleteWebhookEndpoint"), ids, nil, "")},
	}
	return &view{"endpoint.html", "Webhook endpoint", "webhooks", shown}, nil
}

// endpointPath is the page of an endpoint.
func (v *visit) endpointPath(id uuid.UUID, done string) string {
	return v.base() + "/webhooks/" + id.String() + "?done=" + done
}

func testEndpoint(v *visit) error {
	id, err := v.uuidOf("endpoint")
	if err != nil {
		return err
	}
	if _, err := v.sdk().TestWebhookEndpoint(v.Context(), id); err != nil {
		return err
	}
	return redirect(v.endpointPath(id, "ping"))
}

// rotateSecret shows the new secret on the page that answers, and nowhere else.
func rotateSecret(v *visit) error {
	id, err := v.uuidOf("endpoint")
	if err != nil {
		return err
	}
	var options []client.CallOption
	if key := v.input("key"); key != "" {
		options = append(options, client.IdempotencyKey(key))
	}
	made, err := v.sdk().RotateWebhookSecret(v.Context(), id, options...)
	if err != nil {
		return err
	}
	v.outcome = &secret{made.Secret, made.PreviousExpiresAt}
	return nil
}

func disableEndpoint(v *visit) error {
	id, err := v.uuidOf("endpoint")
	if err != nil {
		return err
	}
	disabled := v.input("disabled") == "true"
	if _, err := v.sdk().UpdateWebhookEndpoint(v.Context(), id, api.WebhookEndpointChange{Disabled: &disabled}); err != nil {
		return err
	}
	if disabled {
		return redirect(v.endpointPath(id, "disabled"))
	}
	return redirect(v.endpointPath(id, "enabled"))
}

func deleteEndpoint(v *visit) error {
	id, err := v.uuidOf("endpoint")
	if err != nil {
		return err
	}
	if _, err := v.sdk().DeleteWebhookEndpoint(v.Context(), id); err != nil {
		return err
	}
	return redirect(v.base() + "/webhooks?done=deleted")
}

func retryDelivery(v *visit) error {
	id, event, err := v.ids("endpoint", "event")
	if err != nil {
		return err
	}
	if _, err := v.sdk().RetryWebhookDelivery(v.Context(), id, event); err != nil {
		return err
	}
	return redirect(v.endpointPath(id, "retry"))
}
