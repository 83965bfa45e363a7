package payout_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// D-06, D-21, D-42: the receiving amount is rounded half up to the minor unit of its currency, the bounds of a payer are
// allowed, and what comes out as nothing or beyond every bound is not.
func TestTheReceivingAmountAndTheBoundsOfAPayer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.acme.Destinations[0].Tiers = unlimited("USD")
	s := w.newSender(t, individual("US"))
	receivers := map[string]payout.ReceiveUser{"NPR": s.nepal}
	for country, currency := range map[string]string{"JP": "JPY", "KW": "KWD"} {
		receivers[currency] = w.receive(t, s.user, receiver(country))
	}
	for _, c := range []struct {
		currency   string
		payer      int64
		from, rate string
		want       int64  // in minor units; 0: refused
		field      string // of the refusal
	}{
		{"NPR", limitedNP, "1", "99.99", 0, "/to_amount"},
		{"NPR", limitedNP, "1", "99.9949", 0, "/to_amount"},
		{"NPR", limitedNP, "1", "99.995", 100_00, ""},
		{"NPR", limitedNP, "1", "100", 100_00, ""},
		{"NPR", limitedNP, "1", "100000", 100_000_00, ""},
		{"NPR", limitedNP, "1", "100000.0049", 100_000_00, ""},
		{"NPR", limitedNP, "1", "100000.005", 0, "/to_amount"},
		{"NPR", cashNP, "1", "100000.005", 100_000_01, ""}, // another payer has no limit
		{"NPR", cashNP, "0.01", "0.49", 0, "/from_amount"},
		{"NPR", cashNP, "0.01", "0.5", 1, ""},
		{"NPR", cashNP, "1000", "1000000000", 1e14, ""},
		{"NPR", cashNP, "1000.01", "1000000000", 0, "/from_amount"},
		{"JPY", cashJP, "1", "999.4", 0, "/to_amount"},
		{"JPY", cashJP, "1", "999.5", 1000, ""},
		{"JPY", cashJP, "1", "500000.49", 500_000, ""},
		{"JPY", cashJP, "1", "500000.5", 0, "/to_amount"},
		{"KWD", cashKW, "1", "1.4994", 0, "/to_amount"},
		{"KWD", cashKW, "1", "1.4995", 1_500, ""},
		{"KWD", cashKW, "1", "2500.7504", 2_500_750, ""},
		{"KWD", cashKW, "1", "2500.7505", 0, "/to_amount"},
	} {
		t.Run(c.currency+" "+c.from+" at "+c.rate, func(t *testing.T) {
			n := s.request(payout.ReceiveSide{Method: payout.CashPickup, PayerID: c.payer, ReceiveUserID: receivers[c.currency].ID})
			n.FromAmount, n.ExchangeRate, n.ToCurrency = amount(c.from), amount(c.rate), c.currency
			got, err := s.send(t, n)
			if c.want == 0 {
				refused(t, err, payout.CodeAmountNotAllowed, c.field)
			} else if ok(t, got, err); got.ToAmount != c.want {
				t.Errorf("to_amount %d, want %d", got.ToAmount, c.want)
			}
		})
	}
}

// D-06, D-37: with RECEIVER_AMOUNT both amounts are the caller's, within 0.01 of each other at the rate; with SENDER_AMOUNT
// a to_amount is ignored. Each amount fits the minor units of its own currency, the fee those of the sending one.
func TestTheCalculationModes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.acme.Destinations[0].Tiers = unlimited("USD", "JPY", "KWD")
	senders := map[string]*sender{}
	for _, country := range []string{"US", "JP", "KW"} {
		senders[country] = w.newSender(t, individual(country))
	}
	type minor struct{ from, to, fee int64 }
	for name, c := range map[string]struct {
		country string
		n       payout.NewTransaction
		want    minor
		field   string // of a 400
	}{
		"21.72 for 21.719":     {"US", asked("21.72", "100", "0", "2171.9"), minor{21_72, 2171_90, 0}, ""},
		"0.01 below":           {"US", asked("21.71", "100", "0", "2171.9"), minor{21_71, 2171_90, 0}, ""},
		"0.01 above":           {"US", asked("21.73", "100", "0", "2171.9"), minor{21_73, 2171_90, 0}, ""},
		"0.02 below":           {"US", asked("21.70", "100", "0", "2171.9"), minor{}, "/from_amount"},
		"0.02 above":           {"US", asked("21.74", "100", "0", "2171.9"), minor{}, "/from_amount"},
		"three decimals":       {"US", asked("21.719", "100", "0", "2171.9"), minor{}, "/from_amount"},
		"no to_amount":         {"US", asked("1", "100", "0", ""), minor{}, "/to_amount"},
		"to_amount decimals":   {"US", asked("1", "100", "0", "100.001"), minor{}, "/to_amount"},
		"a fee in dollars":     {"US", asked("1", "100", "0.01", "100"), minor{1_00, 100_00, 1}, ""},
		"a fee of three":       {"US", asked("1", "100", "0.001", "100"), minor{}, "/fee_amount"},
		"yen":                  {"JP", asked("100", "1", "7", "100.01"), minor{100, 100_01, 7}, ""},
		"yen, 0.01 is no yen":  {"JP", asked("100", "1", "7", "100.02"), minor{}, "/from_amount"},
		"half a yen":           {"JP", asked("100.5", "1", "0", "100.5"), minor{}, "/from_amount"},
		"a fee of half a yen":  {"JP", asked("100", "1", "0.5", "100"), minor{}, "/fee_amount"},
		"dinar":                {"KW", asked("1.234", "400", "0.125", "493.6"), minor{1_234, 493_60, 125}, ""},
		"dinar, below 1.23":    {"KW", asked("1.220", "400", "0", "493.6"), minor{1_220, 493_60, 0}, ""},
		"dinar, too low":       {"KW", asked("1.219", "400", "0", "493.6"), minor{}, "/from_amount"},
		"dinar, at the bound":  {"KW", asked("1.240", "400", "0", "493.6"), minor{1_240, 493_60, 0}, ""},
		"dinar, beyond it":     {"KW", asked("1.241", "400", "0", "493.6"), minor{}, "/from_amount"},
		"a tenth of a fils":    {"KW", asked("1.2345", "400", "0", "493.8"), minor{}, "/from_amount"},
		"a fee below the fils": {"KW", asked("1.234", "400", "0.0001", "493.6"), minor{}, "/fee_amount"},

		"to_amount ignored": {"US", senderAmount(asked("1", "100", "0", "999.99999")), minor{1_00, 100_00, 0}, ""},
		"no to_amount sent": {"US", senderAmount(asked("1", "100", "2", "")), minor{1_00, 100_00, 2_00}, ""},
		"yen to rupees":     {"JP", senderAmount(asked("3", "0.955", "1", "")), minor{3, 2_87, 1}, ""},
		"dinar to rupees":   {"KW", senderAmount(asked("0.001", "425", "0.001", "")), minor{1, 43, 1}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := senders[c.country]
			before := s.state(t)
			n := s.deposit("1")
			n.FromAmount, n.ExchangeRate, n.FeeAmount, n.ToAmount, n.To.Mode = c.n.FromAmount, c.n.ExchangeRate, c.n.FeeAmount, c.n.ToAmount, c.n.To.Mode
			got, err := s.send(t, n)
			if c.field != "" {
				refused(t, err, payout.CodeBadRequest, c.field)
				if after := s.state(t); after != before {
					t.Errorf("a refused transaction changed\n%s\nto\n%s", before, after)
				}
				return
			}
			if ok(t, got, err); (minor{got.FromAmount, got.ToAmount, got.FeeAmount}) != c.want || got.BonusAmount != 0 {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func asked(from, rate, fee, to string) payout.NewTransaction {
	n := payout.NewTransaction{
		FromAmount: amount(from), ExchangeRate: amount(rate), FeeAmount: amount(fee), To: payout.ReceiveSide{Mode: payout.ReceiverAmount},
	}
	if to != "" {
		n.ToAmount = ptr(amount(to))
	}
	return n
}

func senderAmount(n payout.NewTransaction) payout.NewTransaction {
	n.To.Mode = payout.SenderAmount
	return n
}

// Section 2.6: what a transaction is after its creation, read again as it was returned.
func TestATransactionIsReadAsCreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	n := s.deposit("12.34")
	n.FeeAmount = amount("0.50")
	n.Notes = payout.Notes{Note: ptr("n"), Purpose: ptr("OTHER"), CustomPurpose: ptr(""), RemittancePurpose: ptr("FAMILY"), IPAddress: ptr("192.0.2.1")}
	n.Documents = []payout.Document{
		{Kind: payout.PhysicalDocument, Type: "INVOICE", MediaType: "image/png", Content: []byte("scan")},
		{Kind: payout.PhysicalDocument, Type: "RECEIPT", MediaType: "image/png", Content: []byte("scan")},
	}
	got := s.sent(t, n)
	if got.Documents[0].ID == "" || got.Documents[0].ID == got.Documents[1].ID || got.ID == "" {
		t.Errorf("ids %q, %+v", got.ID, got.Documents)
	}
	want := payout.Transaction{
		ID: got.ID, UserID: s.user.ID, CreatedAt: startOfTests.Truncate(time.Microsecond),
		UpdatedAt: startOfTests.Truncate(time.Microsecond), Status: "INITIATED", DeliveryStatus: "NONE",
		FromAmount: 12_34, FromCurrency: "USD", ToAmount: 1604_20, ToCurrency: "NPR", FeeAmount: 50, ExchangeRate: amount("130"),
		FromFundID: s.fund.ID, FundingType: "CARD", Destination: "NP", Notes: n.Notes, To: n.To,
		Documents: []payout.Document{{ID: got.Documents[0].ID, Type: "INVOICE"}, {ID: got.Documents[1].ID, Type: "RECEIPT"}},
		Receiver: payout.Receiver{
			FirstName: "Bina", LastName: "Example", Email: "bina@example.com", MobilePhone: "9779800000000", AddressLine1: "3 Road",
		},
	}
	read, err := w.Transaction(t.Context(), w.acme, s.user.ID, got.ID)
	if ok(t, read, err); !reflect.DeepEqual(read, want) {
		t.Errorf("read\n%+v, want\n%+v", read, want)
	}
	got.Documents = want.Documents
	if !reflect.DeepEqual(got, want) {
		t.Errorf("created\n%+v, want\n%+v", got, want)
	}
	// The documents of a transaction are not those of its user.
	if u, err := w.User(t.Context(), w.acme, s.user.ID); err != nil || len(u.Documents) != 0 {
		t.Errorf("the user has the documents %+v, %v", u.Documents, err)
	}
	n.FundingType = "BANK" // D-35: else that of the funding account
	if got := s.sent(t, n); got.FundingType != "BANK" {
		t.Errorf("funding type %s", got.FundingType)
	}
}
