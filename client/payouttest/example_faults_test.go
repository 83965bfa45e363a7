package payouttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// outcome says what a caller learned of a call.
func outcome(err error) string {
	e, ok := errors.AsType[*client.Error](err)
	switch {
	case !ok:
		return "done"
	case e.OutcomeUnknown():
		return "unknown"
	case e.Temporary():
		return "failed for now"
	case e.Refused():
		return "refused"
	}
	return "wrong program"
}

// A page of a proxy instead of the service, which does not get the request.
func ExampleCalls_Answer() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	sandbox.Next("listBanks").Answer(payouttest.Response{Status: 404, Body: "<html>Not Found</html>"})
	_, err := sandbox.Client.ListBanks(context.Background(), nil)
	e, _ := errors.AsType[*client.Error](err)
	fmt.Printf("status %d, code %q\n", e.Status, e.Code)
	// Output: status 404, code ""
}

// The service makes the payout, but an error of a gateway reaches the caller.
func ExampleCalls_Handled() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	payout := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "100.00")
	once := sandbox.NewClient(client.WithRetries(0))

	sandbox.Next("createTransaction").Handled().Answer(payouttest.Response{Status: 504})
	_, err := once.CreateTransaction(ctx, sender.ID, payout, client.IdempotencyKey("invoice-17"))
	fmt.Println("first call:", outcome(err))

	var info client.Info
	_, err = once.CreateTransaction(ctx, sender.ID, payout, client.RepeatOf("invoice-17"), client.CaptureInfo(&info))
	fmt.Println("second call:", outcome(err), "and replayed:", info.Replayed)
	// Output:
	// first call: unknown
	// second call: done and replayed: true
}

// A status that a newer service may have.
func ExampleCalls_ChangeResponse() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()

	sandbox.Next("getUser").ChangeResponse(payouttest.Replace("/status", "ON_HOLD"))
	user, err := sandbox.Client.GetUser(context.Background(), sender.ID)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(user.Status)
	// Output: ON_HOLD
}

// Responses that a service should not send. Each is that of the service but for one change.
func ExampleChange() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	payout := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "100.00")

	for _, change := range []payouttest.Change{
		payouttest.Replace("/id", "17"),
		payouttest.Replace("/from_amount", json.RawMessage("1e2")),
		payouttest.Replace("/created_at", "2026-03-14T15:09:26+01:00"),
		payouttest.Replace("/status", nil),
		payouttest.Remove("/status"),
		payouttest.Add("/new_member", 1),
		func(r *payouttest.Response) error { r.Status = 202; return nil },
	} {
		sandbox.Next("createTransaction").ChangeResponse(change)
		_, err := sandbox.NewClient(client.WithRetries(0)).CreateTransaction(ctx, sender.ID, payout)
		fmt.Println(outcome(err))
	}
	// Output:
	// unknown
	// unknown
	// unknown
	// unknown
	// unknown
	// done
	// unknown
}

// A connection that is reset instead of closed.
func ExampleCalls_Reset() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	once := sandbox.NewClient(client.WithRetries(0))

	sandbox.Next("listBanks").LoseResponse()
	_, err := once.ListBanks(context.Background(), nil)
	fmt.Println("closed:", errors.Is(err, io.EOF))

	sandbox.Next("listBanks").Reset().LoseResponse()
	_, err = once.ListBanks(context.Background(), nil)
	fmt.Println("reset:", errors.Is(err, errReset)) // syscall.ECONNRESET, or WSAECONNRESET on Windows
	// Output:
	// closed: true
	// reset: true
}

// An outage that begins after two calls and ends when the test says so.
func ExampleSandbox_All() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	once := sandbox.NewClient(client.WithRetries(0))
	list := func() {
		_, err := once.ListBanks(context.Background(), nil)
		fmt.Println(outcome(err))
	}

	outage := sandbox.All("listBanks").After(2).Fail(client.ServiceUnavailable)
	for range 4 {
		list()
	}
	outage.Remove()
	list()
	// Output:
	// done
	// done
	// failed for now
	// failed for now
	// done
}

// Every second response is lost, and the SDK repeats the call.
func ExampleCalls_Every() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()

	sandbox.All("listBanks").Every(2).LoseResponse()
	for range 4 {
		var info client.Info
		_, err := sandbox.Client.ListBanks(context.Background(), nil, client.CaptureInfo(&info))
		fmt.Println(outcome(err), "after", info.Attempts)
	}
	// Output:
	// done after 1
	// done after 2
	// done after 2
	// done after 2
}

// One payout of a batch fails, whichever comes first.
func ExampleCalls_Where() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	payout := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "100.00")

	sandbox.Next("createTransaction").Where(func(r payouttest.Request) bool {
		return r.IdempotencyKey == "invoice-18"
	}).Fail(client.LimitExceeded)
	for _, key := range []string{"invoice-17", "invoice-18", "invoice-19"} {
		_, err := sandbox.Client.CreateTransaction(ctx, sender.ID, payout, client.IdempotencyKey(key))
		fmt.Println(key, outcome(err))
	}
	// Output:
	// invoice-17 done
	// invoice-18 refused
	// invoice-19 done
}
