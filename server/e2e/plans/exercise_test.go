package plans_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// exercise calls all operations, for a new user and for one with many transactions, all lists with their filters, and creates
// all kinds of transactions.
func exercise(t testing.TB, s *servertest.Server) {
	t.Helper()
	get := func(path string) servertest.Answer {
		t.Helper()
		a := servertest.Call(t, s, http.MethodGet, path, nil)
		if a.Status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, a.Status, a.Body)
		}
		return a
	}
	w := servertest.NewWorld(t, s.Client)
	many := w.With(servertest.World{
		"user_id": rowID(0), "funding_account_id": rowID(0), "receive_user_id": rowID(0),
		"transaction_id": rowID(10), "bank": rowID(0), "wallet": rowID(0), "event_id": rowID(0),
		"webhook_endpoint_id": rowID(0), "webhook_endpoint_id" + servertest.ToDelete: rowID(1),
	}, "user_id", "funding_account_id", "receive_user_id", "transaction_id", "bank", "wallet", "event_id", "webhook_endpoint_id")
	for _, op := range s.Contract.Operations() {
		for _, world := range []servertest.World{w, many} {
			if world["user_id"] == rowID(0) && (op.ID == "cancelTransaction" || op.ID == "setTransactionStatus") {
				continue // its amount was counted nowhere, and cannot be given back
			}
			if world["user_id"] == rowID(0) && op.ID == "rotateWebhookSecret" {
				continue // no key opens the secret of this endpoint
			}
			if world["user_id"] != rowID(0) && op.ID == "retryWebhookDelivery" {
				continue // the first event is older than its endpoint
			}
			if world["user_id"] == rowID(0) && op.ID == "rotateWebhookSecret" {
				continue // its secret was sealed with no key
			}
			var headers []string
			if servertest.TakesKey(op) {
				headers = []string{servertest.IdempotencyKey, op.ID + world["user_id"]}
			}
			for range 1 + len(headers)/2 { // each creation is repeated
				if a := world.Send(t, s, op, headers...); a.Status != http.StatusOK {
					t.Errorf("%s: status %d: %s", op.ID, a.Status, a.Body)
				}
			}
		}
	}
	for _, path := range []string{
		"/payers?country=NP", "/payers?payout_method=WALLET", "/payers?country=NPL&payout_method=CASH_PICKUP", "/payers?country=DE",
		"/banks?country=NP", "/v2/states?countryCode=US", "/readyz",
	} {
		get(path)
	}
	path := "/users/" + many["user_id"] + "/transactions?limit=100"
	for next, n := path, 0; n < 3; n++ {
		var page api.TransactionPage
		if err := json.Unmarshal(get(next).Body, &page); err != nil || len(page.Items) != 100 || page.NextCursor == nil {
			t.Fatalf("page %d has %d transactions (%v), want 100 and a next page", n, len(page.Items), err)
		}
		next = path + "&cursor=" + *page.NextCursor
	}
	for _, path := range []string{"/events", "/webhook-endpoints/" + rowID(0) + "/deliveries"} {
		get(path + "?limit=100")
	}
	get("/webhook-endpoints/" + rowID(0) + "/deliveries?status=DELIVERED")
	get("/webhook-endpoints/" + rowID(0) + "/deliveries?status=FAILED")
	exerciseTransactions(t, s)
	exerciseListings(t, s.Database)
	exerciseEvents(t, s.Database)
	exerciseDeliveries(t, s.Database)
	exerciseOperators(t, s.Database)
}

// exerciseListings lists users and transactions of a client with each filter and with several, from the newest, from the
// middle and from the oldest. Some meet no row, some one filter only.
func exerciseListings(t testing.TB, url string) {
	t.Helper()
	db, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	transactions, users := scale(t)
	const client, limit = "sandbox", 50
	// at is the position of row n; row -1 is the start.
	at := func(n int, created time.Time) payout.Page {
		if n < 0 {
			return payout.Page{Limit: limit}
		}
		return payout.Page{Limit: limit, After: payout.Position{CreatedAt: created, ID: rowID(n)}}
	}
	begun := time.Now()
	for _, f := range []payout.UserFilter{
		{}, {Status: payout.KYCVerified}, {Status: payout.KYCUnverified}, {Status: payout.KYCSuspended}, {Email: "asha@example.com"},
		{Email: "nobody@example.com"}, {ClientReference: "same"}, {ClientReference: "none"},
		{Email: "asha@example.com", Status: payout.KYCSuspended}, {ClientReference: "same", Status: payout.KYCSuspended},
		{ClientReference: "same", Email: "nobody@example.com", Status: payout.KYCVerified},
	} {
		for _, after := range []int{-1, users / 2, 0} {
			all, _, err := db.Users(t.Context(), client, f, at(after, time.UnixMicro(int64(after))))
			if err != nil || len(all) > limit || len(all) < limit && f == (payout.UserFilter{}) && after != 0 {
				t.Errorf("%+v lists %d users, %v", f, len(all), err)
			}
		}
	}
	begin := time.Unix(0, 0)
	for _, f := range []payout.TransactionFilter{
		{}, {UserID: payout.UserID(rowID(0))}, {From: begin.Add(time.Hour)}, {To: begin.Add(time.Hour)},
		{From: begin.Add(time.Hour), To: begin.Add(2 * time.Hour)}, {UserID: payout.UserID(rowID(0)), To: begin.Add(time.Hour)},
		{Status: "INITIATED"}, {Status: "COMPLETED"}, {Status: "FAILED"}, {Status: "RETURNED"},
		{DeliveryStatus: "NONE"}, {DeliveryStatus: "DELIVERED"}, {DeliveryStatus: "READY_FOR_PICKUP"},
		{ClientReference: "same"}, {ClientReference: "none"}, {Status: "COMPLETED", From: begin.Add(time.Hour), To: begin.Add(2 * time.Hour)},
		{Status: "COMPLETED", DeliveryStatus: "FAILED"}, {ClientReference: "same", Status: "FAILED"},
		{ClientReference: "same", DeliveryStatus: "NONE", Status: "INITIATED", From: begin.Add(time.Hour)},
		{UserID: payout.UserID(rowID(0)), Status: "INITIATED"},
	} {
		for _, after := range []int{-1, transactions / 2} {
			all, _, err := db.ClientTransactions(t.Context(), client, f, at(after, time.Unix(int64(after/5), 0)))
			if err != nil || len(all) > limit || len(all) < limit && f == (payout.TransactionFilter{}) {
				t.Errorf("%+v lists %d transactions, %v", f, len(all), err)
			}
		}
	}
	t.Logf("listed with each filter in %s", time.Since(begun))
}

// exerciseEvents reads the feed of a client at its start, in its middle and at its end, all types and one, and deletes the oldest
// events with their deliveries.
func exerciseEvents(t testing.TB, url string) {
	t.Helper()
	db, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const client = "sandbox"
	total, _ := scale(t)
	state, err := db.FeedState(t.Context(), client, 1)
	if err != nil || state.Last <= int64(total) {
		t.Errorf("the feed ends at %d, %v", state.Last, err)
	}
	for _, after := range []int64{0, int64(total / 2), state.Last - 10, state.Last} {
		for _, eventType := range []payout.EventType{"", payout.TransactionCreated, payout.UserStatusChanged} {
			page := payout.FeedPage{After: payout.FeedPosition{Number: after}, Type: eventType, Limit: 100}
			if all, err := db.Events(t.Context(), client, page); err != nil || len(all) > 100 || after == 0 && eventType == "" && len(all) < 100 {
				t.Errorf("%d events %q after %d, %v", len(all), eventType, after, err)
			}
		}
	}
	after := int64(0)
	for range 2 { // the client has some twenty endpoints
		n, last, err := db.DeleteEvents(t.Context(), client, after, time.UnixMicro(500), 500)
		if err != nil || n < 5 || n > 20 {
			t.Errorf("deleted %d events after %d, %v", n, after, err)
		}
		after = last
	}
}

// exerciseOperators reads what operators did, searches, exports, and applies a file.
func exerciseOperators(t testing.TB, url string) {
	t.Helper()
	db, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, f := range []store.AuditFilter{
		{Since: time.UnixMicro(5000)}, {ClientID: "client-1"}, {ObjectID: rowID(0)}, {After: rowID(100)},
		{Actor: "rare"}, {Actor: "rare", ClientID: "sandbox"}, {Actor: "operator", ObjectID: rowID(0)},
		{Actor: "rare", Since: time.UnixMicro(1), After: rowID(1000)},
	} {
		if all, err := db.AuditLog(t.Context(), f, 50); err != nil || len(all) == 0 || len(all) > 50 {
			t.Errorf("%+v lists %d entries, %v", f, len(all), err)
		}
	}
	for _, f := range []store.AuditFilter{{Actor: "nobody"}, {Actor: "nobody", ClientID: "sandbox"}, {Actor: "nobody", Since: time.UnixMicro(1)}} {
		if all, err := db.AuditLog(t.Context(), f, 50); err != nil || len(all) != 0 {
			t.Errorf("%+v lists %d entries, %v", f, len(all), err)
		}
	}
	for _, id := range []payout.ClientID{"sandbox", "client-7"} { // of all clients it reads one row of each
		for _, resource := range []string{rowID(0), rowID(7), "00000000-0000-7000-8000-ffffffffffff"} {
			if _, err := db.Find(t.Context(), id, resource); err != nil {
				t.Error(err)
			}
		}
		if _, err := db.FindKey(t.Context(), id, "key 10"); err != nil {
			t.Error(err)
		}
		for _, request := range []string{"request 10", "request 11", "none"} {
			if _, err := db.FindRequest(t.Context(), id, request); err != nil {
				t.Error(err)
			}
		}
		if _, err := db.FindReceivers(t.Context(), id, "bina@example.com", 21); err != nil {
			t.Error(err)
		}
		if all, err := db.ResourceEvents(t.Context(), id, rowID(500), 10); err != nil || id == "sandbox" && len(all) == 0 {
			t.Errorf("%d events of a transaction, %v", len(all), err)
		}
		if _, err := db.EventDeliveries(t.Context(), id, payout.WebhookEndpointID(rowID(0)), []payout.EventID{payout.EventID(rowID(10)), payout.EventID(rowID(20))}); err != nil {
			t.Error(err)
		}
	}
	if _, ok, err := db.File(t.Context(), payout.FileSettle, "7"); err != nil || !ok {
		t.Errorf("a file is found: %t, %v", ok, err)
	}
	if all, err := db.TransactionFiles(t.Context(), "sandbox", payout.TransactionID(rowID(10))); err != nil || len(all) != 1 {
		t.Errorf("%d files of a transaction, %v", len(all), err)
	}
	// An export has all transactions of a status: few here, although most of the table has it.
	exported := 0
	if err := db.Payables(t.Context(), []payout.ClientID{"sandbox"}, payout.StatusInitiated, func(payout.Payable) error { exported++; return nil }); err != nil || exported == 0 || exported > few {
		t.Errorf("%d transactions are exported, %v", exported, err)
	}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		file := payout.File{ID: payout.FileID(rowID(5001)), Direction: payout.FileSettle, SHA256: "new", Totals: payout.Totals{}}
		ids := make([]payout.TransactionID, 200)
		for i := range ids {
			ids[i] = payout.TransactionID(rowID(10 * i))
		}
		if err := errors.Join(tx.TakeFileTurn(ctx), tx.InsertFile(ctx, file)); err != nil {
			return err
		}
		if all, err := tx.LockTransactions(ctx, "sandbox", ids); err != nil || len(all) != len(ids) {
			return fmt.Errorf("%d transactions are locked: %w", len(all), err)
		}
		for i, id := range ids {
			if _, err := tx.InsertFileLine(ctx, "sandbox", id, file.ID, i); err != nil {
				return err
			}
		}
		_, _, err := tx.FileUse(ctx, "sandbox", ids[1], payout.FileSettle, file.ID)
		return errors.Join(err, tx.SetFileTotals(ctx, file))
	})
}

// exerciseDeliveries does what a worker does with a delivery, and what disabling an endpoint does.
func exerciseDeliveries(t testing.TB, url string) {
	t.Helper()
	db, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const client = "sandbox"
	endpoint, event := payout.WebhookEndpointID(rowID(0)), payout.EventID(rowID(200))
	if d, ok, err := db.WebhookDelivery(t.Context(), client, endpoint, event); err != nil || !ok || len(d.Attempts) != 1 {
		t.Errorf("delivery %+v: %t, %v", d, ok, err)
	}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		e, ok, err := tx.LockWebhookEndpoint(ctx, client, endpoint)
		if err != nil || !ok {
			return fmt.Errorf("endpoint: %t, %w", ok, err)
		}
		for i := range 1100 { // more than one part
			d := payout.WebhookDelivery{
				EndpointID: endpoint, EventID: payout.EventID(fmt.Sprint("waits ", i)), EventType: payout.WebhookPing, Status: payout.WebhookPending,
				CreatedAt: time.Now(),
			}
			if _, err := tx.InsertWebhookDelivery(ctx, client, d); err != nil {
				return err
			}
		}
		for _, want := range []bool{true, false} {
			if more, err := tx.CancelWebhookDeliveries(ctx, client, endpoint); err != nil || more != want {
				return fmt.Errorf("more to cancel: %t, %w", more, err)
			}
		}
		return errors.Join(
			tx.AddWebhookAttempt(ctx, client, endpoint, event, payout.WebhookAttempt{At: time.Now()}),
			tx.SetWebhookDelivery(ctx, client, payout.WebhookDelivery{EndpointID: endpoint, EventID: event, Status: payout.WebhookPending}),
			tx.UpdateWebhookEndpoint(ctx, client, e),
		)
	})
}

// write runs fn in a write.
func write(t testing.TB, db *store.Store, fn func(context.Context, payout.Tx) error) {
	t.Helper()
	if err := db.Write(t.Context(), func(tx payout.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Error(err)
	}
}

// exerciseTransactions creates a transaction of each kind, with a key and documents, and one above the limit.
func exerciseTransactions(t testing.TB, s *servertest.Server) {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	servertest.VerifyTags(t, s.Client, sender.ID, "ID_DOC")
	request := servertest.Deposit(t, sender, receiver, "2000")
	request.PhysicalDocuments = []api.TransactionDocumentRequest{{DocumentType: "INVOICE", DocumentValue: "data:image/png;base64,iVBORw0KGgo="}}
	for i, to := range []api.ReceiveSide{
		request.To,
		servertest.To(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s"}`, receiver.ID, receiver.Wallet),
		servertest.To(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":%d}`, receiver.ID, servertest.HomePayer),
		servertest.To(t, `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":%d}`, receiver.ID, servertest.CashPayer),
	} {
		request.To, request.FromAmount = to, wire.MustAmount("2000")
		for range 2 {
			servertest.Created(t, servertest.Send(t, s.Client, sender.ID, fmt.Sprintf("explain %d", i), request))
		}
	}
	r, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, nil)
	if items := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items; len(items) != 4 {
		t.Errorf("%d transactions, want 4", len(items))
	}
	if tags := servertest.Tags(t, s.Client, sender.ID); tags["DATE_OF_BIRTH"] != api.CipStatusRequested {
		t.Errorf("a transaction above the limit left the tags %v", tags)
	}
}
