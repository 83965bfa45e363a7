package server_test

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

const idempotencyKey = "X-Idempotency-Key"

// idempotencyFull is a request with every member; ids are those of rowIDs.
const idempotencyFull = `{"from_amount":100,"exchange_rate":132.25,"to_amount":1,"fee_amount":2.5,"note":"For the school",
	"from_currency":"USD","to_currency":"NPR","purpose":"OTHER","custom_purpose":"School fee","remittance_purpose":"Family",
	"physical_documents":[{"document_type":"INVOICE","document_value":"data:application/pdf;base64,JVBERi0xLjcK"},
	{"document_type":"RECEIPT","document_value":"data:image/png;base64,iVBORw0KGgo="}],
	"ip_address":"203.0.113.7","from_fund_id":"$fund","funding_source_type":"CARD",
	"to":{"id":"$receiver","fund_id":"$wallet","payout_method":"WALLET","calculation_mode":"SENDER_AMOUNT","payer_id":1004}}`

// idempotencyShort leaves out whatever has a default or is optional.
const idempotencyShort = `{"from_amount":100,"exchange_rate":132.25,"from_currency":"USD","to_currency":"NPR","from_fund_id":"$fund",
	"to":{"id":"$receiver","fund_id":"$bank","payout_method":"BANK_DEPOSIT"}}`

// idempotencyWorld is a sender whose requests are written as text.
type idempotencyWorld struct {
	*servertest.Server
	sender   servertest.Sender
	receiver servertest.Receiver
	ids      *strings.Replacer
}

func idempotencyNew(t testing.TB, s *servertest.Server) idempotencyWorld {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	return idempotencyWorld{s, sender, receiver, rowIDs(sender, receiver)}
}

func (w idempotencyWorld) send(t testing.TB, key, body string) answer {
	t.Helper()
	return call(t, w.Server, "POST", rowTransactionTo(w.sender), []byte(w.ids.Replace(body)), idempotencyKey, key)
}

// created is how many transactions the sender has.
func (w idempotencyWorld) created(t testing.TB) int {
	t.Helper()
	return len(rowList(t, w.Client, w.sender.ID, 100))
}

// first holds an answer against a creation that no earlier one is replayed for.
func (a answer) first(t testing.TB) []byte {
	t.Helper()
	if replayed := a.header.Values("Idempotent-Replayed"); len(replayed) != 0 {
		t.Errorf("the first answer says Idempotent-Replayed: %v", replayed)
	}
	return rowBody(t, a)
}

// replays holds an answer against the first one.
func (a answer) replays(t testing.TB, first []byte) {
	t.Helper()
	body := rowBody(t, a)
	if a.header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(body, first) {
		t.Errorf("Idempotent-Replayed %q with %s, want a replay of %s", a.header.Get("Idempotent-Replayed"), body, first)
	}
}

// reused holds an answer against 409.
func (a answer) reused(t testing.TB) {
	t.Helper()
	if e := a.refusal(t, 409, api.ErrorCodeIdempotencyKeyReused); !names(e, api.ErrorDetailInHeader, idempotencyKey) {
		t.Errorf("details %v do not name the header", e.Details)
	}
}

// However a client writes the same request, a repeat gives the first transaction (D-16).
func TestIdempotencyOfTheSameRequest(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := idempotencyNew(t, s)
	order := `{"to":{"payout_method":"BANK_DEPOSIT","fund_id":"$bank","id":"$receiver"},"from_fund_id":"$fund","to_currency":"NPR",
		"from_currency":"USD","exchange_rate":132.25,"from_amount":100}`
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(idempotencyShort) }
	upper := strings.NewReplacer("$fund", strings.ToUpper(w.sender.Fund.String()), "$bank", strings.ToUpper(w.receiver.Bank.String()),
		"$receiver", strings.ToUpper(w.receiver.ID.String())).Replace(idempotencyShort)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(idempotencyShort)); err != nil {
		t.Fatal(err)
	}
	first := w.send(t, "same", idempotencyShort).first(t)
	for name, body := range map[string]string{
		"the same bytes":          idempotencyShort,
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
		t.Run(name, func(t *testing.T) { w.send(t, "same", body).replays(t, first) })
	}
	t.Run("the user in upper case", func(t *testing.T) {
		path := "/users/" + strings.ToUpper(w.sender.ID.String()) + "/transactions"
		call(t, s, "POST", path, []byte(w.ids.Replace(idempotencyShort)), idempotencyKey, "same").replays(t, first)
	})
	if n := w.created(t); n != 1 {
		t.Errorf("%d transactions, want 1", n)
	}
}

// Each member alone makes a request another one, which is refused and writes nothing (section 4, note 3; section 7).
func TestIdempotencyOfADifferentRequest(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := idempotencyNew(t, s)
	// The second one is the same with cash; a wallet has no pickup_location, cash has no fund_id.
	cash := strings.Replace(idempotencyFull, `"fund_id":"$wallet","payout_method":"WALLET","calculation_mode":"SENDER_AMOUNT","payer_id":1004`,
		`"payout_method":"CASH_PICKUP","payer_id":1002,"pickup_location":30001`, 1)
	replays := map[string][]byte{
		idempotencyFull: w.send(t, "full", idempotencyFull).first(t), cash: w.send(t, "cash", cash).first(t),
		idempotencyShort: w.send(t, "short", idempotencyShort).first(t),
	}
	state := ruleState(t, s.Client, w.sender.ID)
	for key, row := range map[string]struct {
		body    string
		changes [][2]string
	}{
		"full": {idempotencyFull, [][2]string{
			{`"from_amount":100`, `"from_amount":100.01`},
			{`"from_amount":100`, `"from_amount":100.001`}, // also a request that fits no currency
			{`132.25`, `132.251`},
			{`"to_amount":1`, `"to_amount":2`}, // ignored by the calculation, not here
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
		"short": {idempotencyShort, [][2]string{
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
				w.send(t, key, strings.Replace(row.body, change[0], change[1], 1)).reused(t)
			})
		}
	}
	t.Run("order of documents", func(t *testing.T) {
		request := rowParse[map[string]any](t, []byte(idempotencyFull))
		documents, ok := request["physical_documents"].([]any)
		if !ok || len(documents) != 2 {
			t.Fatalf("the request has documents %v, want two", documents)
		}
		slices.Reverse(documents)
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		w.send(t, "full", string(text)).reused(t)
	})
	if after := ruleState(t, s.Client, w.sender.ID); after != state {
		t.Errorf("refused repeats changed\n%s\nto\n%s", state, after)
	}
	for key, body := range map[string]string{"full": idempotencyFull, "cash": cash, "short": idempotencyShort} {
		w.send(t, key, body).replays(t, replays[body])
	}
}

// A key belongs to the client, and the user in the path is part of the request (D-16).
func TestIdempotencyScopeOfAKey(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	a, b := idempotencyNew(t, s), idempotencyNew(t, s)
	first := a.send(t, "key", idempotencyShort).first(t)
	b.send(t, "key", idempotencyShort).reused(t)
	call(t, s, "POST", rowTransactionTo(b.sender), []byte(a.ids.Replace(idempotencyShort)), idempotencyKey, "key").reused(t)
	call(t, s, "POST", "/users/"+uuid.NewString()+"/transactions", []byte(a.ids.Replace(idempotencyShort)), idempotencyKey, "key").reused(t)
	if n := b.created(t); n != 0 {
		t.Errorf("the second user has %d transactions", n)
	}

	sender := servertest.NewSender(t, s.Other)
	receiver := servertest.NewReceiver(t, s.Other, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "100")
	r := servertest.Send(t, s.Other, sender.ID, "key", request)
	if other := ruleCreated(t, r); r.HTTPResponse.Header.Get("Idempotent-Replayed") != "" || bytes.Contains(first, []byte(other.ID.String())) {
		t.Errorf("the other client's own transaction is a replay: %s", r.Body)
	}
	if r = servertest.Send(t, s.Other, sender.ID, "key", request); r.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the other client's repeat is no replay: %s", r.Body)
	}
	a.send(t, "key", idempotencyShort).replays(t, first)
}

// Without a key each request is one of its own.
func TestIdempotencyNeedsAKey(t *testing.T) {
	t.Parallel()
	w := idempotencyNew(t, servertest.New(t))
	first, second := w.send(t, "", idempotencyShort).first(t), w.send(t, "", idempotencyShort).first(t)
	if a, b := rowParse[api.Transaction](t, first).ID, rowParse[api.Transaction](t, second).ID; a == b || w.created(t) != 2 {
		t.Errorf("transactions %s and %s, %d in the list", a, b, w.created(t))
	}
}

// A key is its characters, at most 255 of them; white space around a header is no part of it (HTTP).
func TestIdempotencyKeysThatAreUnusual(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := idempotencyNew(t, s)
	keys := []string{
		"k", "K", `"k"`, `"k`, "'k'", "k k", "k  k", "k,k", "k;k", "%6b", "0", "null", "*", "é", "e\u0301", "鍵", "🔑",
		strings.Repeat("k", 255), strings.Repeat("é", 255), strings.Repeat("鍵", 255), strings.Repeat("🔑", 255),
	}
	firsts := map[string][]byte{}
	for i, key := range keys {
		first := w.send(t, key, idempotencyShort).first(t)
		firsts[key] = first
		if w.send(t, key, idempotencyShort).replays(t, first); w.created(t) != i+1 {
			t.Errorf("%d transactions after key %q, want %d", w.created(t), key, i+1)
		}
	}
	w.send(t, " k\t", idempotencyShort).replays(t, firsts["k"])
	for _, key := range []string{"k\tk", "\xff", strings.Repeat("k", 256), strings.Repeat("é", 256), strings.Repeat("🔑", 256)} {
		e := w.send(t, key, idempotencyShort).refusal(t, 400, api.ErrorCodeBadRequest)
		if !names(e, api.ErrorDetailInHeader, idempotencyKey) {
			t.Errorf("details %v do not name the header", e.Details)
		}
	}
	if n := w.created(t); n != len(keys) {
		t.Errorf("%d transactions, want %d", n, len(keys))
	}
}

// A refused request uses up no key, whatever refused it: the same key serves the same request later, or another one.
func TestIdempotencyKeyAfterARefusal(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	replace := func(old, next string) string { return strings.Replace(idempotencyShort, old, next, 1) }
	for name, row := range map[string]struct {
		breakIt, repair func(t *testing.T, w idempotencyWorld)
		body            string
		status          int
	}{
		"KYC": {
			func(t *testing.T, w idempotencyWorld) {
				servertest.Verify(t, w.Client, w.sender.ID, api.KycStatusSuspended)
			},
			func(t *testing.T, w idempotencyWorld) {
				servertest.Verify(t, w.Client, w.sender.ID, api.KycStatusVerified)
			},
			idempotencyShort, 422,
		},
		"funding account": {
			func(t *testing.T, w idempotencyWorld) { idempotencyFund(t, w, api.FundingAccountStatusInactive) },
			func(t *testing.T, w idempotencyWorld) { idempotencyFund(t, w, api.FundingAccountStatusActive) },
			idempotencyShort, 422,
		},
		"unknown account":     {nil, nil, replace(`"$bank"`, `"`+uuid.NewString()+`"`), 422},
		"too many decimals":   {nil, nil, replace(":100,", ":100.001,"), 400},
		"unknown member":      {nil, nil, replace(`"to":`, `"too":1,"to":`), 400},
		"amounts that differ": {nil, nil, replace(`"BANK_DEPOSIT"}`, `"BANK_DEPOSIT","calculation_mode":"RECEIVER_AMOUNT"},"to_amount":1`), 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := idempotencyNew(t, s)
			if row.breakIt != nil {
				row.breakIt(t, w)
			}
			for range 2 {
				if a := w.send(t, name, row.body); a.status != row.status {
					t.Fatalf("status %d, want %d: %s", a.status, row.status, a.body)
				}
			}
			if row.repair != nil {
				row.repair(t, w)
			}
			first := w.send(t, name, idempotencyShort).first(t)
			w.send(t, name, idempotencyShort).replays(t, first)
		})
	}
}

func idempotencyFund(t testing.TB, w idempotencyWorld, status api.FundingAccountStatus) {
	t.Helper()
	r, err := w.Client.SetFundingAccountStatusWithResponse(t.Context(), w.sender.ID, w.sender.Fund, api.FundingAccountStatusRequest{Status: status})
	servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// A repeat answers the first transaction also where a rule is no longer met; a new key then shows that it is not (D-16).
func TestIdempotencyReplayAfterARuleIsNoLongerMet(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		breakIt func(t *testing.T, w idempotencyWorld)
		code    api.ErrorCode
	}{
		"KYC": {func(t *testing.T, w idempotencyWorld) {
			servertest.Verify(t, w.Client, w.sender.ID, api.KycStatusSuspended)
		}, api.ErrorCodeKycNotEligible},
		"funding account": {func(t *testing.T, w idempotencyWorld) {
			idempotencyFund(t, w, api.FundingAccountStatusInactive)
		}, api.ErrorCodeFundingAccountNotActive},
		"limit": {func(t *testing.T, w idempotencyWorld) {
			limitVerify(t, w.Client, w.sender.ID, limitTopTier...)
			ruleCreated(t, servertest.Send(t, w.Client, w.sender.ID, "", servertest.Deposit(t, w.sender, w.receiver, "19900")))
		}, api.ErrorCodeLimitExceeded},
		"corridor": {func(t *testing.T, w idempotencyWorld) {
			ruleProfile(t, w.Server, []payout.Corridor{{Country: "GB", Currency: "GBP"}}, payout.Destination{Country: "NP"})
		}, api.ErrorCodeCorridorNotEnabled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := idempotencyNew(t, servertest.New(t))
			first := w.send(t, "old", idempotencyShort).first(t)
			row.breakIt(t, w)
			w.send(t, "new", idempotencyShort).refusal(t, 422, row.code)
			w.send(t, "old", idempotencyShort).replays(t, first)
			w.send(t, "old", strings.Replace(idempotencyShort, "132.25", "132", 1)).reused(t)
		})
	}
}
