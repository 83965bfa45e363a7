package checks

import (
	"slices"

	exact "github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// transactionAmounts is D-53, the currencies of the two sides, and what a payer restricts (section 1, rule 5; D-42).
func transactionAmounts() []probe.Check {
	create := []string{"createTransaction"}
	return []probe.Check{
		{
			ID: "transactions.currency.not-supported", Title: "The sending currency is that of the user's corridor, the receiving currency that of the account or of the payer",
			Clauses: []string{"2.6-request", "D-09", "D-53"}, Operations: create,
			Fix: "Answer CURRENCY_NOT_SUPPORTED where from_currency is not the corridor's, or to_currency not that of the receive account, or else of the payer.",
			Run: refused(otherCurrencies()...),
		},
		{
			ID: "transactions.currency.unknown", Title: "A currency that ISO 4217 does not know is refused with 400",
			Clauses: []string{"2.6-request", "D-53"}, Operations: create,
			Fix: "Answer 400 BAD_REQUEST with a detail for from_currency or to_currency where the code is none of ISO 4217.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				for _, name := range []string{"from_currency", "to_currency"} {
					object := probe.Object(t, body)
					object[name] = "QQQ"
					t.Refused(t.Send(probe.Request{Method: "POST", Path: probe.UserPath(s.UserID, "transactions"), Body: object}), nil, 400, badRequest, "body /"+name)
				}
			},
		},
		{
			ID: "transactions.network-limit", Title: "The rounded receiving amount must be within the network limit of the payer, both bounds included",
			Clauses: []string{"1-rule-5", "D-05", "D-21"}, Operations: []string{"createTransaction", "getPayer"}, Needs: probe.Extensions,
			Fix: "Round the receiving amount to the minor unit of its currency, and answer AMOUNT_NOT_ALLOWED where it is outside of network_limit, with RECEIVER_AMOUNT and WALLET too.",
			Run: networkLimitsHold,
		},
		{
			ID: "transactions.receiving-amount.refused", Title: "A receiving amount that comes out as 0 or above 1000000000000 is refused",
			Clauses: []string{"2.6-sender-amount", "D-09", "D-42"}, Operations: create,
			Fix: "Answer AMOUNT_NOT_ALLOWED where the receiving amount is 0 after rounding, or above 10^12, before the tier limit is looked at.",
			Run: refused(
				refusal{"0.01 at 0.0001", 0, "", api.ErrorCodeAmountNotAllowed, sending("0.01", "0.0001")},
				refusal{"1000.01 at 1000000000", 0, "", api.ErrorCodeAmountNotAllowed, sending("1000.01", "1000000000")},
			),
		},
		{
			ID: "transactions.receiving-amount.most", Title: "An amount of exactly 1000000000000 is within the bounds",
			Clauses: []string{"2.6-request", "2.6-sender-amount", "D-17", "D-42"}, Operations: create, Needs: probe.Extensions,
			Fix: "Accept amounts of up to 10^12, that included; whether the user may send so much is decided by the tier limits.",
			Run: each(
				of("received", func(t *probe.T) {
					s, body := t.Deposit()
					if left := smallest(remainingLimit(t, s.UserID)); left.Decimal().Cmp(exact.MustNew(1000, 0)) < 0 {
						t.Skipf("the sender may send %s, and 1000 are needed", left)
					}
					body.FromAmount, body.ExchangeRate = wire.MustAmount("1000"), wire.MustAmount("1000000000")
					createTransaction(t, s, body)
				}),
				of("sent", func(t *probe.T) {
					r, err := newTopPurse(t).send(wire.MustAmount("1000000000000"))
					t.Refused(r, err, 422, api.ErrorCodeLimitExceeded)
				}),
			),
		},
		{
			ID: "transactions.refused.not-listed", Title: "A transaction that is refused does not exist",
			Clauses: []string{"3-move-transaction", "D-09"}, Operations: []string{"createTransaction", "listTransactions"}, Needs: probe.Extensions,
			Fix: "Write nothing before all rules are met, or take all of it back.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				body.ExchangeRate = wire.MustAmount("0.0001") // breaks the last rule before the limit
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
				n := len(transactionIDs(t, s.UserID))
				t.Expect(n == 0, "%d transactions are listed after a refusal, want none", n)
			},
		},
	}
}

// sending changes the sending amount and the rate.
func sending(amount, rate string) func(attempt) {
	return func(a attempt) {
		a.body.FromAmount, a.body.ExchangeRate = wire.MustAmount(amount), wire.MustAmount(rate)
	}
}

func otherCurrencies() []refusal {
	const code = api.ErrorCodeCurrencyNotSupported
	all := []refusal{{"another sending currency", 0, "", code, attempt.foreignCurrency}}
	for _, m := range allMethods {
		all = append(all, refusal{"another receiving currency, " + string(m), 0, m, code, func(a attempt) { a.body.ToCurrency = otherCurrency(a.receiver.Currency) }})
	}
	return append(all, refusal{"a currency of the bank that is not the account's", probe.Extensions, deposit, code, func(a attempt) {
		b := bankOfTwoCurrencies(a.T)
		a.to("fund_id", a.NewBankAccount(a.sender.UserID, a.receiver.ID, b))
		a.body.ToCurrency = b.ReceivingCurrency[1]
	}})
}

func bankOfTwoCurrencies(t *probe.T) api.BankDetail {
	return t.BankWhere("that receives two currencies in the destination", func(b api.BankDetail) bool {
		return b.Country == t.Target().Facts.Destination && len(b.ReceivingCurrency) > 1
	})
}

// bounds is a payer and the receiving amounts that it allows.
type bounds struct {
	payer    api.PayerDetail
	min, max exact.Decimal
	unit     exact.Decimal // the smallest amount of the currency
}

// bounded returns a payer of a method whose network limit a transaction of 1.00 can hit at both ends: the receiving amount
// is then its rate.
func bounded(t *probe.T, method api.PayoutMethod) bounds {
	p := t.Payer("of "+string(method)+" in the destination with a network limit above 0", func(p api.PayerDetail) bool {
		return p.DeliveryMethod == method && p.Country == t.Target().Facts.Destination && boundsOf(p) != nil
	})
	return *boundsOf(p)
}

// boundedInAll returns such a payer in the destination, and one for each other number of decimals that currencies have.
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

// boundsOf returns the bounds of a payer, nil where it has none that can be hit.
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

// networkLimitsHold sends 1.00 at rates around the bounds of a payer of each number of decimals. Amounts are a number of half
// units beside a bound.
func networkLimitsHold(t *probe.T) {
	for _, c := range []struct {
		name     string
		method   api.PayoutMethod
		max      bool // beside the upper bound
		halves   int64
		accepted bool
	}{
		{"one unit below the minimum", cash, false, -2, false},
		{"what is rounded up to the minimum", cash, false, -1, true},
		{"the minimum", cash, false, 0, true},
		{"the maximum", cash, true, 0, true},
		{"one unit above the maximum", cash, true, 2, false},
		{"one unit above the maximum of a wallet's payer", wallet, true, 2, false},
	} {
		t.Case(c.name, func() {
			s := t.NewSender()
			for _, b := range boundedInAll(t, c.method) {
				bound := b.min
				if c.max {
					bound = b.max
				}
				r, err := t.Create(s.UserID, "", b.pays(t, s, b.plus(t, bound, c.halves)))
				if c.accepted {
					probe.OK(t, r, err)
				} else {
					t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
				}
			}
		})
	}
	t.Case("one unit above the maximum with RECEIVER_AMOUNT", func() {
		s, b := t.NewSender(), bounded(t, cash)
		above := b.plus(t, b.max, 2)
		body := b.pays(t, s, above)
		body.To, body.ToAmount = withMember(t, body.To, "calculation_mode", api.CalculationModeReceiverAmount), &above
		r, err := t.Create(s.UserID, "", body)
		t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
	})
}
