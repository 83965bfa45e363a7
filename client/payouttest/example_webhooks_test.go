package payouttest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// board is code that receives webhooks: it shows the newest status of each payout. A program that does something with them keeps
// them in its database; see the example of client.VerifyWebhook.
type board struct {
	mu     sync.Mutex
	secret string
	newest map[uuid.UUID]*api.Transaction
}

// Trust sets the secret of the endpoint.
func (b *board) Trust(secret string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.secret = secret
}

// Status returns what is known of a payout.
func (b *board) Status(id uuid.UUID) api.TransactionStatus {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest[id].Status
}

func (b *board) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	event, err := client.VerifyWebhook(r.Header, body, b.secret)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if v := event.Data.Transaction; v != nil {
		if have := b.newest[v.ID]; have == nil || v.UpdatedAt.After(have.UpdatedAt.Time) {
			b.newest[v.ID] = v
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// Test your own handler of webhooks: the service delivers to it, and you move the payouts. In a test, sandbox is
// payouttest.New(t, payouttest.Webhooks()), which stops by itself.
func ExampleSandbox_Webhook() {
	sandbox := payouttest.Start(payouttest.Webhooks())
	defer sandbox.Stop()
	handler := &board{newest: map[uuid.UUID]*api.Transaction{}}
	receiver := httptest.NewServer(handler)
	defer receiver.Close()
	hook := sandbox.Webhook(receiver.URL)
	handler.Trust(hook.Secret)

	sender := sandbox.VerifiedSender()
	request := sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100.00")
	payout, err := sandbox.Client.CreateTransaction(context.Background(), sender.ID, request)
	if err != nil {
		panic(err)
	}
	sandbox.Settle(payout.ID)
	events := hook.Delivered()
	fmt.Println(handler.Status(payout.ID))

	sandbox.Return(payout.ID, api.StatusReasonAccountInvalid)
	hook.Delivered()
	for _, event := range events {
		hook.Again(event.ID) // repeated, and late
	}
	fmt.Println(handler.Status(payout.ID))
	// Output:
	// COMPLETED
	// RETURNED
}
