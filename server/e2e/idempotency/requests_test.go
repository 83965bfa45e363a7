package idempotency_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// fullRequest has every member, with placeholders of servertest.IDs.
const fullRequest = `{"from_amount":100,"exchange_rate":132.25,"to_amount":1,"fee_amount":2.5,"note":"For the school",
	"from_currency":"USD","to_currency":"NPR","purpose":"OTHER","custom_purpose":"School fee","remittance_purpose":"Family",
	"physical_documents":[{"document_type":"INVOICE","document_value":"data:application/pdf;base64,JVBERi0xLjcK"},
	{"document_type":"RECEIPT","document_value":"data:image/png;base64,iVBORw0KGgo="}],
	"ip_address":"203.0.113.7","from_fund_id":"$fund","funding_source_type":"CARD",
	"to":{"id":"$receiver","fund_id":"$wallet","payout_method":"WALLET","calculation_mode":"SENDER_AMOUNT","payer_id":1004}}`

// shortRequest has only required members.
const shortRequest = `{"from_amount":100,"exchange_rate":132.25,"from_currency":"USD","to_currency":"NPR","from_fund_id":"$fund",
	"to":{"id":"$receiver","fund_id":"$bank","payout_method":"BANK_DEPOSIT"}}`

// textSender is a sender whose requests are written as text.
type textSender struct {
	*servertest.Server
	sender   servertest.Sender
	receiver servertest.Receiver
	ids      *strings.Replacer
}

func newTextSender(t testing.TB, s *servertest.Server) textSender {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	return textSender{s, sender, receiver, servertest.IDs(sender, receiver)}
}

func (w textSender) send(t testing.TB, key, body string) servertest.Answer {
	t.Helper()
	return servertest.Call(t, w.Server, "POST", servertest.TransactionsPath(w.sender), []byte(w.ids.Replace(body)), servertest.IdempotencyKey, key)
}

// created returns the number of transactions of the sender.
func (w textSender) created(t testing.TB) int {
	t.Helper()
	return len(servertest.List(t, w.Client, w.sender.ID, 100))
}

// A repeat returns the first transaction, however the client writes the request (D-16).
func TestSameRequestIsReplayed(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := newTextSender(t, s)
	order := `{"to":{"payout_method":"BANK_DEPOSIT","fund_id":"$bank","id":"$receiver"},"from_fund_id":"$fund","to_currency":"NPR",
		"from_currency":"USD","exchange_rate":132.25,"from_amount":100}`
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(shortRequest) }
	upper := strings.NewReplacer("$fund", strings.ToUpper(w.sender.Fund.String()), "$bank", strings.ToUpper(w.receiver.Bank.String()),
		"$receiver", strings.ToUpper(w.receiver.ID.String())).Replace(shortRequest)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(shortRequest)); err != nil {
		t.Fatal(err)
	}
	first := w.send(t, "same", shortRequest).First(t)
	for name, body := range map[string]string{
		"the same bytes":          shortRequest,
		"order of members":        order,
		"no white space":          compact.String(),
		"more white space":        replace(":", " :\r\n\t", ",", " ,  "),
		"100.00":                  replace(":100,", ":100.00,"),
		"132.250000":              replace("132.25", "132.250000"),
		"fee_amount by default":   replace(`"to":`, `"fee_amount":0,"to":`),
		"fee_amount of 0.00":      replace(`"to":`, `"fee_amount":0.00,"to":`),
		"calculation_mode":        replace(`"BANK_DEPOSIT"`, `"BANK_DEPOSIT","calculation_mode":"SENDER_AMOUNT"`),
		"all defaults":            replace(`"to":`, `"fee_amount":0.0,"to":`, `"BANK_DEPOSIT"`, `"BANK_DEPOSIT","calculation_mode":"SENDER_AMOUNT"`),
		"UUIDs in upper case":     upper,
		"escapes in texts":        replace(`"NPR"`, `"\u004e\u0050R"`),
		"escapes in member names": replace(`"from_currency"`, `"from\u005fcurrency"`),
	} {
		t.Run(name, func(t *testing.T) { w.send(t, "same", body).Replays(t, first) })
	}
	t.Run("the user in upper case", func(t *testing.T) {
		path := "/users/" + strings.ToUpper(w.sender.ID.String()) + "/transactions"
		servertest.Call(t, s, "POST", path, []byte(w.ids.Replace(shortRequest)), servertest.IdempotencyKey, "same").Replays(t, first)
	})
	if n := w.created(t); n != 1 {
		t.Errorf("%d transactions, want 1", n)
	}
}

// A request that differs in any member is rejected and writes nothing (section 4, note 3; section 7).
func TestDifferentRequestIsRefused(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := newTextSender(t, s)
	// The same with cash, because only cash has pickup_location, and only accounts have fund_id.
	cash := strings.Replace(fullRequest, `"fund_id":"$wallet","payout_method":"WALLET","calculation_mode":"SENDER_AMOUNT","payer_id":1004`,
		`"payout_method":"CASH_PICKUP","payer_id":1002,"pickup_location":30001`, 1)
	replays := map[string][]byte{
		fullRequest: w.send(t, "full", fullRequest).First(t), cash: w.send(t, "cash", cash).First(t),
		shortRequest: w.send(t, "short", shortRequest).First(t),
	}
	state := servertest.State(t, s.Client, w.sender.ID)
	for key, row := range map[string]struct {
		body    string
		changes [][2]string
	}{
		"full": {fullRequest, [][2]string{
			{`"from_amount":100`, `"from_amount":100.01`},
			{`"from_amount":100`, `"from_amount":100.001`}, // which would be invalid as a first request
			{`132.25`, `132.251`},
			{`"to_amount":1`, `"to_amount":2`}, // though the calculation ignores it
			{`"to_amount":1,`, ``},
			{`"fee_amount":2.5`, `"fee_amount":2.51`},
			{`"fee_amount":2.5,`, ``},
			{`For the school`, `For the School`},
			{`For the school`, `For the school `},
			{`"note":"For the school",`, ``},
			{`"USD"`, `"GBP"`},
			{`"NPR"`, `"INR"`},
			{`"OTHER"`, `"GIFT"`},
			{`"purpose":"OTHER",`, ``},
			{`School fee`, `School fees`},
			{`"Family"`, `"Friends"`},
			{`"remittance_purpose":"Family",`, ``},
			{`"INVOICE"`, `"CONTRACT"`},
			{`JVBERi0xLjcK`, `JVBERi0xLjgK`},
			{`application/pdf`, `image/png`},
			{`203.0.113.7`, `203.0.113.8`},
			{`"$fund"`, `"` + uuid.NewString() + `"`},
			{`"CARD"`, `"BANK_ACCOUNT"`},
			{`"funding_source_type":"CARD",`, ``}, // though it is that of the account
			{`"$receiver"`, `"` + uuid.NewString() + `"`},
			{`"$wallet"`, `"` + uuid.NewString() + `"`},
			{`"SENDER_AMOUNT"`, `"RECEIVER_AMOUNT"`},
			{`1004`, `1005`},
			{`,"payer_id":1004`, ``}, // though it is that of the wallet account
			{`{"document_type":"INVOICE","document_value":"data:application/pdf;base64,JVBERi0xLjcK"},`, ``},
		}},
		"cash": {cash, [][2]string{
			{`30001`, `30002`},
			{`,"pickup_location":30001`, ``},
			{`1002`, `1001`},
			{`"CASH_PICKUP","payer_id":1002,"pickup_location":30001`, `"HOME_DELIVERY","payer_id":1002`},
		}},
		"short": {shortRequest, [][2]string{
			{`"to":`, `"fee_amount":0.01,"to":`},
			{`"to":`, `"note":"a","to":`},
			{`"to":`, `"physical_documents":[],"to":`},
			{`"BANK_DEPOSIT"`, `"WALLET"`},
		}},
	} {
		for _, change := range row.changes {
			t.Run(key+": "+change[0]+" to "+change[1], func(t *testing.T) {
				if strings.Count(row.body, change[0]) != 1 {
					t.Fatalf("%s is not there once", change[0])
				}
				w.send(t, key, strings.Replace(row.body, change[0], change[1], 1)).Reused(t)
			})
		}
	}
	t.Run("order of documents", func(t *testing.T) {
		request := servertest.Parse[map[string]any](t, []byte(fullRequest))
		documents, ok := request["physical_documents"].([]any)
		if !ok || len(documents) != 2 {
			t.Fatalf("the request has documents %v, want two", documents)
		}
		slices.Reverse(documents)
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		w.send(t, "full", string(text)).Reused(t)
	})
	if after := servertest.State(t, s.Client, w.sender.ID); after != state {
		t.Errorf("refused repeats changed\n%s\nto\n%s", state, after)
	}
	for key, body := range map[string]string{"full": fullRequest, "cash": cash, "short": shortRequest} {
		w.send(t, key, body).Replays(t, replays[body])
	}
}

// A key belongs to the client, and the user in the path is part of the request (D-16).
func TestScopeOfAKey(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	a, b := newTextSender(t, s), newTextSender(t, s)
	first := a.send(t, "key", shortRequest).First(t)
	b.send(t, "key", shortRequest).Reused(t)
	servertest.Call(t, s, "POST", servertest.TransactionsPath(b.sender), []byte(a.ids.Replace(shortRequest)), servertest.IdempotencyKey, "key").Reused(t)
	servertest.Call(t, s, "POST", "/users/"+uuid.NewString()+"/transactions", []byte(a.ids.Replace(shortRequest)), servertest.IdempotencyKey, "key").Reused(t)
	if n := b.created(t); n != 0 {
		t.Errorf("the second user has %d transactions", n)
	}

	sender := servertest.NewSender(t, s.Other)
	receiver := servertest.NewReceiver(t, s.Other, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "100")
	r := servertest.Send(t, s.Other, sender.ID, "key", request)
	if other := servertest.Created(t, r); r.HTTPResponse.Header.Get("Idempotent-Replayed") != "" || bytes.Contains(first, []byte(other.ID.String())) {
		t.Errorf("the other client's own transaction is a replay: %s", r.Body)
	}
	if r = servertest.Send(t, s.Other, sender.ID, "key", request); r.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the other client's repeat is no replay: %s", r.Body)
	}
	a.send(t, "key", shortRequest).Replays(t, first)
}

// Without a key each request creates a transaction.
func TestRequestsWithoutAKey(t *testing.T) {
	t.Parallel()
	w := newTextSender(t, servertest.New(t))
	first, second := w.send(t, "", shortRequest).First(t), w.send(t, "", shortRequest).First(t)
	if a, b := servertest.Parse[api.Transaction](t, first).ID, servertest.Parse[api.Transaction](t, second).ID; a == b || w.created(t) != 2 {
		t.Errorf("transactions %s and %s, %d in the list", a, b, w.created(t))
	}
}

// A key has at most 255 characters; HTTP removes white space around the value of a header.
func TestUnusualKeys(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := newTextSender(t, s)
	keys := []string{
		"k", "K", `"k"`, `"k`, "'k'", "k k", "k  k", "k,k", "k;k", "%6b", "0", "null", "*", "é", "e\u0301", "鍵", "🔑",
		strings.Repeat("k", 255), strings.Repeat("é", 255), strings.Repeat("鍵", 255), strings.Repeat("🔑", 255),
	}
	firsts := map[string][]byte{}
	for i, key := range keys {
		first := w.send(t, key, shortRequest).First(t)
		firsts[key] = first
		if w.send(t, key, shortRequest).Replays(t, first); w.created(t) != i+1 {
			t.Errorf("%d transactions after key %q, want %d", w.created(t), key, i+1)
		}
	}
	w.send(t, " k\t", shortRequest).Replays(t, firsts["k"])
	for _, key := range []string{"k\tk", "\xff", strings.Repeat("k", 256), strings.Repeat("é", 256), strings.Repeat("🔑", 256)} {
		e := w.send(t, key, shortRequest).Refusal(t, 400, api.ErrorCodeBadRequest)
		if !servertest.Names(e, api.ErrorDetailInHeader, servertest.IdempotencyKey) {
			t.Errorf("details %v do not name the header", e.Details)
		}
	}
	if n := w.created(t); n != len(keys) {
		t.Errorf("%d transactions, want %d", n, len(keys))
	}
}

// A rejected request does not use its key, which works later for the same request, or another one.
func TestKeyAfterARefusedTransaction(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	replace := func(old, next string) string { return strings.Replace(shortRequest, old, next, 1) }
	for name, row := range map[string]struct {
		breakIt, repair func(t *testing.T, w textSender)
		body            string
		status          int
	}{
		"KYC": {
			func(t *testing.T, w textSender) {
				servertest.Verify(t, w.Client, w.sender.ID, api.KycStatusSuspended)
			},
			func(t *testing.T, w textSender) {
				servertest.Verify(t, w.Client, w.sender.ID, api.KycStatusVerified)
			},
			shortRequest, 422,
		},
		"funding account": {
			func(t *testing.T, w textSender) { setFundStatus(t, w, api.FundingAccountStatusInactive) },
			func(t *testing.T, w textSender) { setFundStatus(t, w, api.FundingAccountStatusActive) },
			shortRequest, 422,
		},
		"unknown account":     {nil, nil, replace(`"$bank"`, `"`+uuid.NewString()+`"`), 422},
		"too many decimals":   {nil, nil, replace(":100,", ":100.001,"), 400},
		"unknown member":      {nil, nil, replace(`"to":`, `"too":1,"to":`), 400},
		"amounts that differ": {nil, nil, replace(`"BANK_DEPOSIT"}`, `"BANK_DEPOSIT","calculation_mode":"RECEIVER_AMOUNT"},"to_amount":1`), 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTextSender(t, s)
			if row.breakIt != nil {
				row.breakIt(t, w)
			}
			for range 2 {
				if a := w.send(t, name, row.body); a.Status != row.status {
					t.Fatalf("status %d, want %d: %s", a.Status, row.status, a.Body)
				}
			}
			if row.repair != nil {
				row.repair(t, w)
			}
			first := w.send(t, name, shortRequest).First(t)
			w.send(t, name, shortRequest).Replays(t, first)
		})
	}
}

func setFundStatus(t testing.TB, w textSender, status api.FundingAccountStatus) {
	t.Helper()
	r, err := w.Client.SetFundingAccountStatusWithResponse(t.Context(), w.sender.ID, w.sender.Fund, api.FundingAccountStatusRequest{Status: status})
	servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// A repeat returns the first transaction even if a rule is no longer met, as a new key shows (D-16).
func TestReplayAfterARuleIsNoLongerMet(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		breakIt func(t *testing.T, w textSender)
		code    api.ErrorCode
	}{
		"KYC": {func(t *testing.T, w textSender) {
			servertest.Verify(t, w.Client, w.sender.ID, api.KycStatusSuspended)
		}, api.ErrorCodeKycNotEligible},
		"funding account": {func(t *testing.T, w textSender) {
			setFundStatus(t, w, api.FundingAccountStatusInactive)
		}, api.ErrorCodeFundingAccountNotActive},
		"limit": {func(t *testing.T, w textSender) {
			servertest.VerifyTags(t, w.Client, w.sender.ID, servertest.TopTier...)
			servertest.Created(t, servertest.Send(t, w.Client, w.sender.ID, "", servertest.Deposit(t, w.sender, w.receiver, "19900")))
		}, api.ErrorCodeLimitExceeded},
		"corridor": {func(t *testing.T, w textSender) {
			servertest.SetProfile(t, w.Server, []payout.Corridor{{Country: "GB", Currency: "GBP"}}, payout.Destination{Country: "NP"})
		}, api.ErrorCodeCorridorNotEnabled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTextSender(t, servertest.New(t))
			first := w.send(t, "old", shortRequest).First(t)
			row.breakIt(t, w)
			w.send(t, "new", shortRequest).Refusal(t, 422, row.code)
			w.send(t, "old", shortRequest).Replays(t, first)
			w.send(t, "old", strings.Replace(shortRequest, "132.25", "132", 1)).Reused(t)
		})
	}
}
