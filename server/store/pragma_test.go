package store

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

func openFile(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "payouts.db"))
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return s
}

// An acknowledged transaction must survive a power cut, and foreign keys are enforced.
func TestSQLiteIsSetUp(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	for pool, db := range map[string]*sql.DB{"writer": s.writer, "reader": s.reader} {
		want := map[string]string{
			"journal_mode": "wal", "foreign_keys": "1", "busy_timeout": "5000", "synchronous": "2", "query_only": "0", "temp_store": "2",
		}
		if pool == "reader" {
			want["query_only"] = "1"
			delete(want, "synchronous") // it writes nothing
			delete(want, "temp_store")
		}
		for pragma, want := range want {
			var got string
			if err := db.QueryRowContext(t.Context(), "pragma "+pragma).Scan(&got); err != nil || got != want {
				t.Errorf("%s of the %s is %s, %v, want %s", pragma, pool, got, err, want)
			}
		}
		// A misspelt column is an error and no text.
		if _, err := db.ExecContext(t.Context(), `select "no such column"`); err == nil {
			t.Errorf("the %s takes double-quoted text", pool)
		}
	}
	if got := s.writer.Stats().MaxOpenConnections; got != 1 {
		t.Errorf("%d writers, SQLite has one write lock", got)
	}
}

// An interrupted connection is closed. With the last one SQLite would delete the log, and the next one would make another.
func TestTheLogIsKept(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	for _, db := range []*sql.DB{s.writer, s.reader} {
		db.SetMaxIdleConns(-1)
	}
	for range 2 {
		if err := errors.Join(s.Write(t.Context(), func(payout.Tx) error { return nil }), s.Ready(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	for _, statement := range []string{
		`insert into clients (id, name, profile, created_at) values ('a', 'a', '{}', 0)`, `create table t (c text)`,
		`delete from clients`, `drop table clients`,
	} {
		if _, err := s.reader.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "readonly") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// A write takes the lock when it begins, so that what it reads is still so when it writes.
func TestAWriteBeginsWithTheLock(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	first, err := s.writer.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback()
	second, err := s.reader.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if _, err := second.ExecContext(t.Context(), "pragma busy_timeout = 0"); err != nil {
		t.Fatal(err)
	}
	if _, err := second.ExecContext(t.Context(), "begin immediate"); !s.engine.unavailable(err) {
		t.Errorf("the lock was free: %v", err)
	}
}

func TestAStoreWithPendingMigrationsIsNotReady(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	if _, err := s.migrator.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "pending") {
		t.Errorf("ready: %v", err)
	}
	if _, err := s.migrator.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("not ready: %v", err)
	}
}

// schema returns every statement of the schema.
func schema(t *testing.T, db *sql.DB) string {
	t.Helper()
	var text string
	if err := db.QueryRowContext(t.Context(), `select group_concat(sql, ';') from (select sql from sqlite_schema
		where sql is not null and name not like 'goose%' and name not like 'sqlite%' order by name)`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMigrationsGoDownAndUpAgain(t *testing.T) {
	t.Parallel()
	s := openFile(t)
	before := schema(t, s.writer)
	if down, err := s.migrator.DownTo(t.Context(), 0); err != nil || len(down) != len(s.migrator.ListSources()) {
		t.Fatalf("down: %v, %v", down, err)
	}
	var left int
	if err := s.writer.QueryRowContext(t.Context(), `select count(*) from sqlite_schema
		where name not like 'goose%' and name not like 'sqlite%' and name not like 'river%'`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d objects are left, %v", left, err)
	}
	if _, err := s.migrator.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := schema(t, s.writer); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
