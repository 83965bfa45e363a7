package plans_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// few is the most rows that a step of a plan may read; smaller tables may be read as a whole.
const few = 1000

// settings make PostgreSQL log the plan of every statement, including checks of foreign keys, with the actual number of rows
// of each step.
var settings = []string{
	"shared_preload_libraries=auto_explain", "auto_explain.log_analyze=on", "auto_explain.log_timing=off",
	"auto_explain.log_nested_statements=on", "auto_explain.log_format=json",
	"logging_collector=on", "log_destination=jsonlog", "log_directory=plans", "log_filename=plans.log", "max_wal_size=8GB",
	"autovacuum=off", // statistics are there when a test makes them
}

// node is a step of a plan.
type node struct {
	Type      string `json:"Node Type"`
	Table     string `json:"Relation Name"`
	Condition string `json:"Index Cond"`
	Rows      int64  `json:"Actual Rows"`
	Removed   int64  `json:"Rows Removed by Filter"`
	Rechecked int64  `json:"Rows Removed by Index Recheck"`
	Loops     int64  `json:"Actual Loops"`
	Steps     []node `json:"Plans"`
}

// statement is the logged plan of one statement.
type statement struct {
	Query string `json:"Query Text"`
	Root  node   `json:"Plan"`
}

// all returns the steps of a plan.
func (n node) all() []node {
	steps := []node{n}
	for _, step := range n.Steps {
		steps = append(steps, step.all()...)
	}
	return steps
}

// fault returns what is wrong with a step, given the number of rows of each table; "" if nothing is.
func (n node) fault(rows map[string]int64) string {
	seen := (n.Rows + n.Removed + n.Rechecked) * n.Loops
	switch {
	case rows[n.Table] <= few:
		return ""
	case n.Type == "Seq Scan":
		return "reads the whole table " + n.Table
	case strings.HasPrefix(n.Type, "Index") && n.Condition == "":
		return "reads a whole index of " + n.Table
	case seen > few:
		return fmt.Sprintf("looks at %d rows of %s", seen, n.Table)
	}
	return ""
}

// Every statement of a request finds its rows by an index in large tables, on both engines, which share the text of the
// statements but for locks of rows. The statements are those that PostgreSQL logged for all operations and all kinds of transactions. No table is
// exempt: payers, banks and states have many rows here, too.
func TestEveryStatementFindsItsRowsByAnIndex(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	cluster := pgtest.Private(t, settings...)
	db := servertest.Beside(t, cluster.URL)
	servertest.Exec(t, db, `alter database postgres set auto_explain.log_min_duration = 0`)    // for later connections
	s := servertest.New(t, func(c *server.Config) { c.Database = cluster.URL })                // before there are other clients
	servertest.Exec(t, db, `set session_replication_role = replica`, `set work_mem = '256MB'`) // foreign keys are not checked
	begun := time.Now()
	fill(t, db, ofHalves(t))
	t.Logf("filled PostgreSQL in %s", time.Since(begun))
	l := planLog{filepath.Join(cluster.Dir, "plans", "plans.json"), servertest.Beside(t, cluster.URL)}
	ranges := readsRangesOnly(t, cluster.URL, l) // without statistics, as after a restore
	servertest.Exec(t, db, `vacuum analyze`)
	plans := l.during(t, "the story", func() { exercise(t, s) })

	rows := map[string]int64{}
	servertest.Rows(t, db, `select relname, reltuples from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
		func(rs *sql.Rows) error {
			var table string
			var n float64
			err := rs.Scan(&table, &n)
			rows[table] = int64(n)
			return err
		})
	touched, queries := map[string]bool{}, map[string]bool{}
	for _, plan := range plans {
		for _, step := range plan.Root.all() {
			touched[step.Table] = true
			if fault := step.fault(rows); fault != "" {
				t.Errorf("on PostgreSQL a %s %s:\n%s", step.Type, fault, plan.Query)
			}
		}
		if !strings.Contains(plan.Query, "pg_backend_pid") { // it asks what kind of connection this is
			queries[rowLock.ReplaceAllString(plan.Query, "")] = true
		}
	}
	for table, n := range rows {
		if !unmeasured.MatchString(table) && (!touched[table] || n <= few) {
			t.Errorf("table %s with %d rows, touched by the story: %t", table, n, touched[table])
		}
	}
	t.Logf("%d statements, %d of them different; rows %v", len(plans), len(queries), rows)
	maps.Copy(queries, ranges)
	planOnSQLite(t, queries)
}

// ofHalves is the shape of the large tables: the first sandbox client has every second user, and other clients share the rest.
func ofHalves(t testing.TB) shape {
	t.Helper()
	transactions, users := scale(t)
	return shape{transactions, users, 5000, `(case when {user} % 2 = 0 then 'sandbox' else 'client-' || ({user} % 2000) end)`, nil}
}

// readsRangesOnly checks the database, and wants each range of users to be found without a look at the rows of others, and
// the ranges to have each row once. It returns the statements.
func readsRangesOnly(t testing.TB, url string, l planLog) map[string]bool {
	t.Helper()
	db, err := store.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var done store.Checked
	plans := l.during(t, "the check", func() {
		if done, err = db.Check(t.Context(), func(store.Difference) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
	queries, found := map[string]bool{}, map[string]int64{}
	for _, plan := range plans {
		if !strings.Contains(plan.Query, "user_id > $2") {
			continue
		}
		queries[plan.Query] = true
		for _, step := range plan.Root.all() {
			if step.Table != "" {
				found[step.Table] += step.Rows * step.Loops
			}
			if others := step.Removed + step.Rechecked; others > 0 || step.Type == "Seq Scan" {
				t.Fatalf("a %s of %s looks at %d rows of other users:\n%s", step.Type, step.Table, others, plan.Query)
			}
		}
	}
	if want := map[string]int64{"transactions": int64(done.Transactions), "limit_usage": int64(done.Counters)}; !maps.Equal(found, want) {
		t.Errorf("the ranges have %v rows, want %v", found, want)
	}
	return queries
}

// planLog is where PostgreSQL logs plans, and a connection that writes marks there.
type planLog struct {
	file   string
	marker *sql.DB
}

// during returns the plans of the statements that run meanwhile, once they are all written.
func (l planLog) during(t testing.TB, name string, run func()) []statement {
	t.Helper()
	begins, ends := name+" begins", name+" ends"
	servertest.Exec(t, l.marker, `select '`+begins+`'`)
	run()
	servertest.Exec(t, l.marker, `select '`+ends+`'`)
	var text []byte
	servertest.Await(t, time.Minute, "the plans are not written", func() bool {
		var err error
		if text, err = os.ReadFile(l.file); err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte(ends))
	})
	var plans []statement
	told := false
	for line := range bytes.Lines(text) {
		var entry struct {
			Message string `json:"message"`
		}
		if err := json.Unmarshal(line, &entry); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		_, object, ok := strings.Cut(entry.Message, "plan:\n")
		if !ok {
			continue
		}
		var plan statement
		if err := json.Unmarshal([]byte(object), &plan); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		switch {
		case strings.Contains(plan.Query, begins):
			told = true
		case strings.Contains(plan.Query, ends):
			told = false
		case told:
			plans = append(plans, plan)
		}
	}
	return plans
}

var (
	rowLock       = regexp.MustCompile(` for (key share|no key update|update)( skip locked)?$`) // SQLite has none
	parameterMark = regexp.MustCompile(`\$(\d+)`)
	// Tables with a row for each migration or with one alone, the queue of events, which the publisher keeps short, and the job
	// queue, whose statements are those of another project.
	unmeasured = regexp.MustCompile(`goose|schema_requirements|event_publisher|payout_file_turn|event_queue|river_`)
	paged      = regexp.MustCompile(`order by [^()]* limit \S+$`)
	searchStep = regexp.MustCompile(`^SEARCH (\w+) USING .*\((.*)\)`)
)

// planOnSQLite plans the statements on SQLite: without statistics, as in production, and in `make explain` also with those of
// full tables. Its plans do not depend on arguments.
func planOnSQLite(t testing.TB, queries map[string]bool) {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "payouts.db")
	servertest.New(t, func(c *server.Config) { c.Database = url }).Stop()
	db := servertest.Beside(t, url)
	for _, filled := range []bool{false, os.Getenv(sizeVariable) != ""} { // filling takes most of the time
		if filled {
			servertest.Exec(t, db, `pragma synchronous = off`, `pragma journal_mode = off`, `pragma cache_size = -1000000`)
			begun := time.Now()
			fill(t, db, ofHalves(t))
			servertest.Exec(t, db, `analyze`)
			t.Logf("filled SQLite in %s", time.Since(begun))
		}
		for query := range queries {
			if strings.Contains(query, "FROM ONLY") || strings.Contains(query, "::") || unmeasured.MatchString(query) {
				continue // PostgreSQL's own
			}
			args := 0
			for _, mark := range parameterMark.FindAllStringSubmatch(query, -1) {
				n, _ := strconv.Atoi(mark[1])
				args = max(args, n)
			}
			servertest.Rows(t, db, "explain query plan "+query, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				found := searchStep.FindStringSubmatch(step)
				// A client has few secrets and webhook endpoints, and one event_head, but many rows of other tables. A page
				// ends at its limit.
				tooWide := found != nil && found[2] == "client_id=?" && found[1] != "s" && found[1] != "webhook_endpoints" &&
					found[1] != "event_head" && !paged.MatchString(query)
				// A list with several filters scans the rows that it has found by the first one, 1,000 at most. `payoutd find` looks
				// up one row of each client.
				ofEachClient := strings.HasPrefix(step, "SCAN c USING COVERING INDEX") && strings.Contains(query, "from clients c where $2 = ''")
				reads := strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "VALUES CLAUSE") && step != "SCAN found"
				if reads && !ofEachClient || tooWide {
					t.Errorf("on SQLite (filled: %t) a step is %q:\n%s", filled, step, query)
				}
				return err
			}, make([]any, args)...)
		}
	}
}
