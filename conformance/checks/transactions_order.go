package checks

import (
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

const firstOfTwo = "Check the rules in the order of the interface document, section 1, and answer the first one that is not met."

// transactionOrder breaks two neighbouring rules at once: the first of them answers.
func transactionOrder() []probe.Check {
	unknownReceiver := func(t *probe.T, body *api.TransactionRequest) {
		body.To = withMember(t, withMember(t, body.To, "id", unknownID()), "fund_id", unknownID())
	}
	foreignCurrency := func(body *api.TransactionRequest) { body.FromCurrency = otherCurrency(body.FromCurrency) }
	const bank, wallet, cash, home = api.PayoutMethodBankDeposit, api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery
	var all []refusedTransaction
	rule := func(
		id, title string, clauses []string, needs probe.Need, method api.PayoutMethod, code api.ErrorCode,
		spoil func(t *probe.T, s probe.Sender, body *api.TransactionRequest),
	) {
		all = append(all, refusedTransaction{
			id: "transactions.order." + id, title: title, clauses: clauses, needs: needs, method: method, code: code, fix: firstOfTwo,
			spoil: func(t *probe.T, s probe.Sender, _ probe.Receiver, body *api.TransactionRequest) { spoil(t, s, body) },
		})
	}
	rule("funding-account-before-receive-user", "An unknown funding account answers before an unknown receive user",
		[]string{"1-rule-3b", "1-rule-3c"}, 0, bank, api.ErrorCodeFundingAccountNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.FromFundID = unknownID()
			unknownReceiver(t, body)
		})
	rule("active-before-receive-user", "A funding account that is not active answers before an unknown receive user",
		[]string{"1-rule-3b", "1-rule-3c"}, probe.Extensions, bank, api.ErrorCodeFundingAccountNotActive,
		func(t *probe.T, s probe.Sender, body *api.TransactionRequest) {
			body.FromFundID = t.NewFundingAccount(s.UserID, api.FundingAccountStatusPending)
			unknownReceiver(t, body)
		})
	rule("receive-user-before-account", "An unknown receive user answers before an unknown receive account",
		[]string{"1-rule-3c", "1-rule-4-bank-deposit"}, 0, bank, api.ErrorCodeReceiveUserNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) { unknownReceiver(t, body) })
	rule("account-before-currency", "An unknown receive account answers before a wrong currency",
		[]string{"1-rule-4-bank-deposit", "D-53"}, 0, bank, api.ErrorCodeReceiveAccountNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, body.To, "fund_id", unknownID())
			foreignCurrency(body)
		})
	rule("wallet-account-before-payer", "An unknown wallet account answers before a wrong payer",
		[]string{"1-rule-4-wallet", "D-36"}, 0, wallet, api.ErrorCodeReceiveAccountNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, withMember(t, body.To, "fund_id", unknownID()), "payer_id", unknownPayer(t))
		})
	rule("wallet-payer-before-currency", "A payer that is not the wallet's answers before a wrong currency",
		[]string{"1-rule-4-wallet", "D-36", "D-53"}, 0, wallet, api.ErrorCodePayerNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, body.To, "payer_id", unknownPayer(t))
			foreignCurrency(body)
		})
	rule("payer-before-pickup-location", "An unknown payer answers before an unknown pick-up location",
		[]string{"1-rule-4-cash-pickup", "D-21"}, 0, cash, api.ErrorCodePayerNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, withMember(t, body.To, "payer_id", unknownPayer(t)), "pickup_location", unknownLocation(t))
		})
	rule("pickup-location-before-currency", "An unknown pick-up location answers before a wrong currency",
		[]string{"1-rule-4-cash-pickup", "D-21", "D-53"}, 0, cash, api.ErrorCodePickupLocationNotFound,
		func(t *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, body.To, "pickup_location", unknownLocation(t))
			foreignCurrency(body)
		})
	noCity := func(t *probe.T, s probe.Sender) any {
		return t.NewReceiveUser(s.UserID, t.Target().Facts.Destination, func(r *api.ReceiveUserRequest) { r.City = nil })
	}
	rule("payer-before-address", "An unknown payer answers before a missing address",
		[]string{"1-rule-4-home-delivery", "D-51"}, probe.Extensions, home, api.ErrorCodePayerNotFound,
		func(t *probe.T, s probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, withMember(t, body.To, "id", noCity(t, s)), "payer_id", unknownPayer(t))
		})
	rule("address-before-currency", "A missing address answers before a wrong currency",
		[]string{"1-rule-4-home-delivery", "D-51", "D-53"}, probe.Extensions, home, api.ErrorCodeAddressRequired,
		func(t *probe.T, s probe.Sender, body *api.TransactionRequest) {
			body.To = withMember(t, body.To, "id", noCity(t, s))
			foreignCurrency(body)
		})
	rule("currency-before-amount", "A wrong currency answers before an amount that cannot be paid out",
		[]string{"1-rule-5", "D-42", "D-53"}, 0, bank, api.ErrorCodeCurrencyNotSupported,
		func(_ *probe.T, _ probe.Sender, body *api.TransactionRequest) {
			body.FromAmount, body.ExchangeRate = wire.MustAmount("0.01"), wire.MustAmount("0.0001")
			foreignCurrency(body)
		})
	return slices.Concat(orderOfSenders(), refusals(all...))
}

// orderOfSenders are the pairs that need a sender of their own.
func orderOfSenders() []probe.Check {
	return []probe.Check{
		{
			ID: "transactions.order.capability-before-kyc", Title: "A user that may not send learns that before the KYC status is looked at",
			Clauses: []string{"1-rule-1", "1-rule-3a", "D-09"}, Operations: []string{"createTransaction"}, Fix: firstOfTwo,
			Run: func(t *probe.T) {
				u := t.NewUser(func(r *api.UserRequest) { r.Type = nil })
				r, err := t.Create(u.ID, "", unmet(t, probe.Sender{UserID: u.ID, FundID: unknownID()}))
				t.Refused(r, err, 422, api.ErrorCodeSendingNotEnabled)
			},
		},
		{
			ID: "transactions.order.kyc-before-funding-account", Title: "An unverified sender learns that before the funding account is looked at",
			Clauses: []string{"1-rule-3a", "1-rule-3b", "D-09"}, Operations: []string{"createTransaction"}, Fix: firstOfTwo,
			Run: func(t *probe.T) {
				u := t.NewUser()
				r, err := t.Create(u.ID, "", unmet(t, probe.Sender{UserID: u.ID, FundID: unknownID()}))
				t.Refused(r, err, 422, api.ErrorCodeKycNotEligible)
			},
		},
		{
			ID: "transactions.order.currency-before-network-limit", Title: "A wrong currency answers before the network limit of the payer",
			Clauses: []string{"1-rule-5", "D-21", "D-53"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: firstOfTwo,
			Run: func(t *probe.T) {
				s, b := t.NewSender(), bounded(t, api.PayoutMethodCashPickup)
				body := b.pays(t, s, b.plus(t, b.max, 2))
				body.FromCurrency = otherCurrency(body.FromCurrency)
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 422, api.ErrorCodeCurrencyNotSupported)
			},
		},
		{
			ID: "transactions.order.amount-before-limit", Title: "An amount that cannot be paid out answers before the tier limit",
			Clauses: []string{"1-rule-5", "8-tier-limits", "D-17", "D-42"}, Operations: []string{"createTransaction"}, Needs: probe.Extensions,
			Fix: firstOfTwo,
			Run: func(t *probe.T) {
				p := newTopPurse(t)
				r, err := p.send(plus(t, smallest(p.remaining()), cent), payNothing)
				t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
			},
		},
	}
}

// transactionRefusals is what a refusal leaves behind: nothing. The request breaks the last rule before the limit; that it
// uses none of it is with the limits.
func transactionRefusals() []probe.Check {
	return []probe.Check{
		{
			ID: "transactions.refused.not-listed", Title: "A transaction that is refused does not exist",
			Clauses: []string{"3-move-transaction", "D-09"}, Operations: []string{"createTransaction", "listTransactions"}, Needs: probe.Extensions,
			Fix: "Write nothing before all rules are met, or take all of it back.",
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				body.FromAmount, body.ExchangeRate = wire.MustAmount("1.00"), wire.MustAmount("0.0001")
				r, err := t.Create(s.UserID, "", body)
				t.Refused(r, err, 422, api.ErrorCodeAmountNotAllowed)
				n := len(transactionIDs(t, s.UserID))
				t.Expect(n == 0, "%d transactions are listed after a refusal, want none", n)
			},
		},
	}
}
