package client_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// A payout whose response was lost is sent again, later and perhaps by another process, with the key that is stored with the
// order. It is created once.
func ExampleIdempotencyKey() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	order := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100")
	const key = "order-4711"

	sandbox.Next("createTransaction").LoseResponse()
	impatient := sandbox.NewClient(client.WithRetries(0)) // by default the SDK sends it again by itself, with this key
	_, err := impatient.CreateTransaction(ctx, sender.ID, order, client.IdempotencyKey(key))
	if e, ok := errors.AsType[*client.Error](err); ok && e.OutcomeUnknown() {
		fmt.Println("not known whether it was made, key", e.IdempotencyKey)
	}

	var info client.Info
	payout, err := impatient.CreateTransaction(ctx, sender.ID, order, client.IdempotencyKey(key), client.CaptureInfo(&info))
	check(err)
	fmt.Println(payout.Status, "replayed:", info.Replayed)
	// Output:
	// not known whether it was made, key order-4711
	// INITIATED replayed: true
}

// Handle errors by code.
func ExampleCode() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	sandbox.TopTier(sender)
	order := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "20000.01")

	_, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, order)
	switch {
	case err == nil:
		fmt.Println("sent")
	case errors.Is(err, client.LimitExceeded):
		fmt.Println("offer to send less")
	case errors.Is(err, client.KycNotEligible), errors.Is(err, client.FundingAccountNotActive):
		fmt.Println("ask the sender to finish the registration")
	default:
		fmt.Println("tell the operator")
	}
	// Output: offer to send less
}

// Show each violation next to its field.
func ExampleError() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	_, err := sandbox.Client.CreateUser(context.Background(), api.UserRequest{
		FirstName: "Asha", Email: "asha at example.com", Country: "US", MobilePhone: new("+1 415 555"),
	})
	if e, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(e.Status, e.Code)
		for _, d := range e.Details {
			fmt.Println(d.Field, d.Reason)
		}
	}
	// Output:
	// 400 BAD_REQUEST
	// /email must be an email address
	// /mobile_phone must be 4 to 20 digits
}

// Count attempts, for metrics or traces.
func ExampleWithHooks() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	c := sandbox.NewClient(client.WithHooks(client.Hooks{
		Response: func(_ context.Context, a client.Attempt) {
			fmt.Println(a.Operation, "attempt", a.Number, "status", a.Status)
		},
		Retry: func(_ context.Context, a client.Attempt) { fmt.Println("again, because:", a.Reason) },
	}))

	sandbox.Next("getPayer").RetryAfter(0).Fail(client.ServiceUnavailable)
	_, err := c.GetPayer(context.Background(), 1001)
	check(err)
	// Output:
	// getPayer attempt 1 status 503
	// again, because: unavailable
	// getPayer attempt 2 status 200
}

// Log what the SDK does, without credentials, bodies and identifiers of users.
func ExampleWithLogger() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	// Here without what differs from run to run.
	stable := func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case "time", "duration", "request_id", "wait":
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: stable}))
	c := sandbox.NewClient(client.WithLogger(log))

	sandbox.Next("getPayer").Fail(client.InternalError)
	_, err := c.GetPayer(context.Background(), 1001)
	check(err)
	// Output:
	// level=WARN msg="payouts retry" operation=getPayer method=GET path=/payers/{payerId} attempt=1 status=500 code=INTERNAL_ERROR reason="server error" error="Something went wrong on our side. Repeat the request, a creation with the same X-Idempotency-Key; if it fails again, give the operator the request_id."
}
