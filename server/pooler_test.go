package server_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const poolerRounds = 25

// Behind PgBouncer, which gives every transaction another connection, replicas migrate, seed, answer every operation, and
// keep keys and limits as they do without it.
func TestPoolerInTransactionMode(t *testing.T) {
	t.Parallel()
	replicasNeedPostgreSQL(t)
	through, past := pgtest.Pooled(t)
	behind := func(c *server.Config) { c.Database = through }
	both := [2]*servertest.Server{servertest.New(t, behind), servertest.New(t, behind)}
	w := isolationNew(t, both[0].Client)
	for _, op := range both[1].Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			if a := w.send(t, both[1], op); a.status != http.StatusOK {
				t.Errorf("status %d: %s", a.status, a.body)
			}
		})
	}
	m := modeNew(t, both[0], "US")
	limitVerify(t, both[0].Client, m.sender.ID, limitTopTier...)
	request := rulePickup(t, m.sender, m.users["NP"], servertest.CashPayer, "800", "1", "NPR")
	for round := range poolerRounds { // all of the limit, in even parts
		idempotencyOnce(t, replicasRace(t, both, m.sender.ID, fmt.Sprintf("round %d", round), request))
	}
	limitIs(t, both[1].Client, m.sender.ID, "NP", "3: 0.00 40000.00 230000.00")
	for _, r := range replicasRace(t, both, m.sender.ID, "one more", request) {
		ruleRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
	}
	replicasConsistent(t, servertest.Beside(t, past))
	replicasChecked(t, past)
}
