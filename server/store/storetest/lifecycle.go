package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// A new status is stored with its reason and time, and nothing else changes.
func transactionStatus(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	want := asRead(w.transfer)
	want.Status, want.DeliveryStatus, want.StatusReason = payout.StatusFailed, payout.DeliveryFailed, payout.ReasonNotCollected
	want.UpdatedAt, want.RequiredInformation = origin.Add(time.Hour), nil
	write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.SetTransactionStatus(ctx, "a", want) })
	same(t, "transaction", found(db.Transaction(ctx, "a", w.user.ID, want.ID))(t), want)
}

// Of the required information what is VERIFIED is left out, and all of it unless the transaction is INITIATED.
func requiredInformation(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.transfer.RequiredInformation = []string{"CITY", "EMAIL", "ID_DOC"}
	w.put(t, db)
	second := w.another("second")
	second.RequiredInformation = []string{"ID_DOC"}
	write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.InsertTransaction(ctx, "a", second) })
	check := func(what string, first, other []string) {
		t.Helper()
		same(t, what, found(db.Transaction(ctx, "a", w.user.ID, w.transfer.ID))(t).RequiredInformation, first)
		for _, v := range must(db.Transactions(ctx, "a", w.user.ID, payout.Page{Limit: 5}))(t) {
			same(t, what+", in a list", v.RequiredInformation, map[payout.TransactionID][]string{w.transfer.ID: first, "second": other}[v.ID])
		}
	}
	check("at first", []string{"CITY", "EMAIL", "ID_DOC"}, []string{"ID_DOC"})
	tag := func(tag string, status payout.CIPStatus) {
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			return tx.SetCIPTags(ctx, "a", w.user.ID, map[string]payout.CIPStatus{tag: status})
		})
	}
	tag("ID_DOC", payout.CIPVerified)
	tag("CITY", payout.CIPReviewing)
	check("with a tag that is VERIFIED", []string{"CITY", "EMAIL"}, nil)
	tag("ID_DOC", payout.CIPFailed)
	check("with a tag that FAILED since", []string{"CITY", "EMAIL", "ID_DOC"}, []string{"ID_DOC"})
	moved := w.transfer
	moved.Status = payout.StatusProcessing
	write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.SetTransactionStatus(ctx, "a", moved) })
	check("when it is PROCESSING", nil, []string{"ID_DOC"})
}

// What was added is taken back from the same three counters, and nothing that was not added.
func usageTakenBack(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	next := w.usage
	next.At = w.usage.At.AddDate(0, 0, 1)
	add := func(key payout.UsageKey, amount int64) (payout.Usage, error) {
		var now payout.Usage
		err := db.Write(ctx, func(tx payout.Tx) (err error) {
			now, err = tx.AddUsage(ctx, "a", key, amount)
			return err
		})
		return now, err
	}
	same(t, "added", must(add(next, 100))(t), payout.Usage{Daily: 100, Monthly: w.used + 100, Annual: w.used + 100})
	same(t, "taken back", must(add(w.usage, -w.used))(t), payout.Usage{Daily: 0, Monthly: 100, Annual: 100})
	same(t, "the next day", must(db.Usage(ctx, "a", next))(t), payout.Usage{Daily: 100, Monthly: 100, Annual: 100})
	other := w.usage
	other.Destination = "IN"
	for what, key := range map[string]payout.UsageKey{"more than was added": w.usage, "of counters that do not exist": other} {
		if now, err := add(key, -1); err == nil {
			t.Errorf("%s: %+v", what, now)
		}
	}
	same(t, "after that", must(db.Usage(ctx, "a", w.usage))(t), payout.Usage{Daily: 0, Monthly: 100, Annual: 100})
}

// A second writer reads a locked transaction as the first one leaves it.
func transactionLock(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	for _, gone := range []scope{{"b", w.user.ID, ""}, {"a", "nobody", ""}} {
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			_, ok, err := tx.LockTransaction(ctx, gone.client, gone.user, w.transfer.ID)
			if ok {
				t.Errorf("the transaction is there for %+v", gone)
			}
			return err
		})
	}
	var writers sync.WaitGroup
	for range 16 {
		writers.Go(func() {
			if err := db.Write(ctx, func(tx payout.Tx) error {
				v, ok, err := tx.LockTransaction(ctx, "a", w.user.ID, w.transfer.ID)
				if err != nil || !ok {
					return err
				}
				v.UpdatedAt = v.UpdatedAt.Add(time.Second)
				return tx.SetTransactionStatus(ctx, "a", v)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	same(t, "changes", found(db.Transaction(ctx, "a", w.user.ID, w.transfer.ID))(t).UpdatedAt, w.transfer.UpdatedAt.Add(16*time.Second))
}
