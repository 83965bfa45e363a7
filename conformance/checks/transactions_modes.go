package checks

import (
	"cmp"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// senderAmountMode is SENDER_AMOUNT: what is paid out is calculated (section 2.6, D-06).
func senderAmountMode() []probe.Check {
	create := []string{"createTransaction"}
	return []probe.Check{
		{
			ID: "transactions.sender-amount.calculated", Title: "The receiving amount is the sending amount times the rate, rounded half up once to the minor unit of its currency",
			Clauses: []string{"2.6-sender-amount", "D-05", "D-06"}, Operations: create,
			Fix: "Calculate from_amount times exchange_rate with exact decimals, whatever fee_amount and to_amount are, and round once, to the decimals of ISO 4217: 0 for JPY, 3 for KWD.",
			Run: calculated,
		},
		{
			ID: "transactions.sender-amount.to-amount-well-formed", Title: "A receiving amount that is ignored must still be an amount above 0",
			Clauses: []string{"2.6-request", "D-06", "D-42"}, Operations: create,
			Fix: "Check to_amount against its schema in both modes: 400 BAD_REQUEST with a detail for /to_amount.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				body.ToAmount = probe.Ptr(wire.MustAmount("0"))
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 400, badRequest, "body /to_amount")
			},
		},
		{
			ID: "transactions.sender-amount.rate-kept", Title: "A rate of 19 significant digits is kept exactly",
			Clauses: []string{"2.6-response", "D-05", "D-44"}, Operations: create,
			Fix: "Store exchange_rate as an exact decimal, without a bound on its decimals below 19 significant digits.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				body.ExchangeRate = wire.MustAmount("132.2512345678901234")
				x := createTransaction(t, s, body)
				t.Expect(x.ExchangeRate.Equal(body.ExchangeRate), "answered exchange_rate %s, want %s", x.ExchangeRate, body.ExchangeRate)
			},
		},
	}
}

func calculated(t *probe.T) {
	s := t.Sender()
	for _, c := range []struct {
		name             string
		digits           int // of the receiving currency
		from, rate, want string
		fee, to          string // empty: left out
	}{
		{"a product", 2, "10.00", "132.25", "1322.5", "", ""},
		{"half a unit, not to the even neighbor", 2, "0.25", "0.5", "0.13", "", ""}, // 0.125
		{"without binary floats", 2, "0.03", "34.5", "1.04", "", ""},                // 1.035, in binary just below
		{"all 19 digits of a rate", 2, "1.00", "1.004999999999999999", "1", "", ""}, // not 1.005
		{"rounded once", 2, "1.02", "1.200980392156862745", "1.22", "", ""},         // 1.2249999999999999999
		{"less than half a unit, no decimals", 0, "1.00", "149.4", "149", "", ""},
		{"more than half a unit, no decimals", 0, "1.00", "149.6", "150", "", ""},
		{"three decimals", 3, "1.00", "0.3076", "0.308", "", ""},
		{"the fee is beside it", 2, "4.00", "2.5", "10", "2.50", ""},
		{"a to_amount that is sent is ignored", 2, "3.00", "2", "6", "", "1.00"},
	} {
		t.Case(c.name, func() {
			body := t.Payout(s, paidIn(t, s, c.digits), c.from)
			body.ExchangeRate, body.FeeAmount, body.ToAmount = wire.MustAmount(c.rate), amountOrNone(c.fee), amountOrNone(c.to)
			x := createTransaction(t, s, body)
			t.Expect(x.ToAmount.Equal(wire.MustAmount(c.want)), "%s at %s came out as %s, want %s", c.from, c.rate, x.ToAmount, c.want)
		})
	}
}

// amountOrNone returns an amount, nil for an empty text.
func amountOrNone(text string) *wire.Amount {
	if text == "" {
		return nil
	}
	return probe.Ptr(wire.MustAmount(text))
}

// receiverAmount makes a transaction in RECEIVER_AMOUNT mode in a currency of so many decimals. An empty to is left out.
func receiverAmount(t *probe.T, s probe.Sender, digits int, from, rate, to string) api.TransactionRequest {
	body := t.Payout(s, paidIn(t, s, digits), from)
	body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
	body.ExchangeRate, body.ToAmount = wire.MustAmount(rate), amountOrNone(to)
	return body
}

// receiverAmountMode is RECEIVER_AMOUNT: what is given is compared (sections 2.6, 7 and 8, D-37).
func receiverAmountMode() []probe.Check {
	create := []string{"createTransaction"}
	clauses := []string{"2.6-receiver-amount", "4-note-4", "7-not-equivalent", "8-tolerance", "D-06", "D-37"}
	return []probe.Check{
		{
			ID: "transactions.receiver-amount.compared", Title: "The sending amount may differ by 0.01 from the receiving amount divided by the rate, rounded half up to cents",
			Clauses: clauses, Operations: create,
			Fix: "Round to_amount divided by exchange_rate half up to cents, whatever the receiving currency, and accept a difference to from_amount of at most 0.01.",
			Run: compared,
		},
		{
			ID: "transactions.receiver-amount.methods", Title: "Amounts are compared with RECEIVER_AMOUNT whatever the payout method, and the given receiving amount is paid out",
			Clauses: clauses, Operations: create,
			Fix: "Look at calculation_mode whatever the payout_method: compare from_amount, and pay out to_amount as it was sent.",
			Run: func(t *probe.T) {
				s := t.Sender()
				for _, m := range allMethods {
					t.Case(string(m), func() { receiverAmountBy(t, s, m) })
				}
			},
		},
		{
			ID: "transactions.receiver-amount.kept", Title: "With RECEIVER_AMOUNT mode and both amounts come back as they were sent, not as they are calculated",
			Clauses: []string{"2.6-to-response", "2.6-receiver-amount", "D-06", "D-37"}, Operations: create,
			Fix: "Store to.calculation_mode, from_amount and to_amount as they were sent; they may differ from the calculated ones within the tolerance.",
			Run: func(t *probe.T) {
				s := t.Sender()
				body := receiverAmount(t, s, 2, "21.71", "100", "2171.90") // calculated: 21.72, and 2171
				x := createTransaction(t, s, body)
				t.Expect(x.To.CalculationMode == api.CalculationModeReceiverAmount, "answered calculation_mode %q, want RECEIVER_AMOUNT", x.To.CalculationMode)
				t.Expect(x.FromAmount.Equal(body.FromAmount), "answered from_amount %s, want %s", x.FromAmount, body.FromAmount)
				t.Expect(x.ToAmount.Equal(*body.ToAmount), "answered to_amount %s, want 2171.90", x.ToAmount)
			},
		},
		{
			ID: "transactions.receiver-amount.to-amount-needed", Title: "RECEIVER_AMOUNT needs the receiving amount",
			Clauses: []string{"2.6-receiver-amount", "D-06"}, Operations: create,
			Fix: "Answer 400 BAD_REQUEST with a detail for /to_amount where it is left out with RECEIVER_AMOUNT.",
			Run: func(t *probe.T) {
				s := t.Sender()
				r, err := t.Create(s.UserID, "", receiverAmount(t, s, 2, "10.00", "132.25", ""))
				t.Refused(r, err, 400, badRequest, "body /to_amount")
			},
		},
	}
}

func compared(t *probe.T) {
	s := t.Sender()
	for _, c := range []struct {
		name           string
		digits         int // of the receiving currency
		from, rate, to string
		accepted       bool
	}{
		{"equal", 2, "10.00", "132.25", "1322.50", true},
		{"0.01 less", 2, "9.99", "132.25", "1322.50", true},
		{"0.01 more", 2, "10.01", "132.25", "1322.50", true},
		{"0.02 less", 2, "9.98", "132.25", "1322.50", false},
		{"0.02 more", 2, "10.02", "132.25", "1322.50", false},
		{"21.73 fits 21.719, which is rounded first", 2, "21.73", "100", "2171.90", true},
		{"0.65 does not fit two thirds, which are not cut", 2, "0.65", "30", "20.00", false},
		{"1.71 does not fit 1.725, which is not rounded to even", 2, "1.71", "100", "172.50", false},
		{"6.67 fits 6.666, paid out without decimals", 0, "6.67", "150", "1000", true},
		{"7.00 does not fit 6.666, paid out without decimals", 0, "7.00", "150", "1000", false},
		{"1.02 fits 1.0333, paid out with 3 decimals", 3, "1.02", "0.3", "0.31", true},
	} {
		t.Case(c.name, func() {
			r, err := t.Create(s.UserID, "", receiverAmount(t, s, c.digits, c.from, c.rate, c.to))
			if c.accepted {
				probe.OK(t, r, err)
			} else {
				t.Refused(r, err, 400, badRequest, "body /from_amount")
			}
		})
	}
}

// receiverAmountBy sends 1.02 where 1.00 is calculated, and 1.01.
func receiverAmountBy(t *probe.T, s probe.Sender, m api.PayoutMethod) {
	r := t.Receiver(s, m)
	body := t.Payout(s, r, "1.02")
	body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
	if digits := minorDigits(r.Currency); digits >= 0 {
		body.ExchangeRate = wire.AmountOf(body.ExchangeRate.Decimal().Trunc(digits))
	}
	body.ToAmount = &body.ExchangeRate
	x, err := t.Create(s.UserID, "", body)
	t.Refused(x, err, 400, badRequest, "body /from_amount")
	body.FromAmount = wire.MustAmount("1.01")
	made := createTransaction(t, s, body)
	t.Expect(made.ToAmount.Equal(*body.ToAmount), "answered to_amount %s, want %s", made.ToAmount, body.ToAmount)
}

// transactionDecimals is D-05: an amount has at most as many decimals as its currency.
func transactionDecimals() []probe.Check {
	return []probe.Check{{
		ID: "transactions.decimals", Title: "An amount has at most as many decimals as its currency, a fee as the sending currency, and an ignored to_amount any number",
		Clauses: []string{"2.6-request", "D-05", "D-06", "D-35", "D-37"}, Operations: []string{"createTransaction"},
		Fix: "Answer 400 BAD_REQUEST with a detail for each amount that has more decimals than its currency in ISO 4217; leave a to_amount alone that is ignored.",
		Run: decimals,
	}}
}

func decimals(t *probe.T) {
	s := t.Sender()
	for _, c := range []struct {
		name          string
		digits        int  // of the receiving currency
		given         bool // RECEIVER_AMOUNT
		from, fee, to string
		refused       string // the member that is named, if any
		rate          string // empty: to, for which 1.00 is calculated
	}{
		{"thousandths sent", 2, false, "21.719", "", "", "/from_amount", ""},
		{"thousandths sent with RECEIVER_AMOUNT, though 21.719 counts as 21.72", 2, true, "21.719", "", "2171.90", "/from_amount", "100"},
		{"a fee of thousandths", 2, false, "1.00", "0.001", "", "/fee_amount", ""},
		{"a fee of thousandths beside a currency of 3 decimals", 3, false, "1.00", "1.125", "", "/fee_amount", ""},
		{"a fee of cents beside a currency without decimals", 0, false, "1.00", "1.25", "", "", ""},
		{"thousandths received in a currency of cents", 2, true, "1.00", "", "5.001", "/to_amount", ""},
		{"a fraction received in a currency without decimals", 0, true, "1.00", "", "5.5", "/to_amount", ""},
		{"4 decimals received in a currency of 3", 3, true, "1.00", "", "5.0001", "/to_amount", ""},
		{"thousandths received in a currency of 3 decimals", 3, true, "1.00", "", "5.001", "", ""},
		{"decimals of a to_amount that is ignored", 2, false, "1.00", "", "1.23456789", "", ""},
	} {
		t.Case(c.name, func() {
			body := t.Payout(s, paidIn(t, s, c.digits), c.from)
			body.FeeAmount, body.ToAmount = amountOrNone(c.fee), amountOrNone(c.to)
			if c.given {
				body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
				body.ExchangeRate = wire.MustAmount(cmp.Or(c.rate, c.to))
			}
			r, err := t.Create(s.UserID, "", body)
			if c.refused != "" {
				t.Refused(r, err, 400, badRequest, "body "+c.refused)
				return
			}
			x := probe.OK(t, r, err)
			t.Expect(body.FeeAmount == nil || x.FeeAmount.Equal(*body.FeeAmount), "answered fee_amount %s, want %s", x.FeeAmount, c.fee)
		})
	}
}
