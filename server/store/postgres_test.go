package store_test

import (
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// openPostgres opens a store and a connection past it, and closes both when the test ends.
func openPostgres(t *testing.T, url string) (*store.Store, *sql.DB) {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	beside, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), beside.Close()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s, beside
}

// alter runs a statement with the name of the database for %I.
func alter(t *testing.T, beside *sql.DB, statement string) {
	t.Helper()
	if _, err := beside.ExecContext(t.Context(), `do $$ begin execute format('`+statement+`', current_database()); end $$`); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// A server that refuses the service, for whatever reason, is an outage: the operator mends it, and callers try again.
func TestARefusedConnectionIsAnOutage(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Private(t)
	_, owner := openPostgres(t, cluster.URL)
	for _, statement := range []string{
		"create role payoutd login", "grant all on schema public to payoutd", "grant all on all tables in schema public to payoutd",
	} {
		if _, err := owner.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, refuse := range []string{"revoke connect on database postgres from public", "alter role payoutd rename to another"} {
		s, err := store.Connect(t.Context(), strings.Replace(cluster.URL, "postgres@", "payoutd@", 1))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, statement := range []string{refuse, "select pg_terminate_backend(pid) from pg_stat_activity where usename in ('payoutd', 'another')"} {
			if _, err := owner.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.ClientIDs(t.Context()); payout.CodeOf(err) != payout.CodeServiceUnavailable {
			t.Errorf("%s: a read returns %v", refuse, err)
		}
		if err := s.Write(t.Context(), func(payout.Tx) error { return nil }); payout.CodeOf(err) != payout.CodeServiceUnavailable {
			t.Errorf("%s: a write returns %v", refuse, err)
		}
		if _, err := owner.ExecContext(t.Context(), "grant connect on database postgres to public"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAReadOnlyServerIsNotReady(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	s, beside := openPostgres(t, url)
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	alter(t, beside, `alter database %I set default_transaction_read_only = on`)
	readOnly, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	err = readOnly.Ready(t.Context())
	var told *payout.Error
	if !errors.As(err, &told) || told.Message != "The database is read-only." || !errors.Is(err, store.ErrNotWritable) {
		t.Errorf("ready: %v", err)
	}
	if _, err := readOnly.ClientIDs(t.Context()); err != nil {
		t.Errorf("a read: %v", err)
	}
}

// A server that becomes read-only while connections to it are open is left for the one that was promoted, by writes and by
// the check of readiness alone.
func TestAPoolLeavesAServerThatBecomesReadOnly(t *testing.T) {
	t.Parallel()
	for name, notice := range map[string]func(*store.Store) error{
		"a write": func(s *store.Store) error {
			return s.PutClient(t.Context(), payout.Client{ID: "before"}, "hash", time.Unix(0, 0))
		},
		"readiness": func(s *store.Store) error { return s.Ready(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			primary, standby, both := pgtest.Pair(t)
			s, _ := openPostgres(t, both)
			_, beside := openPostgres(t, primary.URL)
			var all, meet sync.WaitGroup
			connections := s.Pools()["shared"].MaxOpenConnections
			meet.Add(connections)
			for range connections {
				all.Go(func() {
					arrive := sync.OnceFunc(meet.Done)
					defer arrive() // or the others wait for one that failed
					if err := s.Write(t.Context(), func(payout.Tx) error { arrive(); meet.Wait(); return nil }); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for _, statement := range []string{`alter system set default_transaction_read_only = on`, `select pg_reload_conf()`} {
				if _, err := beside.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			for set := ""; set != "on"; { // a server reads its settings a little later
				if err := beside.QueryRowContext(t.Context(), `show default_transaction_read_only`).Scan(&set); err != nil {
					t.Fatal(err)
				}
			}
			if err := standby.Promote(); err != nil {
				t.Fatal(err)
			}
			if err := notice(s); payout.CodeOf(err) != payout.CodeServiceUnavailable {
				t.Fatalf("%s on a read-only server returns %v", name, err)
			}
			for range 32 {
				if err := s.PutClient(t.Context(), payout.Client{ID: "after"}, "hash", time.Unix(0, 0)); err != nil {
					t.Errorf("a write after that: %v", err)
				}
			}
			if err := s.Ready(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// The disk of a server is only known to be full from writes that found it so.
func TestAFullDiskIsNotReady(t *testing.T) {
	t.Parallel()
	s, beside := openPostgres(t, pgtest.Database(t))
	if _, err := beside.ExecContext(t.Context(), `create function no_space() returns trigger language plpgsql as
		$$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
		create trigger no_space before insert on clients execute function no_space()`); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.PutClient(t.Context(), payout.Client{ID: "a"}, "hash", time.Unix(0, 0)); payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("a write: %v", err)
	}
	var told *payout.Error
	if err := s.Ready(t.Context()); !errors.As(err, &told) || told.Message != "The disk of the database is full." {
		t.Errorf("ready: %v", err)
	}
}
