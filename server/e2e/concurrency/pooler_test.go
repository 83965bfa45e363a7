package concurrency_test

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

// Behind PgBouncer, which uses another connection for every transaction, replicas migrate, seed, answer every operation,
// and keep keys and limits.
func TestReplicasBehindPgBouncer(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	through, past := pgtest.Pooled(t)
	behind := func(c *server.Config) { c.Database = through }
	both := [2]*servertest.Server{servertest.New(t, behind), servertest.New(t, behind)}
	w := servertest.NewWorld(t, both[0].Client)
	for _, op := range both[1].Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			if a := w.Send(t, both[1], op); a.Status != http.StatusOK {
				t.Errorf("status %d: %s", a.Status, a.Body)
			}
		})
	}
	m := servertest.NewCashSender(t, both[0], "US")
	servertest.VerifyTags(t, both[0].Client, m.Sender.ID, servertest.TopTier...)
	request := servertest.PickupAt(t, m.Sender, m.Users["NP"], servertest.CashPayer, "800", "1", "NPR")
	for round := range poolerRounds { // all of the limit, in even parts
		oneTransaction(t, raceReplicas(t, both, m.Sender.ID, fmt.Sprintf("round %d", round), request))
	}
	servertest.WantLimit(t, both[1].Client, m.Sender.ID, "NP", "3: 0.00 40000.00 230000.00")
	for _, r := range raceReplicas(t, both, m.Sender.ID, "one more", request) {
		servertest.WantRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
	}
	servertest.WantExactUsage(t, servertest.Beside(t, past))
	servertest.WantSound(t, past)
}
