package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// queueOf is a store whose turn is taken, so that writes wait for each other until they are let go.
type queueOf struct {
	t    *testing.T
	db   *Store
	wait sync.WaitGroup
	free func()
}

func newQueue(t *testing.T) *queueOf {
	t.Helper()
	db, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "payouts.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := db.PutClient(t.Context(), payout.Client{ID: "a", Name: "a"}, payout.HashSecret("a"), time.Now()); err != nil {
		t.Fatal(err)
	}
	q := &queueOf{t: t, db: db}
	q.hold()
	t.Cleanup(func() { q.free() })
	return q
}

// hold takes the turn until free is called.
func (q *queueOf) hold() {
	q.t.Helper()
	taken, free := make(chan struct{}), make(chan struct{})
	q.free = sync.OnceFunc(func() { close(free); q.wait.Wait() })
	q.wait.Go(func() {
		// It shares the outcome of the first that wait.
		_ = q.db.Write(q.t.Context(), func(payout.Tx) error { close(taken); <-free; return nil })
	})
	<-taken
}

// add adds a write of an idempotency key to the queue, and returns its outcome.
func (q *queueOf) add(ctx context.Context, key string, then func(payout.Tx) error) <-chan error {
	q.t.Helper()
	outcome, before := make(chan error, 1), q.length()
	q.wait.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				outcome <- fmt.Errorf("%w: %v", errPanic, r)
			}
		}()
		outcome <- q.db.Write(ctx, func(tx payout.Tx) error {
			if _, err := tx.InsertIdempotencyKey(q.t.Context(), "a", payout.Idempotency{Key: key, Fingerprint: "f"}, key)(); err != nil {
				return err
			}
			return then(tx)
		})
	})
	for q.length() == before {
		<-time.After(time.Millisecond)
	}
	return outcome
}

var errPanic, errRefused = errors.New("a panic"), errors.New("refused")

func (q *queueOf) length() int {
	q.db.group.mu.Lock()
	defer q.db.group.mu.Unlock()
	return len(q.db.group.waiting)
}

func (q *queueOf) has(r payout.Reader, key string) bool {
	q.t.Helper()
	_, found, err := r.IdempotencyKey(q.t.Context(), "a", key)
	if err != nil {
		q.t.Fatal(err)
	}
	return found
}

func keep(payout.Tx) error { return nil }

func TestWritesThatWaitAreCommittedTogether(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	first := q.add(t.Context(), "first", keep)
	second := q.add(t.Context(), "second", func(tx payout.Tx) error {
		if !q.has(tx, "first") {
			t.Error("the second does not see what the first wrote")
		}
		if q.has(q.db, "first") {
			t.Error("the first was committed alone")
		}
		return nil
	})
	q.free()
	if err := errors.Join(<-first, <-second); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"first", "second"} {
		if !q.has(q.db, key) {
			t.Errorf("%s is missing", key)
		}
	}
}

// Events are published with the writes that come meanwhile, those of the same transaction too.
func TestEventsArePublishedWithOtherWrites(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	queued := func(id string) func(payout.Tx) error {
		return func(tx payout.Tx) error {
			return tx.InsertEvents(t.Context(), "a", payout.Event{ID: payout.EventID(id), Type: payout.UserStatusChanged, Data: []byte("{}")})
		}
	}
	before := q.add(t.Context(), "before", queued("1"))
	q.free()
	if err := <-before; err != nil {
		t.Fatal(err)
	}
	q.hold()
	with := q.add(t.Context(), "with", queued("2"))
	published, length := make(chan error, 1), q.length()
	q.wait.Go(func() {
		n, _, err := q.db.PublishEvents(t.Context(), 10, nil)
		if n != 2 {
			t.Errorf("published %d, want 2", n)
		}
		published <- err
	})
	for q.length() == length {
		<-time.After(time.Millisecond)
	}
	q.free()
	if err := errors.Join(<-with, <-published); err != nil {
		t.Fatal(err)
	}
	if all, err := q.db.Events(t.Context(), "a", payout.FeedPage{Limit: 10}); err != nil || len(all) != 2 {
		t.Errorf("published %v, %v", all, err)
	}
}

func TestAWriteThatFailsTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	canceled, cancel := context.WithCancel(t.Context())
	outcomes := map[string]<-chan error{
		"before":  q.add(t.Context(), "before", keep),
		"refused": q.add(t.Context(), "refused", func(payout.Tx) error { return errRefused }),
		"panics":  q.add(t.Context(), "panics", func(payout.Tx) error { panic("at the disco") }),
		"canceled": q.add(canceled, "canceled", func(payout.Tx) error {
			cancel()
			return nil
		}),
		"after": q.add(t.Context(), "after", keep),
	}
	q.free()
	for key, want := range map[string]error{"before": nil, "refused": errRefused, "panics": errPanic, "canceled": context.Canceled, "after": nil} {
		if err := <-outcomes[key]; !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", key, err, want)
		}
		if kept := q.has(q.db, key); kept != (want == nil) {
			t.Errorf("%s: kept %t", key, kept)
		}
	}
}

func TestAWriteMayLeaveTheQueue(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	ctx, cancel := context.WithCancel(t.Context())
	before, leaves, after := q.add(t.Context(), "before", keep), q.add(ctx, "leaves", keep), q.add(t.Context(), "after", keep)
	cancel()
	if err := <-leaves; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	q.free()
	if err := errors.Join(<-before, <-after); err != nil {
		t.Error(err)
	}
	if q.has(q.db, "leaves") {
		t.Error("what left was written")
	}
}

// SQLite ends a transaction by itself if the disk is full, for example.
func TestATransactionThatEndsFailsForAllInIt(t *testing.T) {
	t.Parallel()
	q := newQueue(t)
	before := q.add(t.Context(), "before", keep)
	ends := q.add(t.Context(), "ends", func(payout.Tx) error { return q.db.group.current.exec(q.db, "rollback") })
	next := q.add(t.Context(), "next", keep)
	q.free()
	for name, outcome := range map[string]<-chan error{"before": before, "ends": ends} {
		if err := <-outcome; payout.CodeOf(err) != payout.CodeServiceUnavailable {
			t.Errorf("%s: %v", name, err)
		}
		if q.has(q.db, name) {
			t.Errorf("%s was written", name)
		}
	}
	if err := <-next; err != nil || !q.has(q.db, "next") {
		t.Errorf("the next transaction: %v", err)
	}
}
