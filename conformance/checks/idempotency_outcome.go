package checks

import (
	"net/http"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// outcomes is what an answer proves about earlier requests with its key.
func outcomes() []probe.Check {
	return []probe.Check{
		{
			ID: "idempotency.outcome.open", Title: "A request that is refused before its key is looked at leaves the key and what it created as they are",
			Clauses: []string{"D-16", "D-65"}, Operations: creatingOperations,
			Fix: "Neither free nor replace a key where a later request with it is refused, whatever for.",
			Run: func(t *probe.T) { eachCreation(t, leavesOpen) },
		},
		{
			ID: "idempotency.outcome.cut", Title: "A body that is not there, or not whole, is refused for the body as a whole and for none of its members",
			Clauses: []string{"D-08", "D-65"}, Operations: creatingOperations,
			Fix: "Answer 400 with one detail, in body and with an empty field, where the text ends before its JSON value: what it lacks was lost on its way.",
			Run: func(t *probe.T) { eachCreation(t, cutBodies) },
		},
		{
			ID: "idempotency.outcome.unknown", Title: "A used key is refused before an identifier in the path that nothing has",
			Clauses: []string{"D-10", "D-16", "D-65"}, Operations: append([]string{"createTransaction"}, accountOperations...), Needs: probe.Extensions,
			Fix: "Compare the fingerprint before identifiers are looked up, so that a 404 proves that the key was not used.",
			Run: func(t *probe.T) {
				o := owns(t)
				nobody := creationsOf(owner{o.values.with("user_id", unknownID().String()), o.bodies})
				for i, r := range creationsOf(o) {
					t.Case("POST "+r.path, func() {
						key := probe.NewKey()
						r.first(t, key)
						t.Refused(nobody[i].withKey(t, key, r.body), nil, 409, api.ErrorCodeIdempotencyKeyReused)
					})
				}
			},
		},
	}
}

// eachCreation runs a check with a request of every creation.
func eachCreation(t *probe.T, run func(t *probe.T, r fullRequest)) {
	for _, r := range append(creationsOf(owns(t)), clientCreations(t)...) {
		t.Case("POST "+r.path, func() { run(t, r) })
	}
}

// leavesOpen sends requests with a used key that are refused for what comes before the key.
func leavesOpen(t *probe.T, r fullRequest) {
	key := probe.NewKey()
	first := r.first(t, key)
	for name, c := range map[string]struct {
		change func(*probe.Request)
		status int
		code   api.ErrorCode
	}{
		"an unknown member": {func(r *probe.Request) {
			body := probe.Object(t, r.Body)
			body["conformance"] = true
			r.Body = body
		}, 400, badRequest},
		"a wrong secret":     {func(r *probe.Request) { r.Header.Set(secretHeader, "conformance") }, 401, api.ErrorCodeUnauthorized},
		"another path":       {func(r *probe.Request) { r.Path = "/conformance" + r.Path }, 404, api.ErrorCodeNotFound},
		"another method":     {func(r *probe.Request) { r.Method = http.MethodDelete }, 405, api.ErrorCodeMethodNotAllowed},
		"another media type": {func(r *probe.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, api.ErrorCodeUnsupportedMediaType},
	} {
		request := r.keyed(key, r.body)
		c.change(&request)
		t.Refused(t.Send(request), nil, c.status, c.code)
		again := r.withKey(t, key, r.body)
		t.Expect(createdID(again) == createdID(first) && isReplay(again.Header),
			"after a request with the same key and %s the repeat is answered %d, or with another id", name, again.Status)
	}
}

// cutBodies sends a request of which less and less arrives.
func cutBodies(t *probe.T, r fullRequest) {
	text := encoded(t, r.body)
	for _, end := range []int{0, 1, len(text) / 3, len(text) / 2, len(text) - 1} {
		reply := r.withKey(t, probe.NewKey(), text[:end])
		for _, d := range t.Refused(reply, nil, 400, badRequest, "body ").Details {
			t.Expect(d.Field == "", "%d of %d bytes of a body are refused for %s", end, len(text), d.Field)
		}
	}
}
