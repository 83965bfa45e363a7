package servertest

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver sqlite

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// EngineVariable names the engine that tests run on: sqlite, which is the default, or postgres.
const EngineVariable = "PAYOUTD_TEST_ENGINE"

// OnPostgreSQL tells whether tests run on PostgreSQL. Another value of EngineVariable than the known ones fails the test.
func OnPostgreSQL(t testing.TB) bool {
	t.Helper()
	switch engine := os.Getenv(EngineVariable); engine {
	case "", "sqlite":
		return false
	case "postgres":
		return true
	default:
		t.Fatalf("%s is %q, want sqlite or postgres", EngineVariable, engine)
		return false
	}
}

// Database gives the URL of a new, empty database on the engine of the tests. It goes when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	if OnPostgreSQL(t) {
		return pgtest.Database(t)
	}
	return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db")
}

// Beside opens the database past the service, over one connection, as an operator's tool would.
func (s *Server) Beside(t testing.TB) *sql.DB {
	t.Helper()
	return Beside(t, s.Database)
}

// Beside opens a database past any service, over one connection, until the test ends.
func Beside(t testing.TB, databaseURL string) *sql.DB {
	t.Helper()
	driver, name := "pgx", databaseURL
	if file, ok := strings.CutPrefix(databaseURL, "sqlite:"); ok {
		driver, name = "sqlite", "file:"+file+"?_busy_timeout=5000"
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatalf("open database: %v", err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close database: %v", err)
		}
	})
	return db
}
