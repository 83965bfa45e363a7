package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

func keyWaits(t *testing.T, db Database) {
	for name, firstIsKept := range map[string]bool{"kept": true, "taken back": false} {
		w := newWorld(name)
		w.put(t, db)
		refusal := errors.New("on purpose")
		var ending atomic.Bool
		inserted, release := make(chan struct{}), make(chan struct{})
		first, second := make(chan error, 1), make(chan error, 1)
		insert := func(tx payout.Tx, id string) (bool, error) {
			return tx.InsertIdempotencyKey(t.Context(), w.client.ID, payout.Idempotency{Key: "key", Fingerprint: "f"}, id)()
		}
		go func() {
			first <- db.Write(t.Context(), func(tx payout.Tx) error {
				if err := keep(insert(tx, "first")); err != nil {
					return err
				}
				close(inserted)
				<-release
				ending.Store(true)
				if firstIsKept {
					return nil
				}
				return refusal
			})
		}()
		<-inserted
		beginning := make(chan struct{})
		go func() {
			close(beginning)
			second <- db.Write(t.Context(), func(tx payout.Tx) error {
				free, err := insert(tx, "second")
				if !ending.Load() {
					t.Errorf("%s: the second did not wait for the first", name)
				}
				if free == firstIsKept {
					t.Errorf("%s: the key was free for the second: %t", name, free)
				}
				return err
			})
		}()
		<-beginning
		close(release)
		if err := <-first; firstIsKept && err != nil || !firstIsKept && !errors.Is(err, refusal) {
			t.Errorf("%s: the first: %v", name, err)
		}
		if err := <-second; err != nil {
			t.Errorf("%s: the second: %v", name, err)
		}
		want := map[bool]string{true: "first", false: "second"}[firstIsKept]
		same(t, name, found(db.IdempotencyKey(t.Context(), w.client.ID, "key"))(t).ResourceID, want)
	}
}

// together runs fn in n goroutines and returns their results.
func together[T any](t *testing.T, n int, fn func(i int) (T, error)) []T {
	t.Helper()
	type outcome struct {
		v   T
		err error
	}
	outcomes := make(chan outcome, n)
	start := make(chan struct{})
	for i := range n {
		go func() {
			<-start
			v, err := fn(i)
			outcomes <- outcome{v, err}
		}()
	}
	close(start)
	var all []T
	for range n {
		o := <-outcomes
		if o.err != nil {
			t.Errorf("one of %d: %v", n, o.err)
		}
		all = append(all, o.v)
	}
	return all
}

func keyRace(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	const writers = 16
	free := together(t, writers, func(i int) (free bool, err error) {
		err = db.Write(ctx, func(tx payout.Tx) error {
			transfer := w.another(payout.TransactionID(strconv.Itoa(i)))
			transfer.Documents = []payout.Document{{ID: payout.DocumentID("document " + transfer.ID), Type: "INVOICE"}}
			key := payout.Idempotency{Key: "key", Fingerprint: "f"}
			if free, err = tx.InsertIdempotencyKey(ctx, w.client.ID, key, string(transfer.ID))(); err != nil || !free {
				return err
			}
			return tx.InsertTransaction(ctx, w.client.ID, transfer)
		})
		return free, err
	})
	if n := len(slices.DeleteFunc(free, func(free bool) bool { return !free })); n != 1 {
		t.Errorf("the key was free for %d of %d", n, writers)
	}
	used := found(db.IdempotencyKey(ctx, w.client.ID, "key"))(t)
	got := found(db.Transaction(ctx, w.client.ID, w.user.ID, payout.TransactionID(used.ResourceID)))(t)
	same(t, "documents", got.Documents, []payout.Document{{ID: payout.DocumentID("document " + got.ID), Type: "INVOICE"}})
	same(t, "transactions", len(must(db.Transactions(ctx, w.client.ID, w.user.ID, payout.Page{Limit: 100}))(t)), 2)
	documentCount(t, db, len(w.user.Documents)+len(w.transfer.Documents)+1)
}

func usageRace(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	const writers, times, amount = 8, 10, 7
	seen := together(t, writers, func(int) (seen []int64, err error) {
		for range times {
			if err := db.Write(ctx, func(tx payout.Tx) error {
				used, err := tx.AddUsage(ctx, w.client.ID, w.usage, amount)
				seen = append(seen, used.Daily)
				return err
			}); err != nil {
				return seen, err
			}
			if _, err := db.Usage(ctx, w.client.ID, w.usage); err != nil { // readers do not block
				return seen, err
			}
		}
		return seen, nil
	})
	// Each writer saw a different sum.
	sums := slices.Sorted(slices.Values(slices.Concat(seen...)))
	for i, sum := range sums {
		same(t, "sum", sum, w.used+int64(i+1)*amount)
	}
	total := w.used + writers*times*amount
	same(t, "usage", must(db.Usage(ctx, w.client.ID, w.usage))(t), payout.Usage{Daily: total, Monthly: total, Annual: total})
}

// Two writes to the tags of a user must not deadlock.
func tagRace(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	names := payout.CIPTags(false)
	tags := map[string]payout.CIPStatus{}
	for _, name := range names {
		tags[name] = payout.CIPFailed
	}
	const writers, times = 8, 10
	together(t, writers, func(i int) (none struct{}, err error) {
		mine := slices.Clone(names)
		if i%4 == 3 {
			slices.Reverse(mine)
		}
		for range times {
			if err := db.Write(ctx, func(tx payout.Tx) error {
				if i%2 == 0 {
					return tx.SetCIPTags(ctx, w.client.ID, w.user.ID, tags)
				}
				return tx.RequestCIPTags(ctx, w.client.ID, w.user.ID, mine)
			}); err != nil {
				return none, err
			}
		}
		return none, nil
	})
}

// allReads are the reads of a world and all others.
func allReads(w world) []tenantRead { return append(tenantReads(w), sharedReads()...) }

func endedContext(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range allReads(w) {
		_, err := r.read(ctx, db, w.scope())
		outage(t, r.name, err)
	}
	outage(t, "Write", db.Write(ctx, func(payout.Tx) error { t.Error("the write began"); return nil }))
	outage(t, "Ready", db.Ready(ctx))
	write(t, db, func(_ context.Context, tx payout.Tx) error {
		_, _, err := tx.User(ctx, w.client.ID, w.user.ID)
		outage(t, "a read within a write", err)
		outage(t, "a write", tx.SetUserStatus(ctx, w.client.ID, w.user.ID, "changed"))
		return nil
	})
	same(t, "status", found(db.User(t.Context(), w.client.ID, w.user.ID))(t).Status, w.user.Status)
}

func contextEndsWithin(t *testing.T, db Database) {
	w := newWorld("a")
	putClient(t, db, w.client, "hash")
	for _, rolledBack := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		outage(t, "the end of a write", db.Write(ctx, func(tx payout.Tx) error {
			if err := w.insert(ctx, tx); err != nil {
				t.Errorf("insert: %v", err)
			}
			cancel()
			if rolledBack { // as it is at any time from now on
				var err error
				for err == nil {
					err = tx.SetUserStatus(t.Context(), w.client.ID, w.user.ID, "changed")
				}
				outage(t, "a write after that", err)
			}
			return nil
		}))
		finds(t, db, tenantReads(w), w.scope(), none)
	}
}

func closedStore(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range allReads(w) {
		_, err := r.read(t.Context(), db, w.scope())
		outage(t, r.name, err)
	}
	ctx := t.Context()
	outage(t, "Write", db.Write(ctx, func(payout.Tx) error { t.Error("the write began"); return nil }))
	outage(t, "PutClient", db.PutClient(ctx, w.client, "hash", origin))
	outage(t, "Ready", db.Ready(ctx))
	_, err := db.ClientIDs(ctx)
	outage(t, "ClientIDs", err)
}

func ready(t *testing.T, db Database) {
	if err := db.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}
