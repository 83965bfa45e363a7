package checks

import (
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

const firstOfTwo = "Check the rules in the order of the interface document, section 1, and answer the first one that is not met."

// transactionOrder breaks two neighboring rules at once: the first of them answers.
func transactionOrder() []probe.Check {
	return []probe.Check{
		{
			ID: "transactions.order.users", Title: "A user without sending capability learns that before the KYC status, an unverified one that before the funding account",
			Clauses: []string{"1-rule-1", "1-rule-3a", "1-rule-3b", "D-09"}, Operations: []string{"createTransaction"}, Fix: firstOfTwo,
			Run: each(
				of("capability before KYC status", func(t *probe.T) {
					user := t.NewUser(func(r *api.UserRequest) { r.Type = nil }).ID
					r, err := t.Create(user, "", unmet(t, user))
					t.Refused(r, err, 422, api.ErrorCodeSendingNotEnabled)
				}),
				of("KYC status before funding account", func(t *probe.T) {
					user := t.NewUser().ID
					r, err := t.Create(user, "", unmet(t, user))
					t.Refused(r, err, 422, api.ErrorCodeKycNotEligible)
				}),
			),
		},
		{
			ID: "transactions.order.receivers", Title: "Of two rules about funding account, receive side, currencies and amounts that are not met, the first one answers",
			Clauses: []string{
				"1-rule-3b", "1-rule-3c", "1-rule-4-bank-deposit", "1-rule-4-wallet", "1-rule-4-cash-pickup", "1-rule-4-home-delivery", "1-rule-5",
				"D-09", "D-21", "D-36", "D-42", "D-51", "D-53",
			},
			Operations: []string{"createTransaction"}, Fix: firstOfTwo,
			Run: refused(pairs...),
		},
		{
			ID: "transactions.order.limits", Title: "A wrong currency answers before the network limit of the payer, an amount that cannot be paid out before the tier limit",
			Clauses: []string{"1-rule-5", "8-tier-limits", "D-17", "D-21", "D-42", "D-53"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: firstOfTwo,
			Run: each(
				of("currency before network limit", func(t *probe.T) {
					s, b := t.NewSender(), bounded(t, cash)
					body := b.pays(t, s, b.plus(t, b.max, 2))
					body.FromCurrency = otherCurrency(body.FromCurrency)
					r, err := t.Create(s.UserID, "", body)
					t.Refused(r, err, 422, api.ErrorCodeCurrencyNotSupported)
				}),
				of("amount before tier limit", func(t *probe.T) {
					p := newTopPurse(t)
					r, err := p.send(plus(t, smallest(p.remaining()), cent), payNothing)
					t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
				}),
			),
		},
	}
}

// pairs are two changes each.
var pairs = []refusal{
	{"unknown funding account before receive user", 0, deposit, api.ErrorCodeFundingAccountNotFound, func(a attempt) {
		a.body.FromFundID = unknownID()
		a.unknownReceiver()
	}},
	{"inactive funding account before receive user", probe.Extensions, deposit, api.ErrorCodeFundingAccountNotActive, func(a attempt) {
		a.body.FromFundID = a.NewFundingAccount(a.sender.UserID, api.FundingAccountStatusPending)
		a.unknownReceiver()
	}},
	{"receive user before account", 0, deposit, api.ErrorCodeReceiveUserNotFound, attempt.unknownReceiver},
	{"account before currency", 0, deposit, api.ErrorCodeReceiveAccountNotFound, func(a attempt) {
		a.to("fund_id", unknownID())
		a.foreignCurrency()
	}},
	{"wallet account before its payer", 0, wallet, api.ErrorCodeReceiveAccountNotFound, func(a attempt) {
		a.to("fund_id", unknownID())
		a.to("payer_id", unknownPayer(a.T))
	}},
	{"payer of the wallet before currency", 0, wallet, api.ErrorCodePayerNotFound, func(a attempt) {
		a.to("payer_id", unknownPayer(a.T))
		a.foreignCurrency()
	}},
	{"payer before pick-up location", 0, cash, api.ErrorCodePayerNotFound, func(a attempt) {
		a.to("payer_id", unknownPayer(a.T))
		a.to("pickup_location", unknownLocation(a.T))
	}},
	{"pick-up location before currency", 0, cash, api.ErrorCodePickupLocationNotFound, func(a attempt) {
		a.to("pickup_location", unknownLocation(a.T))
		a.foreignCurrency()
	}},
	{"payer before address", probe.Extensions, home, api.ErrorCodePayerNotFound, func(a attempt) {
		a.withoutCity()
		a.to("payer_id", unknownPayer(a.T))
	}},
	{"address before currency", probe.Extensions, home, api.ErrorCodeAddressRequired, func(a attempt) {
		a.withoutCity()
		a.foreignCurrency()
	}},
	{"currency before amount", 0, deposit, api.ErrorCodeCurrencyNotSupported, func(a attempt) {
		sending("0.01", "0.0001")(a)
		a.foreignCurrency()
	}},
}

// unknownReceiver makes the receive user and the account unknown.
func (a attempt) unknownReceiver() {
	a.to("id", unknownID())
	a.to("fund_id", unknownID())
}

// withoutCity takes a receive user that nothing can be delivered to.
func (a attempt) withoutCity() {
	a.to("id", a.NewReceiveUser(a.sender.UserID, a.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.City = nil }))
}
