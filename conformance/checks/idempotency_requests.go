package checks

import (
	"bytes"
	"encoding/json"
	"maps"
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

// requestRules is what makes two requests the same, and two keys.
func requestRules() []probe.Check {
	creating := []string{"createTransaction", "createUser"}
	return []probe.Check{
		{
			ID: "idempotency.same.request", Title: "Requests that mean the same are the same request, however they are written",
			Clauses: []string{"4-note-3", "D-16", "D-54"}, Operations: creating,
			Fix: "Compare requests by the fingerprint of D-16 and not by their bytes.",
			Run: sameRequests,
		},
		{
			ID: "idempotency.different.request", Title: "Requests that differ in anything else are different requests",
			Clauses: []string{"7-key-reused", "D-16", "D-46", "D-54"}, Operations: creating,
			Fix: "Make the fingerprint of the whole body and the path parameters, before null and absent become the same, as D-16 describes it. " +
				"Only defaults of the schemas are added, not what the service takes from elsewhere; arrays keep their order.",
			Run: differentRequests,
		},
		{
			ID: "idempotency.different.changes-nothing", Title: "A different request with a used key creates nothing and does not replace the first one",
			Clauses: []string{"7-key-reused", "D-16"}, Operations: []string{"createTransaction", "listTransactions"},
			Fix: "Compare the fingerprint before anything is written, answer 409 and leave what the key created as it is.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				key := probe.NewKey()
				r, err := t.Create(s.UserID, key, body)
				first := probe.Setup(t, r, err)
				other := body
				other.Note = probe.Ptr("For the second term")
				r, err = t.Create(s.UserID, key, other)
				t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
				r, err = t.Create(s.UserID, key, body)
				t.Expect(probe.OK(t, r, err).ID == first.ID, "the first request is answered with another transaction")
				if t.Full() {
					n := len(transactionIDs(t, s.UserID))
					t.Expect(n == 1, "%d transactions are listed, want the first one alone", n)
				}
			},
		},
		{
			ID: "idempotency.different.first", Title: "A used key is refused before a different request is judged by rules that are in no schema",
			Clauses: []string{"7-key-reused", "D-16"}, Operations: creating,
			Fix: "Compare the fingerprint as soon as a request keeps the schemas, before decimals, currencies, amounts and kinds of users are looked at.",
			Run: usedKeyFirst,
		},
		{
			ID: "idempotency.key.distinct", Title: "Keys that differ in any character are two keys",
			Clauses: []string{"D-16"}, Operations: []string{"createTransaction"},
			Fix: "Compare keys character by character: do not fold case, trim, split, unquote, decode or normalize them.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				key := probe.NewKey()
				long := key + strings.Repeat("k", 254-len(key))
				for name, keys := range map[string][2]string{
					"case": {key, strings.ToUpper(key)}, "quotes": {key + "q", `"` + key + `q"`}, "the last of 255 characters": {long + "a", long + "b"},
					"what follows a comma": {key + ",a", key + ",b"}, "percent-encoding": {key + "%41", key + "A"}, "a plus sign and a space": {key + "+k", key + " k"},
					"é as one character and as two": {key + "\u00e9", key + "e\u0301"},
				} {
					t.Case(name, func() {
						r, err := t.Create(s.UserID, keys[0], body)
						created := probe.Setup(t, r, err)
						r, err = t.Create(s.UserID, keys[1], body)
						t.Expect(probe.OK(t, r, err).ID != created.ID, "the second key returns the transaction of the first one")
					})
				}
			},
		},
	}
}

// usedKeyFirst sends requests that would be refused with 400 without the key.
func usedKeyFirst(t *probe.T) {
	s, body := t.Deposit()
	key, path := probe.NewKey(), probe.UserPath(s.UserID, "transactions")
	r, err := t.Create(s.UserID, key, body)
	probe.Setup(t, r, err)
	for name, change := range map[string]func(members map[string]any){
		"decimals": func(m map[string]any) { m["from_amount"] = json.Number("1.001") },
		"currency": func(m map[string]any) { m["to_currency"] = "ZZZ" },
		"amounts": func(m map[string]any) {
			m["to_amount"], toOf(m)["calculation_mode"] = json.Number("99999"), api.CalculationModeReceiverAmount
		},
	} {
		t.Case(name, func() {
			members := probe.Object(t, body)
			change(members)
			t.Refused(fullRequest{path: path}.withKey(t, key, members), nil, 409, api.ErrorCodeIdempotencyKeyReused)
		})
	}
	t.Case("kinds of users", func() {
		members := probe.Object(t, business(t))
		members["last_name"] = "Conformance"
		t.Refused(fullRequest{path: "/users"}.withKey(t, key, members), nil, 409, api.ErrorCodeIdempotencyKeyReused)
	})
}

// encoded writes a request as JSON.
func encoded(t *probe.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Brokenf("encode a request: %v", err)
	}
	return text
}

// toOf is the receive side of a request or an answer that was taken apart.
func toOf(members map[string]any) map[string]any {
	to, _ := members["to"].(map[string]any)
	return to
}

// sameRequests are the ways of D-16 to write one request.
func sameRequests(t *probe.T) {
	text := func(rewrite func(first []byte) []byte) func(path string, first []byte) (string, []byte) {
		return func(path string, first []byte) (string, []byte) { return path, rewrite(first) }
	}
	member := func(change func(members map[string]any)) func(string, []byte) (string, []byte) {
		return text(func(first []byte) []byte {
			members := probe.Object(t, json.RawMessage(first))
			change(members)
			return encoded(t, members)
		})
	}
	upper := func(object map[string]any, name string) {
		id, _ := object[name].(string)
		object[name] = strings.ToUpper(id)
	}
	for _, c := range []struct {
		name string
		way  func(path string, first []byte) (string, []byte)
	}{
		{"the order of members", text(func(first []byte) []byte { return backwards(t, probe.Object(t, json.RawMessage(first))) })},
		{"white space", text(func(first []byte) []byte {
			var spaced bytes.Buffer
			if err := json.Indent(&spaced, first, "\r\n", "\t "); err != nil {
				t.Brokenf("write a request: %v", err)
			}
			return spaced.Bytes()
		})},
		{"zeros at the end of a fraction", member(func(m map[string]any) {
			m["from_amount"], m["exchange_rate"] = json.Number("1"), json.Number("132.2500")
		})},
		{"-0 and 0", member(func(m map[string]any) { m["fee_amount"] = json.Number("-0") })},
		{"a fee of 0 and none", member(func(m map[string]any) { m["fee_amount"] = json.Number("0.00") })},
		{"SENDER_AMOUNT and no calculation mode", member(func(m map[string]any) { toOf(m)["calculation_mode"] = api.CalculationModeSenderAmount })},
		{"the case of UUIDs", member(func(m map[string]any) {
			upper(m, "from_fund_id")
			upper(toOf(m), "id")
			upper(toOf(m), "fund_id")
		})},
		{"escapes", text(func(first []byte) []byte {
			return []byte(strings.NewReplacer("from_currency", `from\u005fcurrency`, "BANK_DEPOSIT", `\u0042ANK_DEPOSIT`).Replace(string(first)))
		})},
		{"the case of the user in the path", func(path string, first []byte) (string, []byte) {
			user := strings.Split(path, "/")[2]
			return strings.Replace(path, user, strings.ToUpper(user), 1), first
		}},
	} {
		t.Case(c.name, func() {
			s, body := t.Deposit()
			key, r := probe.NewKey(), fullRequest{path: probe.UserPath(s.UserID, "transactions"), body: encoded(t, body)}
			created := createdID(r.first(t, key))
			path, again := c.way(r.path, encoded(t, body))
			reply := fullRequest{path: path}.withKey(t, key, again)
			t.Expect(createdID(reply) == created, "answered %d, or with another id; want 200 with the first one", reply.Status)
		})
	}
	t.Case("business: false and none", func() {
		key, r := probe.NewKey(), fullRequest{path: "/users", body: t.UserRequest()}
		created := createdID(r.first(t, key))
		reply := r.withKey(t, key, t.UserRequest(func(u *api.UserRequest) { u.Business = probe.Ptr(false) }))
		t.Expect(createdID(reply) == created, "answered %d, or with another id; want 200 with the first one", reply.Status)
	})
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
func differentRequests(t *probe.T) {
	note := func(text string) func(*api.TransactionRequest) {
		return func(r *api.TransactionRequest) { r.Note = &text }
	}
	toAmount := func(amount string) func(*api.TransactionRequest) {
		return func(r *api.TransactionRequest) { r.ToAmount = probe.Ptr(wire.MustAmount(amount)) }
	}
	one := func(value string) func(*api.TransactionRequest) {
		return func(r *api.TransactionRequest) {
			r.PhysicalDocuments = []api.TransactionDocumentRequest{{DocumentType: "INVOICE", DocumentValue: value}}
		}
	}
	cashTo := func(name string, value func() any) func(*api.TransactionRequest) {
		return func(r *api.TransactionRequest) { r.To = withMember(t, r.To, name, value()) }
	}
	nothing := func(*api.TransactionRequest) {}
	for _, c := range []struct {
		name          string
		method        api.PayoutMethod
		first, second func(*api.TransactionRequest)
	}{
		{"the sending amount", deposit, nothing, func(r *api.TransactionRequest) { r.FromAmount = wire.MustAmount("1.01") }},
		{"the receiving amount, though SENDER_AMOUNT ignores it", deposit, toAmount("1.00"), toAmount("2.00")},
		{"the funding source type, though it is that of the account", deposit, nothing, func(r *api.TransactionRequest) { r.FundingSourceType = probe.Ptr("CARD") }},
		{"the case of a text", deposit, note("For the school"), note("For the School")},
		{"white space at the end of a text", deposit, note("For the school"), note("For the school ")},
		{"the order of documents", deposit, func(r *api.TransactionRequest) { r.PhysicalDocuments = threeDocuments() },
			func(r *api.TransactionRequest) { slices.Reverse(r.PhysicalDocuments) }},
		{"the content of a document", deposit, one(pdf), one("data:application/pdf;base64,JVBERi0xLjgK")},
		{"the payer", cash, nothing, cashTo("payer_id", func() any { return unknownPayer(t) })},
		{"a pick-up location and none", cash, nothing, cashTo("pickup_location", func() any { return unknownLocation(t) })},
	} {
		t.Case(c.name, func() {
			s, key := t.Sender(), probe.NewKey()
			body := t.Payout(s, t.Receiver(s, c.method), "1.00", c.first)
			r, err := t.Create(s.UserID, key, body)
			probe.Setup(t, r, err)
			c.second(&body)
			r, err = t.Create(s.UserID, key, body)
			t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
		})
	}
	t.Case("the user in the path, though there is no such user", func() {
		s, body := t.Deposit()
		key := probe.NewKey()
		r, err := t.Create(s.UserID, key, body)
		probe.Setup(t, r, err)
		r, err = t.Create(t.NewUser().ID, key, body)
		t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
		r, err = t.Create(unknownID(), key, body)
		t.Refused(r, err, 409, api.ErrorCodeIdempotencyKeyReused)
	})
	t.Case("null and absent", func() {
		body := probe.Object(t, business(t))
		address, _ := body["mailing_address"].(map[string]any)
		address["address_line2"] = nil
		key, r := probe.NewKey(), fullRequest{path: "/users", body: body}
		r.first(t, key)
		delete(address, "address_line2")
		t.Refused(r.withKey(t, key, body), nil, 409, api.ErrorCodeIdempotencyKeyReused)
	})
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
		t.Refused(reply, nil, 409, api.ErrorCodeIdempotencyKeyReused)
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

// another returns a value beside that of a required member; nil for an object, whose members change.
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
			return wallet // has the members of a bank deposit
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
