package client_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

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
