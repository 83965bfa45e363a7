package checks

import (
	exact "github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// transactionRates is D-62, the bounds of exchange rates.
func transactionRates() []probe.Check {
	create := []string{"createTransaction"}
	return []probe.Check{
		{
			ID: "transactions.exchange-rate.bounds", Title: "A rate must be within the bounds that were agreed for its pair of currencies, both included",
			Clauses: []string{"D-44", "D-62"}, Operations: create, Needs: probe.Extensions,
			Fix: "Give the client bounds for a pair of currencies, name them in the facts, and answer EXCHANGE_RATE_NOT_ALLOWED to a rate outside of them, with RECEIVER_AMOUNT too; allow any rate of other pairs.",
			Run: boundsOfRatesHold,
		},
		{
			ID: "transactions.exchange-rate.order", Title: "A rate outside its bounds answers after a wrong currency and before an amount that cannot be paid out",
			Clauses: []string{"D-09", "D-62"}, Operations: create, Needs: probe.Extensions, Fix: firstOfTwo,
			Run: each(
				of("currency before rate", func(t *probe.T) {
					b := newBoundedRate(t)
					b.body.FromCurrency = otherCurrency(b.body.FromCurrency)
					b.refused(b.aside(b.max, 1), api.ErrorCodeCurrencyNotSupported)
				}),
				of("rate before amount", func(t *probe.T) {
					b := newBoundedRate(t)
					b.body.FromAmount = wire.MustAmount("0.01")
					b.refused(exact.MustNew(1, 19), api.ErrorCodeExchangeRateNotAllowed)
				}),
			),
		},
	}
}

// boundedRate is a deposit of 1.00 in the currency whose rates have bounds.
type boundedRate struct {
	*probe.T
	sender   probe.Sender
	body     api.TransactionRequest
	min, max exact.Decimal
}

func newBoundedRate(t *probe.T) boundedRate {
	rates := t.Target().Facts.Rates
	bank := t.BankWhere("in "+rates.Destination+" whose first currency is "+rates.Currency, func(b api.BankDetail) bool {
		return b.Country == rates.Destination && len(b.ReceivingCurrency) > 0 && b.ReceivingCurrency[0] == rates.Currency
	})
	s := t.NewSender()
	id := t.NewReceiveUser(s.UserID, rates.Destination)
	fund := t.NewBankAccount(s.UserID, id, bank)
	receiver := probe.Receiver{ID: id, To: t.To(api.PayoutMethodBankDeposit, id, &fund, 0), Currency: rates.Currency}
	return boundedRate{t, s, t.Payout(s, receiver, "1.00"), exact.MustParse(rates.Min), exact.MustParse(rates.Max)}
}

// aside returns the rate that is a number of steps beside another one, in steps of the least of 19 digits.
func (b boundedRate) aside(rate exact.Decimal, steps int64) exact.Decimal {
	sum, err := rate.Add(exact.MustNew(steps, 19-rate.Prec()+rate.Scale()))
	if err != nil {
		b.Brokenf("calculate a rate: %v", err)
	}
	return sum
}

func (b boundedRate) send(rate exact.Decimal) (*api.CreateTransactionResponse, error) {
	b.body.ExchangeRate = wire.AmountOf(rate)
	return b.Create(b.sender.UserID, "", b.body)
}

func (b boundedRate) refused(rate exact.Decimal, code api.ErrorCode) {
	r, err := b.send(rate)
	b.Refused(r, err, 422, code)
}

func boundsOfRatesHold(t *probe.T) {
	const notAllowed = api.ErrorCodeExchangeRateNotAllowed
	t.Case("at and beside the bounds", func() {
		b := newBoundedRate(t)
		for _, rate := range []exact.Decimal{b.min, b.max, b.aside(b.min, 1), b.aside(b.max, -1)} {
			r, err := b.send(rate)
			probe.OK(t, r, err)
		}
		for _, rate := range []exact.Decimal{b.aside(b.min, -1), b.aside(b.max, 1), exact.MustNew(1, 4), exact.MustNew(1e9, 0)} {
			b.refused(rate, notAllowed)
		}
	})
	t.Case("RECEIVER_AMOUNT", func() {
		b := newBoundedRate(t)
		above, err := b.max.Add(exact.MustNew(1, 0))
		if err != nil {
			t.Brokenf("calculate a rate: %v", err)
		}
		amount := wire.AmountOf(above)
		b.body.To, b.body.ToAmount = withMember(t, b.body.To, "calculation_mode", api.CalculationModeReceiverAmount), &amount
		b.refused(above, notAllowed)
	})
	t.Case("another pair", func() {
		s, body := t.Deposit() // at the usual rate, or that of the payer
		r, err := t.Create(s.UserID, "", body)
		probe.OK(t, r, err)
	})
}
