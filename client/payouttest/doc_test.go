package payouttest_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

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

func (integration) Handler() *board { return &board{newest: map[uuid.UUID]*api.Transaction{}} }

func (integration) Pay(t *testing.T, sandbox *payouttest.Sandbox) uuid.UUID {
	t.Helper()
	sender := sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "NP")
	return send(t, sandbox.Client, sender, sandbox.Payout(sender, receiver, api.PayoutMethodWallet, "1"))
}

// The tests contain the code of the documentation, unchanged; server/e2e/docs compares them.
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

//nolint:paralleltest // as in the documentation
func TestStatusesArrive(t *testing.T) {
	sandbox := payouttest.New(t, payouttest.Webhooks())
	handler := yourcode.Handler()
	receiver := httptest.NewServer(handler)
	defer receiver.Close()
	hook := sandbox.Webhook(receiver.URL)
	handler.Trust(hook.Secret)

	id := yourcode.Pay(t, sandbox)
	sandbox.Settle(id)
	events := hook.Delivered()
	hook.Again(events[0].ID)
	if status := handler.Status(id); status != api.TransactionStatusCompleted {
		t.Error(status)
	}
}

func TestCallsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	sandbox := r.Sandbox

	sandbox.Next("createTransaction").LoseResponse()
	sandbox.Next("getTransaction").After(3).Times(2).Fail(client.InternalError)
	sandbox.All("createTransaction").Every(2).Reset().LoseRequest()
	sandbox.Next("createTransaction").Handled().Answer(payouttest.Response{Status: 502, Body: "<html>Bad Gateway</html>"})

	patient := sandbox.NewClient(client.WithRetries(4), client.WithBackoff(time.Millisecond, time.Millisecond))
	id := send(t, patient, r.sender, r.payout)
	for range 5 {
		_, _ = r.once.GetTransaction(t.Context(), r.sender.ID, id)
	}
	sandbox.Next("getTransaction").ChangeResponse(payouttest.Replace("/status", "ON_HOLD"))
	seen, err := r.once.GetTransaction(t.Context(), r.sender.ID, id)
	if err != nil || seen.Status != "ON_HOLD" {
		t.Errorf("read %+v, %v", seen, err)
	}
	r.wantFaults(t, "LoseResponse", "Reset LoseRequest", "Handled Answer 502", "Reset LoseRequest", "",
		"", "", "", "Fail INTERNAL_ERROR", "Fail INTERNAL_ERROR", "ChangeResponse")
}
