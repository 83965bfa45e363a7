package payouttest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// payInvoice is code that uses the SDK: it pays an invoice, and gives up after one retry.
func payInvoice(ctx context.Context, c *client.Client, sender uuid.UUID, number string, payout api.TransactionRequest) error {
	_, err := c.CreateTransaction(ctx, sender, payout, client.IdempotencyKey("invoice-"+number))
	if e, ok := errors.AsType[*client.Error](err); ok && e.Temporary() {
		_, err = c.CreateTransaction(ctx, sender, payout, client.IdempotencyKey(e.IdempotencyKey))
	}
	return err
}

// Test your own code: an invoice is paid once, though the response to the first call is lost. In a test, sandbox is
// payouttest.New(t), which stops by itself.
func Example() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	payout := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100.00")

	sandbox.Next("createTransaction").LoseResponse()
	err := payInvoice(ctx, sandbox.NewClient(client.WithRetries(0)), sender.ID, "17", payout)
	fmt.Println("error:", err)
	for _, r := range sandbox.Requests("createTransaction") {
		fmt.Printf("%s answered %d, fault %q\n", r.IdempotencyKey, r.Status, r.Fault)
	}
	paid := 0
	for _, err := range sandbox.Client.Transactions(ctx, sender.ID, nil) {
		if err == nil {
			paid++
		}
	}
	fmt.Println("paid:", paid)
	// Output:
	// error: <nil>
	// invoice-17 answered 200, fault "LoseResponse"
	// invoice-17 answered 200, fault ""
	// paid: 1
}

// Test your code while a call is in progress.
func ExampleCalls_Hold() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()

	held := sandbox.Next("getUser").Hold()
	done := make(chan api.KycStatus)
	go func() {
		defer close(done)
		if user, err := sandbox.Client.GetUser(context.Background(), sender.ID); err == nil {
			done <- user.Status
		}
	}()
	<-held.Arrived()
	fmt.Println("under way:", len(sandbox.Requests("getUser")))
	held.Release()
	fmt.Println("answered:", <-done)
	// Output:
	// under way: 1
	// answered: VERIFIED
}

// A service that is unavailable for a while.
func ExampleCalls_Fail() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	sandbox.Next("listBanks").Times(2).RetryAfter(0).Fail(client.ServiceUnavailable)
	var info client.Info
	_, err := sandbox.Client.ListBanks(context.Background(), nil, client.CaptureInfo(&info))
	fmt.Println(err, "after", info.Attempts, "attempts")
	// Output: <nil> after 3 attempts
}
