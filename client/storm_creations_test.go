package client_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Registrations, accounts and receive users pass through the storm as payouts do.
func TestEveryCreationThroughTheStormIsOneRow(t *testing.T) {
	t.Parallel()
	const users = 40
	s := servertest.New(t)
	proxy := newStorm(t, s)
	c := connect(t, proxy.url, client.WithTimeout(time.Second), client.WithBackoff(time.Millisecond, 5*time.Millisecond))
	var number atomic.Int32
	concurrently(stormWorkers, users, func() { createAll(t, c, fmt.Sprint("user-", number.Add(1))) })
	proxy.background.Wait()
	for _, table := range []string{"users", "funding_accounts", "receive_users", "bank_accounts", "wallet_accounts"} {
		var n int
		if err := s.Beside(t).QueryRowContext(t.Context(), "select count(*) from "+table).Scan(&n); err != nil || n != users {
			t.Errorf("%d rows in %s, want %d: %v", n, table, users, err)
		}
	}
	if _, kinds := proxy.counts(); len(kinds) < 41 { // with those that meet none
		t.Errorf("%d kinds of faults happened, want 40 or more", len(kinds)-1)
	}
}

// createAll registers a user with one of each.
func createAll(t *testing.T, c *client.Client, key string) {
	t.Helper()
	ctx := t.Context()
	user := persist(t, key, func(key client.CallOption) (*api.User, error) {
		return c.CreateUser(ctx, api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend)}, key)
	})
	persist(t, key+"-fund", func(key client.CallOption) (*api.FundingAccount, error) {
		return c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}, key)
	})
	receiver := persist(t, key+"-receiver", func(key client.CallOption) (*api.ReceiveUser, error) {
		return c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"}, key)
	})
	persist(t, key+"-bank", func(key client.CallOption) (*api.BankAccount, error) {
		return c.CreateBankAccount(ctx, user.ID, receiver.ID, api.BankAccountRequest{
			BankID: servertest.BankNepal, AccountNumber: "0001234567", Currency: "NPR",
		}, key)
	})
	persist(t, key+"-wallet", func(key client.CallOption) (*api.WalletAccount, error) {
		return c.CreateWalletAccount(ctx, user.ID, receiver.ID, api.WalletAccountRequest{
			PayerID: servertest.WalletPayer, WalletNumber: "9800000000", Currency: "NPR",
		}, key)
	})
}

// persist repeats a creation while its outcome is unknown.
func persist[T any](t *testing.T, key string, create func(client.CallOption) (*T, error)) *T {
	t.Helper()
	option := client.IdempotencyKey(key)
	for {
		made, err := create(option)
		if err == nil {
			return made
		}
		if e := errorOf(t, err); !e.OutcomeUnknown() && !e.Temporary() || t.Context().Err() != nil {
			t.Errorf("%s: %v", key, err)
			return new(T)
		}
		option = client.RepeatOf(key)
	}
}
