package checks

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// validationNumbers returns the checks of how amounts and rates are written.
func validationNumbers() []probe.Check {
	of := func(id, title, fix string, wrong map[string]json.RawMessage) probe.Check {
		return probe.Check{
			ID: "validation.numbers." + id, Title: title, Clauses: []string{"D-05"}, Operations: []string{"createTransaction"}, Fix: fix,
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				object, fields := probe.Object(t, body), []string{}
				for name, value := range wrong {
					object[name] = value
					fields = append(fields, "body /"+name)
				}
				t.Refused(t.Send(probe.Request{Method: http.MethodPost, Path: probe.UserPath(s.UserID, "transactions"), Body: object}),
					nil, 400, badRequest, fields...)
			},
		}
	}
	exponent, digits, zeros := json.RawMessage("1e2"), json.RawMessage("1.0000000000000000001"), json.RawMessage("1.0000000000000000000")
	return []probe.Check{
		of(
			"exponent", "An amount or a rate with an exponent is refused, even if its value would be allowed",
			"Take numbers from the text of the request: digits and one point only.",
			map[string]json.RawMessage{"from_amount": exponent, "to_amount": exponent, "fee_amount": exponent, "exchange_rate": exponent},
		),
		of(
			"digits", "A number of more than 19 significant digits is refused instead of being rounded",
			"Refuse what cannot be held exactly; do not read numbers into binary floats.",
			map[string]json.RawMessage{
				"from_amount": digits, "to_amount": digits, "fee_amount": digits, "exchange_rate": json.RawMessage("132.25000000000000001"),
			},
		),
		of(
			"written", "Zeros at the end count as digits, and a number has at most 19 decimals",
			"Count the digits of the text before it becomes a number: all after the point, and all after zeros at the beginning.",
			map[string]json.RawMessage{
				"from_amount": zeros, "to_amount": zeros, "fee_amount": json.RawMessage("0.00000000000000000000"),
				"exchange_rate": json.RawMessage("0.01234567890123456789"),
			},
		),
	}
}

// canary is a text that must not come back in an error.
const canary = "canary-7f3a"

// validationErrors returns the checks of what a 400 contains, and of what it leaves unchanged.
func validationErrors() []probe.Check {
	return []probe.Check{
		{
			ID: "validation.all-at-once", Title: "One answer names everything that is wrong in query, header and body",
			Clauses: []string{"D-08"}, Operations: []string{"createUser"},
			Fix: "Collect the violations of all parameters and of the body before answering; do not stop at the first.",
			Run: func(t *probe.T) {
				body := probe.Object(t, t.UserRequest())
				delete(body, "country")
				body["email"], body["conformance"] = "asha", "x"
				t.Refused(t.Send(probe.Request{
					Method: http.MethodPost, Path: "/users?conformance=1", Body: body,
					Header: http.Header{"X-Idempotency-Key": {strings.Repeat("k", 256)}},
				}), nil, 400, badRequest, "query conformance", "header X-Idempotency-Key", "body /email", "body /conformance", "body /country")
			},
		},
		{
			ID: "validation.no-values", Title: "A 400 names places and what was expected there, and never repeats a value",
			Clauses: []string{"D-08"}, Operations: []string{"createUser", "listPayers", "getCipInfo", "getBank"},
			Fix: "Leave the offending value out of message, field and reason; many validators quote it.",
			Run: noValues,
		},
		{
			ID: "validation.changes-nothing", Title: "A refused request changes nothing, even if most of it would have been accepted",
			Clauses: []string{"D-48"}, Operations: operationIDs(operationsWhere(writesBelowUser)), Needs: probe.Extensions,
			Fix: "Validate the whole request before writing any of it.",
			Run: func(t *probe.T) {
				o := owns(t)
				o.unchanged(t, func() {
					for _, r := range o.writes(t) {
						body := probe.Object(t, r.Body)
						body["conformance"] = "x"
						r.Body = body
						if reply := t.Send(r); reply.Status != 400 {
							t.Brokenf("set-up: a request with an unknown member was answered %d", reply.Status)
						}
					}
				})
			},
		},
		{
			ID: "validation.query-encoding", Title: "A query that is not well-formed percent-encoding is refused",
			Clauses: []string{"D-48"}, Operations: []string{"listPayers", "listBanks", "listStatesV2"},
			Fix: "Answer 400 BAD_REQUEST where the query cannot be decoded; do not drop what cannot be read.",
			Run: func(t *probe.T) {
				for _, path := range []string{"/payers?country=%zz", "/banks?country=N%", "/v2/states?%=US"} {
					t.Refused(t.Send(probe.Request{Method: http.MethodGet, Path: path}), nil, 400, badRequest)
				}
			},
		},
	}
}

func writesBelowUser(op operation) bool { return op.takesBody() && op.belowUser() }

func noValues(t *probe.T) {
	body := probe.Object(t, t.UserRequest())
	for _, name := range []string{"email", "gender", "date_of_birth", "mobile_phone", "state", "country", "ip_address", "type", "business"} {
		body[name] = canary
	}
	body["physical_documents"] = []any{map[string]any{"document_type": canary, "document_value": canary}}
	inQuery := url.Values{"country": {canary}, "payout_method": {canary}, "delivery_method": {canary}}
	for _, r := range []probe.Request{
		{Method: http.MethodPost, Path: "/users", Body: body},
		{Method: http.MethodPost, Path: "/users", Body: []byte(`{"first_name": ` + canary + `}`)},
		{Method: http.MethodPost, Path: "/users", Body: t.UserRequest(), Header: http.Header{"X-Idempotency-Key": {strings.Repeat(canary, 30)}}},
		{Method: http.MethodGet, Path: "/payers?" + inQuery.Encode()},
		{Method: http.MethodGet, Path: "/users/" + canary + "/cip-info"},
		{Method: http.MethodGet, Path: "/banks/" + canary},
	} {
		reply := t.Send(r)
		t.Refused(reply, nil, 400, badRequest)
		t.Expect(!strings.Contains(string(reply.Body), canary),
			"%s %s: the error repeats a value of the request", r.Method, strings.Split(r.Path, "?")[0])
	}
}

// otherPayoutMethod adds to each receive side what another one has.
func otherPayoutMethod(t *probe.T) {
	s := t.Sender()
	const deposit, wallet, cash, home = api.PayoutMethodBankDeposit, api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery
	for method, names := range map[api.PayoutMethod][]string{
		deposit: {"payer_id", "pickup_location"}, wallet: {"pickup_location"}, cash: {"fund_id"}, home: {"fund_id", "pickup_location"},
	} {
		fund := unknownID()
		body := probe.Object(t, t.Payout(s, probe.Receiver{To: t.To(method, unknownID(), &fund, 1), Currency: "EUR"}, "1.00"))
		var fields []string
		for _, name := range names {
			toOf(body)[name] = map[string]any{"fund_id": unknownID(), "payer_id": 1, "pickup_location": 1}[name]
			fields = append(fields, "body /to/"+name)
		}
		reply := t.Send(probe.Request{Method: http.MethodPost, Path: probe.UserPath(s.UserID, "transactions"), Body: body})
		t.Refused(reply, nil, 400, badRequest, fields...)
	}
}

// unseen is a token of no list, and longestToken one of the greatest length.
const unseen = "CONFORMANCE_2"

var longestToken = "CONFORMANCE_" + strings.Repeat("9", 52)

// validationAccepted returns the checks of what must not be refused.
func validationAccepted() []probe.Check {
	accepts := func(t *probe.T, edit func(*api.UserRequest)) {
		r, err := t.Client().CreateUserWithResponse(t.Context(), nil, t.UserRequest(edit))
		probe.OK(t, r, err)
	}
	document := "data:image/png;base64,iVBORw0KGgo="
	return []probe.Check{
		{
			ID: "validation.open-sets.users", Title: "The open sets of a registration accept any upper-case token of at most 64 characters",
			Clauses: []string{"D-12"}, Operations: []string{"createUser"},
			Fix: "Accept any token for gender, document_type, business_type, user_scope and number_of_employee; they are no closed lists.",
			Run: func(t *probe.T) {
				for _, token := range []string{unseen, longestToken} {
					accepts(t, func(u *api.UserRequest) {
						u.Gender = &token
						u.PhysicalDocuments = []api.PhysicalDocumentRequest{{DocumentType: token, DocumentValue: document}}
						u.VirtualDocuments = []api.VirtualDocumentRequest{{DocumentType: token, DocumentValue: "1"}}
					})
					accepts(t, func(u *api.UserRequest) {
						u.LastName, u.Business = nil, probe.Ptr(true)
						u.BusinessType, u.UserScope, u.NumberOfEmployee = &token, &token, &token
					})
				}
			},
		},
		{
			ID: "validation.open-sets.transactions", Title: "The open sets of a transaction accept any upper-case token of at most 64 characters",
			Clauses: []string{"D-12"}, Operations: []string{"createTransaction"},
			Fix: "Accept any token for purpose, funding_source_type and document_type; they are no closed lists.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				for _, token := range []string{unseen, longestToken} {
					body.Purpose, body.FundingSourceType = &token, &token
					body.PhysicalDocuments = []api.TransactionDocumentRequest{{DocumentType: token, DocumentValue: document}}
					r, err := t.Create(s.UserID, "", body)
					probe.OK(t, r, err)
				}
			},
		},
		{
			ID: "validation.open-sets.funding-accounts", Title: "The type of a funding account is any upper-case token of at most 64 characters",
			Clauses: []string{"D-12"}, Operations: []string{"createFundingAccount"}, Needs: probe.Extensions,
			Fix: "Accept any token for funding_source_type; they are no closed lists.",
			Run: func(t *probe.T) {
				for _, token := range []string{unseen, longestToken} {
					r, err := t.Client().CreateFundingAccountWithResponse(t.Context(), t.NewUser().ID, nil, api.FundingAccountRequest{FundingSourceType: token})
					probe.OK(t, r, err)
				}
			},
		},
		{
			ID: "validation.other-payout-method", Title: "A member of to that the payout method has no use for is refused, and named",
			Clauses: []string{"2.6-to-request", "D-07"}, Operations: []string{"createTransaction"},
			Fix: "Answer 400 BAD_REQUEST naming fund_id with CASH_PICKUP and HOME_DELIVERY, payer_id with BANK_DEPOSIT, and pickup_location with all but CASH_PICKUP.",
			Run: otherPayoutMethod,
		},
		{
			ID: "validation.calculation-mode", Title: "The default calculation_mode may be sent with every payout method",
			Clauses: []string{"2.6-to-request", "2.6-sender-amount", "D-07"}, Operations: []string{"createTransaction"},
			Fix: "Accept calculation_mode in each variant of to.",
			Run: func(t *probe.T) {
				s := t.Sender()
				for _, method := range []api.PayoutMethod{
					api.PayoutMethodBankDeposit, api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery,
				} {
					body := probe.Object(t, t.Payout(s, t.Receiver(s, method), "1.00"))
					to, ok := body["to"].(map[string]any)
					if !ok {
						t.Brokenf("a receive side is not an object")
					}
					to["calculation_mode"] = api.CalculationModeSenderAmount
					reply := t.Send(probe.Request{Method: http.MethodPost, Path: probe.UserPath(s.UserID, "transactions"), Body: body})
					t.Expect(reply.Status == http.StatusOK, "answered %d, want 200, to %s with SENDER_AMOUNT", reply.Status, method)
				}
			},
		},
		{
			ID: "validation.length-in-characters", Title: "The length of a text is counted in characters, not in bytes",
			Clauses: []string{"D-13"}, Operations: []string{"createUser"},
			Fix: "Count Unicode code points: a name of 200 letters with accents is as long as one of 200 without.",
			Run: func(t *probe.T) { accepts(t, func(u *api.UserRequest) { u.FirstName = strings.Repeat("é", 200) }) },
		},
	}
}
