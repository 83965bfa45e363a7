package checks

import (
	"context"
	"fmt"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// racers is how many requests with one key are sent at the same time.
const racers = 16

// race sends one key with all requests at the same time. An answer that did not come is nil.
func race(t *probe.T, s probe.Sender, request func(i int) api.TransactionRequest) []*api.CreateTransactionResponse {
	key, client := probe.NewKey(), t.Client()
	answers := make([]*api.CreateTransactionResponse, racers)
	t.Together(racers, func(ctx context.Context, i int) {
		r, err := client.CreateTransactionWithResponse(ctx, s.UserID, &api.CreateTransactionParams{XIdempotencyKey: &key}, request(i))
		if err == nil {
			answers[i] = r
		}
	})
	return answers
}

// concurrentRequests is that requests with one key wait for each other (D-16).
func concurrentRequests() []probe.Check {
	const wait = "Take the key in the same write as the transaction, so that a second request waits for the first one and then answers it."
	check := func(id, title string, needs probe.Need, run func(t *probe.T, s probe.Sender, body api.TransactionRequest)) probe.Check {
		return probe.Check{
			ID: "idempotency.concurrent." + id, Title: title, Clauses: []string{"4-note-3", "D-16"}, Operations: []string{"createTransaction"},
			Needs: needs, Fix: wait,
			Run: func(t *probe.T) {
				s, body := t.Deposit()
				run(t, s, body)
			},
		}
	}
	return []probe.Check{
		check("answer", "Concurrent repeats all answer one transaction, and one of them is no replay", 0,
			func(t *probe.T, s probe.Sender, body api.TransactionRequest) {
				created, firsts := map[string]bool{}, 0
				for _, r := range race(t, s, func(int) api.TransactionRequest { return body }) {
					if r == nil || createdID(r) == "" {
						t.Failf("one of the concurrent repeats is not answered with 200")
						continue
					}
					created[createdID(r)] = true
					if !isReplay(r.HTTPResponse.Header) {
						firsts++
					}
				}
				t.Expect(len(created) == 1 && firsts == 1,
					"%d transactions are answered, %d as no replay; want one and one", len(created), firsts)
			}),
		check("once", "Concurrent repeats create one transaction", probe.Extensions,
			func(t *probe.T, s probe.Sender, body api.TransactionRequest) {
				race(t, s, func(int) api.TransactionRequest { return body })
				n := len(transactionIDs(t, s.UserID))
				t.Expect(n == 1, "%d transactions are listed, want 1", n)
			}),
		check("limit", "Concurrent repeats count once against the limits", probe.Extensions,
			func(t *probe.T, s probe.Sender, body api.TransactionRequest) {
				body.FromAmount = wire.MustAmount("1.00")
				before := remainingLimit(t, s.UserID)
				race(t, s, func(int) api.TransactionRequest { return body })
				wantRemaining(t, remainingLimit(t, s.UserID), used(t, before, body.FromAmount))
			}),
		check("different", "Of concurrent different requests with one key the first is created and all others are refused", 0,
			func(t *probe.T, s probe.Sender, body api.TransactionRequest) {
				created := 0
				for _, r := range race(t, s, func(i int) api.TransactionRequest {
					other := body
					other.Note = probe.Ptr(fmt.Sprintf("request %d", i))
					return other
				}) {
					switch {
					case r != nil && createdID(r) != "":
						created++
					case r == nil:
						t.Failf("one of the concurrent requests got no usable answer")
					default:
						t.Refused(r, nil, 409, api.ErrorCodeIdempotencyKeyReused)
					}
				}
				t.Expect(created == 1, "%d of %d different requests with one key are created, want 1", created, racers)
			}),
	}
}
