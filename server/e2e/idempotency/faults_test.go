package idempotency_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-16: a transaction that failed with 500 used neither its key nor the limit, and wrote nothing. After the repair the key
// creates one transaction, and is replayed from then on.
func TestFailedTransactionUsesUpNoKey(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"clients", "users", "payers", "transactions", "documents", "cip_tags", "limit_usage", "idempotency_keys"} {
		t.Run(table, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			sender := servertest.NewSender(t, s.Client)
			receiver := servertest.NewReceiver(t, s.Client, sender.ID)
			body := servertest.Pickup(t, sender, receiver.ID, servertest.CashPayer, "100")
			body.PhysicalDocuments = []api.TransactionDocumentRequest{
				{DocumentType: "INVOICE", DocumentValue: "data:image/png;base64,iVBORw0KGgo="},
			}
			watch := servertest.NewWatch(s.Beside(t))
			restore := servertest.Lose(t, s, table)
			watch.Unchanged(t, func() {
				if r := servertest.Send(t, s.Client, sender.ID, "key", body); r.StatusCode() != http.StatusInternalServerError {
					t.Fatalf("status %d: %s", r.StatusCode(), r.Body)
				}
			})
			restore()
			createsOnce(t, s, sender, body)
		})
	}
}

// The same after a 503: the store was closed, and is opened by the next start.
func TestClosedStoreUsesUpNoKey(t *testing.T) {
	t.Parallel()
	config := server.Config{Database: servertest.Database(t)}
	before, srv := servertest.Serve(t, config)
	sender := servertest.NewSender(t, before.Client)
	receiver := servertest.NewReceiver(t, before.Client, sender.ID)
	body := servertest.Deposit(t, sender, receiver, "100")
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if r := servertest.Send(t, before.Client, sender.ID, "key", body); r.StatusCode() != http.StatusServiceUnavailable {
		t.Fatalf("status %d: %s", r.StatusCode(), r.Body)
	}
	after, srv := servertest.Serve(t, config)
	t.Cleanup(func() { _ = srv.Close() })
	createsOnce(t, after, sender, body)
}

// createsOnce sends a transaction of 100 USD twice with the key "key", and finds one.
func createsOnce(t testing.TB, s *servertest.Server, sender servertest.Sender, body api.TransactionRequest) {
	t.Helper()
	var ids []uuid.UUID
	for _, replayed := range []string{"", "true"} {
		r := servertest.Send(t, s.Client, sender.ID, "key", body)
		ids = append(ids, servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID)
		if got := r.HTTPResponse.Header.Get("Idempotent-Replayed"); got != replayed {
			t.Errorf("Idempotent-Replayed is %q, want %q", got, replayed)
		}
	}
	list, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, nil)
	items := servertest.OK(t, list.StatusCode(), list.Body, list.JSON200, err).Items
	if len(items) != 1 || items[0].ID != ids[0] || ids[0] != ids[1] {
		t.Errorf("created %v, listed %d", ids, len(items))
	}
	limit, err := s.Client.GetTransactionLimitWithResponse(t.Context(), sender.ID,
		&api.GetTransactionLimitParams{Destination: servertest.DestinationCountry})
	left := servertest.OK(t, limit.StatusCode(), limit.Body, limit.JSON200, err).RemainingLimit
	if got := left.DailyLimit.String(); got != "900.00" {
		t.Errorf("remaining daily limit %s, want 900.00", got)
	}
}

// D-16: a creation of any kind that failed with 500 did not use its key. What a key created is never created again, not even
// if it was lost.
func TestFailedCreationUsesUpNoKey(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, db := servertest.NewWorld(t, s.Client), s.Beside(t)
	watch := servertest.NewWatch(db)
	for _, op := range servertest.Creations(t, s) {
		t.Run(op.ID, func(t *testing.T) {
			for _, table := range []string{servertest.CreationTables[op.ID], "idempotency_keys"} {
				restore := servertest.Lose(t, s, table)
				watch.Unchanged(t, func() { servertest.WantInternalError(t, w.Create(t, s, op, op.ID, w.Body(t, op))) })
				restore()
			}
			first := w.Create(t, s, op, op.ID, w.Body(t, op)).First(t)
			w.Create(t, s, op, op.ID, w.Body(t, op)).Replays(t, first)
			servertest.Exec(t, db, `update idempotency_keys set resource_id = 'lost ' || resource_id where idempotency_key = '`+op.ID+`'`)
			watch.Unchanged(t, func() { servertest.WantInternalError(t, w.Create(t, s, op, op.ID, w.Body(t, op))) })
			servertest.Exec(t, db, `update idempotency_keys set resource_id = substr(resource_id, 6) where idempotency_key = '`+op.ID+`'`)
			w.Create(t, s, op, op.ID, w.Body(t, op)).Replays(t, first)
		})
	}
}
