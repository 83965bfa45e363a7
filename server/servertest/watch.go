package servertest

import (
	"database/sql"
	"testing"
)

// Watch detects writes to a database.
type Watch struct{ DB *sql.DB }

// Version changes with every commit that writes. SQLite counts commits of other connections; on PostgreSQL it is a hash
// of the place and the writing transaction of every row, without the lock of the migrations.
func (w Watch) Version(t testing.TB) (version string) {
	t.Helper()
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

func readVersion(t testing.TB, db *sql.DB, into *string, query string) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(into); err != nil {
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
