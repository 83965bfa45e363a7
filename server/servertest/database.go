package servertest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver sqlite

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// EngineVariable names the engine that tests run on: sqlite, which is the default, postgres, or citus, which is PostgreSQL
// distributed over the cluster of pgtest.CitusVariable.
const EngineVariable = "PAYOUTD_TEST_ENGINE"

// OnCitus reports whether tests run on a cluster, which is not theirs to halt.
func OnCitus() bool { return os.Getenv(EngineVariable) == "citus" }

// OnPostgreSQL reports whether tests run on PostgreSQL, distributed or not. An unknown value of EngineVariable fails the test.
func OnPostgreSQL(t testing.TB) bool {
	t.Helper()
	switch engine := os.Getenv(EngineVariable); engine {
	case "", "sqlite":
		return false
	case "postgres", "citus":
		return true
	default:
		t.Fatalf("%s is %q, want sqlite, postgres or citus", EngineVariable, engine)
		return false
	}
}

// Database returns the URL of a new, empty database on the engine of the tests, which is removed when the test ends.
func Database(t testing.TB) string {
	t.Helper()
	switch {
	case OnCitus():
		return distributed(t)
	case OnPostgreSQL(t):
		return pgtest.Database(t)
	}
	return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db")
}

// distributed returns the URL of a database without rows whose tables are on all nodes of the cluster of the developer.
func distributed(t testing.TB) string {
	t.Helper()
	url := pgtest.Citus(t)
	distribute(t, url)
	return url
}

func distribute(t testing.TB, url string) {
	t.Helper()
	db, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the distribution was committed
	if _, err := db.Distribute(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Nodes starts a distributed database as pgtest.Nodes does, whose nodes the test may halt. The first sandbox client is on the first
// worker, the second one on the second.
func Nodes(t testing.TB, settings ...string) (coordinator *pgtest.Cluster, workers [2]*pgtest.Cluster) {
	t.Helper()
	coordinator, workers = pgtest.Nodes(t, settings...)
	distribute(t, coordinator.URL)
	var of [2]string
	for i := range of {
		if err := Beside(t, coordinator.URL).QueryRowContext(t.Context(), `select nodename from pg_dist_placement join pg_dist_node using (groupid)
			where shardid = get_shard_id_for_distribution_column('users', $1::text)`, server.SandboxClients[i].ID).Scan(&of[i]); err != nil {
			t.Fatal(err)
		}
	}
	if of[0] == of[1] {
		t.Fatal("the sandbox clients are on one worker")
	}
	if of[0] != workers[0].Dir {
		workers[0], workers[1] = workers[1], workers[0]
	}
	return coordinator, workers
}

// Beside opens the database directly, with one connection, as an operator's tool does.
func (s *Server) Beside(t testing.TB) *sql.DB {
	t.Helper()
	return Beside(t, s.Database)
}

// Beside opens a database directly, with one connection, until the test ends.
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

// Exec runs statements that damage or repair a database.
func Exec(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// NeedPostgreSQL skips a test unless tests run on PostgreSQL. `make test` runs them there after those on SQLite.
func NeedPostgreSQL(t testing.TB) {
	t.Helper()
	if !OnPostgreSQL(t) {
		t.Skipf("runs on PostgreSQL, with %s=postgres", EngineVariable)
	}
}

// Rows calls scan for every row of a query.
func Rows(t testing.TB, db *sql.DB, query string, scan func(*sql.Rows) error, args ...any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // Err is checked
	for rows.Next() {
		if err := scan(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// SetProfile sets the profile of the first client, as an operator does: in the store.
func SetProfile(t testing.TB, s *Server, corridors []payout.Corridor, destinations ...payout.Destination) {
	t.Helper()
	db, err := store.Open(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the write was committed
	sandbox := server.SandboxClients[0]
	client := payout.Client{ID: payout.ClientID(sandbox.ID), Name: sandbox.Name, Corridors: corridors, Destinations: destinations}
	if err := db.PutClient(t.Context(), client, payout.HashSecret(sandbox.Secret), s.Clock.Now()); err != nil {
		t.Fatal(err)
	}
}

// LiftLimits sets limits of the first client that no valid amount reaches, for tests of amounts.
func LiftLimits(t testing.TB, s *Server) {
	t.Helper()
	const most = 1e18 // ten thousand times the largest amount, in minor units
	tier := payout.Tier{Limits: []payout.TierLimit{
		{Currency: "USD", Daily: most, Monthly: most, Annual: most}, {Currency: "GBP", Daily: most, Monthly: most, Annual: most},
	}}
	var destinations []payout.Destination
	for _, country := range []string{"NP", "IN", "JP", "KW"} {
		destinations = append(destinations, payout.Destination{Country: country, Tiers: []payout.Tier{tier}})
	}
	SetProfile(t, s, []payout.Corridor{{Country: "US", Currency: "USD"}, {Country: "GB", Currency: "GBP"}}, destinations...)
}
