package checks

import (
	"slices"

	exact "github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// transactionCurrencies is D-53: the currencies of a transaction are those of its two sides.
func transactionCurrencies() []probe.Check {
	all := []refusedTransaction{{
		id: "transactions.currency.sending", title: "The sending currency is that of the user's corridor",
		clauses: []string{"2.6-request", "D-53"}, code: api.ErrorCodeCurrencyNotSupported,
		fix: "Answer CURRENCY_NOT_SUPPORTED where from_currency is not the currency of the user's originating corridor.",
		spoil: func(_ *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
			body.FromCurrency = otherCurrency(body.FromCurrency)
		},
	}}
	for _, m := range []struct {
		method    api.PayoutMethod
		name, its string
	}{
		{api.PayoutMethodBankDeposit, "bank-deposit", "receive bank account"}, {api.PayoutMethodWallet, "wallet", "receive wallet account"},
		{api.PayoutMethodCashPickup, "cash-pickup", "payer"}, {api.PayoutMethodHomeDelivery, "home-delivery", "payer"},
	} {
		all = append(all, refusedTransaction{
			id: "transactions.currency." + m.name, title: "The receiving currency of a " + string(m.method) + " is that of the " + m.its,
			clauses: []string{"2.6-request", "D-53"}, method: m.method, code: api.ErrorCodeCurrencyNotSupported,
			fix: "Answer CURRENCY_NOT_SUPPORTED where to_currency is not the currency of the " + m.its + ".",
			spoil: func(_ *probe.T, _ probe.Sender, r probe.Receiver, body *api.TransactionRequest) {
				body.ToCurrency = otherCurrency(r.Currency)
			},
		})
	}
	all = append(all, refusedTransaction{
		id: "transactions.currency.account-not-bank", title: "A bank deposit is in the currency of the account, not in another one that the bank receives",
		clauses: []string{"2.6-request", "D-53"}, needs: probe.Extensions, code: api.ErrorCodeCurrencyNotSupported,
		fix: "Compare to_currency with the currency of the receive bank account, not with those of its bank.",
		spoil: func(t *probe.T, s probe.Sender, r probe.Receiver, body *api.TransactionRequest) {
			b := bankOfTwoCurrencies(t)
			body.To = withMember(t, body.To, "fund_id", t.NewBankAccount(s.UserID, r.ID, b))
			body.ToCurrency = b.ReceivingCurrency[1]
		},
	})
	return append(refusals(all...),
		probe.Check{
			ID: "transactions.currency.account-second", Title: "An account in the second currency of its bank is paid in that currency",
			Clauses: []string{"2.6-request", "D-53"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Take the currency of the receive bank account for the receiving currency, whichever of the bank's it is.",
			Run: func(t *probe.T) {
				s := t.NewSender()
				b := bankOfTwoCurrencies(t)
				id, second := t.NewReceiveUser(s.UserID, b.Country), b.ReceivingCurrency[1]
				r, err := t.Client().CreateBankAccountWithResponse(t.Context(), s.UserID, id, nil,
					api.BankAccountRequest{BankID: b.ID, AccountNumber: "0001234567", Currency: second})
				fund := probe.Setup(t, r, err).ID
				createTransaction(t, s, t.Payout(s, probe.Receiver{ID: id, To: t.To(api.PayoutMethodBankDeposit, id, &fund, 0), Currency: second}, "1.00"))
			},
		},
		unknownCurrency("from", func(body *api.TransactionRequest) { body.FromCurrency = "QQQ" }),
		unknownCurrency("to", func(body *api.TransactionRequest) { body.ToCurrency = "QQQ" }),
	)
}

func unknownCurrency(side string, spoil func(*api.TransactionRequest)) probe.Check {
	return probe.Check{
		ID: "transactions.currency.unknown-" + side, Title: "A " + side + "_currency that ISO 4217 does not know is refused with 400",
		Clauses: []string{"2.6-request", "D-53"}, Operations: []string{"createTransaction"},
		Fix: "Answer 400 BAD_REQUEST with a detail for /" + side + "_currency where the code is none of ISO 4217.",
		Run: func(t *probe.T) {
			s, body := t.Deposit()
			spoil(&body)
			r, err := t.Create(s.UserID, "", body)
			t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /"+side+"_currency")
		},
	}
}

func bankOfTwoCurrencies(t *probe.T) api.BankDetail {
	for _, b := range t.Banks() {
		if b.Country == t.Target().Facts.Destination && len(b.ReceivingCurrency) > 1 {
			return b
		}
	}
	t.Skipf("the server has no bank that receives two currencies in the destination")
	return api.BankDetail{}
}

// bounds is a payer and the receiving amounts that it allows.
type bounds struct {
	payer    api.PayerDetail
	min, max exact.Decimal
	unit     exact.Decimal // the smallest amount of the currency
}

// bounded gives a payer of a method whose network limit a transaction of 1.00 can hit at both ends: the receiving amount
// is then its rate.
func bounded(t *probe.T, method api.PayoutMethod) bounds {
	p := t.Payer("of "+string(method)+" in the destination with a network limit above 0", func(p api.PayerDetail) bool {
		return p.DeliveryMethod == method && p.Country == t.Target().Facts.Destination && boundsOf(p) != nil
	})
	return *boundsOf(p)
}

// boundedInAll gives such a payer in the destination, and one for each other number of decimals that currencies have.
func boundedInAll(t *probe.T, method api.PayoutMethod) []bounds {
	all := []bounds{bounded(t, method)}
	for _, p := range t.Payers() {
		b := boundsOf(p)
		if b != nil && p.DeliveryMethod == method && !slices.ContainsFunc(all, func(other bounds) bool { return other.unit.Cmp(b.unit) == 0 }) {
			all = append(all, *b)
		}
	}
	return all
}

// boundsOf gives the bounds of a payer, nil where it has none that can be hit.
func boundsOf(p api.PayerDetail) *bounds {
	digits := minorDigits(p.ReceivingCurrency)
	if digits < 0 || len(p.NetworkLimit) != 1 || p.NetworkLimit[0].Currency != p.ReceivingCurrency {
		return nil
	}
	l := p.NetworkLimit[0]
	b := bounds{p, l.MinAmount.Decimal(), l.MaxAmount.Decimal(), exact.MustNew(1, digits)}
	if b.min.Cmp(b.unit) <= 0 || b.max.Cmp(exact.MustNew(1e9, 0)) >= 0 {
		return nil
	}
	return &b
}

// plus adds a number of half units to an amount.
func (b bounds) plus(t *probe.T, amount exact.Decimal, halves int64) wire.Amount {
	half, err := b.unit.Mul(exact.MustNew(5*halves, 1))
	if err == nil {
		amount, err = amount.Add(half)
	}
	if err != nil {
		t.Brokenf("calculate an amount: %v", err)
	}
	return wire.AmountOf(amount)
}

// pays makes a transaction of 1.00 at a rate, which is what is paid out.
func (b bounds) pays(t *probe.T, s probe.Sender, rate wire.Amount) api.TransactionRequest {
	id := t.NewReceiveUser(s.UserID, b.payer.Country)
	to := func() api.ReceiveSide {
		if b.payer.DeliveryMethod != api.PayoutMethodWallet {
			return t.To(b.payer.DeliveryMethod, id, nil, b.payer.ID)
		}
		fund := t.NewWalletAccount(s.UserID, id, b.payer)
		return t.To(api.PayoutMethodWallet, id, &fund, 0)
	}
	body := t.Payout(s, probe.Receiver{ID: id, To: to(), Currency: b.payer.ReceivingCurrency}, "1.00")
	body.ExchangeRate = rate
	return body
}

// transactionAmounts is what a payer restricts (section 1, rule 5), and the bounds of every receiving amount (D-42).
func transactionAmounts() []probe.Check {
	const cash = api.PayoutMethodCashPickup
	limit := func(id, title, fix string, method api.PayoutMethod, accepted bool, rate func(*probe.T, bounds) wire.Amount) probe.Check {
		return probe.Check{
			ID: "transactions.network-limit." + id, Title: title, Fix: fix,
			Clauses: []string{"1-rule-5", "D-05", "D-21"}, Operations: []string{"createTransaction", "getPayer"}, Needs: probe.Extensions,
			Run: func(t *probe.T) {
				s := t.NewSender()
				for _, b := range boundedInAll(t, method) {
					r, err := t.Create(s.UserID, "", b.pays(t, s, rate(t, b)))
					if accepted {
						probe.OK(t, r, err)
					} else {
						t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
					}
				}
			},
		}
	}
	const outside, inside = "Answer AMOUNT_NOT_ALLOWED where the receiving amount is outside of the payer's network_limit, in any currency.",
		"The bounds of network_limit are included; they have the decimals of their currency in ISO 4217."
	return append([]probe.Check{
		limit("below", "A receiving amount one unit below the network limit of the payer is refused", outside, cash, false,
			func(t *probe.T, b bounds) wire.Amount { return b.plus(t, b.min, -2) }),
		limit("minimum", "A receiving amount of exactly the minimum is accepted", inside, cash, true,
			func(t *probe.T, b bounds) wire.Amount { return b.plus(t, b.min, 0) }),
		limit("maximum", "A receiving amount of exactly the maximum is accepted", inside, cash, true,
			func(t *probe.T, b bounds) wire.Amount { return b.plus(t, b.max, 0) }),
		limit("above", "A receiving amount one unit above the network limit of the payer is refused", outside, cash, false,
			func(t *probe.T, b bounds) wire.Amount { return b.plus(t, b.max, 2) }),
		limit("rounded", "It is the rounded receiving amount that must be within the network limit",
			"Round the receiving amount to the minor unit before it is held against network_limit.", cash, true,
			func(t *probe.T, b bounds) wire.Amount { return b.plus(t, b.min, -1) }),
		limit("wallet", "The network limit of a wallet's payer holds, though the request does not name the payer",
			"Hold the receiving amount against the network_limit of the payer of the wallet account.", api.PayoutMethodWallet, false,
			func(t *probe.T, b bounds) wire.Amount { return b.plus(t, b.max, 2) }),
		{
			ID: "transactions.network-limit.receiver-amount", Title: "The network limit holds for a receiving amount that is given",
			Clauses: []string{"1-rule-5", "D-21"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: "Hold to_amount against network_limit in RECEIVER_AMOUNT mode too.",
			Run: func(t *probe.T) {
				s, b := t.NewSender(), bounded(t, cash)
				above := b.plus(t, b.max, 2)
				body := b.pays(t, s, above)
				body.To, body.ToAmount = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount), &above
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
			},
		},
	}, receivingBounds()...)
}

func receivingBounds() []probe.Check {
	at := func(amount, rate string) func(*probe.T, probe.Sender, probe.Receiver, *api.TransactionRequest) {
		return func(_ *probe.T, _ probe.Sender, _ probe.Receiver, body *api.TransactionRequest) {
			body.FromAmount, body.ExchangeRate = wire.MustAmount(amount), wire.MustAmount(rate)
		}
	}
	return append(refusals(
		refusedTransaction{
			id: "transactions.receiving-amount.nothing", title: "A receiving amount that comes out as 0 is refused",
			clauses: []string{"2.6-sender-amount", "D-42"}, code: api.ErrorCodeAmountNotAllowed, spoil: at("0.01", "0.0001"),
			fix: "Answer AMOUNT_NOT_ALLOWED where the receiving amount is 0 after rounding.",
		},
		refusedTransaction{
			id: "transactions.receiving-amount.too-much", title: "A receiving amount above 1000000000000 is refused",
			clauses: []string{"2.6-sender-amount", "D-42"}, code: api.ErrorCodeAmountNotAllowed, spoil: at("1000.01", "1000000000"),
			fix: "Answer AMOUNT_NOT_ALLOWED where the receiving amount comes out above 10^12, before the tier limit is looked at.",
		},
	), probe.Check{
		ID: "transactions.receiving-amount.most", Title: "A receiving amount of exactly 1000000000000 is created",
		Clauses: []string{"2.6-sender-amount", "D-42"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
		Fix: "The bound of receiving amounts is included.",
		Run: func(t *probe.T) {
			s, body := t.Deposit()
			if left := smallest(remainingLimit(t, s.UserID)); left.Decimal().Cmp(exact.MustNew(1000, 0)) < 0 {
				t.Skipf("the sender may send %s, and 1000 are needed", left)
			}
			at("1000", "1000000000")(t, s, probe.Receiver{}, &body)
			createTransaction(t, s, body)
		},
	}, probe.Check{
		ID: "transactions.sending-amount.most", Title: "A sending amount of exactly 1000000000000 is judged by the limits, and not malformed",
		Clauses: []string{"2.6-request", "D-17", "D-42"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
		Fix: "Take amounts of up to 10^12, that included; whether the user may send so much is for the tier limits to tell.",
		Run: func(t *probe.T) {
			r, err := newTopPurse(t).send(wire.MustAmount("1000000000000"))
			t.Refused(r, err, 422, api.ErrorCodeLimitExceeded)
		},
	})
}
