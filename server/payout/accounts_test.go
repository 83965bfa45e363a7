package payout_test

import (
	"reflect"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// D-20: a funding account is PENDING until the operator says otherwise.
func TestAFundingAccountIsPendingAtFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.register(t, individual("US"))
	a, replayed, err := w.CreateFundingAccount(t.Context(), w.acme, noKey, payout.FundingAccount{
		UserID: u.ID, Type: "CARD", Label: "My card", Status: payout.FundingActive,
	})
	a = created(t, a, replayed, err)
	if a.Status != payout.FundingPending || a.ID == "" || a.UserID != u.ID || a.CreatedAt.IsZero() {
		t.Errorf("created as %+v", a)
	}
	for _, status := range []payout.FundingAccountStatus{payout.FundingActive, payout.FundingInactive, payout.FundingPending} {
		changed, err := w.SetFundingAccountStatus(t.Context(), w.acme, u.ID, a.ID, status)
		a.Status = status
		if ok(t, changed, err); changed != a {
			t.Errorf("changed to %+v, want %+v", changed, a)
		}
		all, _, err := w.FundingAccounts(t.Context(), w.acme, u.ID, payout.Page{})
		if ok(t, all, err); !reflect.DeepEqual(all, []payout.FundingAccount{a}) {
			t.Errorf("listed as %+v, want %+v", all, a)
		}
	}
	_, err = w.SetFundingAccountStatus(t.Context(), w.acme, u.ID, "nothing", payout.FundingActive)
	refused(t, err, payout.CodeNotFound, "")
}

// D-18: the country of a receive user must be an enabled destination.
func TestAReceiveUserIsInAnEnabledDestination(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.register(t, individual("US"))
	for country, enabled := range map[string]bool{"NP": true, "IN": true, "JP": true, "US": false, "DE": false, "": false} {
		r := receiver(country)
		r.UserID = u.ID
		got, replayed, err := w.CreateReceiveUser(t.Context(), w.acme, noKey, r)
		if !enabled {
			refused(t, err, payout.CodeCorridorNotEnabled, "/country")
			continue
		}
		got = created(t, got, replayed, err)
		if r.ID, r.CreatedAt = got.ID, got.CreatedAt; got.ID == "" || got.CreatedAt.IsZero() || got != r {
			t.Errorf("created as %+v", got)
		}
	}
	if all, _, err := w.ReceiveUsers(t.Context(), w.acme, u.ID, payout.Page{}); err != nil || len(all) != 3 {
		t.Errorf("%d receive users, %v", len(all), err)
	}
}

func TestARuleOfEachBankAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.register(t, individual("US"))
	nepal := w.receive(t, u, receiver("NP"))
	for name, c := range map[string]struct {
		account payout.BankAccount
		code    payout.Code // empty: created
		field   string
	}{
		"no branch":                 {payout.BankAccount{BankID: bankNP, Currency: "NPR"}, "", ""},
		"a branch":                  {payout.BankAccount{BankID: bankNP, BranchID: branchNP, Currency: "NPR"}, "", ""},
		"another currency of it":    {payout.BankAccount{BankID: bankNP, Currency: "USD"}, "", ""},
		"no bank":                   {payout.BankAccount{BankID: unknownID, Currency: "NPR"}, payout.CodeBadRequest, "/bank_id"},
		"bank of another country":   {payout.BankAccount{BankID: bankIN, Currency: "NPR"}, payout.CodeBadRequest, "/bank_id"},
		"branch of another bank":    {payout.BankAccount{BankID: bankNP, BranchID: branchNP2, Currency: "NPR"}, payout.CodeBadRequest, "/branch_id"},
		"currency it does not take": {payout.BankAccount{BankID: otherBankNP, Currency: "USD"}, payout.CodeCurrencyNotSupported, "/currency"},
		"bank before branch":        {payout.BankAccount{BankID: bankIN, BranchID: branchNP, Currency: "USD"}, payout.CodeBadRequest, "/bank_id"},
		"branch before currency":    {payout.BankAccount{BankID: bankNP, BranchID: branchNP2, Currency: "INR"}, payout.CodeBadRequest, "/branch_id"},
	} {
		t.Run(name, func(t *testing.T) {
			c.account.ReceiveUserID, c.account.AccountNumber = nepal.ID, "0001"
			got, replayed, err := w.CreateBankAccount(t.Context(), w.acme, noKey, u.ID, c.account)
			if c.code != "" {
				refused(t, err, c.code, c.field)
				return
			}
			got = created(t, got, replayed, err)
			if c.account.ID, c.account.CreatedAt = got.ID, got.CreatedAt; got.ID == "" || got.CreatedAt.IsZero() || got != c.account {
				t.Errorf("created as %+v", got)
			}
		})
	}
	if all, _, err := w.BankAccounts(t.Context(), w.acme, u.ID, nepal.ID, payout.Page{}); err != nil || len(all) != 3 {
		t.Errorf("%d bank accounts, %v", len(all), err)
	}
}

func TestARuleOfEachWalletAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.register(t, individual("US"))
	nepal := w.receive(t, u, receiver("NP"))
	for name, c := range map[string]struct {
		payer    int64
		currency string
		code     payout.Code // empty: created
		field    string
	}{
		"a wallet payer":           {walletNP, "NPR", "", ""},
		"no payer":                 {unknownID, "NPR", payout.CodePayerNotFound, "/payer_id"},
		"payer of another method":  {cashNP, "NPR", payout.CodePayerNotFound, "/payer_id"},
		"payer of another country": {walletIN, "INR", payout.CodePayerNotFound, "/payer_id"},
		"another currency":         {walletNP, "INR", payout.CodeCurrencyNotSupported, "/currency"},
		"payer before currency":    {cashNP, "INR", payout.CodePayerNotFound, "/payer_id"},
	} {
		t.Run(name, func(t *testing.T) {
			want := payout.WalletAccount{ReceiveUserID: nepal.ID, PayerID: c.payer, WalletNumber: "1", Currency: c.currency}
			got, replayed, err := w.CreateWalletAccount(t.Context(), w.acme, noKey, u.ID, want)
			if c.code != "" {
				refused(t, err, c.code, c.field)
				return
			}
			got = created(t, got, replayed, err)
			if want.ID, want.CreatedAt = got.ID, got.CreatedAt; got.ID == "" || got.CreatedAt.IsZero() || got != want {
				t.Errorf("created as %+v", got)
			}
		})
	}
	if all, _, err := w.WalletAccounts(t.Context(), w.acme, u.ID, nepal.ID, payout.Page{}); err != nil || len(all) != 1 {
		t.Errorf("%d wallet accounts, %v", len(all), err)
	}
}

// What a user is registered under must be there, and belong to the same user, before any other rule is looked at.
func TestAnAccountNeedsItsOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u, neighbour := w.register(t, individual("US")), w.register(t, individual("US"))
	nepal := w.receive(t, u, receiver("NP"))
	before := w.count(t)

	_, _, err := w.CreateFundingAccount(t.Context(), w.acme, noKey, payout.FundingAccount{UserID: "nobody"})
	refused(t, err, payout.CodeNotFound, "")
	_, _, err = w.CreateReceiveUser(t.Context(), w.acme, noKey, payout.ReceiveUser{UserID: "nobody", Country: "DE"})
	refused(t, err, payout.CodeNotFound, "")
	for _, owner := range []struct {
		user     payout.User
		receiver payout.ReceiveUser
	}{
		{payout.User{ID: "nobody"}, nepal}, {u, payout.ReceiveUser{ID: "nobody"}}, {neighbour, nepal},
	} {
		_, _, err = w.CreateBankAccount(t.Context(), w.acme, noKey, owner.user.ID, payout.BankAccount{ReceiveUserID: owner.receiver.ID})
		refused(t, err, payout.CodeNotFound, "")
		_, _, err = w.CreateWalletAccount(t.Context(), w.acme, noKey, owner.user.ID, payout.WalletAccount{ReceiveUserID: owner.receiver.ID})
		refused(t, err, payout.CodeNotFound, "")
	}
	if after := w.count(t); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
}
