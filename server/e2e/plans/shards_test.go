package plans_test

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

var (
	tableOf    = regexp.MustCompile(`(?i)\b(?:from|join|into|update) ([a-z_]+)`)
	clientMark = regexp.MustCompile(`\bclient_id = (\$\d+)`)
	// What the publisher of events does for all clients, in its own time, and what metrics read.
	ofAll = regexp.MustCompile(`^(select (client_id, )?seq from event_queue|select created_at from event_queue|select count\(\*\) from \(select 1 from event_queue|insert into events |delete from event_queue |insert into event_head |select client_id, count|insert into webhook_deliveries .* values \(\$3,)`)
)

// Every statement of a request names the client for each table that has rows of clients, so that it stays on one shard of a
// distributed database. The copies of clients and of their secrets are on every shard.
func TestEveryStatementOfARequestNamesTheClient(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	cluster := pgtest.Private(t, settings...)
	db := servertest.Beside(t, cluster.URL)
	servertest.Exec(t, db, `alter database postgres set auto_explain.log_min_duration = 0`)
	s := servertest.New(t, func(c *server.Config) { c.Database = cluster.URL })
	var tables []string
	servertest.Rows(t, db, `select table_name from information_schema.columns where column_name = 'client_id' and table_schema = 'public'
		and table_name not in ('client_secrets', 'audit_log')`, func(rows *sql.Rows) error {
		var table string
		err := rows.Scan(&table)
		tables = append(tables, table)
		return err
	})
	l := planLog{filepath.Join(cluster.Dir, "plans", "plans.json"), servertest.Beside(t, cluster.URL)}
	seen := map[string]bool{}
	for _, plan := range l.during(t, "the requests", func() { requests(t, s) }) {
		if query := strings.Join(strings.Fields(plan.Query), " "); !strings.Contains(query, "FROM ONLY") && !ofAll.MatchString(query) { // checks of foreign keys
			seen[query] = true
		}
	}
	touched := map[string]bool{}
	for query := range seen {
		of := 0
		for _, found := range tableOf.FindAllStringSubmatch(query, -1) {
			if slices.Contains(tables, found[1]) {
				touched[found[1]] = true
				of++
			}
		}
		if of == 0 || namesClient(query, of) {
			continue
		}
		t.Errorf("%d tables of clients, and not one client:\n%s", of, query)
	}
	for _, table := range tables {
		if !touched[table] && table != "event_head" && table != "payout_file_lines" { // publisher and operators
			t.Errorf("no request touches %s", table)
		}
	}
	t.Logf("%d different statements", len(seen))
}

// namesClient reports whether a statement compares client_id with one parameter for each table of clients, or inserts rows of one.
func namesClient(query string, tables int) bool {
	if strings.HasPrefix(query, "insert into ") && tables == 1 {
		_, columns, _ := strings.Cut(query, "(")
		_, values, _ := strings.Cut(query, "values ")
		rows := strings.Count(values, "($")
		return strings.HasPrefix(columns, "client_id,") && rows > 0 && strings.Count(values, "($1,") >= 1 && rows == strings.Count(values, "($1,")
	}
	marks := clientMark.FindAllStringSubmatch(query, -1)
	for _, mark := range marks {
		if mark[1] != marks[0][1] {
			return false
		}
	}
	return len(marks) >= tables
}

// requests calls each operation, and repeats creations.
func requests(t testing.TB, s *servertest.Server) {
	t.Helper()
	w := servertest.NewWorld(t, s.Client)
	for _, op := range s.Contract.Operations() {
		var headers []string
		if servertest.TakesKey(op) {
			headers = []string{servertest.IdempotencyKey, op.ID}
		}
		if op.ID == "retryWebhookDelivery" {
			continue // the first event is older than its endpoint
		}
		for range 1 + len(headers)/2 {
			if a := w.Send(t, s, op, headers...); a.Status != http.StatusOK {
				t.Errorf("%s: status %d: %s", op.ID, a.Status, a.Body)
			}
		}
	}
	exerciseTransactions(t, s)
}
