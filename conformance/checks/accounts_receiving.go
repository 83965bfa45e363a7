package checks

import (
	"slices"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

func accountsBank() []probe.Check {
	adding := []string{"createBankAccount"}
	return []probe.Check{
		{
			ID: "accounts.bank.all-fields", Title: "A bank account is answered with all that was sent, and no branch where none was",
			Clauses: []string{"1-rule-4-bank-deposit", "D-20", "D-46"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Answer bank_id, branch_id, account_number and currency with the values that were sent.",
			Run: func(t *probe.T) {
				b := bankWithBranch(t)
				user, receiver := newReceiveUser(t)
				body := bankAccount(b, func(a *api.BankAccountRequest) { a.BranchID, a.AccountNumber = &b.Branches[0].ID, "00 12-34.5/6 AB" })
				r, err := t.Client().CreateBankAccountWithResponse(t.Context(), user, receiver, nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
				r, err = t.Client().CreateBankAccountWithResponse(t.Context(), user, receiver, nil, bankAccount(b))
				probe.OK(t, r, err)
				lacks(t, members(t, r), "branch_id")
			},
		},
		{
			ID: "accounts.bank.bank", Title: "A bank account is at a bank in the receive user's country",
			Clauses: []string{"D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse an unknown bank, and one in another country, with 400 and a detail for /bank_id.",
			Run: func(t *probe.T) {
				unknown := t.Bank(t.Target().Facts.Destination)
				unknown.ID = unused(ids(allBanks(t), func(b api.Bank) int64 { return b.ID }))
				refusedBankAccount(t, bankAccount(unknown), 400, api.ErrorCodeBadRequest, "body /bank_id")
				i := slices.IndexFunc(t.Banks(), func(b api.BankDetail) bool {
					return b.Country != t.Target().Facts.Destination && len(b.ReceivingCurrency) > 0
				})
				if i < 0 {
					t.Skipf("the server has no bank outside of %s", t.Target().Facts.Destination)
				}
				refusedBankAccount(t, bankAccount(t.Banks()[i]), 400, api.ErrorCodeBadRequest, "body /bank_id")
			},
		},
		{
			ID: "accounts.bank.branch", Title: "The branch of a bank account is one of its bank",
			Clauses: []string{"D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse a branch that the bank does not have with 400 and a detail for /branch_id.",
			Run: otherBranch,
		},
		{
			ID: "accounts.bank.currency", Title: "The currency of a bank account is one that the bank receives",
			Clauses: []string{"D-09", "D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse any other currency with 422 CURRENCY_NOT_SUPPORTED.",
			Run: func(t *probe.T) {
				b := t.Bank(t.Target().Facts.Destination)
				refusedBankAccount(t, bankAccount(b, func(a *api.BankAccountRequest) { a.Currency = otherCurrency(b.ReceivingCurrency...) }),
					422, api.ErrorCodeCurrencyNotSupported)
			},
		},
		{
			ID: "accounts.bank.each-currency", Title: "A bank account may have any currency that the bank receives",
			Clauses: []string{"2.2", "D-20"}, Operations: append([]string{"getBank"}, adding...), Needs: probe.Extensions,
			Fix: "Accept each of receiving_currency, not the first alone.",
			Run: func(t *probe.T) {
				country := t.Target().Facts.Destination
				i := slices.IndexFunc(t.Banks(), func(b api.BankDetail) bool { return b.Country == country && len(b.ReceivingCurrency) > 1 })
				if i < 0 {
					t.Skipf("the server has no bank in %s that receives two currencies", country)
				}
				b := t.Banks()[i]
				user, receiver := newReceiveUser(t)
				for _, currency := range b.ReceivingCurrency {
					r, err := t.Client().CreateBankAccountWithResponse(t.Context(), user, receiver, nil,
						bankAccount(b, func(a *api.BankAccountRequest) { a.Currency = currency }))
					probe.OK(t, r, err)
				}
			},
		},
	}
}

func accountsWallet() []probe.Check {
	adding := []string{"createWalletAccount"}
	return []probe.Check{
		{
			ID: "accounts.wallet.all-fields", Title: "A wallet account is answered with all that was sent",
			Clauses: []string{"1-rule-4-wallet", "D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Answer payer_id, wallet_number and currency with the values that were sent.",
			Run: func(t *probe.T) {
				body := walletAccount(t.AnyPayer(api.PayoutMethodWallet))
				body.WalletNumber = "+977 98-0_0.0@0A"
				user, receiver := newReceiveUser(t)
				r, err := t.Client().CreateWalletAccountWithResponse(t.Context(), user, receiver, nil, body)
				probe.OK(t, r, err)
				echoes(t, body, r)
			},
		},
		{
			ID: "accounts.wallet.method", Title: "A wallet account is with a payer of wallets",
			Clauses: []string{"D-09", "D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse an unknown payer, and one of another delivery_method, with 422 PAYER_NOT_FOUND.",
			Run: func(t *probe.T) {
				cash := t.AnyPayer(api.PayoutMethodCashPickup)
				refusedWalletAccount(t, walletAccount(cash), api.ErrorCodePayerNotFound)
				unknown := cash
				unknown.ID = unknownPayer(t)
				refusedWalletAccount(t, walletAccount(unknown), api.ErrorCodePayerNotFound)
			},
		},
		{
			ID: "accounts.wallet.country", Title: "A wallet account is with a payer in the receive user's country",
			Clauses: []string{"D-09", "D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse a payer in another country with 422 PAYER_NOT_FOUND.",
			Run: func(t *probe.T) {
				refusedWalletAccount(t, walletAccount(t.Payer("of wallets outside of "+t.Target().Facts.Destination, func(p api.PayerDetail) bool {
					return p.DeliveryMethod == api.PayoutMethodWallet && p.Country != t.Target().Facts.Destination
				})), api.ErrorCodePayerNotFound)
			},
		},
		{
			ID: "accounts.wallet.currency", Title: "The currency of a wallet account is the receiving currency of its payer",
			Clauses: []string{"D-09", "D-20"}, Operations: adding, Needs: probe.Extensions,
			Fix: "Refuse any other currency with 422 CURRENCY_NOT_SUPPORTED.",
			Run: func(t *probe.T) {
				body := walletAccount(t.AnyPayer(api.PayoutMethodWallet))
				body.Currency = otherCurrency(body.Currency)
				refusedWalletAccount(t, body, api.ErrorCodeCurrencyNotSupported)
			},
		},
	}
}

// otherBranch asks a bank for a branch of another one.
func otherBranch(t *probe.T) {
	b := bankWithBranch(t)
	isOwn := func(id int64) bool {
		return slices.ContainsFunc(b.Branches, func(own api.Branch) bool { return own.ID == id })
	}
	for _, other := range t.Banks() {
		for _, branch := range other.Branches {
			if !isOwn(branch.ID) {
				refusedBankAccount(t, bankAccount(b, func(a *api.BankAccountRequest) { a.BranchID = &branch.ID }),
					400, api.ErrorCodeBadRequest, "body /branch_id")
				return
			}
		}
	}
	t.Skipf("the server has no second bank with a branch")
}

// bankWithBranch returns a bank in the destination that has a branch, or skips the check.
func bankWithBranch(t *probe.T) api.BankDetail {
	country := t.Target().Facts.Destination
	for _, b := range t.Banks() {
		if b.Country == country && len(b.ReceivingCurrency) > 0 && len(b.Branches) > 0 {
			return b
		}
	}
	t.Skipf("the server has no bank in %s with a branch", country)
	return api.BankDetail{}
}

// newReceiveUser adds a receive user in the destination to a new user, as a set-up.
func newReceiveUser(t *probe.T) (user, receiver openapi_types.UUID) {
	user = t.NewUser().ID
	return user, t.NewReceiveUser(user, t.Target().Facts.Destination)
}

// bankAccount is an account at a bank in its first currency; edit changes it.
func bankAccount(b api.BankDetail, edit ...func(*api.BankAccountRequest)) api.BankAccountRequest {
	a := api.BankAccountRequest{BankID: b.ID, AccountNumber: "0001234567", Currency: b.ReceivingCurrency[0]}
	for _, e := range edit {
		e(&a)
	}
	return a
}

func walletAccount(p api.PayerDetail) api.WalletAccountRequest {
	return api.WalletAccountRequest{PayerID: p.ID, WalletNumber: "9800000000", Currency: p.ReceivingCurrency}
}

func refusedBankAccount(t *probe.T, body api.BankAccountRequest, status int, code api.ErrorCode, fields ...string) {
	user, receiver := newReceiveUser(t)
	r, err := t.Client().CreateBankAccountWithResponse(t.Context(), user, receiver, nil, body)
	t.Refused(r, err, status, code, fields...)
}

func refusedWalletAccount(t *probe.T, body api.WalletAccountRequest, code api.ErrorCode) {
	user, receiver := newReceiveUser(t)
	r, err := t.Client().CreateWalletAccountWithResponse(t.Context(), user, receiver, nil, body)
	t.Refused(r, err, 422, code)
}
