package server_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// explainFew is how many rows a statement of a request may look at, and how many a table may have that is read as a whole.
const explainFew = 1000

// explainSettings let PostgreSQL write down the plan of every statement, those that check foreign keys included, with how
// many rows each step really saw.
var explainSettings = []string{
	"shared_preload_libraries=auto_explain", "auto_explain.log_analyze=on", "auto_explain.log_timing=off",
	"auto_explain.log_nested_statements=on", "auto_explain.log_format=json",
	"logging_collector=on", "log_destination=jsonlog", "log_directory=plans", "log_filename=plans.log", "max_wal_size=8GB",
}

// explainNode is a step of a plan.
type explainNode struct {
	Type      string        `json:"Node Type"`
	Table     string        `json:"Relation Name"`
	Condition string        `json:"Index Cond"`
	Rows      int64         `json:"Actual Rows"`
	Removed   int64         `json:"Rows Removed by Filter"`
	Rechecked int64         `json:"Rows Removed by Index Recheck"`
	Loops     int64         `json:"Actual Loops"`
	Steps     []explainNode `json:"Plans"`
}

// explainPlan is what was written down of one statement.
type explainPlan struct {
	Query string      `json:"Query Text"`
	Root  explainNode `json:"Plan"`
}

// all gives the steps of a plan.
func (n explainNode) all() []explainNode {
	steps := []explainNode{n}
	for _, step := range n.Steps {
		steps = append(steps, step.all()...)
	}
	return steps
}

// fault tells what is wrong with a step, given how many rows the tables have; "" where nothing is.
func (n explainNode) fault(rows map[string]int64) string {
	seen := (n.Rows + n.Removed + n.Rechecked) * n.Loops
	switch {
	case rows[n.Table] <= explainFew:
		return ""
	case n.Type == "Seq Scan":
		return "reads the whole table " + n.Table
	case strings.HasPrefix(n.Type, "Index") && n.Condition == "":
		return "reads a whole index of " + n.Table
	case seen > explainFew:
		return fmt.Sprintf("looks at %d rows of %s", seen, n.Table)
	}
	return ""
}

// Every statement that a request brings about finds its rows by an index when there are many, on both
// engines, whose statements have one text. The statements are those that PostgreSQL saw while all operations and all
// kinds of transactions were asked for; nobody lists them. No table is excepted: payers, banks and states have many rows
// here, most of them of countries that nobody asks for.
func TestExplainEveryStatementOfARequest(t *testing.T) {
	t.Parallel()
	replicasNeedPostgreSQL(t)
	cluster := pgtest.Private(t, explainSettings...)
	db := servertest.Beside(t, cluster.URL)
	faultRun(t, db, `alter database postgres set auto_explain.log_min_duration = 0`)    // for connections to come
	s := servertest.New(t, func(c *server.Config) { c.Database = cluster.URL })         // before there are other clients
	faultRun(t, db, `set session_replication_role = replica`, `set work_mem = '256MB'`) // foreign keys are not checked
	begun := time.Now()
	explainFill(t, db)
	t.Logf("filled PostgreSQL in %s", time.Since(begun))
	marker := servertest.Beside(t, cluster.URL)
	faultRun(t, marker, `select 'the story begins'`)
	explainStory(t, s)
	faultRun(t, marker, `select 'the story ends'`)

	rows := map[string]int64{}
	replicasRows(t, db, `select relname, reltuples from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
		func(rs *sql.Rows) error {
			var table string
			var n float64
			err := rs.Scan(&table, &n)
			rows[table] = int64(n)
			return err
		})
	plans := explainPlans(t, filepath.Join(cluster.Dir, "plans", "plans.json"))
	touched, queries := map[string]bool{}, map[string]bool{}
	for _, plan := range plans {
		for _, step := range plan.Root.all() {
			touched[step.Table] = true
			if fault := step.fault(rows); fault != "" {
				t.Errorf("on PostgreSQL a %s %s:\n%s", step.Type, fault, plan.Query)
			}
		}
		queries[plan.Query] = true
	}
	for table, n := range rows {
		if !strings.HasPrefix(table, "goose") && (!touched[table] || n <= explainFew) {
			t.Errorf("table %s with %d rows, touched by the story: %t", table, n, touched[table])
		}
	}
	t.Logf("%d statements, %d of them different; rows %v", len(plans), len(queries), rows)
	explainOnSQLite(t, queries)
}

// explainPlans reads the plans of what happened between the marks, once all of it is written.
func explainPlans(t testing.TB, file string) []explainPlan {
	t.Helper()
	var text []byte
	outageAwait(t, time.Minute, "the plans are not written", func() bool {
		var err error
		if text, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(text, []byte("the story ends"))
	})
	var plans []explainPlan
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
		var plan explainPlan
		if err := json.Unmarshal([]byte(object), &plan); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		switch {
		case strings.Contains(plan.Query, "the story begins"):
			told = true
		case strings.Contains(plan.Query, "the story ends"):
			told = false
		case told:
			plans = append(plans, plan)
		}
	}
	return plans
}

var (
	explainMark   = regexp.MustCompile(`\$(\d+)`)
	explainSearch = regexp.MustCompile(`^SEARCH (\w+) USING .*\((.*)\)`)
)

// explainOnSQLite lets SQLite plan the statements: without statistics, as it has none in service, and in `make explain`
// with those of as many rows. Its plans depend on no argument.
func explainOnSQLite(t testing.TB, queries map[string]bool) {
	t.Helper()
	url := "sqlite:" + filepath.Join(t.TempDir(), "payouts.db")
	servertest.New(t, func(c *server.Config) { c.Database = url }).Stop()
	db := servertest.Beside(t, url)
	for _, filled := range []bool{false, os.Getenv(explainVariable) != ""} { // filling it takes longest
		if filled {
			faultRun(t, db, `pragma synchronous = off`, `pragma journal_mode = off`, `pragma cache_size = -1000000`)
			begun := time.Now()
			explainFill(t, db)
			t.Logf("filled SQLite in %s", time.Since(begun))
		}
		for query := range queries {
			if strings.Contains(query, "FROM ONLY") || strings.Contains(query, "goose") {
				continue // PostgreSQL's own check of a foreign key; the migrations
			}
			args := 0
			for _, mark := range explainMark.FindAllStringSubmatch(query, -1) {
				n, _ := strconv.Atoi(mark[1])
				args = max(args, n)
			}
			replicasRows(t, db, "explain query plan "+query, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				found := explainSearch.FindStringSubmatch(step)
				// A client has few secrets, and many of all else.
				tooWide := found != nil && found[2] == "client_id=?" && found[1] != "s"
				if strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "VALUES CLAUSE") || tooWide {
					t.Errorf("on SQLite (filled: %t) a step is %q:\n%s", filled, step, query)
				}
				return err
			}, make([]any, args)...)
		}
	}
}

// explainStory asks for everything: all operations, for a new user and for one with many transactions, all lists with
// their filters, and all kinds of transactions.
func explainStory(t testing.TB, s *servertest.Server) {
	t.Helper()
	get := func(path string) answer {
		t.Helper()
		a := call(t, s, http.MethodGet, path, nil)
		if a.status != http.StatusOK {
			t.Errorf("%s: status %d: %s", path, a.status, a.body)
		}
		return a
	}
	w := isolationNew(t, s.Client)
	many := w.with(isolationWorld{
		"user_id": explainID(0), "funding_account_id": explainID(0), "receive_user_id": explainID(0),
		"transaction_id": explainID(10), "bank": explainID(0), "wallet": explainID(0),
	}, "user_id", "funding_account_id", "receive_user_id", "transaction_id", "bank", "wallet")
	for _, op := range s.Contract.Operations() {
		for _, world := range []isolationWorld{w, many} {
			var headers []string
			if takesKey(op) {
				headers = []string{idempotencyKey, op.ID + world["user_id"]}
			}
			for range 1 + len(headers)/2 { // each creation is repeated
				if a := world.send(t, s, op, headers...); a.status != http.StatusOK {
					t.Errorf("%s: status %d: %s", op.ID, a.status, a.body)
				}
			}
		}
	}
	for _, path := range []string{
		"/payers?country=NP", "/payers?payout_method=WALLET", "/payers?country=NPL&payout_method=CASH_PICKUP", "/payers?country=DE",
		"/banks?country=NP", "/v2/states?countryCode=US", "/readyz",
	} {
		get(path)
	}
	path := "/users/" + many["user_id"] + "/transactions?limit=100"
	for next, n := path, 0; n < 3; n++ {
		var page api.TransactionPage
		if err := json.Unmarshal(get(next).body, &page); err != nil || len(page.Items) != 100 || page.NextCursor == nil {
			t.Fatalf("page %d has %d transactions (%v), want 100 and a next page", n, len(page.Items), err)
		}
		next = path + "&cursor=" + *page.NextCursor
	}
	explainTransactions(t, s)
}

// explainTransactions creates a transaction of each kind, with a key and documents, and one above the limit.
func explainTransactions(t testing.TB, s *servertest.Server) {
	t.Helper()
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	limitVerify(t, s.Client, sender.ID, "ID_DOC")
	request := servertest.Deposit(t, sender, receiver, "2000")
	request.PhysicalDocuments = []api.TransactionDocumentRequest{{DocumentType: "INVOICE", DocumentValue: "data:image/png;base64,iVBORw0KGgo="}}
	for i, to := range []api.ReceiveSide{
		request.To,
		ruleTo(t, `{"payout_method":"WALLET","id":"%s","fund_id":"%s"}`, receiver.ID, receiver.Wallet),
		ruleTo(t, `{"payout_method":"HOME_DELIVERY","id":"%s","payer_id":%d}`, receiver.ID, servertest.HomePayer),
		ruleTo(t, `{"payout_method":"CASH_PICKUP","id":"%s","payer_id":%d}`, receiver.ID, servertest.CashPayer),
	} {
		request.To, request.FromAmount = to, wire.MustAmount("2000")
		for range 2 {
			ruleCreated(t, servertest.Send(t, s.Client, sender.ID, fmt.Sprintf("explain %d", i), request))
		}
	}
	r, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, nil)
	if items := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items; len(items) != 4 {
		t.Errorf("%d transactions, want 4", len(items))
	}
	if tags := limitTags(t, s.Client, sender.ID); tags["DATE_OF_BIRTH"] != api.CipStatusRequested {
		t.Errorf("a transaction above the limit left the tags %v", tags)
	}
}
