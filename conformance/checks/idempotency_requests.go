package checks

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// sendText sends a transaction as it is written.
func sendText(t *probe.T, user, key string, text []byte) probe.Reply {
	return t.Send(probe.Request{
		Method: http.MethodPost, Path: "/users/" + user + "/transactions", Header: http.Header{"X-Idempotency-Key": {key}}, Body: text,
	})
}

// firstText creates the transaction that a check repeats.
func firstText(t *probe.T, user, key string, text []byte) string {
	r := sendText(t, user, key, text)
	id := createdID(r)
	if id == "" {
		t.Brokenf("set-up: the first request with a key is answered %d, want 200 with an id", r.Status)
	}
	return id
}

// encoded writes a request as JSON.
func encoded(t *probe.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Brokenf("encode a request: %v", err)
	}
	return text
}

// toOf is the receive side of a request that was taken apart.
func toOf(members map[string]any) map[string]any {
	to, _ := members["to"].(map[string]any)
	return to
}

// sameRequests are the ways of D-16 to write one request.
func sameRequests() []probe.Check {
	const published = "Compare requests by the fingerprint of D-16 and not by their bytes."
	check := func(id, title string, run func(t *probe.T)) probe.Check {
		return probe.Check{
			ID: "idempotency.same." + id, Title: title, Clauses: []string{"4-note-3", "D-16"}, Operations: []string{"createTransaction"},
			Fix: published, Run: run,
		}
	}
	text := func(id, title string, again func(*probe.T, []byte) []byte) probe.Check {
		return check(id, title, func(t *probe.T) {
			s, body := t.Deposit()
			user, key, first := s.UserID.String(), probe.NewKey(), encoded(t, body)
			created := firstText(t, user, key, first)
			r := sendText(t, user, key, again(t, first))
			t.Expect(createdID(r) == created, "answered %d, or with another id; want 200 with the first one", r.Status)
		})
	}
	member := func(id, title string, change func(members map[string]any)) probe.Check {
		return text(id, title, func(t *probe.T, first []byte) []byte {
			members := probe.Object(t, json.RawMessage(first))
			change(members)
			return encoded(t, members)
		})
	}
	return []probe.Check{
		text("member-order", "The order of members makes no difference", func(t *probe.T, first []byte) []byte {
			return backwards(t, probe.Object(t, json.RawMessage(first)))
		}),
		text("white-space", "White space makes no difference", func(t *probe.T, first []byte) []byte {
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, first, "\r\n", "\t "); err != nil {
				t.Brokenf("write a request: %v", err)
			}
			return spaced.Bytes()
		}),
		member("zeros", "Zeros at the end of a fraction make no difference", func(members map[string]any) {
			members["from_amount"], members["exchange_rate"] = json.Number("1"), json.Number("132.2500")
		}),
		member("negative-zero", "-0 and 0 make no difference", func(members map[string]any) {
			members["fee_amount"] = json.Number("-0")
		}),
		member("default-fee", "A fee of 0 and none make no difference", func(members map[string]any) {
			members["fee_amount"] = json.Number("0.00")
		}),
		member("default-mode", "SENDER_AMOUNT and no calculation mode make no difference", func(members map[string]any) {
			toOf(members)["calculation_mode"] = api.CalculationModeSenderAmount
		}),
		member("uuid-case", "Upper and lower case of a UUID make no difference", func(members map[string]any) {
			upper := func(object map[string]any, name string) {
				id, _ := object[name].(string)
				object[name] = strings.ToUpper(id)
			}
			upper(members, "from_fund_id")
			upper(toOf(members), "id")
			upper(toOf(members), "fund_id")
		}),
		text("escapes", "Escapes in texts and names make no difference", func(_ *probe.T, first []byte) []byte {
			return []byte(strings.NewReplacer("from_currency", `from\u005fcurrency`, "BANK_DEPOSIT", `\u0042ANK_DEPOSIT`).Replace(string(first)))
		}),
		{
			ID: "idempotency.same.default-business", Title: "business: false and none make no difference",
			Clauses: []string{"D-16", "D-54"}, Operations: []string{"createUser"}, Fix: published,
			Run: func(t *probe.T) {
				params, body := &api.CreateUserParams{XIdempotencyKey: probe.Ptr(probe.NewKey())}, t.UserRequest()
				r, err := t.Client().CreateUserWithResponse(t.Context(), params, body)
				first := probe.Setup(t, r, err)
				body.Business = probe.Ptr(false)
				r, err = t.Client().CreateUserWithResponse(t.Context(), params, body)
				again := probe.OK(t, r, err)
				t.Expect(again.ID == first.ID || isReplay(r.HTTPResponse.Header), "the repeat is answered with another user")
			},
		},
		check("path-case", "Upper and lower case of the user in the path make no difference", func(t *probe.T) {
			s, body := t.Deposit()
			user, key, text := s.UserID.String(), probe.NewKey(), encoded(t, body)
			created := firstText(t, user, key, text)
			r := sendText(t, strings.ToUpper(user), key, text)
			t.Expect(createdID(r) == created, "answered %d, or with another id; want 200 with the first one", r.Status)
		}),
	}
}

// backwards writes an object with its members in descending order; the generated client writes them in ascending order.
func backwards(t *probe.T, object map[string]any) []byte {
	names := slices.Sorted(maps.Keys(object))
	slices.Reverse(names)
	parts := make([][]byte, 0, len(names))
	for _, name := range names {
		value := encoded(t, object[name])
		if inner, ok := object[name].(map[string]any); ok {
			value = backwards(t, inner)
		}
		parts = append(parts, slices.Concat(encoded(t, name), []byte(":"), value))
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}

// differentRequests are differences that D-16 does not overlook.
func differentRequests() []probe.Check {
	check := func(id, title, fix string, run func(t *probe.T)) probe.Check {
		return probe.Check{
			ID: "idempotency.different." + id, Title: title, Clauses: []string{"7-key-reused", "D-16"}, Operations: []string{"createTransaction"},
			Fix: fix, Run: run,
		}
	}
	body := func(id, title, fix string, first, second func(*api.TransactionRequest)) probe.Check {
		return check(id, title, fix, func(t *probe.T) {
			s, body := t.Deposit()
			first(&body)
			key := probe.NewKey()
			r, err := t.Create(s.UserID, key, body)
			probe.Setup(t, r, err)
			second(&body)
			r, err = t.Create(s.UserID, key, body)
			t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
		})
	}
	nothing := func(*api.TransactionRequest) {}
	note := func(text string) func(*api.TransactionRequest) {
		return func(r *api.TransactionRequest) { r.Note = &text }
	}
	all := "Make the fingerprint of the whole body, as D-16 describes it."
	return []probe.Check{
		body("amount", "Another sending amount is a different request", all, nothing,
			func(r *api.TransactionRequest) { r.FromAmount = wire.MustAmount("1.01") }),
		body("ignored-to-amount", "Another receiving amount is a different request, though SENDER_AMOUNT ignores it", all,
			func(r *api.TransactionRequest) { r.ToAmount = probe.Ptr(wire.MustAmount("1.00")) },
			func(r *api.TransactionRequest) { r.ToAmount = probe.Ptr(wire.MustAmount("2.00")) }),
		body("default-of-the-account", "A funding source type is a different request, though it is that of the account",
			"Only defaults of the schemas are added to a request, not what the service takes from elsewhere.", nothing,
			func(r *api.TransactionRequest) { r.FundingSourceType = probe.Ptr("CARD") }),
		body("text-case", "Upper and lower case of a text are different requests", all, note("For the school"), note("For the School")),
		body("white-space-in-text", "White space within a text makes a different request", all, note("For the school"), note("For the school ")),
		body("documents-order", "Another order of documents is a different request", "Keep the order of arrays in the fingerprint.",
			func(r *api.TransactionRequest) { r.PhysicalDocuments = threeDocuments() },
			func(r *api.TransactionRequest) { slices.Reverse(r.PhysicalDocuments) }),
		body("document-content", "Another content of a document is a different request", all,
			func(r *api.TransactionRequest) { r.PhysicalDocuments = threeDocuments()[:1] },
			func(r *api.TransactionRequest) {
				r.PhysicalDocuments = []api.TransactionDocumentRequest{{DocumentType: "INVOICE", DocumentValue: "data:application/pdf;base64,JVBERi0xLjgK"}}
			}),
		check("user", "The same body for another user in the path is a different request, though there be no such user",
			"Make the path parameters part of the fingerprint, and look for a used key before the user.",
			func(t *probe.T) {
				s, body := t.Deposit()
				key := probe.NewKey()
				r, err := t.Create(s.UserID, key, body)
				probe.Setup(t, r, err)
				r, err = t.Create(t.NewUser().ID, key, body)
				t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
				r, err = t.Create(unknownID(), key, body)
				t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
			}),
		check("first-stays", "A different request with a used key does not replace the first one",
			"Answer 409 and leave what the key created as it is.", func(t *probe.T) {
				s, body := t.Deposit()
				key := probe.NewKey()
				r, err := t.Create(s.UserID, key, body)
				first := probe.Setup(t, r, err)
				other := body
				other.Note = probe.Ptr("For the second term")
				if _, err := t.Create(s.UserID, key, other); err != nil {
					t.Brokenf("set-up: %s", probe.Unusable(err))
				}
				r, err = t.Create(s.UserID, key, body)
				again := probe.OK(t, r, err)
				t.Expect(again.ID == first.ID, "the first request is answered with another transaction")
			}),
		nothingCreated(),
		nullIsNotAbsent(),
	}
}

func nothingCreated() probe.Check {
	return probe.Check{
		ID: "idempotency.different.creates-nothing", Title: "A different request with a used key creates nothing",
		Clauses: []string{"7-key-reused", "D-16"}, Operations: []string{"createTransaction", "listTransactions"}, Needs: probe.Extensions,
		Fix: "Compare the fingerprint before anything is written.",
		Run: func(t *probe.T) {
			s, body := t.Deposit()
			key := probe.NewKey()
			r, err := t.Create(s.UserID, key, body)
			probe.Setup(t, r, err)
			body.Note = probe.Ptr("For the second term")
			if _, err := t.Create(s.UserID, key, body); err != nil {
				t.Brokenf("set-up: %s", probe.Unusable(err))
			}
			n := len(transactionIDs(t, s.UserID))
			t.Expect(n == 1, "%d transactions are listed, want the first one alone", n)
		},
	}
}
