package payouttest_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// payment is a row of a table of payments.
type payment struct {
	Key     string // stored before the first call
	Sent    bool   // a call may have been made, perhaps by a process that is gone
	Request api.TransactionRequest
	Result  string
}

// payAll is code that uses the SDK: it pays each row once, and repeats a call until its result is known.
func payAll(ctx context.Context, c *client.Client, sender uuid.UUID, rows []*payment) {
	for _, row := range rows {
		row.Result = pay(ctx, c, sender, row)
	}
}

func pay(ctx context.Context, c *client.Client, sender uuid.UUID, row *payment) string {
	key := client.IdempotencyKey(row.Key)
	if row.Sent {
		key = client.RepeatOf(row.Key)
	}
	row.Sent = true // which a real program stores
	for {
		made, err := c.CreateTransaction(ctx, sender, row.Request, key)
		if err == nil {
			return "paid " + made.FromAmount.String() + " " + made.FromCurrency
		}
		e, _ := errors.AsType[*client.Error](err) // every error of a call is one
		switch {
		case e.Refused():
			return "refused: " + string(e.Code)
		case !e.OutcomeUnknown() && !e.Temporary():
			return "open: " + e.Message // about the program, such as a revoked secret
		}
		key = client.RepeatOf(row.Key)
		select {
		case <-time.After(max(e.RetryAfter, time.Millisecond)): // a real program waits longer
		case <-ctx.Done():
			return "unknown" // it continues with RepeatOf when it starts again
		}
	}
}

// Test your own loop that pays: whatever happens to its calls, each payment is made once or refused by the service. In a
// test, sandbox is payouttest.New(t), which stops by itself.
func Example() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	receiver := sandbox.ReceiveUser(sender, "NP")
	var rows []*payment
	for _, amount := range []string{"10.00", "20.00", "999999.00", "40.00", "50.00"} {
		payout := sandbox.Payout(sender, receiver, api.PayoutMethodBankDeposit, amount)
		rows = append(rows, &payment{Key: "invoice-" + amount, Request: payout})
	}

	creation := func() payouttest.Calls { return sandbox.All("createTransaction") }
	creation().Every(2).LoseResponse()
	creation().Every(3).Handled().Answer(payouttest.Response{Status: 200, Body: "<html>Please log in</html>"})
	creation().Every(5).RetryAfter(0).Fail(client.RateLimited)
	creation().Every(7).ChangeResponse(payouttest.Remove("/id"))
	payAll(ctx, sandbox.NewClient(client.WithRetries(0)), sender.ID, rows)

	for _, row := range rows {
		fmt.Println(row.Result)
	}
	made := 0
	for _, err := range sandbox.Client.Transactions(ctx, sender.ID, nil) {
		if err == nil {
			made++
		}
	}
	fmt.Println(made, "transactions")
	// Output:
	// paid 10.00 USD
	// paid 20.00 USD
	// refused: LIMIT_EXCEEDED
	// paid 40.00 USD
	// paid 50.00 USD
	// 4 transactions
}
