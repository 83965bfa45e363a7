package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// openAlone opens a store with one connection, so that what one statement leaves there is seen by the next.
func openAlone(t *testing.T, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.writer.SetMaxOpenConns(1)
	if err := s.PutClient(t.Context(), payout.Client{ID: "a", Name: "a"}, payout.HashSecret("a"), time.Now()); err != nil {
		t.Fatal(err)
	}
	return s
}

// A prepared statement is not valid any more after a migration by a newer replica, or DISCARD ALL. It is prepared anew, alone and
// among the statements of a transaction.
func TestStaleStatementsArePreparedAnew(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"", "&default_query_exec_mode=cache_statement", "&default_query_exec_mode=cache_describe"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := openAlone(t, pgtest.Database(t)+mode)
			for _, change := range []string{
				`alter table clients alter column name type varchar(200)`, `alter table clients alter column name type text`,
				`alter table idempotency_keys alter column fingerprint type varchar(200)`,
				`alter table idempotency_keys alter column fingerprint type text`, `deallocate all`,
			} {
				uses := func() {
					t.Helper()
					if c, _, ok, err := s.Client(t.Context(), "a", time.Now()); err != nil || !ok || c.Name != "a" {
						t.Errorf("%s: %+v, %t, %v", change, c, ok, err)
					}
					if err := s.Write(t.Context(), func(tx payout.Tx) error {
						_, _, err := tx.IdempotencyKey(t.Context(), "a", "key")
						return err
					}); err != nil {
						t.Errorf("%s: %v", change, err)
					}
				}
				uses()
				if _, err := s.writer.ExecContext(t.Context(), change); err != nil {
					t.Fatal(err)
				}
				uses()
			}
		})
	}
}

// D-08: a lost table is an internal error, also for a write all of whose statements wait for the commit, on a connection that has
// or has not prepared them: the caller is not asked to try again.
func TestALostTableIsAnInternalError(t *testing.T) {
	t.Parallel()
	for _, prepared := range []bool{false, true} {
		t.Run(fmt.Sprintf("prepared %t", prepared), func(t *testing.T) {
			t.Parallel()
			s := openAlone(t, pgtest.Database(t))
			writes := func() error {
				return s.Write(t.Context(), func(tx payout.Tx) error { return tx.LockUser(t.Context(), "a", "user") })
			}
			if prepared {
				if err := writes(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.writer.ExecContext(t.Context(), `alter table users rename to users_gone`); err != nil {
				t.Fatal(err)
			}
			if err := writes(); err == nil || payout.CodeOf(err) != payout.CodeInternalError {
				t.Errorf("returns %v", err)
			}
		})
	}
}
