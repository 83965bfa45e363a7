package servertest

import (
	"database/sql"
	"testing"
	"time"
)

// Watch detects writes to a database.
type Watch struct{ DB *sql.DB }

// Version changes with every commit that writes. SQLite counts commits of other connections; on PostgreSQL it is a hash
// of the place and the writing transaction of every row, without the lock of the migrations. What was written before is
// published by then.
func (w Watch) Version(t testing.TB) (version string) {
	t.Helper()
	Await(t, 30*time.Second, "the events are not published", func() bool {
		var waiting string
		readVersion(t, w.DB, &waiting, `select count(*) from event_queue`)
		return waiting == "0"
	})
	query := `pragma data_version`
	if OnPostgreSQL(t) {
		var rows string
		readVersion(t, w.DB, &rows, `select string_agg(format('select tableoid, ctid, xmin from %I', relname), ' union all ')
			from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'goose_lock'`)
		query = `select coalesce(md5(string_agg(v::text, ';' order by tableoid, ctid)), '') from (` + rows + `) v`
	}
	readVersion(t, w.DB, &version, query)
	return version
}

// readVersion reads outside of the isolation that the test may set: a serializable read of all tables would compete with writers.
func readVersion(t testing.TB, db *sql.DB, into *string, query string) {
	t.Helper()
	var isolation sql.IsolationLevel
	if OnPostgreSQL(t) {
		isolation = sql.LevelReadCommitted
	}
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: isolation})
	if err != nil {
		t.Fatalf("read version: %v", err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if err := tx.QueryRowContext(t.Context(), query).Scan(into); err != nil {
		t.Fatalf("read version: %v", err)
	}
}

// Unchanged fails the test if act writes.
func (w Watch) Unchanged(t testing.TB, act func()) {
	t.Helper()
	before := w.Version(t)
	act()
	if w.Version(t) != before {
		t.Error("a refused request was written")
	}
}

// NewWatch watches the database of a connection that no other code uses.
func NewWatch(db *sql.DB) Watch { return Watch{db} }
