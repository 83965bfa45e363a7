package checks

import (
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// senderAmountMode is SENDER_AMOUNT: what is paid out is calculated (section 2.6, D-06).
func senderAmountMode() []probe.Check {
	calculates := func(id, title, fix string, digits int, from, rate, want string, edit ...func(*api.TransactionRequest)) probe.Check {
		return probe.Check{
			ID: "transactions.sender-amount." + id, Title: title, Fix: fix,
			Clauses: []string{"2.6-sender-amount", "D-05", "D-06"}, Operations: []string{"createTransaction"},
			Run: func(t *probe.T) {
				s := t.Sender()
				body := t.Payout(s, paidIn(t, s, digits), from, edit...)
				body.ExchangeRate = wire.MustAmount(rate)
				x := createTransaction(t, s, body)
				t.Expect(x.ToAmount.Equal(wire.MustAmount(want)), "%s at %s came out as %s, want %s", from, rate, x.ToAmount, want)
			},
		}
	}
	const round, exactly = "Round from_amount times exchange_rate half up to the minor unit of the receiving currency, once.",
		"Calculate with exact decimals from end to end."
	return []probe.Check{
		calculates("product", "The receiving amount is the sending amount times the rate",
			"Answer to_amount as from_amount times exchange_rate.", 2, "10.00", "132.25", "1322.5"),
		calculates("half-up", "Half a minor unit is rounded up, not to the even neighbour", round, 2, "0.25", "0.5", "0.13"), // 0.125
		calculates("below-half", "Less than half a minor unit is rounded down", round, 0, "1.00", "149.4", "149"),
		calculates("exact", "The receiving amount is calculated without binary floats", exactly, 2, "0.03", "34.5", "1.04"), // 1.035, in binary just below
		calculates("many-digits", "All 19 digits of a rate count", exactly, 2, "1.00", "1.004999999999999999", "1"),
		calculates("once", "The product is rounded once, however many digits it has", round, 2,
			"1.02", "1.200980392156862745", "1.22"), // 1.2249999999999999999
		calculates("no-decimals", "A currency without decimals is rounded to whole units",
			"Take the number of decimals of the receiving currency from ISO 4217: 0 for JPY.", 0, "1.00", "149.6", "150"),
		calculates("three-decimals", "A currency of three decimals is rounded to thousandths",
			"Take the number of decimals of the receiving currency from ISO 4217: 3 for KWD.", 3, "1.00", "0.3076", "0.308"),
		calculates("fee-beside", "The fee is beside the sending amount and not part of what is paid out",
			"Leave fee_amount out of the calculation of to_amount.", 2, "4.00", "2.5", "10",
			func(r *api.TransactionRequest) { r.FeeAmount = probe.Ptr(wire.MustAmount("2.50")) }),
		calculates("to-amount-ignored", "A receiving amount that is sent is ignored",
			"Calculate to_amount with SENDER_AMOUNT, whatever was sent.", 2, "3.00", "2", "6",
			func(r *api.TransactionRequest) { r.ToAmount = probe.Ptr(wire.MustAmount("1.00")) }),
		{
			ID: "transactions.sender-amount.to-amount-well-formed", Title: "A receiving amount that is ignored must still be an amount above 0",
			Clauses: []string{"2.6-request", "D-06", "D-42"}, Operations: []string{"createTransaction"},
			Fix: "Check to_amount against its schema in both modes: 400 BAD_REQUEST with a detail for /to_amount.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				body.ToAmount = probe.Ptr(wire.MustAmount("0"))
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /to_amount")
			},
		},
		{
			ID: "transactions.sender-amount.rate-kept", Title: "A rate of 19 significant digits is kept exactly",
			Clauses: []string{"2.6-response", "D-05", "D-44"}, Operations: []string{"createTransaction"},
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

// receiverAmount makes a transaction in RECEIVER_AMOUNT mode in a currency of 2 decimals. An empty to is left out.
func receiverAmount(t *probe.T, from, rate, to string) (probe.Sender, api.TransactionRequest) {
	return receiverAmountIn(t, 2, from, rate, to)
}

// receiverAmountIn makes it in a currency of so many decimals.
func receiverAmountIn(t *probe.T, digits int, from, rate, to string) (probe.Sender, api.TransactionRequest) {
	s := t.Sender()
	body := t.Payout(s, paidIn(t, s, digits), from)
	body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
	body.ExchangeRate = wire.MustAmount(rate)
	if to != "" {
		body.ToAmount = probe.Ptr(wire.MustAmount(to))
	}
	return s, body
}

// receiverAmountMode is RECEIVER_AMOUNT: what is given is compared (sections 2.6, 7 and 8, D-37).
func receiverAmountMode() []probe.Check {
	const compare = "Round to_amount divided by exchange_rate half up to cents, and accept a difference to from_amount of at most 0.01."
	comparesIn := func(digits int, id, title, from, rate, to string, accepted bool) probe.Check {
		clauses := []string{"2.6-receiver-amount", "4-note-4", "8-tolerance", "D-06", "D-37"}
		if !accepted {
			clauses = append(clauses, "7-not-equivalent")
		}
		return probe.Check{
			ID: "transactions.receiver-amount." + id, Title: title, Clauses: clauses, Operations: []string{"createTransaction"}, Fix: compare,
			Run: func(t *probe.T) {
				s, body := receiverAmountIn(t, digits, from, rate, to)
				r, err := t.Create(s.UserID, "", body)
				if accepted {
					probe.OK(t, r, err)
				} else {
					t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /from_amount")
				}
			},
		}
	}
	compares := func(id, title, from, rate, to string, accepted bool) probe.Check {
		return comparesIn(2, id, title, from, rate, to, accepted)
	}
	return []probe.Check{
		compares("equal", "A sending amount that fits the receiving amount is accepted", "10.00", "132.25", "1322.50", true),
		compares("cent-below", "A sending amount of 0.01 less is accepted", "9.99", "132.25", "1322.50", true),
		compares("cent-above", "A sending amount of 0.01 more is accepted", "10.01", "132.25", "1322.50", true),
		compares("two-cents-below", "A sending amount of 0.02 less is refused", "9.98", "132.25", "1322.50", false),
		compares("two-cents-above", "A sending amount of 0.02 more is refused", "10.02", "132.25", "1322.50", false),
		compares("rounded-first", "The calculated amount is rounded before it is compared: 21.73 fits 21.719", "21.73", "100", "2171.90", true),
		compares("not-cut", "The calculated amount is rounded and not cut: 0.65 does not fit two thirds", "0.65", "30", "20.00", false),
		compares("half-up", "Half a cent is rounded up, not to the even neighbour: 1.71 does not fit 1.725", "1.71", "100", "172.50", false),
		comparesIn(0, "no-decimals", "The calculated amount has cents where the receiving currency has no decimals: 6.67 fits 6.666",
			"6.67", "150", "1000", true),
		comparesIn(0, "no-decimals-exact", "The calculated amount has cents where the receiving currency has no decimals: 7.00 does not fit 6.666",
			"7.00", "150", "1000", false),
		comparesIn(3, "three-decimals", "The calculated amount has no more than cents where the receiving currency has 3 decimals: 1.02 fits 1.0333",
			"1.02", "0.3", "0.31", true),
		{
			ID: "transactions.receiver-amount.mode", Title: "A transaction in RECEIVER_AMOUNT mode says so",
			Clauses: []string{"2.6-to-response", "2.6-receiver-amount"}, Operations: []string{"createTransaction"},
			Fix: "Answer to.calculation_mode as it was sent.",
			Run: func(t *probe.T) {
				s, body := receiverAmount(t, "21.72", "100", "2171.90")
				x := createTransaction(t, s, body)
				t.Expect(x.To.CalculationMode == api.CalculationModeReceiverAmount,
					"answered calculation_mode %q, want RECEIVER_AMOUNT", x.To.CalculationMode)
			},
		},
		{
			ID: "transactions.receiver-amount.from-amount-kept", Title: "The sending amount that was given is kept, not the calculated one",
			Clauses: []string{"2.6-receiver-amount", "D-37"}, Operations: []string{"createTransaction"},
			Fix: "Store from_amount as it was sent.",
			Run: func(t *probe.T) {
				s, body := receiverAmount(t, "21.71", "100", "2171.90") // calculated: 21.72
				x := createTransaction(t, s, body)
				t.Expect(x.FromAmount.Equal(body.FromAmount), "answered from_amount %s, want %s", x.FromAmount, body.FromAmount)
			},
		},
		{
			ID: "transactions.receiver-amount.to-amount-kept", Title: "The receiving amount that was given is paid out, not a calculated one",
			Clauses: []string{"2.6-receiver-amount", "D-06"}, Operations: []string{"createTransaction"},
			Fix: "Store to_amount as it was sent; from_amount times exchange_rate may differ within the tolerance.",
			Run: func(t *probe.T) {
				s, body := receiverAmount(t, "21.71", "100", "2171.90") // calculated: 21.72
				x := createTransaction(t, s, body)
				t.Expect(x.ToAmount.Equal(*body.ToAmount), "answered to_amount %s, want %s", x.ToAmount, body.ToAmount)
			},
		},
		{
			ID: "transactions.receiver-amount.to-amount-needed", Title: "RECEIVER_AMOUNT needs the receiving amount",
			Clauses: []string{"2.6-receiver-amount", "D-06"}, Operations: []string{"createTransaction"},
			Fix: "Answer 400 BAD_REQUEST with a detail for /to_amount where it is left out with RECEIVER_AMOUNT.",
			Run: func(t *probe.T) {
				s, body := receiverAmount(t, "10.00", "132.25", "")
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /to_amount")
			},
		},
	}
}

// transactionDecimals is D-05: an amount has at most as many decimals as its currency.
func transactionDecimals() []probe.Check {
	rule := func(id, title, field string, prepare func(*probe.T) (probe.Sender, api.TransactionRequest)) probe.Check {
		return probe.Check{
			ID: "transactions.decimals." + id, Title: title, Clauses: []string{"2.6-request", "D-05", "D-37"}, Operations: []string{"createTransaction"},
			Fix: "Answer 400 BAD_REQUEST with a detail for " + field + " where it has more decimals than its currency in ISO 4217.",
			Run: func(t *probe.T) {
				s, body := prepare(t)
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body "+field)
			},
		}
	}
	given := func(digits int, amount string) func(*probe.T) (probe.Sender, api.TransactionRequest) {
		return func(t *probe.T) (probe.Sender, api.TransactionRequest) {
			s := t.Sender()
			body := t.Payout(s, paidIn(t, s, digits), "1.00")
			body.To = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount)
			body.ToAmount, body.ExchangeRate = probe.Ptr(wire.MustAmount(amount)), wire.MustAmount(amount)
			return s, body
		}
	}
	accepts := func(id, title, fix string, digits int, edit func(*probe.T, *api.TransactionRequest)) probe.Check {
		return probe.Check{
			ID: "transactions.decimals." + id, Title: title, Clauses: []string{"2.6-request", "D-05", "D-06", "D-35"}, Operations: []string{"createTransaction"},
			Fix: fix,
			Run: func(t *probe.T) {
				s := t.Sender()
				body := t.Payout(s, paidIn(t, s, digits), "1.00")
				edit(t, &body)
				x := createTransaction(t, s, body)
				t.Expect(body.FeeAmount == nil || x.FeeAmount.Equal(*body.FeeAmount), "answered fee_amount %s, want %v", x.FeeAmount, body.FeeAmount)
			},
		}
	}
	feeIn := "Take the decimals of a fee from the sending currency, whatever is paid out."
	return []probe.Check{
		accepts("fee-paid-in-none", "A fee has the decimals of the sending currency, where the receiving one has none", feeIn, 0,
			func(_ *probe.T, body *api.TransactionRequest) { body.FeeAmount = probe.Ptr(wire.MustAmount("1.25")) }),
		rule("fee-paid-in-three", "A fee has no more decimals than the sending currency, where the receiving one has 3", "/fee_amount",
			func(t *probe.T) (probe.Sender, api.TransactionRequest) {
				s := t.Sender()
				return s, t.Payout(s, paidIn(t, s, 3), "1.00", func(body *api.TransactionRequest) { body.FeeAmount = probe.Ptr(wire.MustAmount("1.125")) })
			}),
		accepts("ignored-to-amount", "A receiving amount that SENDER_AMOUNT ignores may have any number of decimals",
			"Look at the decimals of to_amount with RECEIVER_AMOUNT only.", 2,
			func(_ *probe.T, body *api.TransactionRequest) {
				body.ToAmount = probe.Ptr(wire.MustAmount("1.23456789"))
			}),
		rule("sending-amount", "A sending amount of thousandths is refused where the currency has cents", "/from_amount",
			func(t *probe.T) (probe.Sender, api.TransactionRequest) {
				s, body := t.Deposit()
				body.FromAmount = wire.MustAmount("21.719")
				return s, body
			}),
		rule("sending-amount-given", "A sending amount of thousandths is refused with RECEIVER_AMOUNT too, though 21.719 counts as 21.72", "/from_amount",
			func(t *probe.T) (probe.Sender, api.TransactionRequest) {
				return receiverAmount(t, "21.719", "100", "2171.90")
			}),
		rule("fee", "A fee of thousandths is refused where the currency has cents", "/fee_amount",
			func(t *probe.T) (probe.Sender, api.TransactionRequest) {
				s, body := t.Deposit()
				body.FeeAmount = probe.Ptr(wire.MustAmount("0.001"))
				return s, body
			}),
		rule("receiving-amount", "A given receiving amount of thousandths is refused where the currency has cents", "/to_amount", given(2, "5.001")),
		rule("receiving-none", "A given receiving amount with decimals is refused where the currency has none", "/to_amount", given(0, "5.5")),
		rule("receiving-three", "A given receiving amount of 4 decimals is refused where the currency has 3", "/to_amount", given(3, "5.0001")),
		{
			ID: "transactions.decimals.receiving-three-accepted", Title: "A given receiving amount of thousandths is accepted where the currency has them",
			Clauses: []string{"2.6-request", "D-05"}, Operations: []string{"createTransaction"},
			Fix: "Take the number of decimals of the receiving currency from ISO 4217: 3 for KWD.",
			Run: func(t *probe.T) {
				s, body := given(3, "5.001")(t)
				body.ExchangeRate = wire.MustAmount("5")
				createTransaction(t, s, body)
			},
		},
	}
}
