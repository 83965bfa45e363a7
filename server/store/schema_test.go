package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// lockForWriters begins a migration that excludes older versions, on PostgreSQL.
const lockForWriters = "lock table schema_requirements in access exclusive mode;"

// A newer payoutd is one whose migrations these tests apply to the database of this one.
const (
	indexOnly = `create index users_by_profile on users (client_id, profile);
		insert into schema_requirements (version, min_writer_version) values (9001, 2);`
	excluding = `alter table idempotency_keys rename column resource_id to created_id;
		insert into schema_requirements (version, min_writer_version) values (9001, 9001);`
)

// newer applies migrations 9001, 9002 and so on, with Down at their ends.
func (e migrationEngine) newer(t *testing.T, dsn string, statements ...string) *goose.Provider {
	t.Helper()
	files := fstest.MapFS{}
	for i, text := range statements {
		if e.dialect == goose.DialectPostgres && strings.Contains(text, "9001);") {
			text = lockForWriters + text
		}
		files[fmt.Sprintf("%d_newer.sql", 9001+i)] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + text +
			fmt.Sprintf("\n-- +goose Down\ndelete from schema_requirements where version = %d;", 9001+i))}
	}
	migrator, err := goose.NewProvider(e.dialect, e.connect(t, dsn), files)
	if err != nil {
		t.Fatal(err)
	}
	return migrator
}

func register(t *testing.T, s *store.Store, id payout.ClientID) error {
	t.Helper()
	return s.PutClient(t.Context(), payout.Client{ID: id}, "hash", time.Now())
}

// Replicas are upgraded one after the other where the schema allows the older version.
func TestASchemaMayAllowOlderVersions(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, dsn := engine.open(t)
			running := opened(t, url)
			if _, err := engine.newer(t, dsn, indexOnly).Up(t.Context()); err != nil {
				t.Fatal(err)
			}
			restarted := opened(t, url)
			for name, s := range map[string]*store.Store{"running": running, "restarted": restarted} {
				if err := errors.Join(s.CheckSchema(t.Context()), s.Ready(t.Context()), register(t, s, payout.ClientID(name))); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			all, err := restarted.Migrations(t.Context())
			last := all[len(all)-1]
			if err != nil || last.Version != 9001 || last.Name != "" || time.Since(last.Applied).Abs() > time.Hour ||
				all[len(all)-2].Name == "" {
				t.Errorf("migrations %+v, %v", all, err)
			}
		})
	}
}

// An older version does not write to a schema that excludes it: it would ignore a key, for example. Later migrations do not
// allow it again.
func TestASchemaExcludesOlderVersions(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, dsn := engine.open(t)
			running := opened(t, url)
			newer := engine.newer(t, dsn, excluding, `insert into schema_requirements (version, min_writer_version) values (9002, 2);`)
			if _, err := newer.Up(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, _, err := running.IdempotencyKey(t.Context(), "acme", "key"); payout.CodeOf(err) != payout.CodeServiceUnavailable ||
				!errors.Is(err, store.ErrSchemaTooNew) {
				t.Errorf("a query for a renamed column: %v", err)
			}
			if err := register(t, running, "acme"); payout.CodeOf(err) != payout.CodeServiceUnavailable || !errors.Is(err, store.ErrSchemaTooNew) {
				t.Errorf("write: %v", err)
			}
			err := running.Ready(t.Context())
			var e *payout.Error
			if !errors.As(err, &e) || e.Code != payout.CodeServiceUnavailable || !errors.Is(err, store.ErrSchemaTooNew) ||
				e.Message != "A newer version of the service has migrated the database." {
				t.Errorf("ready: %v", err)
			}
			if s, err := store.Open(t.Context(), url); !errors.Is(err, store.ErrSchemaTooNew) || s != nil ||
				!strings.Contains(err.Error(), "requires schema version 9001") {
				t.Errorf("open: %v", err)
			}
			connected, err := store.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			defer connected.Close()
			if err := connected.CheckSchema(t.Context()); !errors.Is(err, store.ErrSchemaTooNew) {
				t.Errorf("check: %v", err)
			}
			if err := register(t, connected, "acme"); !errors.Is(err, store.ErrSchemaTooNew) {
				t.Errorf("write: %v", err)
			}
			if _, err := newer.DownTo(t.Context(), 9000); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(register(t, running, "acme"), running.Ready(t.Context())); err != nil {
				t.Errorf("after the migrations were taken back: %v", err)
			}
		})
	}
}

// Of an older and a newer version that start together, the older one writes only before the migration.
func TestOlderAndNewerVersionsStartTogether(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, dsn := engine.open(t)
			opened(t, url)
			newer := engine.newer(t, dsn, excluding)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					older, err := store.Open(t.Context(), url)
					if err != nil {
						if !errors.Is(err, store.ErrSchemaTooNew) {
							t.Errorf("open: %v", err)
						}
						return
					}
					defer older.Close()
					for err == nil {
						err = register(t, older, "acme")
						<-time.After(10 * time.Millisecond) // SQLite does not queue for its lock: the migration shall get it
					}
					if !errors.Is(err, store.ErrSchemaTooNew) {
						t.Errorf("write: %v", err)
					}
				})
			}
			if _, err := newer.Up(t.Context()); err != nil {
				t.Error(err)
			}
			all.Wait()
		})
	}
}

// A migration that excludes an older version waits for the writes that it has begun.
func TestAMigrationWaitsForOlderWrites(t *testing.T) {
	t.Parallel()
	engine := migrationEngines["PostgreSQL"]
	url, dsn := engine.open(t)
	s, newer, db := opened(t, url), engine.newer(t, dsn, excluding), engine.connect(t, dsn)
	migrated := make(chan error, 1)
	if err := s.Write(t.Context(), func(tx payout.Tx) error {
		if _, err := tx.InsertIdempotencyKey(t.Context(), "acme", payout.Idempotency{Key: "key", Fingerprint: "f"}, "id")(); err != nil {
			return err
		}
		go func() {
			_, err := newer.Up(t.Context())
			migrated <- err
		}()
		for waiting := 0; waiting == 0; {
			if err := db.QueryRowContext(t.Context(), `select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock'
				and relation = 'schema_requirements'::regclass`).Scan(&waiting); err != nil {
				return err
			}
			select {
			case err := <-migrated:
				t.Fatalf("the migration did not wait: %v", err)
			default:
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := <-migrated; err != nil {
		t.Fatal(err)
	}
	var id string
	if err := db.QueryRowContext(t.Context(), `select created_id from idempotency_keys where idempotency_key = 'key'`).Scan(&id); err != nil ||
		id != "id" {
		t.Errorf("the key has %q, %v", id, err)
	}
	if err := register(t, s, "acme"); !errors.Is(err, store.ErrSchemaTooNew) {
		t.Errorf("write: %v", err)
	}
}

// Each migration from the third on states the oldest version that may write, and one that excludes versions waits for
// their writes.
func TestEachMigrationStatesWhoMayWrite(t *testing.T) {
	t.Parallel()
	for name, engine := range migrationEngines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := int64(2)
			for _, version := range versions(t) {
				if version < 3 {
					continue
				}
				_, db, _ := engine.at(t, version)
				var states int64
				if err := db.QueryRowContext(t.Context(), `select min_writer_version from schema_requirements where version = $1`,
					version).Scan(&states); err != nil || states < before || states > version {
					t.Errorf("migration %d allows version %d, %v; the one before allows %d", version, states, err, before)
				}
				if states > before && !waitsForWriters(t, version) {
					t.Errorf("migration %d excludes versions, and waits for no writers: %s is missing", version, lockForWriters)
				}
				before = states
			}
		})
	}
}

func waitsForWriters(t *testing.T, version int64) bool {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("migrations/%05d_*.postgres.sql", version))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, up, _ := strings.Cut(string(text), "-- +goose Up\n")
	// Outside a transaction, a block with the lock first has the requirement.
	_, block, found := strings.Cut(up, "do $$ begin\n\t")
	return strings.HasPrefix(up, lockForWriters) || found && strings.HasPrefix(block, lockForWriters) && strings.Contains(block, "insert into schema_requirements")
}
