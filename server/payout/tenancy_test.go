package payout_test

import (
	"fmt"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Rows of another client or user do not exist (D-10): every read and every change returns the same as for an unknown
// identifier.
func TestNothingOfAnotherClientOrUserIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, neighbour := w.newSender(t, individual("US")), w.newSender(t, individual("US"))
	sent := s.sent(t, s.deposit("1"))
	before := w.count(t)
	ctx, user, receiver := t.Context(), s.user.ID, s.nepal.ID
	discard := func(_ any, err error) error { return err }
	discardPage := func(_ any, _ payout.Position, err error) error { return err }
	for name, call := range map[string]func(c payout.Client, u payout.User) error{
		"user":     func(c payout.Client, u payout.User) error { return discard(w.User(ctx, c, u.ID)) },
		"cip info": func(c payout.Client, u payout.User) error { return discard(w.CIPInfo(ctx, c, u.ID)) },
		"limits":   func(c payout.Client, u payout.User) error { return discard(w.Limits(ctx, c, u.ID, "NP")) },
		"funding accounts": func(c payout.Client, u payout.User) error {
			return discardPage(w.FundingAccounts(ctx, c, u.ID, payout.Page{}))
		},
		"receive users": func(c payout.Client, u payout.User) error {
			return discardPage(w.ReceiveUsers(ctx, c, u.ID, payout.Page{}))
		},
		"transactions": func(c payout.Client, u payout.User) error {
			return discardPage(w.Transactions(ctx, c, u.ID, payout.Page{}))
		},
		"verification": func(c payout.Client, u payout.User) error {
			return discard(w.SetVerification(ctx, c, u.ID, payout.Verification{Status: payout.KYCVerified}))
		},
		"further information": func(c payout.Client, u payout.User) error {
			return discard(w.UpdateUser(ctx, c, u.ID, payout.UserProfile{City: "Reno"}))
		},
		"further documents": func(c payout.Client, u payout.User) error {
			_, _, err := w.CreateDocuments(ctx, c, noKey, u.ID, []payout.Document{{Kind: payout.VirtualDocument, Type: "SSN"}})
			return err
		},
		"new funding account": func(c payout.Client, u payout.User) error {
			_, _, err := w.CreateFundingAccount(ctx, c, noKey, payout.FundingAccount{UserID: u.ID})
			return err
		},
		"new receive user": func(c payout.Client, u payout.User) error {
			_, _, err := w.CreateReceiveUser(ctx, c, noKey, payout.ReceiveUser{UserID: u.ID, Country: "NP"})
			return err
		},
		"new transaction": func(c payout.Client, u payout.User) error {
			_, _, err := w.CreateTransaction(ctx, c, noKey, u.ID, s.deposit("1"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, call(w.other, s.user), payout.CodeNotFound, "")
			refused(t, call(w.acme, payout.User{ID: "nobody"}), payout.CodeNotFound, "")
		})
	}
	for name, call := range map[string]func(c payout.Client, u payout.User) error{
		"bank accounts": func(c payout.Client, u payout.User) error {
			return discardPage(w.BankAccounts(ctx, c, u.ID, receiver, payout.Page{}))
		},
		"wallet accounts": func(c payout.Client, u payout.User) error {
			return discardPage(w.WalletAccounts(ctx, c, u.ID, receiver, payout.Page{}))
		},
		"transaction": func(c payout.Client, u payout.User) error { return discard(w.Transaction(ctx, c, u.ID, sent.ID)) },
		"cancellation": func(c payout.Client, u payout.User) error {
			return discard(w.CancelTransaction(ctx, c, u.ID, sent.ID))
		},
		"status": func(c payout.Client, u payout.User) error {
			return discard(w.MoveTransaction(ctx, c, u.ID, sent.ID, payout.Move{Status: payout.StatusCanceled, By: payout.ActorOperator}))
		},
		"funding account status": func(c payout.Client, u payout.User) error {
			return discard(w.SetFundingAccountStatus(ctx, c, u.ID, s.fund.ID, payout.FundingInactive))
		},
		"new bank account": func(c payout.Client, u payout.User) error {
			_, _, err := w.CreateBankAccount(ctx, c, noKey, u.ID, payout.BankAccount{ReceiveUserID: receiver, BankID: bankNP, Currency: "NPR"})
			return err
		},
		"new wallet account": func(c payout.Client, u payout.User) error {
			_, _, err := w.CreateWalletAccount(ctx, c, noKey, u.ID, payout.WalletAccount{ReceiveUserID: receiver, PayerID: walletNP, Currency: "NPR"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, call(w.other, s.user), payout.CodeNotFound, "")
			refused(t, call(w.acme, neighbour.user), payout.CodeNotFound, "")
		})
	}
	if after := w.count(t); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	if a, _, err := w.FundingAccounts(ctx, w.acme, user, payout.Page{}); err != nil || fmt.Sprint(a) != fmt.Sprint([]payout.FundingAccount{s.fund}) {
		t.Errorf("the funding accounts are %+v, %v", a, err)
	}
	if u, err := w.User(ctx, w.acme, user); err != nil || u.Status != payout.KYCVerified {
		t.Errorf("the status is %s, %v", u.Status, err)
	}
}
