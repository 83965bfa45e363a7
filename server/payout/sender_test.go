package payout_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// ctx is for the template, which outlives a test.
var ctx = context.Background()

func individual(country string) payout.User {
	return payout.User{
		Sending: true, Country: country,
		Profile: payout.UserProfile{FirstName: "Asha", LastName: "Example", Email: "asha@example.com"},
	}
}

func business(country string) payout.User {
	return payout.User{
		Business: true, Sending: true, Country: country,
		Profile: payout.UserProfile{FirstName: "Example Ltd", Email: "office@example.com"},
	}
}

func receiver(country string) payout.ReceiveUser {
	return payout.ReceiveUser{
		FirstName: "Bina", LastName: "Example", Email: "bina@example.com", MobilePhone: "9779800000000",
		AddressLine1: "3 Road", City: "Kathmandu", Country: country,
	}
}

// register creates a user of the client acme.
func (w *world) register(t *testing.T, u payout.User) payout.User {
	t.Helper()
	v, replayed, err := w.CreateUser(t.Context(), w.acme, noKey, u)
	return created(t, v, replayed, err)
}

func (w *world) verify(t *testing.T, user payout.User, v payout.Verification) payout.CIPInfo {
	t.Helper()
	info, err := w.SetVerification(t.Context(), w.acme, user.ID, v)
	return ok(t, info, err)
}

func (w *world) fund(t *testing.T, user payout.User, status payout.FundingAccountStatus) payout.FundingAccount {
	t.Helper()
	a, replayed, err := w.CreateFundingAccount(t.Context(), w.acme, noKey,
		payout.FundingAccount{UserID: user.ID, Type: "CARD", Label: "My card"})
	a = created(t, a, replayed, err)
	a, err = w.SetFundingAccountStatus(t.Context(), w.acme, user.ID, a.ID, status)
	return ok(t, a, err)
}

func (w *world) receive(t *testing.T, user payout.User, r payout.ReceiveUser) payout.ReceiveUser {
	t.Helper()
	r.UserID = user.ID
	v, replayed, err := w.CreateReceiveUser(t.Context(), w.acme, noKey, r)
	return created(t, v, replayed, err)
}

func (w *world) bank(t *testing.T, r payout.ReceiveUser, bank int64, currency string) payout.BankAccount {
	t.Helper()
	v, replayed, err := w.CreateBankAccount(t.Context(), w.acme, noKey, r.UserID,
		payout.BankAccount{ReceiveUserID: r.ID, BankID: bank, AccountNumber: "0001", Currency: currency})
	return created(t, v, replayed, err)
}

func (w *world) wallet(t *testing.T, r payout.ReceiveUser, payer int64, currency string) payout.WalletAccount {
	t.Helper()
	v, replayed, err := w.CreateWalletAccount(t.Context(), w.acme, noKey, r.UserID,
		payout.WalletAccount{ReceiveUserID: r.ID, PayerID: payer, WalletNumber: "1", Currency: currency})
	return created(t, v, replayed, err)
}

// sender is a user of acme who may send, and to whom.
type sender struct {
	w      *world
	user   payout.User
	fund   payout.FundingAccount
	nepal  payout.ReceiveUser
	bank   payout.BankAccount
	wallet payout.WalletAccount
}

// newSender registers and verifies a user, with an active funding account and a receive user in Nepal who has a bank and
// a wallet account.
func (w *world) newSender(t *testing.T, u payout.User) *sender {
	t.Helper()
	s := &sender{w: w, user: w.register(t, u)}
	w.verify(t, s.user, payout.Verification{Status: payout.KYCVerified})
	s.fund = w.fund(t, s.user, payout.FundingActive)
	s.nepal = w.receive(t, s.user, receiver("NP"))
	s.bank = w.bank(t, s.nepal, bankNP, "NPR")
	s.wallet = w.wallet(t, s.nepal, walletNP, "NPR")
	return s
}

// request returns one of 1 in the sender's currency at a rate of 130, to be paid out as to says.
func (s *sender) request(to payout.ReceiveSide) payout.NewTransaction {
	if to.ReceiveUserID == "" {
		to.ReceiveUserID = s.nepal.ID
	}
	if to.Mode == "" {
		to.Mode = payout.SenderAmount
	}
	corridor, _ := s.w.acme.Corridor(s.user.Country)
	return payout.NewTransaction{
		FromAmount: amount("1"), ExchangeRate: amount("130"), FromCurrency: corridor.Currency, ToCurrency: "NPR",
		FromFundID: s.fund.ID, To: to,
	}
}

// deposit returns a request of an amount to the bank account in Nepal.
func (s *sender) deposit(from string) payout.NewTransaction {
	n := s.request(payout.ReceiveSide{Method: payout.BankDeposit, FundID: s.bank.ID})
	n.FromAmount = amount(from)
	return n
}

// create creates a transaction.
func (s *sender) create(t *testing.T, n payout.NewTransaction) (payout.Transaction, error) {
	t.Helper()
	v, replayed, err := s.w.CreateTransaction(t.Context(), s.w.acme, noKey, s.user.ID, n)
	if replayed {
		t.Error("replayed without a key")
	}
	return v, err
}

// send creates a transaction, after a preview that must promise the same and change nothing (D-71).
func (s *sender) send(t *testing.T, n payout.NewTransaction) (payout.Transaction, error) {
	t.Helper()
	before := s.state(t)
	p, promised := s.w.PreviewTransaction(t.Context(), s.w.acme, s.user.ID, n)
	if after := s.state(t); after != before {
		t.Errorf("a preview changed\n%s\nto\n%s", before, after)
	}
	v, err := s.create(t, n)
	if !reflect.DeepEqual(promised, err) {
		t.Errorf("the preview is refused with %v, the creation with %v", promised, err)
	}
	if err != nil {
		return v, err
	}
	want := v
	want.ID, want.CreatedAt, want.UpdatedAt = "", p.Transaction.CreatedAt, p.Transaction.UpdatedAt
	for i := range n.Documents {
		want.Documents = slices.Clone(want.Documents)
		want.Documents[i].ID = ""
	}
	if !reflect.DeepEqual(p.Transaction, want) {
		t.Errorf("the preview is\n%+v, created\n%+v", p.Transaction, want)
	}
	left, limitErr := s.w.Limits(t.Context(), s.w.acme, s.user.ID, v.Destination)
	if (payout.Usage{Daily: left.Daily, Monthly: left.Monthly, Annual: left.Annual}) != p.Remaining {
		t.Errorf("the preview leaves %+v, the creation %+v, %v", p.Remaining, left, limitErr)
	}
	return v, err
}

func (s *sender) sent(t *testing.T, n payout.NewTransaction) payout.Transaction {
	t.Helper()
	v, err := s.send(t, n)
	return ok(t, v, err)
}

// state returns all that a refused creation must not change.
func (s *sender) state(t *testing.T) string {
	t.Helper()
	info, err := s.w.CIPInfo(t.Context(), acme(), s.user.ID)
	ok(t, info, err)
	limits, err := s.w.Limits(t.Context(), acme(), s.user.ID, "NP")
	ok(t, limits, err)
	return fmt.Sprintf("%+v\n%+v\n%+v", s.w.count(t), info, limits)
}
