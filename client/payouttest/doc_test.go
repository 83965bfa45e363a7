package payouttest_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// yourcode is the code that the test of the documentation is for.
var yourcode integration

type integration struct{}

func (integration) Send(ctx context.Context, c *client.Client, sender uuid.UUID, payout api.TransactionRequest) error {
	_, err := c.CreateTransaction(ctx, sender, payout)
	return err
}

// It is the code of the documentation, unchanged; server/e2e/docs compares them.
//
//nolint:paralleltest // as in the documentation
func TestPayoutsSurviveALostResponse(t *testing.T) {
	sandbox := payouttest.New(t)
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "NP")
	payout := sandbox.Payout(sender, receiver, api.PayoutMethodBankDeposit, "100.00")

	sandbox.Next("createTransaction").LoseResponse()
	if err := yourcode.Send(t.Context(), sandbox.Client, sender.ID, payout); err != nil {
		t.Fatal(err)
	}
	// The server was asked twice, with one key, and holds one transaction.
}
