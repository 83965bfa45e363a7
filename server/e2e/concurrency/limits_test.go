package concurrency_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// atOnce runs n calls concurrently and returns their responses in order. A call without a response fails the test.
func atOnce[T any](t testing.TB, n int, send func(ctx context.Context, i int) (T, error)) []T {
	t.Helper()
	answers, start := make([]T, n), make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			r, err := send(t.Context(), i)
			if err != nil {
				t.Errorf("call %d: %v", i, err)
				return
			}
			answers[i] = r
		})
	}
	close(start)
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return answers
}

// 64 callers share the remaining limit of the highest tier: exactly as many transactions as fit are created.
func TestConcurrentTransactionsShareALimit(t *testing.T) {
	t.Parallel()
	const callers = 64
	for _, row := range []struct {
		amount, left string
		fit          int
	}{
		{"1000", "3: 0.00 40000.00 230000.00", 20},
		{"700", "3: 400.00 40400.00 230400.00", 28},
		{"20000", "3: 0.00 40000.00 230000.00", 1},
		{"312.50", "3: 0.00 40000.00 230000.00", 64},
		{"20000.01", "3: 20000.00 60000.00 250000.00", 0},
	} {
		t.Run(row.amount, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			w := servertest.NewCashSender(t, s, "US")
			servertest.VerifyTags(t, s.Client, w.Sender.ID, servertest.TopTier...)
			request := servertest.PickupAt(t, w.Sender, w.Users["NP"], servertest.CashPayer, row.amount, "1", "NPR")
			created := 0
			for _, r := range atOnce(t, callers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
				params := &api.CreateTransactionParams{}
				if i%2 == 0 { // with and without keys
					params.XIdempotencyKey = servertest.Ptr(fmt.Sprintf("%s-%d", row.amount, i))
				}
				return s.Client.CreateTransactionWithResponse(ctx, w.Sender.ID, params, request)
			}) {
				if r.StatusCode() == 200 {
					created++
					continue
				}
				servertest.WantRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
			}
			if listed := len(servertest.List(t, s.Client, w.Sender.ID, 10)); created != row.fit || listed != row.fit {
				t.Errorf("%d created, %d listed, want %d", created, listed, row.fit)
			}
			servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", row.left)
		})
	}
}
