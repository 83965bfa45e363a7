package plans_test

import (
	"encoding/json"
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
		"transaction_id": rowID(10), "bank": rowID(0), "wallet": rowID(0),
	}, "user_id", "funding_account_id", "receive_user_id", "transaction_id", "bank", "wallet")
	for _, op := range s.Contract.Operations() {
		for _, world := range []servertest.World{w, many} {
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
	exerciseTransactions(t, s)
	exerciseListings(t, s.Database)
}

// exerciseListings lists users and transactions as operators do: with each filter, from the newest and from the middle.
func exerciseListings(t testing.TB, url string) {
	t.Helper()
	db, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, users := scale(t)
	const client, limit = "sandbox", 50
	for _, f := range []store.UserFilter{{}, {Status: payout.KYCVerified}, {Status: payout.KYCUnverified}, {Status: payout.KYCSuspended}} {
		for _, after := range []int{-1, users / 2, 0} {
			if f.After = ""; after >= 0 {
				f.After = payout.UserID(rowID(after))
			}
			if all, err := db.Users(t.Context(), client, f, limit); err != nil || len(all) > limit || len(all) < limit && f.Status == "" && after != 0 {
				t.Errorf("%+v lists %d users, %v", f, len(all), err)
			}
		}
	}
	begin := time.Unix(0, 0)
	for _, f := range []store.TransactionFilter{
		{}, {UserID: payout.UserID(rowID(0))}, {From: begin.Add(time.Hour)}, {To: begin.Add(time.Hour)},
		{From: begin.Add(time.Hour), To: begin.Add(2 * time.Hour)}, {UserID: payout.UserID(rowID(0)), To: begin.Add(time.Hour)},
	} {
		for _, after := range []int{-1, users / 2} { // before the hour, and within it
			if f.After = ""; after >= 0 {
				f.After = payout.TransactionID(rowID(after))
			}
			if all, err := db.ClientTransactions(t.Context(), client, f, limit); err != nil || len(all) > limit || len(all) < limit && after < 0 {
				t.Errorf("%+v lists %d transactions, %v", f, len(all), err)
			}
		}
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
