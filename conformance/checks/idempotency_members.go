package checks

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	exact "github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// fullRequest is a creation with members that the contract knows. Those that cannot change alone are left as they are.
type fullRequest struct {
	path    string
	body    any
	variant string // of to
	leave   []string
}

// fullRequests give every member that a creation takes in as few requests as it takes.
func fullRequests(t *probe.T, operation string) []fullRequest {
	country := t.Target().Facts.Destination
	switch operation {
	case "createUser":
		return []fullRequest{
			{path: "/users", body: individual(t, withDocuments)},
			{path: "/users", body: business(t), leave: []string{"/business"}}, // an individual has no such fields
			{path: "/users", body: t.UserRequest(asCompany)},
		}
	case "createTransaction":
		s := t.Sender()
		full, path := fullTransaction(t, s, t.Receiver(s, deposit)), probe.UserPath(s.UserID, "transactions")
		plain := full
		plain.PhysicalDocuments, plain.FeeAmount, plain.Note = nil, nil, nil
		full.ExchangeRate, full.ToAmount = wire.MustAmount("100"), probe.Ptr(wire.MustAmount("100"))
		full.To = withMember(t, full.To, "calculation_mode", api.CalculationModeReceiverAmount)
		amounts := []string{"/from_amount", "/to_amount"} // idempotency.different has these
		return append([]fullRequest{
			{path, full, bankDeposit, append(amounts, "/exchange_rate")}, // which must fit each other
			{path, plain, bankDeposit, amounts},
		}, otherMethods(t, s, path)...)
	case "createFundingAccount":
		body := api.FundingAccountRequest{FundingSourceType: "CARD", Label: probe.Ptr("The first account")}
		return []fullRequest{{path: probe.UserPath(t.NewUser().ID, "funding-accounts"), body: body}}
	case "createReceiveUser":
		body := probe.ReceiveUserRequest(country, func(r *api.ReceiveUserRequest) { r.State, r.Zipcode = probe.Ptr("P3"), probe.Ptr("44600") })
		return []fullRequest{{path: probe.UserPath(t.NewUser().ID, "receive-users"), body: body}}
	}
	user, receiver := newReceiveUser(t)
	path := func(list string) string { return probe.UserPath(user, "receive-users", receiver.String(), list) }
	if operation == "createWalletAccount" {
		return []fullRequest{{path: path("wallet-accounts"), body: walletAccount(t.AnyPayer(api.PayoutMethodWallet))}}
	}
	body := bankAccount(t.Bank(country))
	for _, b := range t.Banks() {
		if b.Country == country && len(b.ReceivingCurrency) > 0 && len(b.Branches) > 0 {
			body = bankAccount(b)
			body.BranchID = &b.Branches[0].ID
			break
		}
	}
	return []fullRequest{{path: path("bank-accounts"), body: body}}
}

// otherMethods have every member of to, a pick-up location apart, of the other payout methods.
func otherMethods(t *probe.T, s probe.Sender, path string) (all []fullRequest) {
	if !t.Full() {
		return nil
	}
	for _, method := range []api.PayoutMethod{api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery} {
		body := t.Payout(s, t.Receiver(s, method), "1.00")
		body.ToAmount = probe.Ptr(body.ExchangeRate)
		body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
		if method == api.PayoutMethodWallet {
			body.To = withMember(t, body.To, "payer_id", t.AnyPayer(method).ID)
		}
		all = append(all, fullRequest{path, body, string(method), []string{"/from_amount", "/to_amount", "/exchange_rate", "/to/payout_method"}})
	}
	return all
}

// withKey sends a creation with a key.
func (r fullRequest) withKey(t *probe.T, key string, body any) probe.Reply {
	return t.Send(probe.Request{Method: http.MethodPost, Path: r.path, Body: body, Header: http.Header{"X-Idempotency-Key": {key}}})
}

// first is the request that a check goes on from.
func (r fullRequest) first(t *probe.T, key string) probe.Reply {
	reply := r.withKey(t, key, r.body)
	if createdID(reply) == "" {
		t.Brokenf("set-up: a creation with all members is answered %d, want 200 with an id", reply.Status)
	}
	return reply
}

// eachMemberCounts sends a request, and with the same key one after the other that differs in one member.
func eachMemberCounts(t *probe.T, operation string, r fullRequest) {
	key, body := probe.NewKey(), probe.Object(t, r.body)
	r.first(t, key)
	schema := operations()[placeOf(operation)].body
	for _, d := range damages(changed(t), sampler{variant: r.variant}, schema, body) {
		if slices.Contains(r.leave, d.pointer()) {
			continue
		}
		reply := r.withKey(t, key, d.to(body, d.path...))
		t.Expect(reply.Status == http.StatusConflict, "the same key with %s %s is answered %d, want 409", d.what, d.pointer(), reply.Status)
	}
}

// changed leaves out each optional member, and gives each required one another value that is well formed. What it names need
// not be there: a key that was used is judged before the rules.
func changed(t *probe.T) kind {
	return func(path []string, schema *openapi3.Schema, sample any) []damage {
		object, _ := sample.(map[string]any)
		found := make([]damage, 0, len(object))
		for name, value := range object {
			d := damage{path: append(slices.Clone(path), name), what: "another", remove: !slices.Contains(schema.Required, name)}
			if d.remove {
				d.what = "no"
			} else if d.value = another(t, name, schema.Properties[name].Value.Format, value); d.value == nil {
				continue
			}
			found = append(found, d)
		}
		return found
	}
}

// another gives a value beside that of a required member; nil for an object, whose members change.
func another(t *probe.T, name, format string, value any) any {
	switch value := value.(type) {
	case json.Number:
		d, err := exact.Parse(value.String())
		if err == nil {
			d, err = d.Add(exact.One)
		}
		if err != nil {
			t.Brokenf("calculate an amount: %v", err)
		}
		return json.Number(d.String())
	case string:
		switch {
		case name == "payout_method":
			return api.PayoutMethodWallet // has the members of a bank deposit
		case name == "country":
			return t.Target().Facts.DisabledCountry
		case strings.HasSuffix(name, "currency"):
			return otherCurrency(value)
		case format == "uuid":
			return uuid.NewString()
		case format == "email":
			return "another." + value
		case strings.HasPrefix(value, "data:"):
			return documentGIF
		}
		return value + "2"
	}
	return nil
}

// payerMembers are the members of to that only some payout methods have.
func payerMembers() []probe.Check {
	check := func(id, title string, change func(*probe.T, probe.Sender) (api.TransactionRequest, map[string]any)) probe.Check {
		return probe.Check{
			ID: "idempotency.different." + id, Title: title, Clauses: []string{"7-key-reused", "D-16"}, Operations: []string{"createTransaction"},
			Fix: "Make the fingerprint of the whole body, as D-16 describes it.",
			Run: func(t *probe.T) {
				s, key := t.Sender(), probe.NewKey()
				body, to := change(t, s)
				r, err := t.Create(s.UserID, key, body)
				probe.Setup(t, r, err)
				object := probe.Object(t, body)
				object["to"] = to
				t.Refused(sendText(t, s.UserID.String(), key, encoded(t, object)), nil, 409, api.ErrorCodeIdempotencyKeyReused)
			},
		}
	}
	return []probe.Check{
		check("payer", "Another payer is a different request", func(t *probe.T, s probe.Sender) (api.TransactionRequest, map[string]any) {
			body := t.Payout(s, t.Receiver(s, api.PayoutMethodCashPickup), "1.00")
			to := probe.Object(t, body.To)
			to["payer_id"] = unknownPayer(t)
			return body, to
		}),
		check("pickup-location", "A pick-up location or none are different requests", func(t *probe.T, s probe.Sender) (api.TransactionRequest, map[string]any) {
			p, r := payerWithLocations(t), t.Receiver(s, api.PayoutMethodCashPickup)
			body := t.Payout(s, t.At(r.ID, p), "1.00")
			to := probe.Object(t, body.To)
			body.To = withMember(t, body.To, "pickup_location", p.PickupLocation[0].ID)
			return body, to
		}),
	}
}

// nullIsNotAbsent is that address_line2, the one member that may be null, is another request without it.
func nullIsNotAbsent() probe.Check {
	return probe.Check{
		ID: "idempotency.different.null", Title: "A member that is null and one that is absent are different requests",
		Clauses: []string{"D-16", "D-46", "D-54"}, Operations: []string{"createUser"},
		Fix: "Make the fingerprint of the body as it was sent, before null and absent become the same.",
		Run: func(t *probe.T) {
			send := func(key string, line2 any, there bool) probe.Reply {
				body := probe.Object(t, business(t))
				address, _ := body["mailing_address"].(map[string]any)
				if delete(address, "address_line2"); there {
					address["address_line2"] = line2
				}
				return fullRequest{path: "/users"}.withKey(t, key, body)
			}
			key := probe.NewKey()
			if r := send(key, nil, true); createdID(r) == "" {
				t.Brokenf("set-up: a registration with address_line2 null is answered %d, want 200 with an id", r.Status)
			}
			t.Refused(send(key, nil, false), nil, 409, api.ErrorCodeIdempotencyKeyReused)
		},
	}
}

// repeatsWhole sends requests with all members twice.
func repeatsWhole(t *probe.T, operation string) {
	for _, r := range fullRequests(t, operation) {
		key := probe.NewKey()
		first := r.first(t, key)
		again := r.withKey(t, key, r.body)
		if createdID(again) == "" {
			t.Fatalf("the repeat is answered %d, want 200 with an id", again.Status)
		}
		want, got := members(t, first), members(t, again)
		delete(want, "id") // which is another rule
		delete(got, "id")
		for _, pointer := range notEchoed("", want, got) {
			t.Failf("%s is another value in the repeat", pointer)
		}
		t.Expect(len(notEchoed("", got, want)) <= 0, "the repeat differs from the first answer")
	}
}
