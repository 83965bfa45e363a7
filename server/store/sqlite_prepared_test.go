package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// kept calls fn with the statements that the writer keeps.
func kept(t *testing.T, s *Store, fn func(map[string]sqliteStmt)) {
	t.Helper()
	conn, err := s.writer.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Raw(func(c any) error {
		fn(c.(*preparing).kept)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func insertKey(ctx context.Context, tx payout.Tx, key string) error {
	_, err := tx.InsertIdempotencyKey(ctx, "a", payout.Idempotency{Key: key, Fingerprint: "f"}, key)()
	return err
}

// A statement by key is prepared once, and runs with the values of each call.
func TestStatementsByKeyStayPrepared(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	if err := s.PutClient(t.Context(), payout.Client{ID: "a", Name: "a"}, payout.HashSecret("a"), time.Now()); err != nil {
		t.Fatal(err)
	}
	before := map[string]driver.Stmt{}
	for i := range 3 {
		key := fmt.Sprint("key-", i)
		if err := s.Write(t.Context(), func(tx payout.Tx) error {
			if err := insertKey(t.Context(), tx, key); err != nil {
				return err
			}
			if used, ok, err := tx.IdempotencyKey(t.Context(), "a", key); err != nil || !ok || used.ResourceID != key {
				t.Errorf("%s: %+v, %t, %v", key, used, ok, err)
			}
			_, ok, err := tx.IdempotencyKey(t.Context(), "a", "none")
			if ok {
				t.Error("found a key that nobody used")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		kept(t, s, func(all map[string]sqliteStmt) {
			for query, stmt := range all {
				if i > 0 && before[query] != stmt {
					t.Errorf("prepared again: %s", query)
				}
				before[query] = stmt
			}
			if text := fmt.Sprint(all); !strings.Contains(text, "insert into idempotency_keys") || !strings.Contains(text, "savepoint write") {
				t.Errorf("keeps %s", text)
			}
		})
	}
}

// A statement that failed is not kept, and one is prepared anew when another process has changed the tables.
func TestKeptStatementsFollowTheTables(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	s, err := Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	insert := func(key string) error {
		return s.Write(t.Context(), func(tx payout.Tx) error { return insertKey(t.Context(), tx, key) })
	}
	if err := s.PutClient(t.Context(), payout.Client{ID: "a", Name: "a"}, payout.HashSecret("a"), time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := insert("first"); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), `alter table idempotency_keys add column more text not null default 'x'`); err != nil {
		t.Fatal(err)
	}
	if err := insert("second"); err != nil {
		t.Errorf("after a new column: %v", err)
	}
	if _, err := other.ExecContext(t.Context(), `alter table idempotency_keys rename to away`); err != nil {
		t.Fatal(err)
	}
	if err := insert("third"); err == nil {
		t.Error("inserted into a table that is gone")
	}
	kept(t, s, func(all map[string]sqliteStmt) {
		for query := range all {
			if strings.Contains(query, "insert into idempotency_keys") {
				t.Errorf("kept: %s", query)
			}
		}
	})
	if _, err := other.ExecContext(t.Context(), `alter table away rename to idempotency_keys`); err != nil {
		t.Fatal(err)
	}
	if err := insert("third"); err != nil {
		t.Errorf("after the table is back: %v", err)
	}
}

// Two uses of a text at the same time have a statement each.
func TestAStatementInUseIsNotShared(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	const query = `select value from json_each($1)`
	tx, err := s.writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	outer, err := tx.QueryContext(t.Context(), query, byKey{}, `[1, 2, 3]`)
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	var got []string
	for outer.Next() {
		var a, b int
		if err := outer.Scan(&a); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRowContext(t.Context(), query, byKey{}, fmt.Sprintf(`[%d]`, 10*a)).Scan(&b); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(a, "-", b))
	}
	if err := outer.Err(); err != nil || fmt.Sprint(got) != "[1-10 2-20 3-30]" {
		t.Errorf("read %v, %v", got, err)
	}
}

// A connection keeps no more than so many, whatever the program sends.
func TestKeptStatementsAreBounded(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	for i := range mostPrepared + 50 {
		var v int
		if err := s.writer.QueryRowContext(t.Context(), fmt.Sprintf(`select %d`, i), byKey{}).Scan(&v); err != nil || v != i {
			t.Fatalf("%d, %v", v, err)
		}
	}
	kept(t, s, func(all map[string]sqliteStmt) {
		if len(all) != mostPrepared {
			t.Errorf("keeps %d", len(all))
		}
	})
}
