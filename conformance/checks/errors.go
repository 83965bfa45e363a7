package checks

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// errorRules returns the checks of the error body, and of what every operation answers in the conditions that an operator
// puts a server in. Which code a refusal has is checked where its rule is.
func errorRules() []probe.Check {
	return append([]probe.Check{
		{
			ID: "errors.status", Title: "The status in an error body is the status of the answer",
			Clauses: []string{"7-body", "D-08"}, Operations: operationIDs(operations()),
			Fix: "Write the HTTP status into the body where the answer is made, so that the two cannot differ.",
			Run: func(t *probe.T) {
				eachError(t, func(what string, reply probe.Reply, body api.Error) {
					t.Expect(int(body.Status) == reply.Status, "%s answered %d with status %d in the body", what, reply.Status, body.Status)
				})
			},
		},
		{
			ID: "errors.request-id", Title: "The request_id in an error body is the header X-Request-Id",
			Clauses: []string{"D-08"}, Operations: operationIDs(operations()),
			Fix: "Write the same identifier into the header and the body; it is what a caller quotes and an operator looks for.",
			Run: func(t *probe.T) {
				eachError(t, func(what string, reply probe.Reply, body api.Error) {
					id := reply.Header.Get("X-Request-Id")
					t.Expect(id != "" && body.RequestID == id, "%s answered with a request_id that is not the header", what)
				})
			},
		},
		{
			ID: "errors.message", Title: "Every error has a message, and every detail a reason",
			Clauses: []string{"7-body", "D-08"}, Operations: operationIDs(operations()),
			Fix: "Describe in message what went wrong, and in reason what was expected; neither may be empty.",
			Run: func(t *probe.T) {
				eachError(t, func(what string, _ probe.Reply, body api.Error) {
					t.Expect(strings.TrimSpace(body.Message) != "", "%s has no message", what)
					for _, d := range body.Details {
						t.Expect(strings.TrimSpace(d.Reason) != "", "%s has a detail without a reason for %s", what, d.In)
					}
				})
			},
		},
		{
			ID: "errors.doc-url", Title: "Where an error has a doc_url, it is the address of a web page, the same for every error of its code",
			Clauses: []string{"D-73"}, Operations: operationIDs(operations()),
			Fix: "Make doc_url of the code alone, as a path of the service or an absolute URL; nothing of the request belongs into it.",
			Run: docURLs,
		},
		{
			ID: "errors.no-values", Title: "The refusal of an unmet rule does not repeat what was sent",
			Clauses: []string{"D-08", "D-09"}, Operations: []string{"createUser"},
			Fix: "Write messages and reasons without values of the request: personal data must stay out of logs.",
			Run: func(t *probe.T) {
				body := t.UserRequest(func(u *api.UserRequest) {
					u.FirstName, u.LastName, u.Country = canary, probe.Ptr(canary), t.Target().Facts.DisabledCountry
				})
				reply := t.Send(probe.Request{Method: http.MethodPost, Path: "/users", Body: body})
				if reply.Status < 400 {
					t.Brokenf("set-up: a registration in a country that is not enabled was answered %d, which is no error", reply.Status)
				}
				t.Expect(!strings.Contains(string(reply.Body), canary), "the error repeats a value of the request")
			},
		},
		{
			ID: "errors.no-values-transactions", Title: "The refusal of a transaction repeats no text and no value that was sent",
			Clauses: []string{"D-08", "D-73"}, Operations: []string{"createTransaction"},
			Fix: "Write messages and reasons without values of the request, with every status: what a caller writes into a note is personal data.",
			Run: noValuesOfTransactions,
		},
	}, conditionRules()...)
}

// noValuesOfTransactions has one refused for its form, one for a rule, and one for its key.
func noValuesOfTransactions(t *probe.T) {
	s, good := t.Deposit()
	used := probe.NewKey()
	r, err := t.Create(s.UserID, used, good)
	probe.Setup(t, r, err)
	const overPrecise, tiny = "1.00731", "0.000000731"
	for _, of := range []struct {
		status int
		code   api.ErrorCode
		key    string
		value  string // that is not in message and details
		spoil  func(*api.TransactionRequest)
	}{
		{400, badRequest, "", overPrecise, func(b *api.TransactionRequest) { b.FromAmount = wire.MustAmount(overPrecise) }},
		{422, api.ErrorCodeAmountNotAllowed, "", tiny, func(b *api.TransactionRequest) { b.ExchangeRate = wire.MustAmount(tiny) }},
		{409, api.ErrorCodeIdempotencyKeyReused, used, used, func(*api.TransactionRequest) {}},
	} {
		body := good
		body.Note, body.CustomPurpose, body.RemittancePurpose = probe.Ptr(canary), probe.Ptr(canary), probe.Ptr(canary)
		of.spoil(&body)
		r, err := t.Create(s.UserID, of.key, body)
		if err != nil {
			t.Fatalf("%s", probe.Unusable(err))
		}
		refusal := t.Refused(r, nil, of.status, of.code)
		t.Expect(!strings.Contains(string(r.Body), canary), "a refusal with %d repeats a text of the request", of.status)
		t.Expect(!strings.Contains(refusal.Message, of.value), "the message of a refusal with %d repeats a value of the request", of.status)
		for _, d := range refusal.Details {
			t.Expect(!strings.Contains(d.Reason+d.Field, of.value), "a detail of a refusal with %d repeats a value of the request", of.status)
		}
	}
}

// docURLs judges the doc_url of each error, and compares those of one code, which different requests have got. A server may
// have none (D-73).
func docURLs(t *probe.T) {
	of := map[api.ErrorCode]string{}
	eachError(t, func(what string, _ probe.Reply, body api.Error) {
		sent := body.DocURL != nil
		t.Expect(!sent || leads(*body.DocURL), "%s has a doc_url that is neither a path of the service nor the URL of a web page", what)
		first, seen := of[body.Code]
		t.Expect(!sent || !seen || first == *body.DocURL, "%s has another doc_url than an earlier error with the code %s", what, body.Code)
		if sent {
			of[body.Code] = *body.DocURL
		}
	})
}

// leads reports whether a reference is a path, or the URL of a web page.
func leads(reference string) bool {
	u, err := url.Parse(reference)
	switch {
	case err != nil || u.User != nil:
		return false
	case u.Scheme == "":
		return u.Host == "" && strings.HasPrefix(u.Path, "/")
	}
	return (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != ""
}

// eachError returns one error of each kind that can be had without a set-up.
func eachError(t *probe.T, visit func(what string, reply probe.Reply, body api.Error)) {
	disabled := t.UserRequest(func(u *api.UserRequest) { u.Country = t.Target().Facts.DisabledCountry })
	requests := map[string]probe.Request{
		"a malformed request":         {Method: http.MethodPost, Path: "/users?conformance=1", Body: map[string]any{"email": 1}},
		"a request without a secret":  {Method: http.MethodGet, Path: "/payers", Anonymous: true},
		"an unknown identifier":       {Method: http.MethodGet, Path: "/banks/999999999999"},
		"an unknown path":             {Method: http.MethodGet, Path: "/conformance"},
		"a method that is not there":  {Method: http.MethodDelete, Path: "/payers"},
		"a body that is not JSON":     {Method: http.MethodPost, Path: "/users", Body: disabled, Header: http.Header{"Content-Type": {"text/plain"}}},
		"a rule that is not met":      {Method: http.MethodPost, Path: "/users", Body: disabled},
		"a country without a profile": {Method: http.MethodGet, Path: "/countries/" + t.Target().Facts.DisabledCountry + "/states"},
	}
	n := madeUp(t)
	for _, op := range inProfile(t, operations()) {
		r := op.request(t, n)
		r.Path = withQuery(r.Path, "conformance=1")
		requests[op.name()+" with an unknown parameter"] = r
	}
	for what, r := range requests {
		reply := t.Send(r)
		if reply.Status < 400 {
			t.Brokenf("%s was answered %d, which is no error", what, reply.Status)
		}
		var body api.Error
		if json.Unmarshal(reply.Body, &body) != nil {
			t.Failf("%s was answered %d without the error body", what, reply.Status)
			continue
		}
		visit(what, reply, body)
	}
}

// conditionRules returns the checks for servers that an operator has put in a condition.
func conditionRules() []probe.Check {
	all := operationIDs(operations())
	return []probe.Check{
		{
			ID: "errors.rate-limited", Title: "Beyond the rate limit every operation answers 429 RATE_LIMITED and the time to wait",
			Clauses: []string{"D-28"}, Operations: all, Condition: probe.RateLimited,
			Fix: "Count the calls of all operations, and answer 429 beyond the limit, with Retry-After in seconds, at least 1, and RateLimit with r=0.",
			Run: func(t *probe.T) {
				for _, op := range inProfile(t, operations()) {
					reply, ok := limited(t, op)
					if !ok {
						t.Failf("%s let %d requests at once through", op.id, burst)
						continue
					}
					t.Refused(reply, nil, http.StatusTooManyRequests, api.ErrorCodeRateLimited)
					left, policy := reply.Header.Get("RateLimit"), reply.Header.Get("RateLimit-Policy")
					t.Expect(strings.HasPrefix(left, `"client";r=0;`) && policy != "",
						"%s was refused with RateLimit %q and RateLimit-Policy %q, want r=0 and a policy", op.id, left, policy)
				}
			},
		},
		{
			ID: "errors.rate-limited-credentials", Title: "Wrong credentials are answered 401 beyond the rate limit too",
			Clauses: []string{"D-19", "D-28", "D-58"}, Operations: []string{"listPayers"}, Condition: probe.RateLimited,
			Fix: "Authenticate first: the limit is one of a client, and an unknown caller must not use it up or learn about it.",
			Run: func(t *probe.T) {
				r := beyondLimit(t)
				r.Header = http.Header{secretHeader: {"conformance"}}
				unauthorized(t, r, "a wrong secret beyond the rate limit")
				for range burst {
					reply := t.Send(r)
					ofFailures := reply.Status == http.StatusTooManyRequests && reply.Header.Get("RateLimit") == ""
					t.Expect(reply.Status == http.StatusUnauthorized || ofFailures,
						"answered %d, want 401, to a wrong secret beyond the rate limit", reply.Status)
				}
			},
		},
		{
			ID: "errors.rate-limited-clients", Title: "A client beyond its rate limit does not affect another client",
			Clauses: []string{"D-28"}, Operations: []string{"listPayers"}, Condition: probe.RateLimited, Needs: probe.OtherClient,
			Fix: "Count per client.",
			Run: func(t *probe.T) {
				r := beyondLimit(t)
				r.Header = otherClient(t)
				reply := t.Send(r)
				t.Expect(reply.Status == http.StatusOK,
					"the second client was answered %d, want 200, while the first one is beyond its limit", reply.Status)
			},
		},
		failing(
			"unavailable", "While its store is away every operation answers 503 SERVICE_UNAVAILABLE and the time to wait",
			"Distinguish an outage of what the service depends on from a fault of its own, and answer 503 with Retry-After in seconds.",
			probe.Unavailable, http.StatusServiceUnavailable, api.ErrorCodeServiceUnavailable,
		),
		failing(
			"internal", "After an internal fault every operation answers 500 INTERNAL_ERROR and reveals nothing about its implementation",
			"Answer every fault that nobody foresaw with one fixed message and no details; log the cause instead.",
			probe.Broken, http.StatusInternalServerError, api.ErrorCodeInternalError,
		),
	}
}

// burst is how many requests are sent at once to go beyond a rate limit.
const burst = 20

// limited sends a request of an operation until one is answered 429, and returns that answer.
func limited(t *probe.T, op operation) (probe.Reply, bool) {
	r := op.request(t, madeUp(t))
	replies := make([]probe.Reply, burst)
	if replies[0], _ = t.Try(r); replies[0].Status == http.StatusTooManyRequests {
		return replies[0], true
	}
	var wait sync.WaitGroup
	for i := range replies {
		wait.Go(func() { replies[i], _ = t.Try(r) }) // no answer is no 429
	}
	wait.Wait()
	for _, reply := range replies {
		if reply.Status == http.StatusTooManyRequests {
			return reply, true
		}
	}
	return probe.Reply{}, false
}

// beyondLimit takes the first client beyond its limit, and returns the request that was refused.
func beyondLimit(t *probe.T) probe.Request {
	op := pick(operations(), func(op operation) bool { return op.id == "listPayers" })[0]
	if _, ok := limited(t, op); !ok {
		t.Brokenf("%d requests at once were let through", burst)
	}
	return op.request(t, madeUp(t))
}

// inside are words that tell how a service is made.
var inside = []string{
	"sql", "sqlite", "postgres", "database", "table", "column", "panic", "goroutine", "exception", "traceback", "stack", ".go:", ".java:",
	".py", ".db", "0x", "localhost", "127.0.0.1",
}

// failing returns the check that every operation answers an error that says nothing about the inside of the service.
func failing(id, title, fix string, condition probe.Condition, status int, code api.ErrorCode) probe.Check {
	return probe.Check{
		ID: "errors." + id, Title: title, Clauses: []string{"D-08"}, Operations: operationIDs(operations()), Condition: condition, Fix: fix,
		Run: func(t *probe.T) {
			for _, op := range inProfile(t, operations()) {
				reply := t.Send(op.request(t, madeUp(t)))
				if reply.Status != status {
					t.Failf("%s answered %d, want %d", op.id, reply.Status, status)
					continue
				}
				body := t.Refused(reply, nil, status, code)
				t.Expect(len(body.Details) == 0, "%s answered %d with details", op.id, status)
				for _, word := range inside {
					t.Expect(!strings.Contains(strings.ToLower(body.Message), word), "the message of %s mentions %q", op.id, word)
				}
			}
		},
	}
}
