package events_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

const (
	writers = 64
	each    = 4 // moves of one writer
)

// replicas starts two services on one PostgreSQL, or one on SQLite.
func replicas(t *testing.T) []*servertest.Server {
	t.Helper()
	first := servertest.New(t)
	if !servertest.OnPostgreSQL(t) {
		return []*servertest.Server{first}
	}
	return []*servertest.Server{first, servertest.New(t, func(c *server.Config) { c.Database = first.Database })}
}

// page reads a page of the feed.
func page(t testing.TB, c *api.ClientWithResponses, params *api.ListEventsParams) api.EventPage {
	t.Helper()
	r, err := c.ListEventsWithResponse(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
}

// rest reads the feed from a cursor to its end, and returns the cursor there.
func rest(t testing.TB, c *api.ClientWithResponses, after *string) (all []api.Event, next string) {
	t.Helper()
	for {
		p := page(t, c, &api.ListEventsParams{After: after})
		if all = append(all, p.Items...); len(p.Items) == 0 {
			return all, p.NextCursor
		}
		after = &p.NextCursor
	}
}

// While 64 writers change transactions at all replicas, a reader that keeps its cursor sees every event once, and the events of
// each transaction in the order of its changes.
func TestAReaderMissesNothing(t *testing.T) {
	t.Parallel()
	all := replicas(t)
	sender := servertest.NewSender(t, all[0].Client)
	receiver := servertest.NewReceiver(t, all[0].Client, sender.ID)
	_, start := rest(t, all[0].Client, nil)

	var working sync.WaitGroup
	ctx, failed := context.WithCancelCause(t.Context())
	defer failed(nil)
	for w := range writers {
		working.Go(func() {
			c := all[w%len(all)].Client
			for range each {
				r, err := c.CreateTransactionWithResponse(ctx, sender.ID, nil, servertest.Deposit(t, sender, receiver, "0.01"))
				if err != nil || r.JSON200 == nil {
					failed(fmt.Errorf("create: %w", err))
					return
				}
				// Another replica may make the next change.
				c = all[(w+1)%len(all)].Client
				for _, status := range []api.TransactionStatus{
					api.TransactionStatusProcessing, api.TransactionStatusProcessing, api.TransactionStatusCompleted,
				} {
					moved, err := c.SetTransactionStatusWithResponse(ctx, sender.ID, r.JSON200.ID, api.TransactionMoveRequest{Status: status})
					if err != nil || moved.JSON200 == nil {
						failed(fmt.Errorf("move to %s: %w", status, err))
						return
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		working.Wait()
	}()
	// The reader polls one replica while the others write, and reads once more when all is written.
	var seen []api.Event
	cursor, ended := start, false
	for !ended {
		select {
		case <-done:
			ended = true
		default:
		}
		var events []api.Event
		events, cursor = rest(t, all[0].Client, &cursor)
		seen = append(seen, events...)
	}
	if err := context.Cause(ctx); err != nil {
		t.Fatal(err)
	}
	if len(seen) != writers*each*5 {
		t.Errorf("%d events, want %d: a creation and two moves of two statuses for each transaction", len(seen), writers*each*5)
	}
	want := []string{
		"transaction.created INITIATED NONE", "transaction.status_changed PROCESSING PENDING",
		"transaction.delivery_status_changed PROCESSING PENDING", "transaction.status_changed COMPLETED DELIVERED",
		"transaction.delivery_status_changed COMPLETED DELIVERED",
	}
	ids, steps := map[string]bool{}, map[string]int{}
	for _, e := range seen {
		x := e.Data.Transaction
		if ids[e.ID.String()] || x == nil {
			t.Fatalf("event %s came twice, or has no transaction", e.ID)
		}
		ids[e.ID.String()] = true
		n := steps[x.ID.String()]
		if got := fmt.Sprint(e.Type, " ", x.Status, " ", x.DeliveryStatus); n == len(want) || got != want[n] {
			t.Fatalf("event %d of transaction %s is %q, want one of %q", n, x.ID, got, want)
		}
		steps[x.ID.String()]++
	}
	again, _ := rest(t, all[len(all)-1].Client, &start)
	for i := range again {
		if len(again) != len(seen) || again[i].ID != seen[i].ID {
			t.Fatalf("another replica has %d events, or in another order", len(again))
		}
	}
	servertest.WantSound(t, all[0].Database)
}

// What is refused, rolled back, repeated or changes nothing has no event.
func TestNoEventWithoutAChange(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	request := servertest.Deposit(t, sender, receiver, "1.00")
	first := servertest.Created(t, servertest.Send(t, s.Client, sender.ID, "key", request))
	_, cursor := rest(t, s.Client, nil)

	servertest.Send(t, s.Client, sender.ID, "key", request)                                             // a repeat
	servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "99999999.00")) // above every limit
	servertest.Verify(t, s.Client, sender.ID, api.KycStatusVerified)                                    // as it is
	for _, status := range []api.TransactionStatus{api.TransactionStatusInitiated, api.TransactionStatusCompleted} {
		if _, err := s.Client.SetTransactionStatusWithResponse(t.Context(), sender.ID, first.ID, api.TransactionMoveRequest{Status: status}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Client.SetFundingAccountStatusWithResponse(t.Context(), sender.ID, sender.Fund,
		api.FundingAccountStatusRequest{Status: api.FundingAccountStatusActive}); err != nil {
		t.Fatal(err)
	}
	// A write that cannot add its event is rolled back whole.
	db := s.Beside(t)
	servertest.Exec(t, db, `alter table event_queue rename to gone`)
	if r := servertest.Send(t, s.Client, sender.ID, "", request); r.StatusCode() == http.StatusOK {
		t.Error("a transaction was created without its event")
	}
	servertest.Exec(t, db, `alter table gone rename to event_queue`)
	if n := len(servertest.List(t, s.Client, sender.ID, 100)); n != 1 {
		t.Errorf("there are %d transactions", n)
	}
	if events, _ := rest(t, s.Client, &cursor); len(events) != 0 {
		t.Errorf("there are events: %v", events)
	}
}

// An event shows the resource as it was, byte for byte the same each time, although it changed meanwhile.
func TestAnEventIsASnapshot(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := servertest.NewUser(t, s.Client)
	servertest.Verify(t, s.Client, user.ID, api.KycStatusInProgress)
	before := servertest.Call(t, s, http.MethodGet, "/events", nil)
	servertest.Verify(t, s.Client, user.ID, api.KycStatusVerified)
	after := servertest.Call(t, s, http.MethodGet, "/events?limit=1", nil)
	if string(before.Body) != string(after.Body) {
		t.Errorf("first\n%s\nthen\n%s", before.Body, after.Body)
	}
	var p struct{ Items []json.RawMessage }
	if err := json.Unmarshal(after.Body, &p); err != nil || len(p.Items) != 1 {
		t.Fatal(err, len(p.Items))
	}
	var e api.Event
	if err := json.Unmarshal(p.Items[0], &e); err != nil {
		t.Fatal(err)
	}
	if e.Type != api.EventTypeUserStatusChanged || e.Data.User.Status != api.KycStatusInProgress || e.Data.CipInfo.KycStatus != api.KycStatusInProgress {
		t.Errorf("the event is %s", p.Items[0])
	}
	if alone := servertest.Call(t, s, http.MethodGet, "/events/"+e.ID.String(), nil); string(alone.Body) != string(p.Items[0]) {
		t.Errorf("alone it is\n%s\nin the feed\n%s", alone.Body, p.Items[0])
	}
}

// A cursor that this feed never gave is refused, also one of a feed that was longer before a restore.
func TestUnknownCursorsAreRefused(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	servertest.NewSender(t, s.Client)
	all, last := rest(t, s.Client, nil)
	servertest.Exec(t, s.Beside(t), `delete from events where client_id = 'sandbox' and position > 1`,
		`update event_head set position = 1 where client_id = 'sandbox'`)
	want := func(cursor string) {
		t.Helper()
		r, err := s.Client.ListEventsWithResponse(t.Context(), &api.ListEventsParams{After: &cursor})
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode() != http.StatusBadRequest || len(r.JSON400.Details) != 1 || r.JSON400.Details[0].Field != "after" {
			t.Errorf("%s: status %d: %s", cursor, r.StatusCode(), r.Body)
		}
	}
	if len(all) < 2 {
		t.Fatalf("there are %d events", len(all))
	}
	want(last) // behind the end
	servertest.NewSender(t, s.Client)
	if again, _ := rest(t, s.Client, nil); len(again) != len(all)+1 {
		t.Fatalf("there are %d events, want %d", len(again), len(all)+1)
	}
	want(last) // another event has its position
	for _, cursor := range []string{"A", "bm90LWEtY3Vyc29y", last[:len(last)/2]} {
		want(cursor)
	}
}
