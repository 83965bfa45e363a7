package checks

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const (
	endpointsPath = "/webhook-endpoints"
	receiverURL   = "https://conformance.invalid/webhooks" // a host that never exists (RFC 2606): nobody receives what is sent
)

// newEndpoint registers a webhook endpoint for all events, as a set-up. It is deleted at the end of the check.
func newEndpoint(t *probe.T, edit ...func(*api.WebhookEndpointRequest)) api.WebhookEndpoint {
	body := api.WebhookEndpointRequest{URL: receiverURL}
	for _, e := range edit {
		e(&body)
	}
	r, err := t.Client().CreateWebhookEndpointWithResponse(t.Context(), nil, body)
	return probe.Setup(t, r, err)
}

// fullEndpoint has every member of a registration. It is disabled, so that nothing is sent.
func fullEndpoint() api.WebhookEndpointRequest {
	return api.WebhookEndpointRequest{
		URL: receiverURL, Description: probe.Ptr("Ledger of \u00e9 Conformance"), Disabled: probe.Ptr(true),
		EventTypes: []api.EventType{api.EventTypeUserStatusChanged, api.EventTypeTransactionCreated},
	}
}

// deleteEndpoint deletes an endpoint before the end of the check.
func deleteEndpoint(t *probe.T, id string) {
	t.Send(probe.Request{Method: http.MethodDelete, Path: endpointsPath + "/" + id})
}

func getEndpoint(t *probe.T, id openapi_types.UUID) api.WebhookEndpoint {
	r, err := t.Client().GetWebhookEndpointWithResponse(t.Context(), id)
	return probe.OK(t, r, err)
}

func updateEndpoint(t *probe.T, id openapi_types.UUID, change api.WebhookEndpointChange) api.WebhookEndpoint {
	r, err := t.Client().UpdateWebhookEndpointWithResponse(t.Context(), id, change)
	return probe.OK(t, r, err)
}

// endpointsIn reads the endpoints of a client in pages of a length.
func endpointsIn(t *probe.T, client *api.ClientWithResponses, limit int32) []api.WebhookEndpoint {
	return walk(t, nil, func(cursor *string) ([]api.WebhookEndpoint, *string) {
		r, err := client.ListWebhookEndpointsWithResponse(t.Context(), &api.ListWebhookEndpointsParams{Limit: &limit, Cursor: cursor})
		page := probe.OK(t, r, err)
		t.Expect(len(page.Items) <= int(limit), "a page of %d has %d endpoints", limit, len(page.Items))
		return page.Items, page.NextCursor
	})
}

// deliveriesTo reads the deliveries to an endpoint in pages of a length.
func deliveriesTo(t *probe.T, id openapi_types.UUID, limit int32, status *api.WebhookDeliveryStatus) []api.WebhookDelivery {
	return walk(t, nil, func(cursor *string) ([]api.WebhookDelivery, *string) {
		r, err := t.Client().ListWebhookDeliveriesWithResponse(t.Context(), id,
			&api.ListWebhookDeliveriesParams{Limit: &limit, Cursor: cursor, Status: status})
		page := probe.OK(t, r, err)
		t.Expect(len(page.Items) <= int(limit), "a page of %d has %d deliveries", limit, len(page.Items))
		return page.Items, page.NextCursor
	})
}

// webhooks returns the checks of webhook endpoints (D-68).
func webhooks() []probe.Check {
	check := func(id, title, fix string, run func(*probe.T), operations ...string) probe.Check {
		return probe.Check{
			ID: "webhooks." + id, Title: title, Clauses: []string{"D-68"}, Operations: append([]string{"createWebhookEndpoint"}, operations...),
			Needs: probe.Extensions, Fix: fix, Run: run,
		}
	}
	tenancy := check("other-client", "The list of endpoints has none of another client", "Select endpoints by the calling client.", foreignEndpoints, "listWebhookEndpoints")
	tenancy.Needs |= probe.OtherClient
	most := check("most", "A client has at most 100 endpoints, and one more after a deletion",
		"Count the endpoints of the client under a lock, and answer 422 TOO_MANY_WEBHOOK_ENDPOINTS to the 101st.", mostEndpoints, "listWebhookEndpoints", "deleteWebhookEndpoint")
	most.Needs |= probe.OtherClient
	all := []probe.Check{
		check("created", "An endpoint is answered and read as it was registered",
			"Answer every member that was sent, event_types in alphabetical order and each once, and leave out description and disabled_reason where there is none.",
			createdEndpoints, "getWebhookEndpoint"),
		check("url", "An address that breaks the rules is refused and named, in a registration and in a change",
			"Answer 400 with a detail for /url to another scheme than https (or http in a sandbox), credentials, a fragment, a port of 0 or above 65535, "+
				"and a host that is neither a name nor an address in its usual form.", badAddresses, "updateWebhookEndpoint"),
		check("event-types", "An unknown type of event is refused and named, and ping is none that an endpoint can name",
			"Answer 400 with a detail for each item of event_types that is not a type of the feed.", badEventTypes, "updateWebhookEndpoint"),
		check("update", "A change touches what it names and nothing else",
			"Change the members that are sent, updated_at with them, and neither id, created_at nor secrets; a change to what is there already changes nothing.",
			endpointChanges, "updateWebhookEndpoint", "getWebhookEndpoint"),
		check("secret", "A secret of 32 bytes is shown after a creation, a rotation and in their repeats only",
			"Make a secret of 32 random bytes for each endpoint and rotation, and leave it out of all other answers.", secretsShown,
			"getWebhookEndpoint", "updateWebhookEndpoint", "listWebhookEndpoints", "deleteWebhookEndpoint", "rotateWebhookSecret"),
		check("rotation", "A rotation replaces the secret once for each key, while the one before signs for 24 hours",
			"Answer a repeat with the same key with the secret as it is, and a key of another request with 409; without a key each request makes a new secret.",
			rotations, "rotateWebhookSecret"),
		check("delete", "A deleted endpoint is returned as it was, and is gone, and its key may be used again",
			"Delete the endpoint with its secrets, its deliveries and the key that created it, and answer 404 from then on.", deletions,
			"deleteWebhookEndpoint", "getWebhookEndpoint", "updateWebhookEndpoint", "listWebhookEndpoints", "rotateWebhookSecret", "listWebhookDeliveries"),
		check("list", "Pages of any length show every endpoint once, oldest first",
			"Sort by created_at and id, answer at most limit endpoints, and next_cursor where more follow.", endpointPages, "listWebhookEndpoints"),
		check("deliveries", "An endpoint has a delivery of each event that it wants since it is there, newest first",
			"Write a delivery for each enabled endpoint of the client that names the type or none, together with the event's place in the feed.",
			endpointDeliveries, "listWebhookDeliveries", "listEvents"),
		check("disabled", "An endpoint that is disabled has no more deliveries, and those that wait are canceled",
			"Write no deliveries to a disabled endpoint, and set those that are PENDING to CANCELED where one becomes disabled; status filters by the present status.",
			disabledEndpoint, "updateWebhookEndpoint", "listWebhookDeliveries"),
		check("bad-cursor", "A cursor that was never issued is refused", "Answer 400 with a detail for cursor.", badEndpointCursors,
			"listWebhookEndpoints", "listWebhookDeliveries"),
		tenancy, most,
	}
	return append(all, deliveryChecks()...)
}

func createdEndpoints(t *probe.T) {
	body := fullEndpoint()
	body.EventTypes = append(body.EventTypes, body.EventTypes[0])
	r, err := t.Client().CreateWebhookEndpointWithResponse(t.Context(), nil, body)
	full := probe.OK(t, r, err)
	want := []api.EventType{api.EventTypeTransactionCreated, api.EventTypeUserStatusChanged}
	t.Expect(full.URL == body.URL && full.Disabled && slices.Equal(full.EventTypes, want), "url, disabled or event_types are not those of the request")
	t.Expect(full.Description != nil && *full.Description == *body.Description, "description is not that of the request")
	t.Expect(full.UpdatedAt.Equal(full.CreatedAt.Time), "updated_at of a new endpoint is not its created_at")
	body.EventTypes = everyType
	r, err = t.Client().CreateWebhookEndpointWithResponse(t.Context(), nil, body)
	t.Expect(slices.Equal(probe.OK(t, r, err).EventTypes, everyType), "event_types are not those of the request")
	plain := newEndpoint(t)
	t.Expect(!plain.Disabled && len(plain.EventTypes) == 0, "an endpoint is disabled, or has types of events that were not sent")
	for _, made := range []api.WebhookEndpoint{full, plain} {
		made.Secret = nil
		t.Expect(made.DisabledReason == nil, "a new endpoint has a disabled_reason")
		t.Expect(reflect.DeepEqual(getEndpoint(t, made.ID), made), "an endpoint is read with other members than its creation answered")
	}
	t.Expect(plain.Description == nil, "an endpoint without a description has one")
}

// badAddresses are refused in a sandbox and in production.
func badAddresses(t *probe.T) {
	there := newEndpoint(t)
	for name, address := range map[string]string{
		"ftp": "ftp://conformance.invalid/", "ws": "ws://conformance.invalid/", "javascript": "javascript:alert(1)",
		"no scheme": "//conformance.invalid/x", "no scheme and slashes": "conformance.invalid/webhooks",
		"a user": "https://user@conformance.invalid/", "a user and a password": "https://user:password@conformance.invalid/",
		"a name as the user of an address": "https://conformance.invalid@127.0.0.1/",
		"a fragment":                       "https://conformance.invalid/#fragment", "an empty fragment": "https://conformance.invalid/x#",
		"port 0": "https://conformance.invalid:0/", "port 65536": "https://conformance.invalid:65536/",
		"an empty port": "https://conformance.invalid:/", "a port with zeros": "https://conformance.invalid:0443/",
		"a decimal address": "https://2130706433/", "a hexadecimal address": "https://0x7f000001/", "a short address": "https://127.1/",
		"an octal address": "https://010.0.0.1/", "no address": "https://256.1.1.1/", "an address with a dot": "https://127.0.0.1./",
		"a zone": "https://[::1%25lo]/", "half a bracket": "https://[::1/", "an empty label": "https://conformance..invalid/",
		"a label with a hyphen first": "https://-a.invalid/", "an underscore": "https://a_b.invalid/",
		"a label of 64 characters": "https://" + strings.Repeat("a", 64) + ".invalid/",
		"a host of 255 characters": "https://" + strings.Repeat("a.", 124) + "invalid/",
		"a host beyond ASCII":      "https://conf\u00e9rmance.invalid/", "a path beyond ASCII": "https://conformance.invalid/\u00e9",
		"a space": "https://conformance.invalid/ x", "9 characters": "https://a",
	} {
		t.Case(name, func() {
			r, err := t.Client().CreateWebhookEndpointWithResponse(t.Context(), nil, api.WebhookEndpointRequest{URL: address})
			t.Refused(r, err, http.StatusBadRequest, badRequest, "body /url")
			u, err := t.Client().UpdateWebhookEndpointWithResponse(t.Context(), there.ID, api.WebhookEndpointChange{URL: &address})
			t.Refused(u, err, http.StatusBadRequest, badRequest, "body /url")
		})
	}
	t.Expect(getEndpoint(t, there.ID).URL == there.URL, "a refused change has changed the address")
	for _, address := range []string{"https://conformance.invalid", "https://Conformance.INVALID:8443/a?b=c%20d", "https://93.184.216.34:1024/", "https://[2606:4700::1111]/"} {
		made := newEndpoint(t, func(r *api.WebhookEndpointRequest) { r.URL, r.Disabled = address, probe.Ptr(true) })
		t.Expect(made.URL == address, "an address is not answered as it was sent")
	}
}

func badEventTypes(t *probe.T) {
	there := newEndpoint(t)
	for _, unknown := range []api.EventType{"conformance.happened", "ping", "TRANSACTION.CREATED", "transaction", "*"} {
		types := []api.EventType{api.EventTypeTransactionCreated, unknown}
		r, err := t.Client().CreateWebhookEndpointWithResponse(t.Context(), nil, api.WebhookEndpointRequest{URL: receiverURL, EventTypes: types})
		t.Refused(r, err, http.StatusBadRequest, badRequest, "body /event_types/1")
		u, err := t.Client().UpdateWebhookEndpointWithResponse(t.Context(), there.ID, api.WebhookEndpointChange{EventTypes: types})
		t.Refused(u, err, http.StatusBadRequest, badRequest, "body /event_types/1")
	}
}

// everyType has the types of the feed, in the order in which an endpoint shows them.
var everyType = []api.EventType{
	api.EventTypeFundingAccountStatusChanged, api.EventTypeTransactionCreated, api.EventTypeTransactionDeliveryStatusChanged,
	api.EventTypeTransactionStatusChanged, api.EventTypeUserInformationChanged, api.EventTypeUserInformationRequested, api.EventTypeUserStatusChanged,
}

// endpointChanges changes one member after the other.
func endpointChanges(t *probe.T) {
	is := newEndpoint(t, func(r *api.WebhookEndpointRequest) { *r = fullEndpoint() })
	is.Secret = nil
	for _, c := range []struct {
		name   string
		change api.WebhookEndpointChange
		apply  func(*api.WebhookEndpoint)
	}{
		{"url", api.WebhookEndpointChange{URL: probe.Ptr(receiverURL + "/v2")}, func(e *api.WebhookEndpoint) { e.URL = receiverURL + "/v2" }},
		{
			"event_types", api.WebhookEndpointChange{EventTypes: []api.EventType{api.EventTypeUserInformationChanged}},
			func(e *api.WebhookEndpoint) { e.EventTypes = []api.EventType{api.EventTypeUserInformationChanged} },
		},
		{"each of event_types", api.WebhookEndpointChange{EventTypes: everyType}, func(e *api.WebhookEndpoint) { e.EventTypes = everyType }},
		{"no event_types", api.WebhookEndpointChange{EventTypes: []api.EventType{}}, func(e *api.WebhookEndpoint) { e.EventTypes = []api.EventType{} }},
		{"disabled: false", api.WebhookEndpointChange{Disabled: probe.Ptr(false)}, func(e *api.WebhookEndpoint) { e.Disabled = false }},
		{"disabled: true", api.WebhookEndpointChange{Disabled: probe.Ptr(true)}, func(e *api.WebhookEndpoint) { e.Disabled = true }},
		{"description", api.WebhookEndpointChange{Description: probe.Ptr("Books")}, func(e *api.WebhookEndpoint) { e.Description = probe.Ptr("Books") }},
		{"no description", api.WebhookEndpointChange{Description: probe.Ptr("")}, func(e *api.WebhookEndpoint) { e.Description = nil }},
	} {
		t.Case(c.name, func() {
			before := is.UpdatedAt
			c.apply(&is)
			got := updateEndpoint(t, is.ID, c.change)
			t.Expect(got.UpdatedAt.After(before.Time), "updated_at has not changed")
			is.UpdatedAt = got.UpdatedAt
			t.Expect(reflect.DeepEqual(got, is), "the change is answered with other members")
			t.Expect(reflect.DeepEqual(getEndpoint(t, is.ID), is), "the endpoint is read with other members")
			t.Expect(reflect.DeepEqual(updateEndpoint(t, is.ID, c.change), is), "the same change has changed something again")
		})
	}
	t.Expect(reflect.DeepEqual(updateEndpoint(t, is.ID, api.WebhookEndpointChange{}), is), "a change of nothing has changed something")
}

// isSecret reports whether a text is a secret as libraries for Standard Webhooks take it.
func isSecret(text string) bool {
	encoded, ok := strings.CutPrefix(text, "whsec_")
	secret, err := base64.StdEncoding.DecodeString(encoded)
	return ok && err == nil && len(secret) == 32
}

func secretsShown(t *probe.T) {
	key, another := &api.CreateWebhookEndpointParams{XIdempotencyKey: probe.Ptr(probe.NewKey())}, newEndpoint(t)
	create := func() api.WebhookEndpoint {
		r, err := t.Client().CreateWebhookEndpointWithResponse(t.Context(), key, fullEndpoint())
		return probe.OK(t, r, err)
	}
	made := create()
	if made.Secret == nil || another.Secret == nil {
		t.Fatalf("the answer to a creation has no secret")
	}
	t.Expect(isSecret(*made.Secret), "a secret is not whsec_ with 32 bytes in base64")
	t.Expect(*made.Secret != *another.Secret, "two endpoints have one secret")
	again := create()
	t.Expect(again.Secret != nil && *again.Secret == *made.Secret, "a repeat of the creation has another secret, or none")

	r, err := t.Client().RotateWebhookSecretWithResponse(t.Context(), made.ID, nil)
	rotated := probe.OK(t, r, err).Secret
	t.Expect(isSecret(rotated) && rotated != *made.Secret, "after a rotation the secret is the old one, or not whsec_ with 32 bytes")
	again = create()
	t.Expect(again.Secret != nil && *again.Secret == rotated, "a repeat of the creation after a rotation has not the secret as it is")

	without := func(where string, e api.WebhookEndpoint) { t.Expect(e.Secret == nil, "%s shows the secret", where) }
	without("GET", getEndpoint(t, made.ID))
	without("PATCH", updateEndpoint(t, made.ID, api.WebhookEndpointChange{Description: probe.Ptr("Books")}))
	for _, e := range endpointsIn(t, t.Client(), 100) {
		without("the list", e)
	}
	d, err := t.Client().DeleteWebhookEndpointWithResponse(t.Context(), made.ID)
	without("DELETE", probe.OK(t, d, err))
}

func rotations(t *probe.T) {
	made, other := newEndpoint(t), newEndpoint(t)
	if made.Secret == nil {
		t.Fatalf("the answer to a creation has no secret")
	}
	rotate := func(id openapi_types.UUID, key *string) (api.WebhookSecret, bool) {
		r, err := t.Client().RotateWebhookSecretWithResponse(t.Context(), id, &api.RotateWebhookSecretParams{XIdempotencyKey: key})
		return probe.OK(t, r, err), isReplay(r.HTTPResponse.Header)
	}
	key := probe.Ptr(longKey("k", 255))
	before := getEndpoint(t, made.ID)
	for _, wrong := range []string{" ", longKey("k", 256)} { // a space is sent as an empty key
		reply := t.Send(probe.Request{Method: http.MethodPost, Path: endpointsPath + "/" + made.ID.String() + "/secret", Header: http.Header{"X-Idempotency-Key": {wrong}}})
		t.Refused(reply, nil, http.StatusBadRequest, badRequest, keyHeader)
	}
	first, replay := rotate(made.ID, key)
	t.Expect(!replay, "the first rotation has Idempotent-Replayed: true")
	if at := first.PreviousExpiresAt; at == nil || at.Before(made.CreatedAt.Add(24*time.Hour)) || at.After(made.CreatedAt.Add(25*time.Hour)) {
		t.Failf("previous_expires_at is not 24 hours after the rotation")
	}
	again, replay := rotate(made.ID, key)
	t.Expect(replay && reflect.DeepEqual(again, first), "the repeat has another answer, or no Idempotent-Replayed: true")
	r, err := t.Client().RotateWebhookSecretWithResponse(t.Context(), other.ID, &api.RotateWebhookSecretParams{XIdempotencyKey: key})
	t.Refused(r, err, http.StatusConflict, api.ErrorCodeIdempotencyKeyReused)
	t.Refused(fullRequest{path: endpointsPath}.withKey(t, *key, fullEndpoint()), nil, http.StatusConflict, api.ErrorCodeIdempotencyKeyReused)
	second, _ := rotate(made.ID, nil)
	third, _ := rotate(made.ID, nil)
	t.Expect(distinct([]string{*made.Secret, first.Secret, second.Secret, third.Secret}, func(s string) string { return s }), "a rotation without a key has not made a new secret")
	again, _ = rotate(made.ID, key)
	t.Expect(again.Secret == third.Secret, "a repeat after further rotations has not the secret as it is")
	t.Expect(reflect.DeepEqual(getEndpoint(t, made.ID), before), "a rotation has changed a member of the endpoint")
}

func deletions(t *probe.T) {
	create := fullRequest{path: endpointsPath, body: fullEndpoint()}
	key := probe.NewKey()
	id := uuid.MustParse(createdID(create.first(t, key)))
	was := getEndpoint(t, id)
	d, err := t.Client().DeleteWebhookEndpointWithResponse(t.Context(), id)
	t.Expect(reflect.DeepEqual(probe.OK(t, d, err), was), "DELETE answers another endpoint than there was")
	for _, op := range operationsWhere(operation.ofEndpoint) {
		n := madeUp(t).with("webhook_endpoint_id", id.String())
		t.Refused(t.Send(op.request(t, n)), nil, http.StatusNotFound, api.ErrorCodeNotFound)
	}
	for _, e := range endpointsIn(t, t.Client(), 100) {
		t.Expect(e.ID != id, "a deleted endpoint is listed")
	}
	plain := newEndpoint(t).ID
	was = getEndpoint(t, plain)
	d, err = t.Client().DeleteWebhookEndpointWithResponse(t.Context(), plain)
	t.Expect(reflect.DeepEqual(probe.OK(t, d, err), was), "DELETE answers another endpoint than there was")
	again := create.withKey(t, key, create.body)
	t.Expect(createdID(again) != "" && createdID(again) != id.String() && !isReplay(again.Header),
		"the key of a deleted endpoint is answered %d, want a new endpoint", again.Status)
}

func endpointPages(t *probe.T) {
	var made []openapi_types.UUID
	for i := range 5 {
		made = append(made, newEndpoint(t, func(r *api.WebhookEndpointRequest) {
			if r.Disabled = probe.Ptr(true); i > 2 {
				*r = fullEndpoint()
			}
		}).ID)
	}
	for _, limit := range []int32{3, 100} {
		all := endpointsIn(t, t.Client(), limit)
		t.Expect(slices.IsSortedFunc(all, func(a, b api.WebhookEndpoint) int { return a.CreatedAt.Compare(b.CreatedAt.Time) }), "the endpoints are not sorted by created_at")
		for _, e := range all {
			t.Expect(!slices.Contains(made, e.ID) || reflect.DeepEqual(e, getEndpoint(t, e.ID)), "an endpoint is listed with other members than it is read with")
		}
		mine := slices.DeleteFunc(ids(all, func(e api.WebhookEndpoint) openapi_types.UUID { return e.ID }), func(id openapi_types.UUID) bool { return !slices.Contains(made, id) })
		t.Expect(slices.Equal(mine, made), "pages of %d show %d of %d new endpoints, or in another order", limit, len(mine), len(made))
	}
	r, err := t.Client().ListWebhookEndpointsWithResponse(t.Context(), &api.ListWebhookEndpointsParams{Limit: probe.Ptr(int32(2))})
	page := probe.OK(t, r, err)
	t.Expect(len(page.Items) == 2 && page.NextCursor != nil, "a page of 2 has %d endpoints, or no next_cursor though more follow", len(page.Items))
}

// deliveredTo returns the deliveries to an endpoint that are of these events.
func deliveredTo(t *probe.T, id openapi_types.UUID, limit int32, of []api.Event, status *api.WebhookDeliveryStatus) []api.WebhookDelivery {
	return slices.DeleteFunc(deliveriesTo(t, id, limit, status), func(d api.WebhookDelivery) bool {
		return !slices.ContainsFunc(of, func(e api.Event) bool { return e.ID == d.EventID })
	})
}

// delivered returns the ids of the events of deliveries, oldest first.
func delivered(all []api.WebhookDelivery) []openapi_types.UUID {
	found := ids(all, func(d api.WebhookDelivery) openapi_types.UUID { return d.EventID })
	slices.Reverse(found)
	return found
}

// eventIDs returns the ids of the events of a type, all where it is empty.
func eventIDs(all []api.Event, of api.EventType) []openapi_types.UUID {
	kept := slices.DeleteFunc(slices.Clone(all), func(e api.Event) bool { return of != "" && e.Type != of })
	return ids(kept, func(e api.Event) openapi_types.UUID { return e.ID })
}

func endpointDeliveries(t *probe.T) {
	start := feedEnd(t)
	early, _, _ := eventStory(t)
	feedEnd(t) // an event is delivered to the endpoints that are there when it is published
	whole, created := newEndpoint(t), newEndpoint(t, func(r *api.WebhookEndpointRequest) {
		r.EventTypes = []api.EventType{api.EventTypeTransactionCreated}
	})
	off := newEndpoint(t, func(r *api.WebhookEndpointRequest) { r.Disabled = probe.Ptr(true) })
	s, _, _ := eventStory(t)
	all, _ := feedAfter(t, &start, 100, nil)
	mine, before := eventsOf(all, s.UserID, s.FundID), eventsOf(all, early.UserID, early.FundID)
	for _, limit := range []int32{5, 100} {
		got := deliveredTo(t, whole.ID, limit, mine, nil)
		t.Expect(slices.Equal(delivered(got), eventIDs(mine, "")), "pages of %d show %d deliveries of %d events, or in another order", limit, len(got), len(mine))
		for _, d := range got {
			at := slices.IndexFunc(mine, func(e api.Event) bool { return e.ID == d.EventID })
			t.Expect(d.EventType == mine[at].Type, "a delivery of %s has the type %s", mine[at].Type, d.EventType)
			t.Expect(d.Status != api.WebhookDeliveryStatusDelivered, "an event was delivered to a host that never exists")
		}
	}
	got := deliveredTo(t, created.ID, 100, mine, nil)
	t.Expect(slices.Equal(delivered(got), eventIDs(mine, api.EventTypeTransactionCreated)), "an endpoint for transaction.created has %d deliveries, want 1", len(got))
	t.Expect(len(deliveriesTo(t, off.ID, 100, nil)) == 0, "an endpoint that was registered as disabled has deliveries")
	t.Expect(len(deliveredTo(t, whole.ID, 100, before, nil)) == 0, "an endpoint has deliveries of what happened before it was there")
}

func disabledEndpoint(t *probe.T) {
	start := feedEnd(t)
	there := newEndpoint(t)
	s, _, _ := eventStory(t)
	all, _ := feedAfter(t, &start, 100, nil)
	mine := eventsOf(all, s.UserID, s.FundID)
	canceled, pending := api.WebhookDeliveryStatusCanceled, api.WebhookDeliveryStatusPending
	with := func(status api.WebhookDeliveryStatus) int { return len(deliveredTo(t, there.ID, 100, mine, &status)) }
	t.Expect(with(pending) == len(mine) && with(canceled) == 0, "before, %d of %d deliveries are PENDING and %d CANCELED", with(pending), len(mine), with(canceled))
	updateEndpoint(t, there.ID, api.WebhookEndpointChange{Disabled: probe.Ptr(true)})
	t.Expect(with(pending) == 0 && with(canceled) == len(mine), "of %d deliveries %d are PENDING and %d CANCELED", len(mine), with(pending), with(canceled))
	for _, d := range deliveredTo(t, there.ID, 100, mine, nil) {
		t.Expect(d.NextAttemptAt == nil, "a canceled delivery has a next attempt")
	}
	n := len(deliveriesTo(t, there.ID, 100, nil))
	eventStory(t)
	feedEnd(t) // which publishes what has just happened
	t.Expect(len(deliveriesTo(t, there.ID, 100, nil)) == n, "a disabled endpoint has new deliveries")
}

func badEndpointCursors(t *probe.T) {
	there := newEndpoint(t)
	for _, cursor := range []string{"A", "bm90LWEtY3Vyc29y"} {
		l, err := t.Client().ListWebhookEndpointsWithResponse(t.Context(), &api.ListWebhookEndpointsParams{Cursor: &cursor})
		t.Refused(l, err, http.StatusBadRequest, badRequest, "query cursor")
		d, err := t.Client().ListWebhookDeliveriesWithResponse(t.Context(), there.ID, &api.ListWebhookDeliveriesParams{Cursor: &cursor})
		t.Refused(d, err, http.StatusBadRequest, badRequest, "query cursor")
	}
}

func foreignEndpoints(t *probe.T) {
	mine := newEndpoint(t)
	for _, e := range endpointsIn(t, t.Other(), 100) {
		t.Expect(e.ID != mine.ID, "the list of the second client has an endpoint of the first one")
	}
	t.Expect(slices.ContainsFunc(endpointsIn(t, t.Client(), 100), func(e api.WebhookEndpoint) bool { return e.ID == mine.ID }), "the list of the first client lacks its endpoint")
}

// mostEndpoints are of the second client, for which no other check registers any. It tries again where another run of the suite, with
// the same clients, may have made or deleted some meanwhile.
func mostEndpoints(t *probe.T) {
	const most, attempts = 100, 120
	body, wrong := fullEndpoint(), ""
	created := func() bool {
		r, err := t.Other().CreateWebhookEndpointWithResponse(t.Context(), nil, body)
		if err == nil && r.StatusCode() == http.StatusOK {
			return true
		}
		if t.Refused(r, err, http.StatusUnprocessableEntity, api.ErrorCodeTooManyWebhookEndpoints).Code != api.ErrorCodeTooManyWebhookEndpoints {
			t.Fatalf("an endpoint is neither accepted nor refused for their number")
		}
		return false
	}
	for range 20 {
		made := 0
		for created() {
			if made++; made == attempts {
				t.Fatalf("%d endpoints are accepted", attempts)
			}
		}
		all := endpointsIn(t, t.Other(), most)
		if len(all) != most {
			wrong = fmt.Sprintf("with %d endpoints a further one is refused", len(all))
			continue
		}
		d, err := t.Other().DeleteWebhookEndpointWithResponse(t.Context(), all[rand.IntN(most)].ID)
		if err == nil && d.StatusCode() == http.StatusNotFound {
			wrong = "a listed endpoint cannot be deleted: 404"
			continue
		}
		probe.OK(t, d, err)
		if wrong = ""; created() {
			break
		}
		wrong = "after a deletion a further endpoint is refused"
	}
	t.Expect(wrong == "", "%s", wrong)
}
