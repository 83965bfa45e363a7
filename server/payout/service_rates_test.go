package payout_test

import (
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// D-62: a rate is within the bounds of its pair of currencies, both included; a pair without bounds allows any rate.
func TestRatesAreWithinTheBoundsOfTheirCurrencies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	w.acme.RateBounds = []payout.RateBounds{
		{From: "JPY", To: "NPR", Min: amount("0.5"), Max: amount("2")}, {From: "USD", To: "NPR", Min: amount("100"), Max: amount("200.5")},
		{From: "NPR", To: "USD", Min: amount("0.005"), Max: amount("0.01")},
	}
	for text, allowed := range map[string]bool{
		"99.9999999999999999": false, "100": true, "100.000": true, "150.25": true, "200.5": true, "200.5000000000000001": false,
		"1": false, "0.007": false, "1000000000": false,
	} {
		n := s.deposit("0.01")
		rate(text)(&n)
		before := s.state(t)
		got, err := s.send(t, n)
		if allowed {
			ok(t, got, err)
			continue
		}
		refused(t, err, payout.CodeExchangeRateNotAllowed, "/exchange_rate")
		if after := s.state(t); after != before {
			t.Errorf("a refused transaction changed\n%s\nto\n%s", before, after)
		}
	}
	dollars := w.bank(t, s.nepal, bankNP, "USD")
	n := s.request(payout.ReceiveSide{Method: payout.BankDeposit, FundID: dollars.ID})
	toCurrency("USD")(&n)
	rate("1")(&n)
	s.sent(t, n)
	w.acme.RateBounds = nil
	n = s.deposit("0.01")
	rate("1000000000")(&n)
	s.sent(t, n)
}

// The rate is judged after the currencies, which name its bounds, and before the amount, which follows from it (D-09).
func TestTheRateIsJudgedBetweenCurrenciesAndAmount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	w.acme.RateBounds = []payout.RateBounds{{From: "USD", To: "NPR", Min: amount("100"), Max: amount("200")}, {From: "USD", To: "USD", Min: amount("1"), Max: amount("1")}}
	n := s.deposit("1")
	rate("0.0001")(&n)
	toCurrency("USD")(&n)
	_, err := s.send(t, n)
	refused(t, err, payout.CodeCurrencyNotSupported, "/to_currency")
	n = s.deposit("1")
	rate("0.0001")(&n) // 0.00 NPR
	_, err = s.send(t, n)
	refused(t, err, payout.CodeExchangeRateNotAllowed, "/exchange_rate")
	n = s.deposit("600.01") // above the highest tier
	rate("99")(&n)
	_, err = s.send(t, n)
	refused(t, err, payout.CodeExchangeRateNotAllowed, "/exchange_rate")
}
