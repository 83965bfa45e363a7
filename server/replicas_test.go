package server_test

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
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// replicasNeedPostgreSQL leaves what only PostgreSQL can do to the run on it, which `make test` begins after the one on
// SQLite.
func replicasNeedPostgreSQL(t testing.TB) {
	t.Helper()
	if !servertest.OnPostgreSQL(t) {
		t.Skipf("runs on PostgreSQL, with %s=postgres", servertest.EngineVariable)
	}
}

// replicasNew starts two services on one database.
func replicasNew(t testing.TB) [2]*servertest.Server {
	t.Helper()
	replicasNeedPostgreSQL(t)
	first := servertest.New(t)
	return [2]*servertest.Server{first, servertest.New(t, func(c *server.Config) { c.Database = first.Database })}
}

// replicasChecked fails the test for everything that `payoutd check` finds.
func replicasChecked(t testing.TB, databaseURL string) {
	t.Helper()
	db, err := store.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Check(t.Context(), func(d store.Difference) error {
		t.Errorf("check finds %+v", d)
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// replicasConsistent fails the test unless every counter of a limit is the sum of the transactions that it counts.
func replicasConsistent(t testing.TB, db *sql.DB) {
	t.Helper()
	type counter struct{ client, user, destination, currency, period string }
	sums, counters := map[counter]int64{}, map[counter]int64{}
	replicasRows(t, db, `select client_id, user_id, destination, from_currency, created_at, from_amount from transactions`, func(rows *sql.Rows) error {
		var c counter
		var at, amount int64
		err := rows.Scan(&c.client, &c.user, &c.destination, &c.currency, &at, &amount)
		day, month, year := payout.UsageKey{At: time.UnixMicro(at)}.Periods()
		for _, c.period = range []string{day, month, year} {
			sums[c] += amount
		}
		return err
	})
	replicasRows(t, db, `select client_id, user_id, destination, currency, period, used from limit_usage`, func(rows *sql.Rows) error {
		var c counter
		var used int64
		err := rows.Scan(&c.client, &c.user, &c.destination, &c.currency, &c.period, &used)
		counters[c] = used
		return err
	})
	if !maps.Equal(sums, counters) {
		t.Errorf("the transactions sum up to %v\nand the counters are %v", sums, counters)
	}
}

func replicasRows(t testing.TB, db *sql.DB, query string, scan func(*sql.Rows) error, args ...any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// replicasRace lets all callers send one request with one key at the same time, half of them to each replica.
func replicasRace(
	t testing.TB, both [2]*servertest.Server, user openapi_types.UUID, key string, request api.TransactionRequest,
) []*api.CreateTransactionResponse {
	t.Helper()
	params := &api.CreateTransactionParams{XIdempotencyKey: &key}
	return limitAtOnce(t, idempotencyCallers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
		return both[i%2].Client.CreateTransactionWithResponse(ctx, user, params, request)
	})
}

// Repeats of a request at two replicas at the same time are one transaction, in whose answer all agree (D-16).
func TestReplicasCreateOneTransactionForAKey(t *testing.T) {
	t.Parallel()
	both := replicasNew(t)
	sender := servertest.NewSender(t, both[0].Client)
	receiver := servertest.NewReceiver(t, both[1].Client, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "0.01")
	created := map[openapi_types.UUID]bool{}
	for round := range replicasRounds {
		answers := replicasRace(t, both, sender.ID, fmt.Sprintf("round %d", round), request)
		idempotencyOnce(t, answers)
		created[answers[0].JSON200.ID] = true
	}
	for i, s := range both {
		if listed := len(rowList(t, s.Client, sender.ID, 100)); listed != replicasRounds || len(created) != replicasRounds {
			t.Errorf("replica %d lists %d transactions of %d, want %d", i, listed, len(created), replicasRounds)
		}
		left := func(limit int64) string { return limitText(limit - replicasRounds) } // each is counted once, one cent
		limitIs(t, s.Client, sender.ID, "NP", fmt.Sprintf("1: %s %s %s", left(1_000_00), left(3_000_00), left(10_000_00)))
	}
	replicasConsistent(t, both[0].Beside(t))
	replicasChecked(t, both[0].Database)
}

// Callers of two replicas share what is left in the highest tier: exactly as many transactions as fit are created, each
// key one, and nothing is left below 0 (D-17).
func TestReplicasShareTheLastOfALimit(t *testing.T) {
	t.Parallel()
	const keys, fit = idempotencyCallers / 4, 9
	both := replicasNew(t)
	for round := range replicasLastRounds {
		w := modeNew(t, both[round%2], "US")
		limitVerify(t, both[round%2].Client, w.sender.ID, limitTopTier...)
		request := rulePickup(t, w.sender, w.users["NP"], servertest.CashPayer, "2000", "1", "NPR")
		ruleCreated(t, limitSend(t, w, "1000.01")) // so that 9 more fit, and 999.99 stay
		answers := limitAtOnce(t, idempotencyCallers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
			params := &api.CreateTransactionParams{XIdempotencyKey: servertest.Ptr(fmt.Sprintf("round %d, key %d", round, i/4))}
			return both[i%2].Client.CreateTransactionWithResponse(ctx, w.sender.ID, params, request)
		})
		created := 0
		for key := range keys {
			same := answers[4*key : 4*key+4]
			if same[0].StatusCode() == http.StatusOK {
				created++
				idempotencyOnce(t, same)
				continue
			}
			for _, r := range same {
				ruleRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
			}
		}
		if listed := len(rowList(t, both[(round+1)%2].Client, w.sender.ID, 100)); created != fit || listed != fit+1 {
			t.Errorf("%d created, %d listed, want %d and %d", created, listed, fit, fit+1)
		}
		for _, s := range both {
			limitIs(t, s.Client, w.sender.ID, "NP", "3: 999.99 40999.99 230999.99")
		}
	}
	replicasConsistent(t, both[1].Beside(t))
	replicasChecked(t, both[1].Database)
}

// Replicas that start together on an empty database all serve the one sandbox.
func TestReplicasStartTogether(t *testing.T) {
	t.Parallel()
	replicasNeedPostgreSQL(t)
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
				text := replicasGet(t, srv, "/payers") + replicasGet(t, srv, "/banks") + replicasGet(t, srv, "/v2/states") + replicasGet(t, srv, "/readyz")
				mu.Lock()
				defer mu.Unlock()
				bodies[text]++
			})
		}
		all.Wait()
		if len(bodies) != 1 || slices.Max(slices.Collect(maps.Values(bodies))) != 4 {
			t.Errorf("4 replicas give %d kinds of answers", len(bodies))
		}
		replicasRows(t, servertest.Beside(t, config.Database), `select (select count(*) from clients), (select count(*) from client_secrets)`,
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

// What changes at one replica, or by an operator's tool, holds for the next request at the other: nothing is cached.
func TestReplicasSeeChangesAtOnce(t *testing.T) {
	t.Parallel()
	both := replicasNew(t)
	here, there := both[0], both[1]
	sender := servertest.NewSender(t, here.Client)
	receiver := servertest.NewReceiver(t, there.Client, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "1")
	send := func(s *servertest.Server) *api.CreateTransactionResponse {
		return servertest.Send(t, s.Client, sender.ID, "", request)
	}
	for range 3 {
		servertest.Verify(t, here.Client, sender.ID, api.KycStatusSuspended)
		ruleRefused(t, send(there), api.ErrorCodeKycNotEligible, "")
		servertest.Verify(t, there.Client, sender.ID, api.KycStatusVerified)
		ruleCreated(t, send(here))
		for i, status := range []api.FundingAccountStatus{api.FundingAccountStatusInactive, api.FundingAccountStatusActive} {
			r, err := both[i].Client.SetFundingAccountStatusWithResponse(t.Context(), sender.ID, sender.Fund, api.FundingAccountStatusRequest{Status: status})
			servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			if status == api.FundingAccountStatusActive {
				ruleCreated(t, send(both[1-i]))
			} else {
				ruleRefused(t, send(both[1-i]), api.ErrorCodeFundingAccountNotActive, "/from_fund_id")
			}
		}
	}

	db := here.Beside(t)
	hash := payout.HashSecret("new secret")
	works := func(want int) {
		t.Helper()
		for i, s := range both {
			if a := call(t, s, http.MethodGet, "/payers", nil, "X-Client-Secret", "new secret"); a.status != want {
				t.Errorf("replica %d answers %d to the new secret, want %d", i, a.status, want)
			}
		}
	}
	works(http.StatusUnauthorized)
	faultRun(t, db, `insert into client_secrets (client_id, hash, created_at) values ('sandbox', '`+hash+`', 0)`)
	works(http.StatusOK)
	faultRun(t, db, `update client_secrets set expires_at = 1 where hash = '`+hash+`'`)
	works(http.StatusUnauthorized)
	faultRun(t, db, `update client_secrets set expires_at = null where hash = '`+hash+`'`, `update clients set disabled = true where id = 'sandbox'`)
	works(http.StatusUnauthorized)

	us, nepal := []payout.Corridor{{Country: "US", Currency: "USD"}}, payout.Destination{Country: "NP"}
	ruleProfile(t, here, us, payout.Destination{Country: "IN"}) // it enables the client too
	ruleRefused(t, send(there), api.ErrorCodeCorridorNotEnabled, "/to/id")
	nepal.Tiers = []payout.Tier{{Limits: []payout.TierLimit{{Currency: "USD", Daily: 100_00, Monthly: 100_00, Annual: 100_00}}}}
	ruleProfile(t, there, us, nepal)
	request.FromAmount = wire.MustAmount("95")
	for _, s := range both { // 6 are used
		ruleRefused(t, send(s), api.ErrorCodeLimitExceeded, "/from_amount")
	}
	request.FromAmount = wire.MustAmount("94")
	ruleCreated(t, send(here))
	limitIs(t, there.Client, sender.ID, "NP", "1: 0.00 0.00 0.00")
}

// replicasGet asks a service without a listener, as the first sandbox client.
func replicasGet(t testing.TB, srv *server.Server, path string) string {
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
