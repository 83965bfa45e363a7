package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// badTransfer gives the members of a transaction, and those of its receive side, that would be accepted.
func badTransfer(w isolationWorld) (transaction, to badMembers) {
	to = badMembers{"id": `"` + w["receive_user_id"] + `"`, "fund_id": `"` + w["bank"] + `"`, "payout_method": `"BANK_DEPOSIT"`}
	return badMembers{
		"from_amount": "100.00", "exchange_rate": "132.25", "from_currency": `"USD"`, "to_currency": `"NPR"`,
		"from_fund_id": `"` + w["funding_account_id"] + `"`, "to": to.with(),
	}, to
}

// Section 2.6, D-05 to D-07, D-13, D-42: a transaction that breaks the contract answers 400, names every field that is
// wrong, and writes nothing.
func TestBadInputOfATransaction(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	watch := badWatch{s.Beside(t)}
	transfer, to := badTransfer(w)
	receiving := func(currency, amount string) string {
		return transfer.with("to_currency", `"`+currency+`"`, "to_amount", amount, "to", to.with("calculation_mode", `"RECEIVER_AMOUNT"`))
	}
	document := func(members string) string { return transfer.with("physical_documents", "["+members+"]") }
	pickup := func(pairs ...string) string {
		cash := badMembers{"id": to["id"], "payout_method": `"CASH_PICKUP"`, "payer_id": "1003"}
		return transfer.with("to", cash.with(pairs...))
	}
	for _, c := range []struct {
		name, body string
		want       []badField
	}{
		{"nothing", "{}", badBody("/from_amount", "/exchange_rate", "/from_currency", "/to_currency", "/from_fund_id", "/to")},
		{"zero", transfer.with("from_amount", "0"), badBody("/from_amount")},
		{"zero with decimals", transfer.with("from_amount", "0.00"), badBody("/from_amount")},
		{"negative zero", transfer.with("from_amount", "-0.0"), badBody("/from_amount")},
		{"negative", transfer.with("from_amount", "-100.00"), badBody("/from_amount")},
		{"three decimals in USD", transfer.with("from_amount", "100.001"), badBody("/from_amount")},
		{"three decimals of a fee in USD", transfer.with("fee_amount", "0.001"), badBody("/fee_amount")},
		{"decimals in JPY", receiving("JPY", "13225.5"), badBody("/to_amount")},
		{"four decimals in KWD", receiving("KWD", "13225.0001"), badBody("/to_amount")},
		{"every amount over-precise", transfer.with("from_amount", "100.001", "fee_amount", "0.001", "to_amount", "1.001", "to", to.with("calculation_mode", `"RECEIVER_AMOUNT"`)), badBody("/from_amount", "/fee_amount", "/to_amount")},
		{"exponent", transfer.with("from_amount", "1e2"), badBody("/from_amount")},
		{"exponent in upper case", transfer.with("exchange_rate", "1E2"), badBody("/exchange_rate")},
		{"beyond every float", transfer.with("from_amount", "1e400"), badBody("/from_amount")},
		{"below every float", transfer.with("from_amount", "1e-400"), badBody("/from_amount")},
		{"twenty digits", transfer.with("from_amount", "12345678901234567890"), badBody("/from_amount")},
		{"twenty digits with a point", transfer.with("exchange_rate", "1.2345678901234567891"), badBody("/exchange_rate")},
		{"thousands of digits", transfer.with("from_amount", strings.Repeat("9", 10_000)), badBody("/from_amount")},
		{"above the bound", transfer.with("from_amount", "1000000000000.01"), badBody("/from_amount")},
		{"fee above the bound", transfer.with("fee_amount", "1000000000001"), badBody("/fee_amount")},
		{"negative fee", transfer.with("fee_amount", "-1"), badBody("/fee_amount")},
		{"rate of zero", transfer.with("exchange_rate", "0"), badBody("/exchange_rate")},
		{"rate above the bound", transfer.with("exchange_rate", "1000000000.1"), badBody("/exchange_rate")},
		{"leading zero", strings.Replace(transfer.with(), "100.00", "0100.00", 1), badBody("")},
		{"amount as string", transfer.with("from_amount", `"100.00"`), badBody("/from_amount")},
		{"amount as boolean", transfer.with("from_amount", "true"), badBody("/from_amount")},
		{"amount as array", transfer.with("from_amount", "[100]"), badBody("/from_amount")},
		{"null amounts", transfer.with("from_amount", "null", "exchange_rate", "null", "to_amount", "null", "fee_amount", "null"), badBody("/from_amount", "/exchange_rate", "/to_amount", "/fee_amount")},
		{"ignored to_amount that is negative", transfer.with("to_amount", "-1"), badBody("/to_amount")},
		{"RECEIVER_AMOUNT without to_amount", transfer.with("to", to.with("calculation_mode", `"RECEIVER_AMOUNT"`)), badBody("/to_amount")},
		{"RECEIVER_AMOUNT two cents away", receiving("NPR", "13222.35"), badBody("/from_amount")},
		{"unknown currencies", transfer.with("from_currency", `"ZZZ"`, "to_currency", `"QQQ"`), badBody("/from_currency", "/to_currency")},
		{"currency for no currency", transfer.with("to_currency", `"XXX"`), badBody("/to_currency")},
		{"currency in lower case", transfer.with("from_currency", `"usd"`), badBody("/from_currency")},
		{"currency as number", transfer.with("from_currency", "840"), badBody("/from_currency")},
		{"malformed from_fund_id", transfer.with("from_fund_id", `"card"`), badBody("/from_fund_id")},
		{"null from_fund_id", transfer.with("from_fund_id", "null"), badBody("/from_fund_id")},
		{"note too long", transfer.with("note", `"`+strings.Repeat("a", 501)+`"`), badBody("/note")},
		{"note with NUL", transfer.with("note", `"a\u0000b"`), badBody("/note")},
		{"null note", transfer.with("note", "null"), badBody("/note")},
		{"purpose in lower case", transfer.with("purpose", `"other"`), badBody("/purpose")},
		{"ip address of a network", transfer.with("ip_address", `"203.0.113.0/24"`), badBody("/ip_address")},
		{"unknown member", transfer.with("amount", "1"), badBody("/amount")},
		{"member of the answer", transfer.with("bonus_amount", "1"), badBody("/bonus_amount")},
		{"member given twice", `{"from_amount":1,` + transfer.with()[1:], badBody("/from_amount")},
		{"to as string", transfer.with("to", to["id"]), badBody("/to")},
		{"null to", transfer.with("to", "null"), badBody("/to")},
		{"empty to", transfer.with("to", "{}"), badBody("/to/payout_method")},
		{"to without a method", transfer.with("to", to.with("payout_method", "")), badBody("/to/payout_method")},
		{"unknown payout_method", transfer.with("to", to.with("payout_method", `"CHEQUE"`)), badBody("/to/payout_method")},
		{"payout_method in lower case", transfer.with("to", to.with("payout_method", `"wallet"`)), badBody("/to/payout_method")},
		{"null payout_method", transfer.with("to", to.with("payout_method", "null")), badBody("/to/payout_method")},
		{"unknown calculation_mode", transfer.with("to", to.with("calculation_mode", `"BOTH"`)), badBody("/to/calculation_mode")},
		{"malformed to.id", transfer.with("to", to.with("id", `"bina"`)), badBody("/to/id")},
		{"unknown member of to", transfer.with("to", to.with("bank", `"A"`)), badBody("/to/bank")},
		{"bank deposit without fund_id", transfer.with("to", to.with("fund_id", "")), badBody("/to/fund_id")},
		{"bank deposit with payer_id", transfer.with("to", to.with("payer_id", "1001")), badBody("/to/payer_id")},
		{"wallet without fund_id", transfer.with("to", to.with("payout_method", `"WALLET"`, "fund_id", "")), badBody("/to/fund_id")},
		{"pickup without payer_id", pickup("payer_id", ""), badBody("/to/payer_id")},
		{"pickup with fund_id", pickup("fund_id", to["fund_id"]), badBody("/to/fund_id")},
		{"payer_id as string", pickup("payer_id", `"1003"`), badBody("/to/payer_id")},
		{"payer_id with a fraction", pickup("payer_id", "1003.0"), badBody("/to/payer_id")},
		{"payer_id of 2^63", pickup("payer_id", "9223372036854775808"), badBody("/to/payer_id")},
		{"pickup_location of zero", pickup("pickup_location", "0"), badBody("/to/pickup_location")},
		{"home delivery without payer_id", pickup("payout_method", `"HOME_DELIVERY"`, "payer_id", ""), badBody("/to/payer_id")},
		{"home delivery with pickup_location", pickup("payout_method", `"HOME_DELIVERY"`, "pickup_location", "30004"), badBody("/to/pickup_location")},
		{"document without content", document(`{"document_type":"INVOICE"}`), badBody("/physical_documents/0/document_value")},
		{"document of text", document(`{"document_type":"INVOICE","document_value":"data:text/plain;base64,YQ=="}`), badBody("/physical_documents/0/document_value")},
		{"second document cut off", document(`{"document_type":"INVOICE","document_value":"data:image/png;base64,YQ=="},{"document_type":"INVOICE","document_value":"data:image/png;base64,YQ="}`), badBody("/physical_documents/1/document_value")},
		{"document with the country of a registration", document(`{"document_type":"INVOICE","document_value":"data:image/png;base64,YQ==","country":"US"}`), badBody("/physical_documents/0/country")},
	} {
		t.Run(c.name, func(t *testing.T) {
			watch.unchanged(t, func() {
				a := call(t, s, http.MethodPost, "/users/"+w["user_id"]+"/transactions", []byte(c.body))
				badNamed(t, a.refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest), c.want...)
			})
		})
	}
}

// Sections 4 and 8, D-16: an idempotency key has 1 to 255 characters and is sent once.
func TestBadInputOfAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	watch := badWatch{s.Beside(t)}
	for i, op := range creations(t, s) {
		t.Run(op.ID, func(t *testing.T) { badKeys(t, s, w, watch, op, rune(i)) })
	}
}

// badKeys sends keys to an operation; i makes them its own.
func badKeys(t *testing.T, s *servertest.Server, w isolationWorld, watch badWatch, op *contract.Operation, i rune) {
	t.Helper()
	body := string(w.body(t, op))
	send := func(t *testing.T, keys ...string) answer {
		h := badHeader()
		h["X-Idempotency-Key"] = keys
		return badSend(t, s, op.Method, w.path(t, op), h, strings.NewReader(body), int64(len(body)))
	}
	for name, keys := range map[string][]string{
		"256 characters":            {strings.Repeat("k", 256)},
		"256 multi-byte characters": {strings.Repeat("é", 256)},
		"empty":                     {""},
		"white space":               {"  "},
		"sent twice":                {"a", "b"},
		"the same sent twice":       {"a", "a"},
		"tab inside":                {"a\tb"},
		"no UTF-8":                  {"a\xff"},
	} {
		t.Run("refused/"+name, func(t *testing.T) {
			watch.unchanged(t, func() {
				e := send(t, keys...).refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest)
				badNamed(t, e, badField{api.ErrorDetailInHeader, "X-Idempotency-Key"})
			})
		})
	}
	for name, key := range map[string]string{
		"1 character":               string('k' + i),
		"255 characters":            strings.Repeat(string('k'+i), 255),
		"255 multi-byte characters": strings.Repeat(string('é'+i), 255),
		"255 characters of 4 bytes": strings.Repeat(string('💸'+i), 255),
	} {
		t.Run("accepted/"+name, func(t *testing.T) {
			before := watch.version(t)
			for _, replayed := range []string{"", "true"} {
				a := send(t, key)
				if a.status != http.StatusOK || a.header.Get("Idempotent-Replayed") != replayed {
					t.Fatalf("status %d, Idempotent-Replayed %q, want 200 and %q: %s", a.status, a.header.Get("Idempotent-Replayed"), replayed, a.body)
				}
			}
			if watch.version(t) == before {
				t.Error("an accepted request was not seen to be written; the watch of the refused ones sees nothing")
			}
		})
	}
}
