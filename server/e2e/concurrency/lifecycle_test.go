package concurrency_test

import (
	"context"
	"net/http"
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// 64 movers cancel and release one transaction at the same time: one kind of move wins, the other is refused, and the amount is
// given back once or not at all (D-66). On PostgreSQL they are divided between two replicas.
func TestOfConcurrentMovesOneWins(t *testing.T) {
	t.Parallel()
	servers := [2]*servertest.Server{servertest.New(t)}
	servers[1] = servers[0]
	if servertest.OnPostgreSQL(t) {
		servers[1] = servertest.New(t, func(c *server.Config) { c.Database = servers[0].Database })
	}
	w := servertest.NewCashSender(t, servers[0], "US")
	servertest.Created(t, servertest.SendToNepal(t, w, "5")) // an amount that is given back twice would show
	used := int64(500)
	for range rounds(50) {
		made := servertest.Created(t, servertest.SendToNepal(t, w, "1"))
		type answer struct {
			move   string
			status int
			code   api.ErrorCode
		}
		won := map[string]int{}
		for _, a := range atOnce(t, callers, func(ctx context.Context, i int) (answer, error) {
			c := servers[i%2].Client
			if i/2%2 == 0 {
				r, err := c.CancelTransactionWithResponse(ctx, w.Sender.ID, made.ID)
				if err != nil {
					return answer{}, err
				}
				return answer{"CANCELED", r.StatusCode(), codeOf(r.JSON422)}, nil
			}
			r, err := c.SetTransactionStatusWithResponse(ctx, w.Sender.ID, made.ID, api.TransactionMoveRequest{Status: api.TransactionStatusProcessing})
			if err != nil {
				return answer{}, err
			}
			return answer{"PROCESSING", r.StatusCode(), codeOf(r.JSON422)}, nil
		}) {
			switch want := map[string]api.ErrorCode{"CANCELED": api.ErrorCodeTransactionNotCancelable, "PROCESSING": api.ErrorCodeTransitionNotAllowed}; {
			case a.status == http.StatusOK:
				won[a.move]++
			case a.status != http.StatusUnprocessableEntity || a.code != want[a.move]:
				t.Errorf("%s was answered %d %s", a.move, a.status, a.code)
			}
		}
		status := statusOf(t, servers[1], w.Sender.ID, made.ID)
		if len(won) != 1 || won[status] != callers/2 {
			t.Errorf("%v succeeded, and it is %s", won, status)
		}
		if status == "PROCESSING" {
			used += 100
		}
		left := func(limit int64) string { return servertest.Dollars(limit - used) }
		servertest.WantLimit(t, servers[0].Client, w.Sender.ID, "NP", "1: "+left(1_000_00)+" "+left(3_000_00)+" "+left(10_000_00))
	}
	servertest.WantExactUsage(t, servers[0].Beside(t))
	servertest.WantSound(t, servers[0].Database)
}

// Creations and cancellations of one user at the same time leave counters that are exact.
func TestLimitsAreGivenBackBesideCreations(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewCashSender(t, s, "US")
	made := make([]openapi_types.UUID, callers/2)
	for i := range made {
		made[i] = servertest.Created(t, servertest.SendToNepal(t, w, "1")).ID
	}
	request := servertest.PickupAt(t, w.Sender, w.Users["NP"], servertest.CashPayer, "2", "1", "NPR")
	for i, status := range atOnce(t, callers, func(ctx context.Context, i int) (int, error) {
		if i%2 == 0 {
			r, err := s.Client.CancelTransactionWithResponse(ctx, w.Sender.ID, made[i/2])
			if err != nil {
				return 0, err
			}
			return r.StatusCode(), nil
		}
		r, err := s.Client.CreateTransactionWithResponse(ctx, w.Sender.ID, nil, request)
		if err != nil {
			return 0, err
		}
		return r.StatusCode(), nil
	}) {
		if status != http.StatusOK {
			t.Errorf("call %d was answered %d", i, status)
		}
	}
	left := func(limit int64) string { return servertest.Dollars(limit - callers/2*200) }
	servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "1: "+left(1_000_00)+" "+left(3_000_00)+" "+left(10_000_00))
	servertest.WantExactUsage(t, s.Beside(t))
	servertest.WantSound(t, s.Database)
}

func statusOf(t *testing.T, s *servertest.Server, user, transaction openapi_types.UUID) string {
	t.Helper()
	r, err := s.Client.GetTransactionWithResponse(t.Context(), user, transaction)
	return string(servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Status)
}

func codeOf(e *api.Error) api.ErrorCode {
	if e == nil {
		return ""
	}
	return e.Code
}
