package checks

import (
	"net/http"
	"slices"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// deliveryChecks are about deliveries that a client asks for (D-69). What arrives is not part of them.
func deliveryChecks() []probe.Check {
	check := func(id, title, fix string, run func(*probe.T), operations ...string) probe.Check {
		return probe.Check{
			ID: "webhooks." + id, Title: title, Clauses: []string{"D-69"}, Operations: operations, Needs: probe.Extensions, Fix: fix, Run: run,
		}
	}
	return []probe.Check{
		check("test", "A test is a delivery of a new event of type ping to one endpoint, which is in no feed",
			"Make an event for the endpoint alone, whatever types it names, answer its delivery, and leave it out of GET /events and GET /events/{event_id}.",
			pings, "testWebhookEndpoint", "listWebhookDeliveries", "listEvents", "getEvent"),
		check("retry", "A retry makes the next attempt of a delivery due now, and there is one delivery still",
			"Set the delivery of the event to PENDING with the present time, and answer 404 where the endpoint has no delivery of the event.",
			retries, "retryWebhookDelivery", "listWebhookDeliveries"),
		check("asked-while-disabled", "At a disabled endpoint a test and a retry are CANCELED",
			"Answer the delivery as CANCELED without a next attempt, and send nothing.", canceledDeliveries,
			"testWebhookEndpoint", "retryWebhookDelivery", "updateWebhookEndpoint", "listWebhookDeliveries"),
	}
}

func ping(t *probe.T, id openapi_types.UUID) api.WebhookDelivery {
	r, err := t.Client().TestWebhookEndpointWithResponse(t.Context(), id)
	d := probe.OK(t, r, err)
	isDueNow(t, d, r.HTTPResponse.Header)
	return d
}

func retry(t *probe.T, id, event openapi_types.UUID) api.WebhookDelivery {
	r, err := t.Client().RetryWebhookDeliveryWithResponse(t.Context(), id, event)
	d := probe.OK(t, r, err)
	isDueNow(t, d, r.HTTPResponse.Header)
	return d
}

// deliveryOf returns the only delivery of an event to an endpoint.
func deliveryOf(t *probe.T, id, event openapi_types.UUID) api.WebhookDelivery {
	all := deliveredTo(t, id, 100, []api.Event{{ID: event}}, nil)
	if len(all) != 1 {
		t.Fatalf("an endpoint has %d deliveries of one event", len(all))
	}
	return all[0]
}

// isDue expects a delivery that waits for its next attempt.
func isDue(t *probe.T, d api.WebhookDelivery) {
	t.Expect(d.Status == api.WebhookDeliveryStatusPending && d.NextAttemptAt != nil, "the delivery is %s, or has no next_attempt_at", d.Status)
	if d.NextAttemptAt != nil {
		pause := d.NextAttemptAt.Sub(d.CreatedAt.Time)
		t.Expect(pause >= 0 && pause < time.Hour, "the next attempt of a new delivery is %v after it", pause)
	}
}

// pause waits a little, or until the run ends.
func pause(t *probe.T) {
	select {
	case <-time.After(100 * time.Millisecond):
	case <-t.Context().Done():
		t.Fatalf("the run has ended")
	}
}

// isDueNow expects that a delivery waits for no later attempt than one that is due when it is answered.
func isDueNow(t *probe.T, d api.WebhookDelivery, h http.Header) {
	if d.NextAttemptAt != nil {
		isNow(t, d.NextAttemptAt.Time, h)
	}
}

func isCanceled(t *probe.T, d api.WebhookDelivery) {
	t.Expect(d.Status == api.WebhookDeliveryStatusCanceled && d.NextAttemptAt == nil, "the delivery is %s, or has a next_attempt_at", d.Status)
}

func pings(t *probe.T) {
	start := feedEnd(t)
	there, other := newEndpoint(t, func(r *api.WebhookEndpointRequest) { r.EventTypes = []api.EventType{api.EventTypeTransactionCreated} }), newEndpoint(t)
	first, second := ping(t, there.ID), ping(t, there.ID)
	t.Expect(first.EventID != second.EventID, "two tests send one event")
	feed, _ := feedAfter(t, &start, 100, nil)
	for _, d := range []api.WebhookDelivery{first, second} {
		t.Expect(d.EventType == "ping", "a test sends an event of type %s", d.EventType)
		isDue(t, d)
		isDue(t, deliveryOf(t, there.ID, d.EventID))
		t.Expect(len(deliveredTo(t, other.ID, 100, []api.Event{{ID: d.EventID}}, nil)) == 0, "a test is sent to another endpoint too")
		t.Expect(!slices.ContainsFunc(feed, func(e api.Event) bool { return e.ID == d.EventID }), "the feed has the event of a test")
		r, err := t.Client().GetEventWithResponse(t.Context(), d.EventID)
		t.Refused(r, err, http.StatusNotFound, api.ErrorCodeNotFound)
	}
	isDue(t, retry(t, there.ID, first.EventID))
}

func retries(t *probe.T) {
	there, other := newEndpoint(t), newEndpoint(t, func(r *api.WebhookEndpointRequest) {
		r.EventTypes = []api.EventType{api.EventTypeTransactionCreated}
	})
	user := t.NewUser().ID
	t.Verify(user, api.KycStatusVerified, nil)
	event := lastEvent(t, user)
	before := deliveryOf(t, there.ID, event.ID)
	for range 2 {
		got := retry(t, there.ID, event.ID)
		isDue(t, got)
		t.Expect(got.EventID == event.ID && got.EventType == event.Type && got.CreatedAt.Equal(before.CreatedAt.Time),
			"a retry is answered with another delivery")
		isDue(t, deliveryOf(t, there.ID, event.ID))
	}
	for _, none := range []struct{ endpoint, event openapi_types.UUID }{
		{there.ID, unknownID()}, {unknownID(), event.ID}, {other.ID, event.ID}, // which does not want its type
	} {
		r, err := t.Client().RetryWebhookDeliveryWithResponse(t.Context(), none.endpoint, none.event)
		t.Refused(r, err, http.StatusNotFound, api.ErrorCodeNotFound)
	}
}

func canceledDeliveries(t *probe.T) {
	there := newEndpoint(t)
	event := ping(t, there.ID).EventID
	updateEndpoint(t, there.ID, api.WebhookEndpointChange{Disabled: probe.Ptr(true)})
	isCanceled(t, deliveryOf(t, there.ID, event))
	isCanceled(t, retry(t, there.ID, event))
	late := ping(t, there.ID)
	isCanceled(t, late)
	isCanceled(t, deliveryOf(t, there.ID, late.EventID))
	updateEndpoint(t, there.ID, api.WebhookEndpointChange{Disabled: probe.Ptr(false)})
	isCanceled(t, deliveryOf(t, there.ID, event))
	isDue(t, retry(t, there.ID, event))
}
