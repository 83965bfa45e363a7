package operations_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// acceptedTransfer returns the members of a valid transaction and of its receive side.
func acceptedTransfer(w servertest.World) (transaction, to servertest.Members) {
	to = servertest.Members{"id": `"` + w["receive_user_id"] + `"`, "fund_id": `"` + w["bank"] + `"`, "payout_method": `"BANK_DEPOSIT"`}
	return servertest.Members{
		"from_amount": "100.00", "exchange_rate": "132.25", "from_currency": `"USD"`, "to_currency": `"NPR"`,
		"from_fund_id": `"` + w["funding_account_id"] + `"`, "to": to.With(),
	}, to
}

// Section 2.6, D-05 to D-07, D-13, D-42: a transaction that breaks the contract answers 400, names every field that is
// wrong, and writes nothing.
func TestTransactionsThatBreakTheContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	watch := servertest.NewWatch(s.Beside(t))
	transfer, to := acceptedTransfer(w)
	receiving := func(currency, amount string) string {
		return transfer.With("to_currency", `"`+currency+`"`, "to_amount", amount, "to", to.With("calculation_mode", `"RECEIVER_AMOUNT"`))
	}
	document := func(members string) string { return transfer.With("physical_documents", "["+members+"]") }
	pickup := func(pairs ...string) string {
		cash := servertest.Members{"id": to["id"], "payout_method": `"CASH_PICKUP"`, "payer_id": "1003"}
		return transfer.With("to", cash.With(pairs...))
	}
	for _, c := range []struct {
		name, body string
		want       []violation
	}{
		{"nothing", "{}", inBody("/from_amount", "/exchange_rate", "/from_currency", "/to_currency", "/from_fund_id", "/to")},
		{"zero", transfer.With("from_amount", "0"), inBody("/from_amount")},
		{"zero with decimals", transfer.With("from_amount", "0.00"), inBody("/from_amount")},
		{"negative zero", transfer.With("from_amount", "-0.0"), inBody("/from_amount")},
		{"negative", transfer.With("from_amount", "-100.00"), inBody("/from_amount")},
		{"three decimals in USD", transfer.With("from_amount", "100.001"), inBody("/from_amount")},
		{"three decimals of a fee in USD", transfer.With("fee_amount", "0.001"), inBody("/fee_amount")},
		{"decimals in JPY", receiving("JPY", "13225.5"), inBody("/to_amount")},
		{"four decimals in KWD", receiving("KWD", "13225.0001"), inBody("/to_amount")},
		{"every amount over-precise", transfer.With("from_amount", "100.001", "fee_amount", "0.001", "to_amount", "1.001", "to", to.With("calculation_mode", `"RECEIVER_AMOUNT"`)), inBody("/from_amount", "/fee_amount", "/to_amount")},
		{"exponent", transfer.With("from_amount", "1e2"), inBody("/from_amount")},
		{"exponent in upper case", transfer.With("exchange_rate", "1E2"), inBody("/exchange_rate")},
		{"beyond every float", transfer.With("from_amount", "1e400"), inBody("/from_amount")},
		{"below every float", transfer.With("from_amount", "1e-400"), inBody("/from_amount")},
		{"twenty digits", transfer.With("from_amount", "12345678901234567890"), inBody("/from_amount")},
		{"twenty digits with a point", transfer.With("exchange_rate", "1.2345678901234567891"), inBody("/exchange_rate")},
		{"thousands of digits", transfer.With("from_amount", strings.Repeat("9", 10_000)), inBody("/from_amount")},
		{"above the bound", transfer.With("from_amount", "1000000000000.01"), inBody("/from_amount")},
		{"fee above the bound", transfer.With("fee_amount", "1000000000001"), inBody("/fee_amount")},
		{"negative fee", transfer.With("fee_amount", "-1"), inBody("/fee_amount")},
		{"rate of zero", transfer.With("exchange_rate", "0"), inBody("/exchange_rate")},
		{"rate above the bound", transfer.With("exchange_rate", "1000000000.1"), inBody("/exchange_rate")},
		{"leading zero", strings.Replace(transfer.With(), "100.00", "0100.00", 1), inBody("")},
		{"amount as string", transfer.With("from_amount", `"100.00"`), inBody("/from_amount")},
		{"amount as boolean", transfer.With("from_amount", "true"), inBody("/from_amount")},
		{"amount as array", transfer.With("from_amount", "[100]"), inBody("/from_amount")},
		{"null amounts", transfer.With("from_amount", "null", "exchange_rate", "null", "to_amount", "null", "fee_amount", "null"), inBody("/from_amount", "/exchange_rate", "/to_amount", "/fee_amount")},
		{"ignored to_amount that is negative", transfer.With("to_amount", "-1"), inBody("/to_amount")},
		{"RECEIVER_AMOUNT without to_amount", transfer.With("to", to.With("calculation_mode", `"RECEIVER_AMOUNT"`)), inBody("/to_amount")},
		{"RECEIVER_AMOUNT two cents away", receiving("NPR", "13222.35"), inBody("/from_amount")},
		{"unknown currencies", transfer.With("from_currency", `"ZZZ"`, "to_currency", `"QQQ"`), inBody("/from_currency", "/to_currency")},
		{"currency for no currency", transfer.With("to_currency", `"XXX"`), inBody("/to_currency")},
		{"currency in lower case", transfer.With("from_currency", `"usd"`), inBody("/from_currency")},
		{"currency as number", transfer.With("from_currency", "840"), inBody("/from_currency")},
		{"malformed from_fund_id", transfer.With("from_fund_id", `"card"`), inBody("/from_fund_id")},
		{"null from_fund_id", transfer.With("from_fund_id", "null"), inBody("/from_fund_id")},
		{"note too long", transfer.With("note", `"`+strings.Repeat("a", 501)+`"`), inBody("/note")},
		{"note with NUL", transfer.With("note", `"a\u0000b"`), inBody("/note")},
		{"null note", transfer.With("note", "null"), inBody("/note")},
		{"purpose in lower case", transfer.With("purpose", `"other"`), inBody("/purpose")},
		{"ip address of a network", transfer.With("ip_address", `"203.0.113.0/24"`), inBody("/ip_address")},
		{"unknown member", transfer.With("amount", "1"), inBody("/amount")},
		{"member of the answer", transfer.With("bonus_amount", "1"), inBody("/bonus_amount")},
		{"member given twice", `{"from_amount":1,` + transfer.With()[1:], inBody("/from_amount")},
		{"to as string", transfer.With("to", to["id"]), inBody("/to")},
		{"null to", transfer.With("to", "null"), inBody("/to")},
		{"empty to", transfer.With("to", "{}"), inBody("/to/payout_method")},
		{"to without a method", transfer.With("to", to.With("payout_method", "")), inBody("/to/payout_method")},
		{"unknown payout_method", transfer.With("to", to.With("payout_method", `"CHEQUE"`)), inBody("/to/payout_method")},
		{"payout_method in lower case", transfer.With("to", to.With("payout_method", `"wallet"`)), inBody("/to/payout_method")},
		{"null payout_method", transfer.With("to", to.With("payout_method", "null")), inBody("/to/payout_method")},
		{"unknown calculation_mode", transfer.With("to", to.With("calculation_mode", `"BOTH"`)), inBody("/to/calculation_mode")},
		{"malformed to.id", transfer.With("to", to.With("id", `"bina"`)), inBody("/to/id")},
		{"unknown member of to", transfer.With("to", to.With("bank", `"A"`)), inBody("/to/bank")},
		{"bank deposit without fund_id", transfer.With("to", to.With("fund_id", "")), inBody("/to/fund_id")},
		{"bank deposit with payer_id", transfer.With("to", to.With("payer_id", "1001")), inBody("/to/payer_id")},
		{"wallet without fund_id", transfer.With("to", to.With("payout_method", `"WALLET"`, "fund_id", "")), inBody("/to/fund_id")},
		{"pickup without payer_id", pickup("payer_id", ""), inBody("/to/payer_id")},
		{"pickup with fund_id", pickup("fund_id", to["fund_id"]), inBody("/to/fund_id")},
		{"payer_id as string", pickup("payer_id", `"1003"`), inBody("/to/payer_id")},
		{"payer_id with a fraction", pickup("payer_id", "1003.0"), inBody("/to/payer_id")},
		{"payer_id of 2^63", pickup("payer_id", "9223372036854775808"), inBody("/to/payer_id")},
		{"pickup_location of zero", pickup("pickup_location", "0"), inBody("/to/pickup_location")},
		{"home delivery without payer_id", pickup("payout_method", `"HOME_DELIVERY"`, "payer_id", ""), inBody("/to/payer_id")},
		{"home delivery with pickup_location", pickup("payout_method", `"HOME_DELIVERY"`, "pickup_location", "30004"), inBody("/to/pickup_location")},
		{"document without content", document(`{"document_type":"INVOICE"}`), inBody("/physical_documents/0/document_value")},
		{"document of text", document(`{"document_type":"INVOICE","document_value":"data:text/plain;base64,YQ=="}`), inBody("/physical_documents/0/document_value")},
		{"second document cut off", document(`{"document_type":"INVOICE","document_value":"data:image/png;base64,YQ=="},{"document_type":"INVOICE","document_value":"data:image/png;base64,YQ="}`), inBody("/physical_documents/1/document_value")},
		{"document with the country of a registration", document(`{"document_type":"INVOICE","document_value":"data:image/png;base64,YQ==","country":"US"}`), inBody("/physical_documents/0/country")},
	} {
		t.Run(c.name, func(t *testing.T) {
			watch.Unchanged(t, func() {
				a := servertest.Call(t, s, http.MethodPost, "/users/"+w["user_id"]+"/transactions", []byte(c.body))
				wantViolations(t, a.Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest), c.want...)
			})
		})
	}
}
