package storetest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// feedReads read the published event of a world in a scope.
func feedReads(w world) []tenantRead {
	return []tenantRead{
		{"Event", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.Event(ctx, s.client, w.event.ID))
		}},
		{"Events", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.Events(ctx, s.client, payout.FeedPage{Limit: 10}))
		}},
		{"FeedState", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			state, err := r.FeedState(ctx, s.client, 1)
			return state.ID == w.event.ID, err
		}},
	}
}

// publish publishes all that is queued.
func publish(t *testing.T, db Database) (all []payout.Published) {
	t.Helper()
	for {
		n, _, err := db.PublishEvents(t.Context(), 3, func(_ context.Context, _ *sql.Tx, moved []payout.Published) error {
			all = append(all, moved...)
			return nil
		})
		if err != nil {
			t.Fatalf("publish: %v", err)
		}
		if n == 0 {
			return all
		}
	}
}

// queue writes events with these ids, each in a write of its own.
func queue(t *testing.T, db Database, clientID payout.ClientID, ids ...string) {
	t.Helper()
	for _, id := range ids {
		write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.InsertEvents(ctx, clientID, numbered(id)) })
	}
}

// numbered is an event that is of no interest but for its id.
func numbered(id string) payout.Event {
	return payout.Event{ID: payout.EventID(id), Type: payout.UserStatusChanged, CreatedAt: origin, ResourceID: "u", UserID: "u", Data: []byte(`{}`)}
}

// feed returns the ids of the feed of a client with their positions.
func feed(t *testing.T, db Database, clientID payout.ClientID, page payout.FeedPage) (lines []string) {
	t.Helper()
	page.Limit = cmp.Or(page.Limit, 1000)
	for _, e := range must(db.Events(t.Context(), clientID, page))(t) {
		lines = append(lines, fmt.Sprint(e.Position, " ", e.ID))
	}
	return lines
}

func eventIsolation(t *testing.T, db Database) {
	mine, other := newWorld("mine"), newWorld("other")
	mine.put(t, db)
	finds(t, db, feedReads(mine), mine.scope(), none) // not published yet
	publish(t, db)
	finds(t, db, feedReads(mine), mine.scope(), all)
	finds(t, db, feedReads(mine), other.scope(), none)
	other.put(t, db)
	publish(t, db)
	finds(t, db, feedReads(other), other.scope(), all)
	finds(t, db, feedReads(other), scope{client: "nobody"}, none)
	finds(t, db, feedReads(mine), mine.scope(), all)
	want := mine.event
	want.Position = 1
	same(t, "event", found(db.Event(t.Context(), "mine", mine.event.ID))(t), want)
	same(t, "feed", must(db.Events(t.Context(), "mine", payout.FeedPage{Limit: 9}))(t), []payout.Event{want})
	if _, ok, err := db.Event(t.Context(), "other", mine.event.ID); ok || err != nil {
		t.Errorf("another client finds the event: %t, %v", ok, err)
	}
	// Each client counts for itself, so that no client learns how many events others have.
	same(t, "the other feed", feed(t, db, "other", payout.FeedPage{}), []string{"1 " + string(other.event.ID)})
	same(t, "state", must(db.FeedState(t.Context(), "mine", 1))(t), payout.FeedState{Last: 1, ID: mine.event.ID})
	same(t, "state behind the end", must(db.FeedState(t.Context(), "mine", 2))(t), payout.FeedState{Last: 1})
	same(t, "state of a client without events", must(db.FeedState(t.Context(), "nobody", 0))(t), payout.FeedState{})
}

func feedPages(t *testing.T, db Database) {
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		for i := range 6 {
			e := numbered(fmt.Sprint("e", i+1))
			if i%2 == 1 {
				e.Type = payout.TransactionCreated
			}
			if err := tx.InsertEvents(ctx, "a", e); err != nil {
				return err
			}
		}
		return nil
	})
	publish(t, db)
	same(t, "first page", feed(t, db, "a", payout.FeedPage{Limit: 2}), []string{"1 e1", "2 e2"})
	after := payout.FeedPosition{Number: 2, ID: "e2"}
	same(t, "second page", feed(t, db, "a", payout.FeedPage{After: after, Limit: 3}), []string{"3 e3", "4 e4", "5 e5"})
	same(t, "of a type", feed(t, db, "a", payout.FeedPage{After: after, Type: payout.TransactionCreated, Limit: 9}), []string{"4 e4", "6 e6"})
}

func publishing(t *testing.T, db Database) {
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.InsertEvents(ctx, "a"); err != nil { // of nothing
			return err
		}
		return tx.InsertEvents(ctx, "a", numbered("z"), numbered("y"))
	})
	queue(t, db, "b", "x")
	queue(t, db, "a", "w")
	if n, oldest, err := db.EventQueue(t.Context()); n != 4 || !oldest.Equal(origin) || err != nil {
		t.Errorf("the queue has %d since %s, %v", n, oldest, err)
	}
	event := func(clientID payout.ClientID, id payout.EventID, position int64) payout.Published {
		return payout.Published{ClientID: clientID, EventID: id, Type: payout.UserStatusChanged, Position: position}
	}
	same(t, "published", publish(t, db), []payout.Published{event("a", "z", 1), event("a", "y", 2), event("b", "x", 1), event("a", "w", 3)})
	if n, oldest, err := db.EventQueue(t.Context()); n != 0 || !oldest.IsZero() || err != nil {
		t.Errorf("the queue has %d since %s, %v", n, oldest, err)
	}
	queue(t, db, "a", "v")
	same(t, "published", publish(t, db), []payout.Published{event("a", "v", 4)})
	same(t, "feed", feed(t, db, "a", payout.FeedPage{}), []string{"1 z", "2 y", "3 w", "4 v"})
}

func fanoutFails(t *testing.T, db Database) {
	queue(t, db, "a", "1", "2")
	refusal := errors.New("refused")
	n, _, err := db.PublishEvents(t.Context(), 10, func(ctx context.Context, tx *sql.Tx, all []payout.Published) error {
		// It is the same transaction, which sees the event.
		var id string
		if err := tx.QueryRowContext(ctx, `select id from events where client_id = 'a' and position = 2`).Scan(&id); err != nil || id != "2" || len(all) != 2 {
			t.Errorf("within the transaction: %q, %v, %d", id, err, len(all))
		}
		return refusal
	})
	if n != 0 || !errors.Is(err, refusal) {
		t.Errorf("published %d, %v", n, err)
	}
	same(t, "feed", feed(t, db, "a", payout.FeedPage{}), nil)
	if n, _, err := db.PublishEvents(t.Context(), 10, nil); n != 2 || err != nil {
		t.Errorf("published %d, %v", n, err)
	}
	same(t, "feed", feed(t, db, "a", payout.FeedPage{}), []string{"1 1", "2 2"})
}

func queuedSignal(t *testing.T, db Database) {
	signaled := func() bool {
		select {
		case <-db.Queued():
			return true
		default:
			return false
		}
	}
	write(t, db, func(context.Context, payout.Tx) error { return nil })
	same(t, "after a write without events", signaled(), false)
	rolledBack := errors.New("rolled back")
	if err := db.Write(t.Context(), func(tx payout.Tx) error {
		return errors.Join(tx.InsertEvents(t.Context(), "a", numbered("0")), rolledBack)
	}); !errors.Is(err, rolledBack) {
		t.Fatal(err)
	}
	same(t, "after a write that was rolled back", signaled(), false)
	queue(t, db, "a", "1", "2")
	same(t, "after two writes with events", signaled(), true)
	same(t, "after one signal", signaled(), false)
	same(t, "published", len(publish(t, db)), 2)
}

func eventRetention(t *testing.T, db Database) {
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		for i := range 5 {
			e := numbered(fmt.Sprint("e", i+1))
			e.CreatedAt = origin.Add(time.Duration(i) * time.Hour)
			if i == 2 {
				e.CreatedAt = origin.Add(99 * time.Hour) // by a clock that was ahead
			}
			if err := tx.InsertEvents(ctx, "a", e); err != nil {
				return err
			}
		}
		return tx.InsertEvents(ctx, "b", numbered("of b"))
	})
	publish(t, db)
	after := int64(0)
	step := func(before time.Time, limit, want int64) {
		t.Helper()
		n, last, err := db.DeleteEvents(t.Context(), "a", after, before, int(limit))
		if n != want || last != after+want || err != nil {
			t.Errorf("deleted %d to position %d, %v, want %d", n, last, err, want)
		}
		after = last
	}
	step(origin, 10, 0)
	step(origin.Add(time.Hour), 10, 1)
	same(t, "feed", feed(t, db, "a", payout.FeedPage{}), []string{"2 e2", "3 e3", "4 e4", "5 e5"})
	step(origin.Add(4*time.Hour), 10, 1) // what is kept has no gap
	step(origin.Add(200*time.Hour), 2, 2)
	step(origin.Add(200*time.Hour), 2, 1)
	step(origin.Add(200*time.Hour), 2, 0)
	same(t, "feed", feed(t, db, "a", payout.FeedPage{}), nil)
	same(t, "state", must(db.FeedState(t.Context(), "a", 5))(t), payout.FeedState{Last: 5})
	same(t, "the other feed", feed(t, db, "b", payout.FeedPage{}), []string{"1 of b"})
	queue(t, db, "a", "e6")
	publish(t, db)
	same(t, "after an empty feed", feed(t, db, "a", payout.FeedPage{}), []string{"6 e6"})
}

// Positions have no gaps, and are in the order in which publishers commit.
func publisherRace(t *testing.T, db Database) {
	const writers, each, publishers = 8, 20, 4
	var ended atomic.Int64
	batches := together(t, writers+publishers, func(i int) (mine []payout.Published, err error) {
		if i < writers {
			defer ended.Add(1)
			for n := range each {
				if err := db.Write(t.Context(), func(tx payout.Tx) error {
					return tx.InsertEvents(t.Context(), payout.ClientID(fmt.Sprint("c", i%2)), numbered(fmt.Sprint(i, "-", n)))
				}); err != nil {
					return nil, err
				}
			}
			return nil, nil
		}
		for {
			last := ended.Load() == writers
			var batch []payout.Published
			n, _, err := db.PublishEvents(t.Context(), 5, func(_ context.Context, _ *sql.Tx, moved []payout.Published) error {
				batch = moved // anew if it is repeated
				return nil
			})
			mine = append(mine, batch...)
			if err != nil || last && n == 0 {
				return mine, err
			}
		}
	})
	all := slices.Concat(batches...)
	same(t, "published", len(all), writers*each)
	for c := range 2 {
		lines := feed(t, db, payout.ClientID(fmt.Sprint("c", c)), payout.FeedPage{})
		same(t, "events", len(lines), writers*each/2)
		next := map[int]int{} // by writer, whose events are in the order of its writes
		for i, line := range lines {
			var position, w, n int
			if _, err := fmt.Sscanf(line, "%d %d-%d", &position, &w, &n); err != nil || position != i+1 || n != next[w] {
				t.Errorf("line %d is %q, want event %d of writer %d; %v", i, line, next[w], w, err)
			}
			next[w]++
		}
	}
}

// An event is in the queue before it is published, and in the feed afterwards: one that is read meanwhile is found, once.
func foundWhilePublished(t *testing.T, db Database) {
	for n := range 200 {
		id := strconv.Itoa(n)
		queue(t, db, "c", id)
		published := make(chan error, 1)
		go func() {
			_, _, err := db.PublishEvents(t.Context(), 10, nil)
			published <- err
		}()
		all := must(db.ResourceEvents(t.Context(), "c", "u", 2))(t)
		if err := <-published; err != nil {
			t.Fatal(err)
		}
		if all[len(all)-1].ID != payout.EventID(id) || len(all) > 1 && all[0].ID != payout.EventID(strconv.Itoa(n-1)) {
			t.Fatalf("the newest events are %v, want %s and the one before", all, id)
		}
	}
}

// A write that holds its event open while another commits does not hold up the feed, and is not skipped.
func lateCommit(t *testing.T, db Database) {
	if db.Engine() == "sqlite" {
		return // where no two writes are open at a time
	}
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first := true
		done <- db.Write(t.Context(), func(tx payout.Tx) error {
			err := tx.InsertEvents(t.Context(), "a", numbered("late"))
			if first {
				first = false
				close(held)
				<-let
			}
			return err
		})
	}()
	<-held
	queue(t, db, "a", "early")
	publish(t, db)
	same(t, "feed", feed(t, db, "a", payout.FeedPage{}), []string{"1 early"})
	close(let)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	publish(t, db)
	same(t, "feed", feed(t, db, "a", payout.FeedPage{After: payout.FeedPosition{Number: 1, ID: "early"}}), []string{"2 late"})
}

func userLock(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	held, changed := make(chan struct{}), make(chan error, 1)
	var seen payout.CIPStatus
	go func() {
		<-held
		changed <- db.Write(t.Context(), func(tx payout.Tx) error {
			if err := tx.LockUser(t.Context(), "a", w.user.ID); err != nil {
				return err
			}
			tags, err := tx.CIPTags(t.Context(), "a", w.user.ID)
			seen = tags["EMAIL"]
			return err
		})
	}()
	first := true
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.LockUser(ctx, "a", w.user.ID); err != nil {
			return err
		}
		if _, err := tx.CIPTags(ctx, "a", w.user.ID); err != nil { // the lock comes before what is read, and may come with it
			return err
		}
		if first {
			first = false
			close(held)
		}
		// What refers to the user is not held up.
		if err := tx.InsertFundingAccount(ctx, "a", payout.FundingAccount{ID: "new", UserID: w.user.ID, CreatedAt: origin}); err != nil {
			return err
		}
		return tx.SetCIPTags(ctx, "a", w.user.ID, map[string]payout.CIPStatus{"EMAIL": payout.CIPReviewing})
	})
	if err := <-changed; err != nil {
		t.Fatal(err)
	}
	same(t, "what the second write read", seen, payout.CIPReviewing)
}
