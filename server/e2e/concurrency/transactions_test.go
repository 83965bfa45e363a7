package concurrency_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// callers is the number of concurrent callers.
const callers = 64

// rounds is how often a race is run: fewer times with -short.
func rounds(full int) int {
	if testing.Short() {
		return full / 10
	}
	return full
}

// race sends concurrently from all callers with one key; request returns the request of each.
func race(
	t testing.TB, c *api.ClientWithResponses, user openapi_types.UUID, key string, request func(i int) api.TransactionRequest,
) []*api.CreateTransactionResponse {
	t.Helper()
	params := &api.CreateTransactionParams{XIdempotencyKey: &key}
	return atOnce(t, callers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
		return c.CreateTransactionWithResponse(ctx, user, params, request(i))
	})
}

// oneTransaction checks that all responses are 200 with one body, and that exactly one is not a replay.
func oneTransaction(t testing.TB, answers []*api.CreateTransactionResponse) {
	t.Helper()
	first := 0
	for _, r := range answers {
		if r.StatusCode() != 200 || !bytes.Equal(r.Body, answers[0].Body) {
			t.Fatalf("status %d: %s\nanother answer: %s", r.StatusCode(), r.Body, answers[0].Body)
		}
		switch replayed := r.HTTPResponse.Header.Values("Idempotent-Replayed"); {
		case len(replayed) == 0:
			first++
		case len(replayed) != 1 || replayed[0] != "true":
			t.Errorf("Idempotent-Replayed: %v", replayed)
		}
	}
	if first != 1 {
		t.Errorf("%d answers are no replay, want 1", first)
	}
}

// Concurrent repeats of a request are one transaction: all wait for the first and return its response (D-16).
func TestConcurrentRepeats(t *testing.T) {
	t.Parallel()
	rounds := rounds(200)
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	created := map[openapi_types.UUID]bool{}
	for round := range rounds {
		request := servertest.Deposit(t, sender, receiver, "0.01")
		answers := race(t, s.Client, sender.ID, fmt.Sprintf("round %d", round), func(int) api.TransactionRequest { return request })
		oneTransaction(t, answers)
		created[answers[0].JSON200.ID] = true
	}
	all := servertest.List(t, s.Client, sender.ID, 100)
	if len(all) != rounds || len(created) != rounds {
		t.Errorf("%d transactions are listed and %d were answered, want %d", len(all), len(created), rounds)
	}
	for _, x := range all {
		if delete(created, x.ID); x.FromAmount.String() != "0.01" {
			t.Errorf("transaction %s is of %s", x.ID, x.FromAmount)
		}
	}
	if len(created) != 0 {
		t.Errorf("answered and not listed: %v", created)
	}
	left := func(limit int64) string { return servertest.Dollars(limit - int64(rounds)) } // each is counted once, one cent
	servertest.WantLimit(t, s.Client, sender.ID, "NP", fmt.Sprintf("1: %s %s %s", left(1_000_00), left(3_000_00), left(10_000_00)))
}

// Of concurrent requests that differ, the first one gets the key; the others are rejected and write nothing.
func TestConcurrentDifferentRequests(t *testing.T) {
	t.Parallel()
	const rounds = 10
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	for round := range rounds {
		answers := race(t, s.Client, sender.ID, fmt.Sprintf("round %d", round), func(i int) api.TransactionRequest {
			request := servertest.Deposit(t, sender, receiver, "0.01")
			request.FeeAmount = servertest.Ptr(wire.MustAmount(fmt.Sprintf("0.%02d", i)))
			return request
		})
		created := 0
		for i, r := range answers {
			if r.StatusCode() == 200 {
				if created++; r.JSON200.FeeAmount.String() != fmt.Sprintf("0.%02d", i) {
					t.Errorf("caller %d gets the answer of another: %s", i, r.Body)
				}
				continue
			}
			if r.StatusCode() != 409 {
				t.Fatalf("status %d, want 409: %s", r.StatusCode(), r.Body)
			}
			servertest.Refusal(t, r.Body, api.ErrorCodeIdempotencyKeyReused)
		}
		if listed := len(servertest.List(t, s.Client, sender.ID, 100)); created != 1 || listed != round+1 {
			t.Errorf("after round %d: %d created at once, %d in the list", round, created, listed)
		}
	}
}

// A repeat is never rejected because of the first request, which here uses up the highest limit.
func TestConcurrentRepeatsForTheLastOfALimit(t *testing.T) {
	t.Parallel()
	const rounds = 10
	s := servertest.New(t)
	for round := range rounds {
		w := servertest.NewCashSender(t, s, "US")
		servertest.VerifyTags(t, s.Client, w.Sender.ID, servertest.TopTier...)
		servertest.Created(t, servertest.SendToNepal(t, w, "12345.67"))
		request := servertest.PickupAt(t, w.Sender, w.Users["NP"], servertest.CashPayer, "7654.33", "1", "NPR")
		oneTransaction(t, race(t, s.Client, w.Sender.ID, fmt.Sprintf("round %d", round), func(int) api.TransactionRequest { return request }))
		servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 0.00 40000.00 230000.00")
		request.FromAmount = wire.MustAmount("0.01")
		servertest.WantRefused(t, servertest.Send(t, s.Client, w.Sender.ID, "another key", request), api.ErrorCodeLimitExceeded, "/from_amount")
		if n := len(servertest.List(t, s.Client, w.Sender.ID, 100)); n != 2 {
			t.Errorf("%d transactions, want 2", n)
		}
	}
}

// Concurrent repeats of a rejected request are all rejected for the same rule, and do not use the key.
func TestConcurrentRefusals(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
	servertest.VerifyTags(t, s.Client, w.Sender.ID, servertest.TopTier...)
	request := servertest.PickupAt(t, w.Sender, w.Users["NP"], servertest.CashPayer, "20000.01", "1", "NPR")
	for _, r := range race(t, s.Client, w.Sender.ID, "key", func(int) api.TransactionRequest { return request }) {
		servertest.WantRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
	}
	request.FromAmount = wire.MustAmount("20000")
	oneTransaction(t, race(t, s.Client, w.Sender.ID, "key", func(int) api.TransactionRequest { return request }))
}
