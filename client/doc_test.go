package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/oapi-codegen/runtime/types"
	"golang.org/x/time/rate"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// The functions of this file contain the code of the documentation, unchanged; server/e2e/docs compares them.

func payFromTheDocumentation(
	ctx context.Context, baseURL, clientID, clientSecret string, userID, fundingAccountID, receiveUserID, bankAccountID uuid.UUID,
) error {
	c, err := client.New(baseURL, clientID, clientSecret)
	if err != nil {
		return err
	}
	transaction, err := c.CreateTransaction(ctx, userID, api.TransactionRequest{
		FromAmount: client.MustAmount("100.00"), FromCurrency: "USD", FromFundID: fundingAccountID,
		ToCurrency: "NPR", ExchangeRate: client.MustAmount("132.25"),
		To: client.BankDeposit(receiveUserID, bankAccountID), Note: new("For the school"),
	}, client.IdempotencyKey("order-4711"))
	if err == nil && transaction.ToAmount.String() != "13225.00" {
		err = fmt.Errorf("%s arrive", transaction.ToAmount)
	}
	return err
}

func listFromTheDocumentation(ctx context.Context, c *client.Client, userID uuid.UUID, statuses map[uuid.UUID]api.TransactionStatus) error {
	for transaction, err := range c.Transactions(ctx, userID, nil) {
		if err != nil {
			return err
		}
		statuses[transaction.ID] = transaction.Status
	}
	return nil
}

func handleFromTheDocumentation(err error) {
	switch {
	case errors.Is(err, client.LimitExceeded):
		// ask for less
	case errors.Is(err, client.KycNotEligible):
		// verify first
	}
}

func reasonFromTheDocumentation(err error) {
	switch {
	case errors.Is(err, client.NotFound): // what the service said
	case errors.Is(err, context.Canceled): // the caller's context ended
	}
}

func birthFromTheDocumentation(request *api.UserRequest) {
	request.DateOfBirth = &types.Date{Time: time.Date(1990, time.May, 17, 0, 0, 0, 0, time.UTC)}
}

func paceFromTheDocumentation(baseURL, clientID, clientSecret string) (*client.Client, error) {
	pace := rate.NewLimiter(50, 50) // of golang.org/x/time/rate: 50 requests per second
	c, err := client.New(baseURL, clientID, clientSecret, client.WithHooks(client.Hooks{
		Request: func(ctx context.Context, _ client.Attempt) { _ = pace.Wait(ctx) }, // no wait if ctx would end first
	}))
	return c, err
}

// Workers that keep the pace never meet the limit, even if they are more than it needs.
func TestPaceOfTheDocumentation(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t, payouttest.RateLimit(50))
	c, err := paceFromTheDocumentation(sandbox.URL, sandbox.ClientID, sandbox.ClientSecret)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	const calls = 120 // more than the burst that the service allows
	concurrently(30, calls, func() {
		if _, err := c.GetPayer(t.Context(), 1001); err != nil {
			t.Error(err)
		}
	})
	sent := sandbox.Requests()
	for _, r := range sent {
		if r.Status != http.StatusOK {
			t.Errorf("answered: %v", r)
		}
	}
	if len(sent) != calls {
		t.Errorf("sent %d requests", len(sent))
	}
}

// A date is the day that was written, also where the program runs elsewhere than in UTC.
func TestDateOfTheDocumentation(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	request := asha()
	request.MobilePhone = nil
	birthFromTheDocumentation(&request)
	user, err := sandbox.Client.CreateUser(t.Context(), request)
	if err != nil || user.DateOfBirth.String() != "1990-05-17" {
		t.Fatalf("%v, %v", user, err)
	}
	newYork := time.FixedZone("New York", -4*60*60)
	if day := user.DateOfBirth.In(newYork).Day(); day != 16 {
		t.Errorf("converted, it is the %d", day) // as the documentation warns
	}
	if user.CreatedAt.Location() != time.UTC || !user.CreatedAt.Equal(sandbox.Now()) {
		t.Errorf("created at %v, now is %v", user.CreatedAt, sandbox.Now())
	}
}

func TestCodeOfTheDocumentation(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "NP")
	err := payFromTheDocumentation(t.Context(), sandbox.URL, sandbox.ClientID, sandbox.ClientSecret,
		sender.ID, sender.FundID, receiver.ID, receiver.BankAccountID)
	if err != nil {
		t.Error(err)
	}
	statuses := map[uuid.UUID]api.TransactionStatus{}
	if err := listFromTheDocumentation(t.Context(), sandbox.Client, sender.ID, statuses); err != nil || len(statuses) != 1 {
		t.Errorf("listed %v: %v", statuses, err)
	}
	_, err = sandbox.Client.GetUser(t.Context(), uuid.New())
	handleFromTheDocumentation(err)
	reasonFromTheDocumentation(err)
}
