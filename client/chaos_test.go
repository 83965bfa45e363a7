package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Registrations, accounts and receive users pass through the storm as payouts do.
func TestEveryCreationThroughTheStormIsOneRow(t *testing.T) {
	t.Parallel()
	const users = 40
	s := servertest.New(t)
	proxy := newStorm(t, s, uint64(setting(t, stormSeed, 1)))
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
	if kinds := len(proxy.kinds) - 1; kinds < 40 {
		t.Errorf("%d kinds of faults happened, want 40 or more", kinds)
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

// chaosAwait returns when a server answers, and has started its goroutines.
func chaosAwait(t testing.TB, address string) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// A canceled call returns an error at once, at any point, and leaks no goroutine. It does not run in parallel, because it
// counts goroutines.
func TestCanceledCallsReturnAtOnce(t *testing.T) { //nolint:paralleltest // see above
	for name, at := range map[string]func(t *testing.T, s *payouttest.Sandbox, cancel func()) string{
		"while the server is silent": func(_ *testing.T, s *payouttest.Sandbox, cancel func()) string {
			held := s.Next("getPayer").Hold()
			go func() {
				<-held.Arrived()
				cancel()
			}()
			return s.URL
		},
		"in the wait for the next attempt": func(_ *testing.T, s *payouttest.Sandbox, _ func()) string {
			s.Next("getPayer").RetryAfter(20).Fail(client.ServiceUnavailable)
			return s.URL // the hook cancels
		},
		"in a slow body": func(t *testing.T, _ *payouttest.Sandbox, cancel func()) string {
			slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/healthz" {
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, `{"id":`)
				_ = http.NewResponseController(w).Flush()
				time.AfterFunc(10*time.Millisecond, cancel)
				<-r.Context().Done()
			}))
			t.Cleanup(slow.Close)
			return slow.URL
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := payouttest.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			address := at(t, s, cancel)
			chaosAwait(t, address)
			before := goleak.IgnoreCurrent()
			c := connect(t, address, client.WithHooks(client.Hooks{
				Retry: func(context.Context, client.Attempt) { time.AfterFunc(10*time.Millisecond, cancel) },
			}))
			start := time.Now()
			_, err := c.GetPayer(ctx, servertest.CashPayer)
			if took := time.Since(start); !errors.Is(err, context.Canceled) || took > 5*time.Second {
				t.Errorf("ended with %v after %v", err, took)
			}
			c.CloseIdleConnections()
			goleak.VerifyNone(t, before)
		})
	}
}
