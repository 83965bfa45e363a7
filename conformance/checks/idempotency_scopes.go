package checks

import (
	"net/http"
	"slices"

	"github.com/google/uuid"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// keyScopes returns the checks of what a key belongs to.
func keyScopes() []probe.Check {
	return []probe.Check{
		{
			ID: "idempotency.scope.client", Title: "Keys of different clients are independent",
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
			ID: "idempotency.scope.operation", Title: "A key is shared by all operations: used for one, it is refused for another",
			Clauses: []string{"D-16", "D-54"}, Operations: creatingOperations,
			Fix: "Keep keys per client and not per operation; the operation is part of the fingerprint.",
			Run: func(t *probe.T) {
				all := append(creationsOf(owns(t)), clientCreations(t)...)
				for i, r := range all {
					key, next := probe.NewKey(), all[(i+1)%len(all)]
					r.first(t, key)
					t.Refused(next.withKey(t, key, next.body), nil, 409, api.ErrorCodeIdempotencyKeyReused)
				}
			},
		},
		{
			ID: "idempotency.scope.path", Title: "A key is shared by all users: used for one, it is refused for the same body for another",
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

// creationsOf returns a request of every creation below the user of an owner.
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
	return []probe.Check{{
		ID: "idempotency.refused.creations", Title: "A refused creation of any kind uses up no key, whether it was malformed, broke a rule or was below an unknown user",
		Clauses: []string{"D-16", "D-17", "D-42", "D-54"}, Operations: creatingOperations,
		Fix: "Take a key only together with what is created: a refusal leaves it free.",
		Run: func(t *probe.T) {
			t.Case("createUser", func() {
				create := fullRequest{path: "/users", body: t.UserRequest()}
				create.afterRefusal(t, map[string]any{})
				create.afterRefusal(t, t.UserRequest(func(u *api.UserRequest) { u.Country = t.Target().Facts.DisabledCountry }))
			})
			if t.Full() {
				t.Case("createWebhookEndpoint", func() {
					create := fullRequest{path: endpointsPath, body: fullEndpoint()}
					create.afterRefusal(t, map[string]any{})
					create.afterRefusal(t, map[string]any{"url": "https://127.1/"})
				})
			}
			o := owns(t)
			nobody := creationsOf(owner{o.values.with("user_id", unknownID().String()), o.bodies})
			for i, good := range creationsOf(o) {
				t.Case("POST "+good.path, func() { refusedCreation(t, good, nobody[i]) })
			}
			t.Case("createTransaction", func() { refusedTransactions(t) })
		},
	}}
}

func refusedCreation(t *probe.T, good, nobody fullRequest) {
	key := probe.NewKey()
	t.Refused(nobody.withKey(t, key, good.body), nil, 404, api.ErrorCodeNotFound)
	good.free(t, key)
	good.afterRefusal(t, map[string]any{})
	facts, broken := t.Target().Facts, probe.Object(t, good.body)
	for name, value := range map[string]string{"country": facts.DisabledCountry, "currency": otherCurrency(facts.OriginCurrency)} {
		if broken[name] != nil {
			broken[name] = value
			good.afterRefusal(t, broken)
		}
	}
}

// refusedTransactions are refused for their form, a rule, and what can be paid out.
func refusedTransactions(t *probe.T) {
	s, body := t.Deposit()
	good := fullRequest{path: probe.UserPath(s.UserID, "transactions"), body: body}
	for _, change := range []func(*api.TransactionRequest){
		func(b *api.TransactionRequest) { b.FromAmount = wire.MustAmount("1.001") },
		func(b *api.TransactionRequest) { b.FromFundID = unknownID() },
		payNothing,
	} {
		bad := body
		change(&bad)
		good.afterRefusal(t, bad)
	}
	if t.Full() {
		refusedForState(t, s, good)
	}
}

// refusedForState is refused for the KYC status and for the limit.
func refusedForState(t *probe.T, s probe.Sender, good fullRequest) {
	key := probe.NewKey()
	t.Verify(s.UserID, api.KycStatusSuspended, nil)
	t.Refused(good.withKey(t, key, good.body), nil, 422, api.ErrorCodeKycNotEligible)
	t.Verify(s.UserID, api.KycStatusVerified, nil)
	good.free(t, key)
	p := newTopPurse(t)
	within := fullRequest{path: probe.UserPath(p.UserID, "transactions"), body: t.Payout(p.Sender, p.receiver, "1.00", rateOne)}
	within.afterRefusal(t, t.Payout(p.Sender, p.receiver, plus(t, smallest(p.remaining()), cent).String(), rateOne))
}

// afterRefusal sends another body, which must be refused, and its own with the same key.
func (r fullRequest) afterRefusal(t *probe.T, bad any) {
	key := probe.NewKey()
	if reply := r.withKey(t, key, bad); reply.Status < 400 {
		t.Brokenf("set-up: POST %s is answered %d to a request that breaks a rule", r.path, reply.Status)
	}
	r.free(t, key)
}

// free expects that a key has not been used.
func (r fullRequest) free(t *probe.T, key string) {
	reply := r.withKey(t, key, r.body)
	t.Expect(createdID(reply) != "", "POST %s is answered %d after a refusal with the same key, want 200 with an id", r.path, reply.Status)
	t.Expect(!isReplay(reply.Header), "the first accepted request with the key has Idempotent-Replayed: true")
}

// replaysLater is what a repeat returns when something has changed.
func replaysLater() []probe.Check {
	return []probe.Check{
		{
			ID: "idempotency.later.rules", Title: "A repeat is answered though the sender was suspended meanwhile, or the funding account is no longer active",
			Clauses: []string{"4-note-3", "D-16"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Answer a repeat before the rules of section 1 are looked at.",
			Run: func(t *probe.T) {
				for name, change := range map[string]func(probe.Sender){
					"suspended": func(s probe.Sender) { t.Verify(s.UserID, api.KycStatusSuspended, nil) },
					"inactive":  func(s probe.Sender) { setFundingStatus(t, s.UserID, s.FundID, api.FundingAccountStatusInactive) },
				} {
					t.Case(name, func() {
						s, body := t.Deposit()
						key := probe.NewKey()
						r, err := t.Create(s.UserID, key, body)
						first := probe.Setup(t, r, err)
						change(s)
						r, err = t.Create(s.UserID, key, body)
						t.Expect(probe.OK(t, r, err).ID == first.ID, "the repeat is answered with another transaction")
					})
				}
			},
		},
		{
			ID: "idempotency.later.status", Title: "A repeat returns a user or a funding account as it is now",
			Clauses: []string{"D-54"}, Operations: []string{"createUser", "createFundingAccount"}, Needs: probe.Extensions,
			Fix: "Read what a key created when it is asked for again; do not store the answer.",
			Run: each(
				of("a user", func(t *probe.T) {
					r, key := fullRequest{path: "/users", body: t.UserRequest()}, probe.NewKey()
					id := createdID(r.first(t, key))
					t.Verify(uuid.MustParse(id), api.KycStatusVerified, nil)
					again := members(t, r.withKey(t, key, r.body))
					t.Expect(again["status"] == string(api.KycStatusVerified), "the repeat returns status %v, want VERIFIED", again["status"])
				}),
				of("a funding account", func(t *probe.T) {
					user, key := t.NewUser().ID, probe.NewKey()
					r := fullRequest{path: probe.UserPath(user, "funding-accounts"), body: api.FundingAccountRequest{FundingSourceType: "CARD"}}
					setFundingStatus(t, user, uuid.MustParse(createdID(r.first(t, key))), api.FundingAccountStatusActive)
					again := members(t, r.withKey(t, key, r.body))
					t.Expect(again["status"] == string(api.FundingAccountStatusActive), "the repeat returns status %v, want ACTIVE", again["status"])
				}),
			),
		},
	}
}

// setFundingStatus sets the status of a funding account, as a set-up.
func setFundingStatus(t *probe.T, user, account openapi_types.UUID, status api.FundingAccountStatus) {
	r, err := t.Client().SetFundingAccountStatusWithResponse(t.Context(), user, account, api.FundingAccountStatusRequest{Status: status})
	probe.Setup(t, r, err)
}
