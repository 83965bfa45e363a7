package checks

import (
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// keyScopes is who a key belongs to.
func keyScopes() []probe.Check {
	return []probe.Check{
		{
			ID: "idempotency.scope.client", Title: "The key of another client is another key",
			Clauses: []string{"D-16"}, Operations: []string{"createUser"}, Needs: probe.OtherClient,
			Fix: "Keep keys per client.",
			Run: func(t *probe.T) {
				params := &api.CreateUserParams{XIdempotencyKey: probe.Ptr(probe.NewKey())}
				body := t.UserRequest(func(u *api.UserRequest) { u.Type = nil }) // the other client may have other corridors
				r, err := t.Client().CreateUserWithResponse(t.Context(), params, body)
				first := probe.Setup(t, r, err)
				r, err = t.Other().CreateUserWithResponse(t.Context(), params, body)
				second := probe.OK(t, r, err)
				t.Expect(second.ID != first.ID && !isReplay(r.HTTPResponse.Header), "the other client is answered what the first one created")
			},
		},
		{
			ID: "idempotency.scope.operation", Title: "A key is one over all operations: used for one, it is refused for another",
			Clauses: []string{"D-16", "D-54"}, Operations: creatingOperations,
			Fix: "Keep keys per client and not per operation; the operation is part of the fingerprint.",
			Run: func(t *probe.T) {
				all := append(creationsOf(owns(t)), fullRequest{path: "/users", body: t.UserRequest()})
				for i, r := range all {
					key, next := probe.NewKey(), all[(i+1)%len(all)]
					r.first(t, key)
					t.Refused(next.withKey(t, key, next.body), nil, 409, api.ErrorCodeIdempotencyKeyReused)
				}
			},
		},
		{
			ID: "idempotency.scope.path", Title: "A key is one over all users: used below one, it is refused for the same body below another",
			Clauses: []string{"D-16", "D-54"}, Operations: accountOperations, Needs: probe.Extensions,
			Fix: "Keep keys per client and not per user; the path parameters are part of the fingerprint.",
			Run: elsewhereInThePath,
		},
		{
			ID: "idempotency.scope.sandbox", Title: "The sandbox operations take no key: another value is set with the same one too",
			Clauses: []string{"D-48", "D-54"}, Operations: []string{"setVerification", "setFundingAccountStatus"}, Needs: probe.Extensions,
			Fix: "Ignore X-Idempotency-Key in these operations, as any header that an operation does not know.",
			Run: sandboxKey,
		},
	}
}

// sandboxKey sets two values after each other with one key.
func sandboxKey(t *probe.T) {
	user, key := t.NewUser().ID, http.Header{"X-Idempotency-Key": {probe.NewKey()}}
	set := func(path string, body any) probe.Reply {
		reply := t.Send(probe.Request{Method: http.MethodPost, Path: "/sandbox" + path, Body: body, Header: key})
		if reply.Status != http.StatusOK {
			t.Fatalf("answered %d, want 200", reply.Status)
		}
		return reply
	}
	for _, status := range []api.KycStatus{api.KycStatusVerified, api.KycStatusSuspended} {
		set(probe.UserPath(user, "verification"), api.VerificationRequest{KycStatus: &status})
		got := cipInfo(t, user).KycStatus
		t.Expect(got == status, "kyc_status is %q, want %s", got, status)
	}
	account := t.NewFundingAccount(user, api.FundingAccountStatusPending)
	for _, status := range []api.FundingAccountStatus{api.FundingAccountStatusActive, api.FundingAccountStatusInactive} {
		reply := set(probe.UserPath(user, "funding-accounts", account.String(), "status"), api.FundingAccountStatusRequest{Status: status})
		got := members(t, reply)["status"]
		t.Expect(got == string(status), "the status of a funding account is answered as %v, want %s", got, status)
	}
}

var (
	accountOperations  = []string{"createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount"}
	creatingOperations = append([]string{"createUser", "createTransaction"}, accountOperations...)
)

// creationsOf gives a request of every creation below the user of an owner.
func creationsOf(o owner) []fullRequest {
	var all []fullRequest
	for _, op := range operations() {
		if body, ok := o.bodies[op.id]; ok && slices.Contains(creatingOperations, op.id) {
			all = append(all, fullRequest{path: op.fill(o.values), body: body})
		}
	}
	return all
}

// elsewhereInThePath sends the same below another user, and below another receive user of the same one.
func elsewhereInThePath(t *probe.T) {
	o := owns(t)
	delete(o.bodies, "createTransaction") // which is idempotency.different.user
	user, receiver := newReceiveUser(t)
	other, sibling := o.values.with("user_id", user.String()), o.values.with("user_id", o.values["user_id"])
	other["receive_user_id"] = receiver.String()
	sibling["receive_user_id"] = t.NewReceiveUser(uuid.MustParse(o.values["user_id"]), t.Target().Facts.Destination).String()
	for _, values := range []pathValues{other, sibling} {
		elsewhere := creationsOf(owner{values, o.bodies})
		for i, r := range creationsOf(o) {
			if elsewhere[i].path != r.path {
				key := probe.NewKey()
				r.first(t, key)
				t.Refused(elsewhere[i].withKey(t, key, r.body), nil, 409, api.ErrorCodeIdempotencyKeyReused)
			}
		}
	}
}

// keysAfterRefusal is that a refused request uses up no key.
func keysAfterRefusal() []probe.Check {
	const free = "Take a key only together with what is created: a refusal leaves it free."
	check := func(id, title string, needs probe.Need, status int, spoil, repair func(*probe.T, probe.Sender, *api.TransactionRequest)) probe.Check {
		return probe.Check{
			ID: "idempotency.refused." + id, Title: title, Clauses: []string{"D-16"}, Operations: []string{"createTransaction"}, Needs: needs,
			Fix: free,
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				key, good := probe.NewKey(), body
				spoil(t, s, &body)
				r, err := t.Create(s.UserID, key, body)
				if err != nil || r.StatusCode() != status {
					t.Brokenf("set-up: a request that breaks a rule is not answered %d", status)
				}
				if repair == nil {
					body = good
				} else {
					repair(t, s, &body)
				}
				r, err = t.Create(s.UserID, key, body)
				probe.OK(t, r, err)
				t.Expect(!isReplay(r.HTTPResponse.Header), "the first accepted request with the key says that it is a replay")
			},
		}
	}
	return []probe.Check{
		check("rule-then-same", "A key of a request that was refused for a rule serves the same request once the rule is met", probe.Extensions, 422,
			func(t *probe.T, s probe.Sender, _ *api.TransactionRequest) {
				t.Verify(s.UserID, api.KycStatusSuspended, nil)
			},
			func(t *probe.T, s probe.Sender, _ *api.TransactionRequest) {
				t.Verify(s.UserID, api.KycStatusVerified, nil)
			}),
		check("rule-then-different", "A key of a request that was refused for a rule serves a different request", 0, 422,
			func(_ *probe.T, _ probe.Sender, body *api.TransactionRequest) { body.FromFundID = unknownID() }, nil),
		{
			ID: "idempotency.refused.limit-then-different", Title: "A key of a request that the limit refused serves a different request",
			Clauses: []string{"D-16", "D-17"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions, Fix: free,
			Run: func(t *probe.T) {
				p := newTopPurse(t)
				body := t.Payout(p.Sender, p.receiver, "1.00", rateOne)
				beyond := body
				beyond.FromAmount = plus(t, smallest(p.remaining()), cent)
				if r := (fullRequest{path: probe.UserPath(p.UserID, "transactions"), body: body}); !r.afterRefusal(t, beyond) {
					t.Brokenf("set-up: a transaction above the remaining limit of the highest tier was not refused")
				}
			},
		},
		{
			ID: "idempotency.refused.amount-then-different", Title: "A key of a request that paid out nothing serves a different request",
			Clauses: []string{"D-16", "D-42"}, Operations: []string{"createTransaction"}, Fix: free,
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				nothing := body
				payNothing(&nothing)
				if r := (fullRequest{path: probe.UserPath(s.UserID, "transactions"), body: body}); !r.afterRefusal(t, nothing) {
					t.Brokenf("set-up: a transaction that pays out nothing was not refused")
				}
			},
		},
		{
			ID: "idempotency.refused.creations", Title: "A refused creation of any kind uses up no key",
			Clauses: []string{"D-16", "D-54"}, Operations: creatingOperations, Fix: free, Run: refusedCreations,
		},
		check("form-then-different", "A key of a request that was malformed serves a different request", 0, 400,
			func(_ *probe.T, _ probe.Sender, body *api.TransactionRequest) {
				body.FromAmount = wire.MustAmount("1.001")
			}, nil),
	}
}

// refusedCreations sends what is malformed, what breaks a rule, and what is below an unknown user. What is not refused is
// another rule.
func refusedCreations(t *probe.T) {
	o, facts := owns(t), t.Target().Facts
	create := fullRequest{path: "/users", body: t.UserRequest()}
	create.afterRefusal(t, map[string]any{})
	create.afterRefusal(t, t.UserRequest(func(u *api.UserRequest) { u.Country = facts.DisabledCountry }))
	nobody := creationsOf(owner{o.values.with("user_id", unknownID().String()), o.bodies})
	for i, good := range creationsOf(o) {
		if key := probe.NewKey(); nobody[i].refused(t, key, good.body) {
			good.free(t, key)
		}
		if strings.HasSuffix(good.path, "/transactions") {
			continue // the checks beside this one have the rest
		}
		good.afterRefusal(t, map[string]any{})
		broken := probe.Object(t, good.body)
		for name, value := range map[string]string{"country": facts.DisabledCountry, "currency": otherCurrency(facts.OriginCurrency)} {
			if broken[name] != nil {
				broken[name] = value
				good.afterRefusal(t, broken)
			}
		}
	}
}

// afterRefusal sends another body, and where that is refused its own with the same key; it tells whether it was.
func (r fullRequest) afterRefusal(t *probe.T, bad any) bool {
	key := probe.NewKey()
	if !r.refused(t, key, bad) {
		return false
	}
	r.free(t, key)
	return true
}

// refused sends a request and tells whether it was refused, whatever the status.
func (r fullRequest) refused(t *probe.T, key string, body any) bool {
	return r.withKey(t, key, body).Status >= http.StatusBadRequest
}

// free expects that a key has not been used.
func (r fullRequest) free(t *probe.T, key string) {
	reply := r.withKey(t, key, r.body)
	t.Expect(createdID(reply) != "", "POST %s is answered %d after a refusal with the same key, want 200 with an id", r.path, reply.Status)
}
