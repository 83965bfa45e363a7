package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// serializable opens a store on a database whose transactions are serializable.
func serializable(t *testing.T) *store.Store {
	t.Helper()
	url := pgtest.Database(t)
	_, beside := openPostgres(t, url)
	alter(t, beside, `alter database %I set default_transaction_isolation = serializable`)
	s, _ := openPostgres(t, url)
	putUsers(t, s, "user")
	return s
}

func putUsers(t *testing.T, s *store.Store, ids ...payout.UserID) {
	t.Helper()
	err := s.PutClient(t.Context(), payout.Client{ID: "acme"}, "hash", time.Unix(0, 0))
	for _, id := range ids {
		err = errors.Join(err, s.Write(t.Context(), func(tx payout.Tx) error {
			return tx.InsertUser(t.Context(), "acme", payout.User{ID: id, CreatedAt: time.Unix(0, 0)})
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// use adds 1 to the counters of a user.
func use(ctx context.Context, tx payout.Tx, user payout.UserID) error {
	_, err := tx.AddUsage(ctx, "acme", payout.UsageKey{UserID: user, Destination: "NP", Currency: "USD", At: time.Unix(0, 0)}, 1)
	return err
}

// A write that loses against another one runs again, and each counts once.
func TestAWriteThatLosesRunsAgain(t *testing.T) {
	t.Parallel()
	s := serializable(t)
	attempts := 0
	err := s.Write(t.Context(), func(tx payout.Tx) error {
		attempts++
		if _, _, err := tx.User(t.Context(), "acme", "any"); err != nil { // the snapshot is taken
			return err
		}
		if attempts == 1 {
			if err := s.Write(t.Context(), func(tx payout.Tx) error { return use(t.Context(), tx, "user") }); err != nil {
				t.Errorf("the other write: %v", err)
			}
		}
		return use(t.Context(), tx, "user")
	})
	if err != nil || attempts != 2 {
		t.Errorf("%d attempts: %v", attempts, err)
	}
	wantUsage(t, s, "user", 2)
	if unavailable, conflict, other := s.Failures(); unavailable != 0 || conflict != 1 || other != 0 {
		t.Errorf("failures: %d unavailable, %d conflict, %d other", unavailable, conflict, other)
	}
}

// Of two writes that wait for each other, the one that the server ends runs again.
func TestADeadlockIsResolved(t *testing.T) {
	t.Parallel()
	s, _ := openPostgres(t, pgtest.Database(t))
	putUsers(t, s, "one", "two")
	var all, both sync.WaitGroup
	both.Add(2)
	for _, users := range [][]payout.UserID{{"one", "two"}, {"two", "one"}} {
		all.Go(func() {
			meet := sync.OnceFunc(func() { both.Done(); both.Wait() })
			if err := s.Write(t.Context(), func(tx payout.Tx) error {
				if err := use(t.Context(), tx, users[0]); err != nil {
					return err
				}
				meet()
				return use(t.Context(), tx, users[1])
			}); err != nil {
				t.Errorf("%s first: %v", users[0], err)
			}
		})
	}
	all.Wait()
	wantUsage(t, s, "one", 2)
	wantUsage(t, s, "two", 2)
	if _, conflict, _ := s.Failures(); conflict == 0 {
		t.Error("the writes did not wait for each other")
	}
}

// A write that loses each time is given up, as an outage, and so is one whose caller does not wait any longer.
func TestAWriteThatAlwaysLosesIsGivenUp(t *testing.T) {
	t.Parallel()
	s := serializable(t)
	for name, patience := range map[string]int{"after many attempts": 1000, "with its context": 3} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		attempts := 0
		err := s.Write(ctx, func(tx payout.Tx) error {
			if attempts++; attempts == patience {
				cancel()
			}
			if _, _, err := tx.User(t.Context(), "acme", "any"); err != nil {
				return err
			}
			if err := s.Write(t.Context(), func(tx payout.Tx) error { return use(t.Context(), tx, "user") }); err != nil {
				t.Errorf("the other write: %v", err)
			}
			return use(t.Context(), tx, "user")
		})
		if payout.CodeOf(err) != payout.CodeServiceUnavailable || attempts > min(patience, 100) {
			t.Errorf("%s: %d attempts, %v", name, attempts, err)
		}
	}
}

// Any other error ends the write at once.
func TestOnlyConflictsAreRepeated(t *testing.T) {
	t.Parallel()
	s, attempts, reason := serializable(t), 0, errors.New("on purpose")
	if err := s.Write(t.Context(), func(payout.Tx) error { attempts++; return reason }); !errors.Is(err, reason) || attempts != 1 {
		t.Errorf("%d attempts: %v", attempts, err)
	}
}

func wantUsage(t *testing.T, s *store.Store, user payout.UserID, want int64) {
	t.Helper()
	got, err := s.Usage(t.Context(), "acme", payout.UsageKey{UserID: user, Destination: "NP", Currency: "USD", At: time.Unix(0, 0)})
	if err != nil || got != (payout.Usage{Daily: want, Monthly: want, Annual: want}) {
		t.Errorf("the counters of %s are %v, %v, want %d", user, got, err, want)
	}
}
