package store

import (
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

// prepared counts the statements of a server's connection.
func prepared(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.writer.QueryRowContext(t.Context(), `select count(*) from pg_prepared_statements where not from_sql`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStatementsArePreparedUnlessThereIsAPooler(t *testing.T) {
	t.Parallel()
	if prepared(t, openAlone(t, pgtest.Database(t))) == 0 {
		t.Error("no statement was prepared")
	}
	if n := prepared(t, openAlone(t, pgtest.Database(t)+"&default_query_exec_mode=exec")); n > 0 {
		t.Errorf("%d statements were prepared although the URL forbids it", n)
	}
	through, _ := pgtest.Pooled(t)
	if n := prepared(t, openAlone(t, through)); n > 0 {
		t.Errorf("%d statements were prepared through PgBouncer", n)
	}
}

// A prepared statement is not valid any more after a migration by a newer replica, or DISCARD ALL.
func TestStaleStatementsArePreparedAnew(t *testing.T) {
	t.Parallel()
	s := openAlone(t, pgtest.Database(t))
	for _, change := range []string{
		`alter table clients alter column name type varchar(200)`, `alter table clients alter column name type text`, `deallocate all`,
	} {
		reads := func() {
			t.Helper()
			if c, _, ok, err := s.Client(t.Context(), "a", time.Now()); err != nil || !ok || c.Name != "a" {
				t.Errorf("%s: %+v, %t, %v", change, c, ok, err)
			}
		}
		reads()
		if _, err := s.writer.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		reads()
		if err := s.Write(t.Context(), func(tx payout.Tx) error {
			_, _, err := tx.IdempotencyKey(t.Context(), "a", "key")
			return err
		}); err != nil {
			t.Errorf("%s: %v", change, err)
		}
	}
}
