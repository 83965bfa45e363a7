package store_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
	"github.com/crossborder-payouts/payouts/server/store/storetest"
)

func TestSQLiteIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Database {
		t.Helper()
		file := filepath.Join(t.TempDir(), "payouts.db")
		return storetest.Database{Store: open(t, file), SQL: beside(t, file)}
	})
}

// open opens a store on a file, and closes it when the test ends.
func open(t *testing.T, file string) *store.Store {
	t.Helper()
	return opened(t, "sqlite:"+file)
}

// opened opens a store, and closes it when the test ends.
func opened(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
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

// beside opens the file past the store.
func beside(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatalf("open file: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close file: %v", err)
		}
	})
	return db
}

func TestAFileMayHaveAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"with space.db", "what?.db", "what?mode=memory", "100%.db", "%41.db", "a#b.db", "a&b=c;d.db", "a+b.db", ":memory:",
		"'quoted\".db", "\u0928\u0947.db", "no-extension", "deep/er/../payouts.db",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "deep", "er"), 0o700); err != nil {
				t.Fatal(err)
			}
			file := dir + "/" + name
			s := open(t, file)
			if err := s.PutClient(t.Context(), payout.Client{ID: "a"}, "hash", time.Now()); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("the file has another name: %v", err)
			}
			ids, err := open(t, file).ClientIDs(t.Context())
			if err != nil || !slices.Equal(ids, []payout.ClientID{"a"}) {
				t.Errorf("the file was opened again with clients %q, %v", ids, err)
			}
		})
	}
}

func TestAFileMayBeNamedFromWhereTheProgramRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	open(t, "payouts.db")
	if _, err := os.Stat("payouts.db"); err != nil {
		t.Error(err)
	}
}

func TestTwoStoresMayShareAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	first, second := open(t, file), open(t, file)
	done := make(chan error, 2)
	for i, s := range []*store.Store{first, second} {
		go func() {
			var err error
			for n := 0; n < 10 && err == nil; n++ {
				err = s.PutClient(t.Context(), payout.Client{ID: payout.ClientID(string(rune('a' + 10*i + n)))}, "hash", time.Now())
			}
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, s := range []*store.Store{first, second} {
		if ids, err := s.ClientIDs(t.Context()); err != nil || len(ids) != 20 {
			t.Errorf("clients %q, %v", ids, err)
		}
	}
}

func TestASecondOpenMigratesNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "payouts.db")
	migrated := func() (rows int) {
		open(t, file)
		if err := beside(t, file).QueryRowContext(t.Context(), `select count(*) from goose_db_version`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	first := migrated()
	if second := migrated(); first == 0 || second != first {
		t.Errorf("%d rows, then %d", first, second)
	}
}

func TestOnlySQLiteURLsAreOpened(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "payouts.db", "sqlite", "sqlite:", "mysql://localhost/payouts", "SQLITE:payouts.db", " sqlite:a.db"} {
		if s, err := store.Open(t.Context(), url); !errors.Is(err, store.ErrDatabaseURL) || s != nil {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestAFileThatCannotBeOpenedIsAClearError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "text")
	if err := os.WriteFile(other, []byte("this is a text and no database, and long enough to tell that it is none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, says string }{
		"no such directory":           {filepath.Join(dir, "missing", "payouts.db"), "the folder " + filepath.Join(dir, "missing") + " does not exist"},
		"a file for a directory":      {filepath.Join(other, "payouts.db"), "unable to create it in " + other + ": not a directory"},
		"a directory for a file":      {dir, "it is a folder; name a file in it"},
		"a file that is no database":  {other, "file is not a database"},
		"a directory that takes none": {"/proc/payouts.db", "unable to create it in /proc: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), "sqlite:"+c.file)
			if err == nil || s != nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.file) {
				t.Errorf("%v", err)
			}
		})
	}
	file := filepath.Join(dir, "none.db")
	if s, err := store.Connect(t.Context(), "sqlite:"+file); err == nil || s != nil || !strings.Contains(err.Error(), file+": there is no such file") {
		t.Errorf("a file that does not exist: %v", err)
	}
}

// Processes that start together on an empty database all find it migrated.
func TestOpeningTogetherMigratesOnce(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(*testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db") },
		"PostgreSQL": func(t *testing.T) string { t.Helper(); return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 3 {
				url := fresh(t)
				var all sync.WaitGroup
				for range 8 {
					all.Go(func() {
						db, err := store.Open(t.Context(), url)
						if err != nil {
							t.Errorf("open: %v", err)
							return
						}
						if err := errors.Join(db.Ready(t.Context()), db.Close()); err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
			}
		})
	}
}

func TestPostgreSQLIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Database {
		t.Helper()
		url := pgtest.Database(t)
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
		return storetest.Database{Store: s, SQL: beside}
	})
}

// A replica that stands still within a write must not hold keys and counters for ever. What the server then ends is an
// outage, and is taken back.
func TestAWriteThatStandsStillIsAnOutage(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	_, beside := openPostgres(t, url) // with all migrations, which may take their time
	if _, err := beside.ExecContext(t.Context(), `do $$ begin execute format(
		'alter database %I set idle_in_transaction_session_timeout = 500', current_database()); end $$`); err != nil {
		t.Fatal(err)
	}
	s, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	insert := func(tx payout.Tx) (bool, error) {
		return tx.InsertIdempotencyKey(t.Context(), "acme", payout.Idempotency{Key: "key", Fingerprint: "f"}, "id")()
	}
	err = s.Write(t.Context(), func(tx payout.Tx) error {
		if _, err := insert(tx); err != nil {
			return err
		}
		if err := s.Write(t.Context(), func(tx payout.Tx) error { // waits until the first one is ended
			if free, err := insert(tx); err != nil || !free {
				t.Errorf("after the first was ended: free %t, %v", free, err)
			}
			return errors.New("on purpose")
		}); err == nil {
			t.Error("the second was kept")
		}
		_, err := insert(tx)
		return err
	})
	if payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("the first: %v", err)
	}
}

// A mistyped file name is an error, and no file is created.
func TestConnectingMakesNoFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mistyped.db")
	if _, err := store.Connect(t.Context(), "sqlite:"+file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one that names the file", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
}
