package pgtest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

// Variable names the URL of a server to use instead of a private one. Its role must be allowed to create databases.
const Variable = "PAYOUTD_TEST_POSTGRES"

// IsolationVariable is the isolation of transactions in the databases of tests: "read committed" unless it is set.
const IsolationVariable = "PAYOUTD_TEST_ISOLATION"

// server is the URL of the server of this process, started at the first call.
var server = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(Variable); given != "" {
		return given, nil
	}
	c, err := Start(os.TempDir())
	if err != nil {
		return "", err
	}
	return c.URL, nil
})

var databases atomic.Int64

// Database returns the URL of a new, empty database. Without PostgreSQL the test is skipped with a warning; with CI=true it
// fails.
func Database(t testing.TB) string {
	t.Helper()
	base, err := server()
	if err != nil {
		Missing(t, err)
	}
	u, err := url.Parse(database(t, base))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("connect_timeout", "30") // many tests connect at the same time
	u.RawQuery = query.Encode()
	return u.String()
}

// Available returns why there is no PostgreSQL on this machine, or nil.
func Available() error {
	_, err := server()
	return err
}

// Private starts a server for one test, which may halt it; settings are those of Start. Without PostgreSQL the test ends as
// with Database.
func Private(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	c, err := Start(os.TempDir(), settings...)
	if err != nil {
		Missing(t, err)
	}
	stopAtEnd(t, c)
	return c
}

func stopAtEnd(t testing.TB, c *Cluster) {
	t.Helper()
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
}

func database(t testing.TB, base string) string {
	t.Helper()
	name := databaseName()
	create(t, base, name)
	return withDatabase(t, base, name)
}

func databaseName() string {
	return fmt.Sprintf("payouts_test_%d_%d_%d", os.Getpid(), time.Now().UnixNano(), databases.Add(1))
}

// create creates a database until the test ends.
func create(t testing.TB, base, name string) {
	t.Helper()
	db, err := sql.Open("pgx", base)
	if err != nil {
		t.Fatalf("open PostgreSQL: %v", err)
	}
	defer db.Close() //nolint:errcheck // nothing is lost
	if _, err := db.ExecContext(t.Context(), "create database "+name); err != nil {
		t.Fatalf("create database: %v", err)
	}
	t.Cleanup(func() { drop(t, base, name) })
	if level := os.Getenv(IsolationVariable); level != "" {
		set := fmt.Sprintf("alter database %s set default_transaction_isolation = '%s'", name, level)
		if _, err := db.ExecContext(t.Context(), set); err != nil { //nolint:gosec // the level is the developer's
			t.Fatalf("%s: %v", IsolationVariable, err)
		}
	}
}

// Missing ends a test that needs PostgreSQL if there is none.
func Missing(t testing.TB, err error) {
	t.Helper()
	text := fmt.Sprintf("THIS TEST NEEDS POSTGRESQL: install its programs or set %s (%v)", Variable, err)
	if os.Getenv("CI") == "true" {
		t.Fatal(text)
	}
	skip(t, text)
}

// skip skips a test with a warning, because go test does not report skipped tests.
func skip(t testing.TB, text string) {
	t.Helper()
	fmt.Fprintf(os.Stderr, "\n*** %s: %s ***\n\n", t.Name(), text)
	t.Skip(text)
}

func drop(t testing.TB, base, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", base)
	if err != nil {
		t.Fatalf("open PostgreSQL: %v", err)
	}
	defer db.Close() //nolint:errcheck // nothing is lost
	if _, err := db.ExecContext(ctx, "drop database if exists "+name+" with (force)"); err != nil {
		t.Errorf("drop database: %v", err)
	}
}

func withDatabase(t testing.TB, base, name string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		t.Fatalf("%s must be a URL postgres://...", Variable)
	}
	u.Path = "/" + name
	return u.String()
}
