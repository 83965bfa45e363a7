package payouttest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

var methods = []api.PayoutMethod{
	api.PayoutMethodBankDeposit, api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery,
}

func inBritain(r *api.UserRequest) { r.Country = "GB" }

func asBusiness(r *api.UserRequest) {
	r.Business, r.FirstName, r.LastName, r.BusinessType = new(true), "Sample Trading", nil, new("LLC")
}

// send creates a transaction with a client, and returns its id.
func send(t testing.TB, c *client.Client, sender payouttest.Sender, request api.TransactionRequest) uuid.UUID {
	t.Helper()
	made, err := c.CreateTransaction(t.Context(), sender.ID, request)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// count counts the transactions of a sender, bypassing faults.
func count(t testing.TB, c *client.Client, sender payouttest.Sender) (n int) {
	t.Helper()
	for _, err := range c.Transactions(t.Context(), sender.ID, nil) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestEveryPayoutIsAccepted(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	everywhere := []string{"NP", "IN", "MX", "PH", "NG", "JP", "KW"}
	for name, row := range map[string]struct {
		sender    payouttest.Sender
		countries []string
	}{
		"the US":     {sandbox.VerifiedSender(), everywhere},
		"the UK":     {sandbox.VerifiedSender(inBritain), everywhere[:1]},
		"a business": {sandbox.VerifiedSender(asBusiness), everywhere[:1]},
	} {
		for _, country := range row.countries {
			receiver := sandbox.ReceiveUser(row.sender, country)
			for _, method := range methods {
				payout := sandbox.Payout(row.sender, receiver, method, "12.34")
				made, err := sandbox.Client.CreateTransaction(t.Context(), row.sender.ID, payout)
				if err != nil {
					t.Errorf("from %s to %s by %s: %v", name, country, method, err)
				} else if made.To.PayoutMethod != method || made.ToCurrency != receiver.Currency {
					t.Errorf("from %s to %s by %s: made %+v", name, country, method, made)
				}
			}
		}
	}
}

func TestClientsAreIsolated(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	sender := sandbox.VerifiedSender()
	if _, err := sandbox.Client.GetUser(t.Context(), sender.ID); err != nil {
		t.Error(err)
	}
	if _, err := sandbox.Other.GetUser(t.Context(), sender.ID); !errors.Is(err, client.NotFound) {
		t.Errorf("the second client got %v, want NOT_FOUND", err)
	}
}

func TestSandboxesAreIndependent(t *testing.T) {
	t.Parallel()
	sender := payouttest.New(t).VerifiedSender()
	if _, err := payouttest.New(t).Client.GetUser(t.Context(), sender.ID); !errors.Is(err, client.NotFound) {
		t.Errorf("another sandbox answers %v, want NOT_FOUND", err)
	}
}

// The variable is for the tests of the service, and must not affect users of the package.
func TestTheEngineOfTheEnvironmentDoesNotMatter(t *testing.T) {
	t.Setenv(servertest.EngineVariable, "something else")
	if _, err := payouttest.New(t).Client.ListPayers(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestLimitsResetWithTheNextDay(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	for _, sender := range []payouttest.Sender{sandbox.VerifiedSender(), sandbox.VerifiedSender(asBusiness, inBritain)} {
		sandbox.TopTier(sender)
		receiver := sandbox.ReceiveUser(sender, "NP")
		all := sandbox.Payout(sender, receiver, api.PayoutMethodWallet, "20000")
		send(t, sandbox.Client, sender, all)
		if _, err := sandbox.Client.CreateTransaction(t.Context(), sender.ID, all); !errors.Is(err, client.LimitExceeded) {
			t.Errorf("beyond the limit: %v, want LIMIT_EXCEEDED", err)
		}
		before := sandbox.Now()
		sandbox.Advance(24 * time.Hour)
		if got := sandbox.Now().Sub(before); got != 24*time.Hour {
			t.Errorf("the clock moved by %v", got)
		}
		send(t, sandbox.Client, sender, all)
	}
}

func TestRateLimitIsThatOfTheService(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t, payouttest.RateLimit(1))
	hasty := sandbox.NewClient(client.WithRetries(0))
	var err error
	for range 100 {
		if _, err = hasty.ListPayers(t.Context(), nil); err != nil {
			break
		}
	}
	if !errors.Is(err, client.RateLimited) {
		t.Errorf("100 calls at once: %v, want RATE_LIMITED", err)
	}
}

func TestSandboxHelpersSurviveTheRateLimit(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t, payouttest.RateLimit(1))
	sandbox.TopTier(sandbox.VerifiedSender())
}

// A sandbox that has stopped leaves no goroutine, whatever its calls met, so that a team may verify this of its own tests.
//
//nolint:paralleltest // the goroutines of other tests would count
func TestNothingOutlivesTheTest(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("a test", func(t *testing.T) {
		r := newReady(t)
		send(t, r.Client, r.sender, r.payout)
		r.Next(creation).LoseRequest()
		r.Next(creation).Reset().LoseResponse()
		send(t, r.Client, r.sender, r.payout)
		r.Next(creation).CutResponse()
		r.Next(creation).Handled().Fail(client.InternalError)
		send(t, r.Client, r.sender, r.payout)
		held := r.Next("listBanks").Hold()
		go func() { _, _ = r.once.ListBanks(t.Context(), nil) }() // still waits when the test ends
		<-held.Arrived()
	})
	noneLeft(t, before)
	started := payouttest.Start()
	started.VerifiedSender()
	if _, err := started.Client.ListBanks(t.Context(), nil); err != nil {
		t.Error(err)
	}
	started.Stop()
	noneLeft(t, before)
}

// noneLeft fails the test if there are other goroutines than before. Those of closed connections may need a while to end.
func noneLeft(t *testing.T, before goleak.Option) {
	t.Helper()
	for n := 0; n < 60 && goleak.Find(before) != nil; n++ { // each time it waits for half a second
	}
	goleak.VerifyNone(t, before)
}

func TestStoppedSandbox(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	c := sandbox.NewClient(client.WithRetries(0))
	sandbox.Stop()
	sandbox.Stop()
	if _, err := c.ListPayers(t.Context(), nil); err == nil {
		t.Error("a call succeeded")
	}
}

func TestLenient(t *testing.T) {
	t.Parallel()
	said := witnessed(t, func(s *payouttest.Sandbox) { s.Next().LoseRequest() }, payouttest.Lenient())
	if said != "" {
		t.Errorf("the test says %q", said)
	}
}

func TestStartPanics(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		do   func(*payouttest.Sandbox)
		says string
	}{
		"at once":             {func(s *payouttest.Sandbox) { s.Next("createUsers") }, "createUsers"},
		"when it is stopped":  {func(s *payouttest.Sandbox) { s.Next().LoseRequest() }, "LoseRequest"},
		"not without failure": {func(s *payouttest.Sandbox) { s.VerifiedSender() }, "<nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if ended := fmt.Sprint(recover()); !strings.Contains(ended, row.says) {
					t.Errorf("ended with %q, want %q", ended, row.says)
				}
			}()
			sandbox := payouttest.Start()
			defer sandbox.Stop()
			row.do(sandbox)
		})
	}
}
