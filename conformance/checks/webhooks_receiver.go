package checks

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// How long a server may take until the first attempt, and until the one after a failure.
const (
	soon  = 15 * time.Second
	again = 40 * time.Second
)

// webhooksReceived are about what arrives at an address of the suite. The events are of a type that few other checks cause.
func webhooksReceived() []probe.Check {
	check := func(id, title, fix string, run func(t *probe.T), operations ...string) probe.Check {
		return probe.Check{
			ID: "webhooks.received." + id, Title: title, Fix: fix, Run: run, Clauses: []string{"D-68", "D-69"},
			Operations: append(operations, "createWebhookEndpoint"), Needs: probe.Extensions | probe.WebhookReceiver,
		}
	}
	return []probe.Check{
		check("signature", "An event arrives at the endpoint as GET /events/{event_id} answers it, signed with the secret of the endpoint",
			"Send the stored text of the event with webhook-id, webhook-timestamp and webhook-signature as Standard Webhooks says, "+
				"with the id of the event.",
			receivesSigned, "getEvent", "listWebhookDeliveries"),
		check("retry", "An event that is answered 500 is sent again, with the same id and body and a valid signature",
			"Take 2xx only for a success. Keep the delivery until then, and sign each attempt with its own time.", receivesAgain, "listWebhookDeliveries"),
		check("redirect", "A redirect is not followed, and is a failed attempt",
			"Turn off redirects in the HTTP client: a receiver must not choose which address the service asks.", followsNoRedirect, "listWebhookDeliveries"),
		check("rotation", "After a rotation the new secret and the one before sign, each with a signature of its own",
			"Send both signatures, separated by a space, for 24 hours.", signsTwice, "rotateWebhookSecret"),
		check("gone", "An endpoint that answers 410 is disabled, with the reason GONE",
			"Disable the endpoint at 410, and cancel what waits for it.", disablesGone,
			"getWebhookEndpoint", "updateWebhookEndpoint", "listWebhookEndpoints", "deleteWebhookEndpoint", "listWebhookDeliveries"),
		check("on-request", "A failed delivery is sent again on request, once its endpoint is enabled again",
			"Let POST .../deliveries/{event_id}/retry put the delivery back into the queue, with the attempts that it has.", receivesOnRequest,
			"retryWebhookDelivery", "updateWebhookEndpoint", "listWebhookDeliveries"),
		check("closed", "An attempt whose connection is closed without an answer has an error and no HTTP status, and is repeated",
			"Take a connection that ends early for a failed attempt, with http_status left out.", receivesAfterClosing,
			"retryWebhookDelivery", "listWebhookDeliveries"),
		check("types", "An endpoint receives no events of types that it does not name",
			"Compare the type of the event with event_types when the event is published.", receivesItsTypes),
	}
}

const rareType = api.EventTypeTransactionDeliveryStatusChanged

// hook is a webhook endpoint at an inbox of the suite, and a transaction whose event it shall receive.
type hook struct {
	t     *probe.T
	inbox *probe.Inbox
	api.WebhookEndpoint
	secret      string
	transaction api.Transaction
}

// newHook registers an endpoint for events of a type. Delete it when the check ends, so that others may have one.
func newHook(t *probe.T, eventType api.EventType, answer func(w http.ResponseWriter, number int)) hook {
	s, body := t.Deposit()
	h := hook{t: t, transaction: prepareTransaction(t, s, body)}
	h.inbox = t.Inbox(h.transaction.ID.String(), answer)
	r, err := t.Client().CreateWebhookEndpointWithResponse(t.Context(), nil, api.WebhookEndpointRequest{
		URL: h.inbox.URL, EventTypes: []api.EventTypeRequest{eventType},
	})
	h.WebhookEndpoint = probe.Setup(t, r, err)
	if h.Secret == nil {
		t.Brokenf("set-up: the endpoint has no secret")
	}
	h.secret = *h.Secret
	return h
}

func (h hook) delete() {
	r, err := h.t.Client().DeleteWebhookEndpointWithResponse(h.t.Context(), h.ID)
	h.t.Expect(err == nil && r.StatusCode() == http.StatusOK, "the endpoint cannot be deleted")
}

// cause makes an event of the rare type.
func (h hook) cause() {
	r, err := h.t.Client().SetTransactionStatusWithResponse(h.t.Context(), h.transaction.UserID, h.transaction.ID,
		api.TransactionMoveRequest{Status: api.TransactionStatusProcessing})
	probe.Setup(h.t, r, err)
}

// receive makes the event, returns the first n webhooks about it, and ends the check if they do not come.
func (h hook) receive(n int, within time.Duration) []probe.Webhook {
	h.cause()
	hooks := h.t.Await(h.inbox, n, within)
	if len(hooks) < n {
		h.t.Fatalf("%d of %d webhooks arrived within %s", len(hooks), n, within)
	}
	return hooks
}

// signed fails the check unless a webhook has a valid signature of each secret and no other one.
func (h hook) signed(hook probe.Webhook, secrets ...string) {
	for _, secret := range secrets {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			h.t.Fatalf("a secret is not one of Standard Webhooks")
		}
		h.t.Expect(verifier.Verify(hook.Body, hook.Header) == nil, "the signature of a secret of the endpoint is missing or wrong")
	}
	got := len(strings.Fields(hook.Header.Get(standardwebhooks.HeaderWebhookSignature)))
	h.t.Expect(got == len(secrets), "there are %d signatures, want %d", got, len(secrets))
}

// delivery waits until the delivery of an event is as wanted, and returns it.
func (h hook) delivery(event uuid.UUID, is func(api.WebhookDelivery) bool) api.WebhookDelivery {
	for late := time.Now().Add(soon); ; pause(h.t) {
		r, err := h.t.Client().ListWebhookDeliveriesWithResponse(h.t.Context(), h.ID, &api.ListWebhookDeliveriesParams{Limit: probe.Ptr[int32](100)})
		for _, d := range probe.OK(h.t, r, err).Items {
			if d.EventID == event && is(d) {
				return d
			}
		}
		if time.Now().After(late) {
			h.t.Fatalf("the list of deliveries does not show the outcome within %s", soon)
		}
	}
}

// eventOf returns the id of the event in a webhook.
func (h hook) eventOf(hook probe.Webhook) uuid.UUID {
	id, err := uuid.Parse(hook.Header.Get(standardwebhooks.HeaderWebhookID))
	if err != nil {
		h.t.Fatalf("webhook-id is not the id of an event")
	}
	return id
}

func receivesSigned(t *probe.T) {
	h := newHook(t, rareType, nil)
	defer h.delete()
	got := h.receive(1, soon)[0]
	h.signed(got, h.secret)
	t.Expect(got.Method == http.MethodPost, "it was sent with %s, want POST", got.Method)
	t.Expect(strings.HasPrefix(got.Header.Get("Content-Type"), "application/json"), "its Content-Type is not application/json")
	r, err := t.Client().GetEventWithResponse(t.Context(), h.eventOf(got))
	event := probe.OK(t, r, err)
	var sent, read any
	if json.Unmarshal(got.Body, &sent) != nil || json.Unmarshal(r.Body, &read) != nil {
		t.Fatalf("the body is not JSON")
	}
	t.Expect(reflect.DeepEqual(sent, read), "the body is not the event %s", event.Type)
	d := h.delivery(event.ID, func(d api.WebhookDelivery) bool { return d.Status == api.WebhookDeliveryStatusDelivered })
	t.Expect(len(d.Attempts) == 1 && d.Attempts[0].HTTPStatus != nil && *d.Attempts[0].HTTPStatus == http.StatusNoContent && d.Attempts[0].Error == nil,
		"the delivery does not show one attempt with the status 204")
}

func receivesAgain(t *probe.T) {
	h := newHook(t, rareType, func(w http.ResponseWriter, number int) {
		w.WriteHeader(map[bool]int{true: http.StatusInternalServerError, false: http.StatusOK}[number == 1])
	})
	defer h.delete()
	hooks := h.receive(2, again)
	for _, hook := range hooks {
		h.signed(hook, h.secret)
	}
	first, second := h.eventOf(hooks[0]), h.eventOf(hooks[1])
	t.Expect(first == second, "the second attempt has another webhook-id")
	t.Expect(string(hooks[0].Body) == string(hooks[1].Body), "the second attempt has another body")
	d := h.delivery(first, func(d api.WebhookDelivery) bool { return d.Status == api.WebhookDeliveryStatusDelivered })
	t.Expect(len(d.Attempts) == 2 && failedWith(d.Attempts[0], http.StatusInternalServerError, api.WebhookAttemptErrorHTTPStatus),
		"the delivery does not show an attempt with 500 and HTTP_STATUS, and one more")
}

// failedWith reports whether an attempt failed with a status and an error.
func failedWith(a api.WebhookAttempt, status int, problem api.WebhookAttemptError) bool {
	return a.HTTPStatus != nil && int(*a.HTTPStatus) == status && a.Error != nil && *a.Error == problem
}

func followsNoRedirect(t *probe.T) {
	elsewhere := t.Inbox("", nil)
	h := newHook(t, rareType, func(w http.ResponseWriter, _ int) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	defer h.delete()
	event := h.eventOf(h.receive(1, soon)[0])
	d := h.delivery(event, func(d api.WebhookDelivery) bool { return len(d.Attempts) > 0 })
	t.Expect(failedWith(d.Attempts[0], http.StatusTemporaryRedirect, api.WebhookAttemptErrorRedirect),
		"the delivery does not show an attempt with 307 and REDIRECT")
	t.Expect(len(elsewhere.Webhooks()) == 0, "the redirect was followed")
}

func signsTwice(t *probe.T) {
	h := newHook(t, rareType, nil)
	defer h.delete()
	r, err := t.Client().RotateWebhookSecretWithResponse(t.Context(), h.ID, nil)
	rotated := probe.OK(t, r, err)
	t.Expect(rotated.Secret != h.secret, "the rotation answers the old secret")
	h.signed(h.receive(1, soon)[0], rotated.Secret, h.secret)
}

func disablesGone(t *probe.T) {
	h := newHook(t, rareType, func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusGone) })
	event := h.eventOf(h.receive(1, soon)[0])
	h.delivery(event, func(d api.WebhookDelivery) bool { return d.Status == api.WebhookDeliveryStatusFailed })
	r, err := t.Client().GetWebhookEndpointWithResponse(t.Context(), h.ID)
	e := probe.OK(t, r, err)
	gone := func(e api.WebhookEndpoint) bool {
		return e.Disabled && e.DisabledReason != nil && *e.DisabledReason == api.WebhookDisabledReasonGone
	}
	t.Expect(gone(e), "the endpoint is not disabled with the reason GONE")
	changed, err := t.Client().UpdateWebhookEndpointWithResponse(t.Context(), h.ID, api.WebhookEndpointChange{Description: probe.Ptr("unused")})
	t.Expect(gone(probe.OK(t, changed, err)), "after a change of its description it is not disabled with the reason GONE")
	t.Expect(slices.ContainsFunc(endpointsIn(t, t.Client(), 100), func(e api.WebhookEndpoint) bool { return e.ID == h.ID && gone(e) }),
		"the list does not show it disabled with the reason GONE")
	deleted, err := t.Client().DeleteWebhookEndpointWithResponse(t.Context(), h.ID)
	t.Expect(gone(probe.OK(t, deleted, err)), "its deletion does not answer it as disabled with the reason GONE")
}

func receivesOnRequest(t *probe.T) {
	h := newHook(t, rareType, func(w http.ResponseWriter, number int) {
		w.WriteHeader(map[bool]int{true: http.StatusGone, false: http.StatusOK}[number == 1])
	})
	defer h.delete()
	event := h.eventOf(h.receive(1, soon)[0])
	failed := h.delivery(event, func(d api.WebhookDelivery) bool { return d.Status == api.WebhookDeliveryStatusFailed })
	shown := func(status api.WebhookDeliveryStatus) bool {
		return len(deliveredTo(t, h.ID, 100, []api.Event{{ID: event}}, &status)) == 1
	}
	t.Expect(shown(api.WebhookDeliveryStatusFailed) && !shown(api.WebhookDeliveryStatusDelivered), "the list by status does not have it as FAILED alone")
	changed, err := t.Client().UpdateWebhookEndpointWithResponse(t.Context(), h.ID, api.WebhookEndpointChange{Disabled: probe.Ptr(false)})
	enabled := probe.OK(t, changed, err)
	t.Expect(!enabled.Disabled && enabled.DisabledReason == nil, "the endpoint is still disabled, or has a reason for it")
	r, err := t.Client().RetryWebhookDeliveryWithResponse(t.Context(), h.ID, event)
	d := probe.OK(t, r, err)
	t.Expect(d.EventID == event && len(d.Attempts) == 1 && failedWith(d.Attempts[0], http.StatusGone, api.WebhookAttemptErrorHTTPStatus),
		"the answer to the retry does not show the attempt with 410")
	t.Expect(reflect.DeepEqual(d.Attempts, failed.Attempts), "the answer to the retry shows other attempts than the list before")
	hooks := t.Await(h.inbox, 2, soon)
	if len(hooks) < 2 {
		t.Fatalf("the event was not sent again within %s", soon)
	}
	t.Expect(h.eventOf(hooks[1]) == event, "the second attempt has another webhook-id")
	d = h.delivery(event, func(d api.WebhookDelivery) bool { return d.Status == api.WebhookDeliveryStatusDelivered })
	t.Expect(len(d.Attempts) == 2 && reflect.DeepEqual(d.Attempts[:1], failed.Attempts), "the delivery does not show the attempt before and one more")
	t.Expect(shown(api.WebhookDeliveryStatusDelivered) && !shown(api.WebhookDeliveryStatusFailed), "the list by status does not have it as DELIVERED alone")
	r, err = t.Client().RetryWebhookDeliveryWithResponse(t.Context(), h.ID, event)
	t.Expect(reflect.DeepEqual(probe.OK(t, r, err).Attempts, d.Attempts), "the answer to a retry of what was delivered shows other attempts than the list before")
}

func receivesAfterClosing(t *probe.T) {
	h := newHook(t, rareType, func(_ http.ResponseWriter, number int) {
		if number == 1 {
			panic(http.ErrAbortHandler)
		}
	})
	defer h.delete()
	event := h.eventOf(h.receive(1, soon)[0])
	failed := h.delivery(event, func(d api.WebhookDelivery) bool { return len(d.Attempts) > 0 })
	t.Expect(failed.Attempts[0].Error != nil && failed.Attempts[0].HTTPStatus == nil, "the attempt has no error, or an HTTP status")
	asked := retry(t, h.ID, event)
	t.Expect(len(asked.Attempts) >= 1 && reflect.DeepEqual(asked.Attempts[:1], failed.Attempts[:1]), "the answer to a retry shows other attempts than the list before")
	d := h.delivery(event, func(d api.WebhookDelivery) bool { return d.Status == api.WebhookDeliveryStatusDelivered })
	t.Expect(reflect.DeepEqual(d.Attempts[:1], failed.Attempts[:1]), "the delivery does not show the attempt before")
}

func receivesItsTypes(t *probe.T) {
	h, other := newHook(t, rareType, nil), newHook(t, api.EventTypeUserInformationRequested, nil)
	defer h.delete()
	defer other.delete()
	other.cause()
	h.receive(1, soon) // a later event
	t.Expect(len(other.inbox.Webhooks()) == 0, "an endpoint received an event of a type that it does not name")
	r, err := t.Client().ListWebhookDeliveriesWithResponse(t.Context(), other.ID, &api.ListWebhookDeliveriesParams{Limit: probe.Ptr[int32](100)})
	for _, d := range probe.OK(t, r, err).Items {
		t.Expect(d.EventType == api.EventTypeUserInformationRequested, "an endpoint has a delivery of %s, a type that it does not name", d.EventType)
	}
}
