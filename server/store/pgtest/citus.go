package pgtest

import (
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"testing"
)

// CitusVariable names the URL of the coordinator of a Citus cluster, in a database that has the extension and knows all nodes.
// Its role must be allowed to create databases and extensions on each, without a password.
const CitusVariable = "PAYOUTD_TEST_CITUS"

// Citus returns the URL of a new, empty database on all nodes of the cluster that CitusVariable names. Without one the test is
// skipped with a warning.
func Citus(t testing.TB) string {
	t.Helper()
	base := os.Getenv(CitusVariable)
	if base == "" {
		skip(t, fmt.Sprintf("THIS TEST NEEDS A CITUS CLUSTER: set %s to the URL of its coordinator", CitusVariable))
	}
	coordinator := connected(t, base)
	rows, err := coordinator.QueryContext(t.Context(), `select nodename, nodeport, groupid = 0 from pg_dist_node where isactive order by groupid`)
	if err != nil {
		t.Fatalf("nodes of %s: %v", CitusVariable, err)
	}
	defer rows.Close() //nolint:errcheck // Err is checked
	name, add := databaseName(), []string{}
	for rows.Next() {
		var host string
		var port int
		var first bool
		if err := rows.Scan(&host, &port, &first); err != nil {
			t.Fatal(err)
		}
		function := "citus_add_node"
		if first {
			function = "citus_set_coordinator_host"
		}
		add = append(add, fmt.Sprintf(`select %s('%s', %d)`, function, host, port))
		node := withHost(t, base, net.JoinHostPort(host, strconv.Itoa(port)))
		create(t, node, name)
		execute(t, connected(t, withDatabase(t, node, name)), `create extension citus`)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(add) == 0 {
		t.Fatalf("%s names a server without nodes, not even itself", CitusVariable)
	}
	database := withDatabase(t, base, name)
	// Each node is told the role of the others, which it has in common for all databases, and two at a time fail.
	turn, err := coordinator.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Rollback() //nolint:errcheck // it only locks
	if _, err := turn.ExecContext(t.Context(), `select pg_advisory_xact_lock(0)`); err != nil {
		t.Fatal(err)
	}
	execute(t, connected(t, database), add...)
	return database
}

// connected opens a database until the test ends.
func connected(t testing.TB, databaseURL string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", databaseURL)
	if err != nil {
		t.Fatalf("open PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func execute(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func withHost(t testing.TB, base, host string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("%s must be a URL postgres://...", CitusVariable)
	}
	u.Host = host
	return u.String()
}
