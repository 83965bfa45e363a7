package roundtrips_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// budget is how many round trips each operation costs, for a client that is remembered, and on connections on which its
// statements are prepared. A write begins with its first statement, and ends with its last one.
var budget = map[string]int{
	// 1: the key is taken, and both sides are read. 2: the amount is added to the limits, and the tags are read. 3: the
	// transaction and its event are written, and committed.
	"createTransaction":  3,
	"previewTransaction": 4,
	"cancelTransaction":  4, "setTransactionStatus": 5,
	"getTransaction": 2, "listTransactions": 3, "listClientTransactions": 2,

	"createUser": 2, "updateUser": 5, "createDocuments": 6, "getUser": 2, "listUsers": 2,
	"getCipInfo": 2, "setVerification": 4, "getTransactionLimit": 3,

	"createFundingAccount": 3, "listFundingAccounts": 2, "setFundingAccountStatus": 3,
	"createReceiveUser": 3, "listReceiveUsers": 2,
	"createBankAccount": 5, "listBankAccounts": 3,
	"createWalletAccount": 5, "listWalletAccounts": 3,

	"listEvents": 2, "getEvent": 1,
	"createWebhookEndpoint": 4, "listWebhookEndpoints": 1, "getWebhookEndpoint": 1, "updateWebhookEndpoint": 2,
	"testWebhookEndpoint": 4, "rotateWebhookSecret": 3,
	"listWebhookDeliveries": 4, "retryWebhookDelivery": 8,
	"deleteWebhookEndpoint": 17, // its deliveries go in parts, and its jobs as well

	// Answers about reference data are remembered as well.
	"listPayers": 0, "getPayer": 0, "listBanks": 0, "getBank": 0, "listCountryStates": 0, "getCountryState": 0,
	"listStatesV2": 0, "getStateV2": 0,
}

// rounds is how often each operation is called at least, and maxRounds how often until it keeps its budget. The fewest round trips
// count, because the service works in the background, too.
const rounds, maxRounds = 8, 24

func TestEachOperationKeepsItsBudgetOfRoundTrips(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	url := servertest.Database(t)
	p, db := newProxy(t, url), servertest.Beside(t, url)
	s := servertest.New(t, func(c *server.Config) { c.Database, c.ClientsFor, c.WebhooksOff = p.url, 10*time.Second, true })
	worlds := make([]servertest.World, maxRounds)
	for i := range worlds {
		worlds[i] = servertest.NewWorld(t, s.Client)
		worlds[i]["event_id"] = newestEvent(t, s) // which goes to the endpoint
	}
	for _, op := range s.Contract.Operations() {
		least := -1
		for i, w := range worlds {
			var headers []string
			if servertest.TakesKey(op) {
				headers = []string{servertest.IdempotencyKey, fmt.Sprint(op.ID, i)}
			}
			servertest.Await(t, time.Minute, "events stay in the queue", func() bool { return queued(t, db) == 0 })
			var a servertest.Answer
			n := p.during(func() { a = w.Send(t, s, op, headers...) })
			if a.Status != http.StatusOK && a.Status != http.StatusNoContent {
				t.Errorf("%s: status %d: %s", op.ID, a.Status, a.Body)
			}
			if least < 0 || n < least {
				least = n
			}
			if i+1 >= rounds && least <= budget[op.ID] {
				break
			}
		}
		if want, ok := budget[op.ID]; !ok || least != want {
			t.Errorf("%s costs %d round trips, its budget is %d", op.ID, least, want)
		}
	}
	if n := len(s.Contract.Operations()); n != len(budget) {
		t.Errorf("the budget has %d operations, the contract %d", len(budget), n)
	}
}

func queued(t testing.TB, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `select count(*) from event_queue`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// newestEvent returns the id of the newest event of the client.
func newestEvent(t testing.TB, s *servertest.Server) string {
	t.Helper()
	limit := int32(100)
	r, err := s.Client.ListEventsWithResponse(t.Context(), &api.ListEventsParams{Limit: &limit})
	items := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items
	return items[len(items)-1].ID.String()
}
