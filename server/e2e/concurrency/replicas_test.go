package concurrency_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// newReplicas starts two services on one database.
func newReplicas(t testing.TB) [2]*servertest.Server {
	t.Helper()
	servertest.NeedPostgreSQL(t)
	first := servertest.New(t)
	return [2]*servertest.Server{first, servertest.New(t, func(c *server.Config) { c.Database = first.Database })}
}

// raceReplicas sends one request with one key concurrently from all callers, half of them to each replica.
func raceReplicas(
	t testing.TB, both [2]*servertest.Server, user openapi_types.UUID, key string, request api.TransactionRequest,
) []*api.CreateTransactionResponse {
	t.Helper()
	params := &api.CreateTransactionParams{XIdempotencyKey: &key}
	return atOnce(t, callers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
		return both[i%2].Client.CreateTransactionWithResponse(ctx, user, params, request)
	})
}

// Concurrent repeats of a request at two replicas are one transaction, with one response (D-16).
func TestReplicasCreateOneTransactionForAKey(t *testing.T) {
	t.Parallel()
	both, rounds := newReplicas(t), rounds(500)
	sender := servertest.NewSender(t, both[0].Client)
	receiver := servertest.NewReceiver(t, both[1].Client, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "0.01")
	created := map[openapi_types.UUID]bool{}
	for round := range rounds {
		answers := raceReplicas(t, both, sender.ID, fmt.Sprintf("round %d", round), request)
		oneTransaction(t, answers)
		created[answers[0].JSON200.ID] = true
	}
	for i, s := range both {
		if listed := len(servertest.List(t, s.Client, sender.ID, 100)); listed != rounds || len(created) != rounds {
			t.Errorf("replica %d lists %d transactions of %d, want %d", i, listed, len(created), rounds)
		}
		left := func(limit int64) string { return servertest.Dollars(limit - int64(rounds)) } // each is counted once, one cent
		servertest.WantLimit(t, s.Client, sender.ID, "NP", fmt.Sprintf("1: %s %s %s", left(1_000_00), left(3_000_00), left(10_000_00)))
	}
	servertest.WantExactUsage(t, both[0].Beside(t))
	servertest.WantSound(t, both[0].Database)
}

// Callers of two replicas share the remaining limit of the highest tier: exactly as many transactions as fit are created,
// one for each key (D-17).
func TestReplicasShareTheLastOfALimit(t *testing.T) {
	t.Parallel()
	const keys, fit = callers / 4, 9
	both := newReplicas(t)
	for round := range rounds(100) {
		w := servertest.NewCashSender(t, both[round%2], "US")
		servertest.VerifyTags(t, both[round%2].Client, w.Sender.ID, servertest.TopTier...)
		request := servertest.PickupAt(t, w.Sender, w.Users["NP"], servertest.CashPayer, "2000", "1", "NPR")
		servertest.Created(t, servertest.SendToNepal(t, w, "1000.01")) // so that 9 more fit, and 999.99 remain
		answers := atOnce(t, callers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
			params := &api.CreateTransactionParams{XIdempotencyKey: servertest.Ptr(fmt.Sprintf("round %d, key %d", round, i/4))}
			return both[i%2].Client.CreateTransactionWithResponse(ctx, w.Sender.ID, params, request)
		})
		created := 0
		for key := range keys {
			same := answers[4*key : 4*key+4]
			if same[0].StatusCode() == http.StatusOK {
				created++
				oneTransaction(t, same)
				continue
			}
			for _, r := range same {
				servertest.WantRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
			}
		}
		if listed := len(servertest.List(t, both[(round+1)%2].Client, w.Sender.ID, 100)); created != fit || listed != fit+1 {
			t.Errorf("%d created, %d listed, want %d and %d", created, listed, fit, fit+1)
		}
		for _, s := range both {
			servertest.WantLimit(t, s.Client, w.Sender.ID, "NP", "3: 999.99 40999.99 230999.99")
		}
	}
	servertest.WantExactUsage(t, both[1].Beside(t))
	servertest.WantSound(t, both[1].Database)
}

// Replicas that start together on an empty database serve the same sandbox.
func TestReplicasStartTogether(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	for range 3 {
		config := server.Config{Database: servertest.Database(t), Sandbox: true}
		var all sync.WaitGroup
		var mu sync.Mutex
		bodies := map[string]int{}
		for range 4 {
			all.Go(func() {
				srv, err := server.New(t.Context(), config)
				if err != nil {
					t.Errorf("start: %v", err)
					return
				}
				defer srv.Close()
				text := getFrom(t, srv, "/payers") + getFrom(t, srv, "/banks") + getFrom(t, srv, "/v2/states") + getFrom(t, srv, "/readyz")
				mu.Lock()
				defer mu.Unlock()
				bodies[text]++
			})
		}
		all.Wait()
		if len(bodies) != 1 || slices.Max(slices.Collect(maps.Values(bodies))) != 4 {
			t.Errorf("4 replicas give %d kinds of answers", len(bodies))
		}
		servertest.Rows(t, servertest.Beside(t, config.Database), `select (select count(*) from clients), (select count(*) from client_secrets)`,
			func(rows *sql.Rows) error {
				var clients, secrets int
				err := rows.Scan(&clients, &secrets)
				if clients != len(server.SandboxClients) || secrets != clients {
					t.Errorf("%d clients with %d secrets", clients, secrets)
				}
				return err
			})
	}
}

// A change at one replica, or by an operator, takes effect with the next request at the other: nothing is cached.
func TestReplicasSeeChangesAtOnce(t *testing.T) {
	t.Parallel()
	both := newReplicas(t)
	here, there := both[0], both[1]
	sender := servertest.NewSender(t, here.Client)
	receiver := servertest.NewReceiver(t, there.Client, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "1")
	send := func(s *servertest.Server) *api.CreateTransactionResponse {
		return servertest.Send(t, s.Client, sender.ID, "", request)
	}
	for range 3 {
		servertest.Verify(t, here.Client, sender.ID, api.KycStatusSuspended)
		servertest.WantRefused(t, send(there), api.ErrorCodeKycNotEligible, "")
		servertest.Verify(t, there.Client, sender.ID, api.KycStatusVerified)
		servertest.Created(t, send(here))
		for i, status := range []api.FundingAccountStatus{api.FundingAccountStatusInactive, api.FundingAccountStatusActive} {
			r, err := both[i].Client.SetFundingAccountStatusWithResponse(t.Context(), sender.ID, sender.Fund, api.FundingAccountStatusRequest{Status: status})
			servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			if status == api.FundingAccountStatusActive {
				servertest.Created(t, send(both[1-i]))
			} else {
				servertest.WantRefused(t, send(both[1-i]), api.ErrorCodeFundingAccountNotActive, "/from_fund_id")
			}
		}
	}

	db := here.Beside(t)
	hash := payout.HashSecret("new secret")
	works := func(want int) {
		t.Helper()
		for i, s := range both {
			if a := servertest.Call(t, s, http.MethodGet, "/payers", nil, "X-Client-Secret", "new secret"); a.Status != want {
				t.Errorf("replica %d answers %d to the new secret, want %d", i, a.Status, want)
			}
		}
	}
	works(http.StatusUnauthorized)
	servertest.Exec(t, db, `insert into client_secrets (client_id, hash, created_at) values ('sandbox', '`+hash+`', 0)`)
	works(http.StatusOK)
	servertest.Exec(t, db, `update client_secrets set expires_at = 1 where hash = '`+hash+`'`)
	works(http.StatusUnauthorized)
	servertest.Exec(t, db, `update client_secrets set expires_at = null where hash = '`+hash+`'`, `update clients set disabled = true where id = 'sandbox'`)
	works(http.StatusUnauthorized)

	us, nepal := []payout.Corridor{{Country: "US", Currency: "USD"}}, payout.Destination{Country: "NP"}
	servertest.SetProfile(t, here, us, payout.Destination{Country: "IN"}) // it enables the client too
	servertest.WantRefused(t, send(there), api.ErrorCodeCorridorNotEnabled, "/to/id")
	nepal.Tiers = []payout.Tier{{Limits: []payout.TierLimit{{Currency: "USD", Daily: 100_00, Monthly: 100_00, Annual: 100_00}}}}
	servertest.SetProfile(t, there, us, nepal)
	request.FromAmount = wire.MustAmount("95")
	for _, s := range both { // 6 are used
		servertest.WantRefused(t, send(s), api.ErrorCodeLimitExceeded, "/from_amount")
	}
	request.FromAmount = wire.MustAmount("94")
	servertest.Created(t, send(here))
	servertest.WantLimit(t, there.Client, sender.ID, "NP", "1: 0.00 0.00 0.00")
}

// getFrom sends a request to the handler, as the first sandbox client.
func getFrom(t testing.TB, srv *server.Server, path string) string {
	t.Helper()
	r, answer := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil), httptest.NewRecorder()
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	srv.Handler().ServeHTTP(answer, r)
	if answer.Code != http.StatusOK {
		t.Errorf("%s answers %d: %s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}
