package payouttest_test

import (
	"context"
	"fmt"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// What arrived, and what happened to it.
func ExampleSandbox_Requests() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	payout := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100.00")

	sandbox.Next("createTransaction").LoseResponse()
	_, err := sandbox.Client.CreateTransaction(ctx, sender.ID, payout, client.IdempotencyKey("invoice-17"))
	fmt.Println("error:", err)
	for _, r := range sandbox.Requests("createTransaction") {
		fmt.Printf("%s answered %d, fault %q\n", r.IdempotencyKey, r.Status, r.Fault)
	}
	// Output:
	// error: <nil>
	// invoice-17 answered 200, fault "LoseResponse"
	// invoice-17 answered 200, fault ""
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
