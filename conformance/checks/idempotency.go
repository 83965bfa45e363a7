package checks

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

const keyHeader = "header X-Idempotency-Key"

var (
	accountOperations  = []string{"createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount"}
	creatingOperations = append([]string{"createUser", "createDocuments", "createTransaction", "createWebhookEndpoint"}, accountOperations...)
)

// idempotency is D-16 and D-54: what each operation that creates makes of a key, and what makes two requests the same.
func idempotency() []probe.Check {
	var all []probe.Check
	for _, op := range operationsWhere(func(op operation) bool { return slices.Contains(creatingOperations, op.id) }) {
		all = append(all, creationChecks(op)...)
	}
	return append(slices.Concat(all, requestRules(), keyScopes(), keysAfterRefusal(), replaysLater(), outcomes()), probe.Check{
		ID: "idempotency.concurrent.transactions", Title: "Of concurrent transactions with one key the first is created, counts once, and different ones are refused",
		Clauses: []string{"4-note-3", "7-key-reused", "D-16", "D-17"}, Operations: []string{"createTransaction"},
		Fix: "Take the key in the same write as the transaction and its use of limits, so that a second request waits for the first one.",
		Run: each(extended("repeats", concurrentRepeats), of("different requests", concurrentDifferences)),
	})
}

// creationChecks are the rules that hold for each creation.
func creationChecks(op operation) []probe.Check {
	check := func(id, title, fix string, run func(t *probe.T, r fullRequest), clauses ...string) probe.Check {
		clauses = append(clauses, "D-16")
		if op.id != "createTransaction" { // the interface document knows keys for transactions only
			clauses = []string{"D-16", "D-54"}
		}
		return probe.Check{
			ID: "idempotency." + op.id + "." + id, Title: op.id + ": " + title, Clauses: clauses, Operations: []string{op.id}, Needs: op.needs(), Fix: fix,
			Run: func(t *probe.T) {
				all := fullRequests(t, op.id)
				if op.id == "createTransaction" && id == "reused" {
					all = append(all, otherMethods(t)...)
				}
				for _, r := range all {
					run(t, r)
				}
			},
		}
	}
	all := []probe.Check{
		check("replay", "a repeat with the same key returns every member of what was created first, and Idempotent-Replayed: true",
			"Look for the key before anything is created, return what it created as it is stored, and send the header with no other answer.", replays, "4-note-3"),
		check("reused", "the same key with a different request is refused, whichever member differs",
			"Keep the fingerprint of the whole request with its key, and answer 409 IDEMPOTENCY_KEY_REUSED where it differs.",
			func(t *probe.T, r fullRequest) { eachMemberCounts(t, op.id, r) }, "7-key-reused"),
		check("key", "a key has 1 to 255 characters, of any number of bytes",
			"Count characters of UTF-8, and answer 400 BAD_REQUEST with a detail for the header X-Idempotency-Key where there are none or more than 255.",
			keyLengths, "7-key-too-long", "8-key-length"),
		check("concurrent", "requests with one key at the same time create one, which all of them return, all but one as a replay",
			"Take the key in the same write as what is created, so that a second request waits for the first one and then returns it.", concurrent, "4-note-3"),
	}
	if op.id != "createUser" { // nothing lists users, and users.registration.new-id has the rest
		all = append(all, check("once", "a repeat with the same key creates nothing, and without a key two equal requests create two",
			"Write the key and what it created together, or neither; take no two requests for the same one unless they carry the same key.",
			once, "4-note-3", "4-transactions", "D-47"))
	}
	return all
}

// fullRequest is a creation with members that the contract knows. Those that cannot change alone are left as they are.
type fullRequest struct {
	path    string
	body    any
	variant string // of to
	leave   []string
}

func (r fullRequest) keyed(key string, body any) probe.Request {
	return probe.Request{Method: http.MethodPost, Path: r.path, Body: body, Header: http.Header{"X-Idempotency-Key": {key}}}
}

// withKey sends another body with a key.
func (r fullRequest) withKey(t *probe.T, key string, body any) probe.Reply {
	return t.Send(r.keyed(key, body))
}

// first is the request that a check goes on from.
func (r fullRequest) first(t *probe.T, key string) probe.Reply {
	reply := r.withKey(t, key, r.body)
	if createdID(reply) == "" {
		t.Brokenf("set-up: POST %s is answered %d, want 200 with an id", r.path, reply.Status)
	}
	return reply
}

// listed returns what was created at the path, none where nothing lists it.
func (r fullRequest) listed(t *probe.T) (all []string, listable bool) {
	if !t.Full() || r.path == "/users" || r.path == endpointsPath { // other checks create endpoints at the same time
		return nil, false
	}
	user, ofDocuments := strings.CutSuffix(r.path, "/documents")
	list := readBack(t, user)
	if object, ok := list.(map[string]any); ok {
		list = object["items"]
		if ofDocuments {
			list = object["virtual_documents"]
		}
	}
	items, _ := list.([]any)
	for _, item := range items {
		all = append(all, strings.ToLower(idIn(t, item)))
	}
	return all, true
}

// createdID is the id of what a 200 returns, "" for all else. Of a user with numbers of documents it is that of the last one,
// which further documents come after.
func createdID(a probe.Answer) string {
	var body struct {
		ID      string `json:"id"`
		Numbers []struct {
			ID string `json:"id"`
		} `json:"virtual_documents"`
	}
	if a.StatusCode() != 200 || json.Unmarshal(a.GetBody(), &body) != nil {
		return ""
	}
	if n := len(body.Numbers); n > 0 {
		return strings.ToLower(body.Numbers[n-1].ID)
	}
	return strings.ToLower(body.ID)
}

func isReplay(h http.Header) bool { return h.Get("Idempotent-Replayed") == "true" }

// longKey is an unused key of so many characters, the rest of which is filled up.
func longKey(fill string, length int) string {
	key := probe.NewKey()
	return key + strings.Repeat(fill, length-len(key))
}

func replays(t *probe.T, r fullRequest) {
	key := probe.NewKey()
	first := r.first(t, key)
	t.Expect(!isReplay(first.Header), "the first answer has Idempotent-Replayed: true")
	again := r.withKey(t, key, r.body)
	if createdID(again) != createdID(first) {
		t.Fatalf("the repeat is answered %d, or with another id; want 200 with the first one", again.Status)
	}
	t.Expect(isReplay(again.Header), "the repeat has no Idempotent-Replayed: true")
	sameMembers(t, members(t, first), members(t, again))
}

func keyLengths(t *probe.T, r fullRequest) {
	for name, c := range map[string]struct {
		key      string
		accepted bool
	}{
		"empty": {"", false}, "255 letters": {longKey("k", 255), true}, "255 characters of up to 4 bytes": {longKey("🔑", 255), true},
		"256 letters": {longKey("k", 256), false}, "256 characters of up to 2 bytes": {longKey("é", 256), false},
	} {
		t.Case(name, func() {
			request := r.keyed(c.key, r.body)
			if c.key == "" {
				request.Header.Set("X-Idempotency-Key", " ") // which is sent as an empty one
			}
			reply := t.Send(request)
			if !c.accepted {
				t.Refused(reply, nil, 400, badRequest, keyHeader)
				return
			}
			t.Expect(createdID(reply) != "", "answered %d, want 200 with an id", reply.Status)
			again := t.Send(request)
			t.Expect(createdID(again) == createdID(reply), "the repeat is answered %d, or with another id", again.Status)
		})
	}
}

func once(t *probe.T, r fullRequest) {
	before, _ := r.listed(t)
	key := probe.NewKey()
	first := r.first(t, key)
	r.withKey(t, key, r.body)
	if listed, ok := r.listed(t); ok {
		t.Expect(len(listed) == len(before)+1 && slices.Contains(listed, createdID(first)),
			"%d more are listed after two requests with one key, want the first one alone", len(listed)-len(before))
	}
	var created []string
	for range 2 {
		reply := t.Send(probe.Request{Method: http.MethodPost, Path: r.path, Body: r.body})
		created = append(created, createdID(reply))
		t.Expect(createdID(reply) != "", "a request without a key is answered %d, want 200 with an id", reply.Status)
	}
	t.Expect(created[0] != created[1], "two equal requests without a key are answered with one id")
}

// together sends requests with one key at the same time. A request that got no answer is an empty reply.
func (r fullRequest) together(t *probe.T, n int, body func(i int) any) []probe.Reply {
	key, replies := probe.NewKey(), make([]probe.Reply, n)
	t.Together(n, func(ctx context.Context, i int) { replies[i], _ = t.TryIn(ctx, r.keyed(key, body(i))) })
	return replies
}

func concurrent(t *probe.T, r fullRequest) {
	before, _ := r.listed(t)
	created, firsts := map[string]bool{}, 0
	for _, reply := range r.together(t, 8, func(int) any { return r.body }) {
		if t.Expect(createdID(reply) != "", "one of the requests is answered %d, want 200 with an id", reply.Status); createdID(reply) == "" {
			continue
		}
		created[createdID(reply)] = true
		if !isReplay(reply.Header) {
			firsts++
		}
	}
	t.Expect(len(created) == 1 && firsts == 1, "%d ids are answered, %d times not as a replay; want one and once", len(created), firsts)
	if listed, ok := r.listed(t); ok {
		t.Expect(len(listed) == len(before)+1, "%d more are listed, want 1", len(listed)-len(before))
	}
}

func concurrentRepeats(t *probe.T) {
	s, body := t.Deposit()
	before := remainingLimit(t, s.UserID)
	fullRequest{path: probe.UserPath(s.UserID, "transactions")}.together(t, 16, func(int) any { return body })
	wantRemaining(t, remainingLimit(t, s.UserID), used(t, before, body.FromAmount))
}

func concurrentDifferences(t *probe.T) {
	s, body := t.Deposit()
	created := 0
	for _, reply := range (fullRequest{path: probe.UserPath(s.UserID, "transactions")}).together(t, 16, func(i int) any {
		other := body
		other.Note = probe.Ptr(fmt.Sprintf("request %d", i))
		return other
	}) {
		if createdID(reply) != "" {
			created++
		} else {
			t.Refused(reply, nil, 409, api.ErrorCodeIdempotencyKeyReused)
		}
	}
	t.Expect(created == 1, "%d of 16 different requests with one key are created, want 1", created)
}

// clientCreations returns a request of every creation that is not below a user.
func clientCreations(t *probe.T) []fullRequest {
	all := []fullRequest{{path: "/users", body: t.UserRequest()}}
	if t.Full() {
		all = append(all, fullRequest{path: endpointsPath, body: fullEndpoint()})
	}
	return all
}

// fullRequests returns every member that a creation takes, a payer's apart, in as few requests as it takes.
func fullRequests(t *probe.T, operation string) []fullRequest {
	country := t.Target().Facts.Destination
	switch operation {
	case "createUser":
		edit := func(u *api.UserRequest) {
			if t.Full() {
				withInformation(u)
				withReference(u)
			}
		}
		return []fullRequest{
			{path: "/users", body: individual(t, withDocuments, edit)},
			{path: "/users", body: business(t, edit), leave: []string{"/business"}}, // an individual has no such fields
			{path: "/users", body: t.UserRequest(asCompany)},
		}
	case "createTransaction":
		s := t.Sender()
		full, path := fullTransaction(t, s, t.Receiver(s, deposit)), probe.UserPath(s.UserID, "transactions")
		plain := full
		plain.PhysicalDocuments, plain.FeeAmount, plain.Note = nil, nil, nil
		full.ExchangeRate, full.ToAmount = wire.MustAmount("100"), probe.Ptr(wire.MustAmount("100"))
		full.To = withMember(t, full.To, "calculation_mode", api.CalculationModeReceiverAmount)
		amounts := []string{"/from_amount", "/to_amount"} // idempotency.different.request has these
		return []fullRequest{
			{path, full, bankDeposit, append(amounts, "/exchange_rate")}, // which must fit each other
			{path, plain, bankDeposit, amounts},
		}
	case "createWebhookEndpoint":
		return []fullRequest{{path: endpointsPath, body: fullEndpoint()}}
	case "createDocuments":
		full := t.UserRequest(withDocuments)
		body := api.UserDocumentsRequest{PhysicalDocuments: full.PhysicalDocuments[:1], VirtualDocuments: full.VirtualDocuments[:1]}
		return []fullRequest{{path: probe.UserPath(t.NewUser().ID, "documents"), body: body}}
	case "createFundingAccount":
		body := api.FundingAccountRequest{FundingSourceType: "CARD", Label: probe.Ptr("The first account")}
		return []fullRequest{{path: probe.UserPath(t.NewUser().ID, "funding-accounts"), body: body}}
	case "createReceiveUser":
		body := probe.ReceiveUserRequest(country, func(r *api.ReceiveUserRequest) { r.State, r.Zipcode = probe.Ptr("P3"), probe.Ptr("44600") })
		if t.Full() {
			body.ClientReference = probe.Ptr(newReference())
		}
		return []fullRequest{{path: probe.UserPath(t.NewUser().ID, "receive-users"), body: body}}
	}
	user, receiver := newReceiveUser(t)
	path := func(list string) string { return probe.UserPath(user, "receive-users", receiver.String(), list) }
	if operation == "createWalletAccount" {
		return []fullRequest{{path: path("wallet-accounts"), body: walletAccount(t.AnyPayer(wallet))}}
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

// otherMethods have every member of to, a pick-up location apart, of the payout methods that fullRequests do not have.
func otherMethods(t *probe.T) (all []fullRequest) {
	if !t.Full() {
		return nil
	}
	s := t.NewSender()
	for _, m := range []api.PayoutMethod{wallet, cash, home} {
		body := t.Payout(s, t.Receiver(s, m), "1.00")
		body.ToAmount = probe.Ptr(body.ExchangeRate)
		body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
		if m == wallet {
			body.To = withMember(t, body.To, "payer_id", t.AnyPayer(m).ID)
		}
		all = append(all, fullRequest{
			probe.UserPath(s.UserID, "transactions"), body, string(m), []string{"/from_amount", "/to_amount", "/exchange_rate", "/to/payout_method"},
		})
	}
	return all
}
