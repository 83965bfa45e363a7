package concurrency_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// creationRounds is how often each creation is raced, each time by all callers.
const creationRounds = 4

// raceCreations repeats each creation concurrently at servers that share a database: one is created. Then it sends all kinds
// of creations with one key: one kind is created.
func raceCreations(t testing.TB, servers ...*servertest.Server) {
	t.Helper()
	s := servers[0]
	w, db, ops := servertest.NewWorld(t, s.Client), s.Beside(t), servertest.Creations(t, s)
	before := map[string]int{}
	for id, table := range servertest.CreationTables {
		before[id] = count(t, db, table)
	}
	for _, op := range ops {
		for round := range creationRounds {
			answers := atOnce(t, callers, func(_ context.Context, i int) (servertest.Answer, error) {
				return w.Create(t, servers[i%len(servers)], op, fmt.Sprint(op.ID, round), w.Body(t, op)), nil
			})
			oneCreation(t, answers)
		}
		if n := count(t, db, servertest.CreationTables[op.ID]) - before[op.ID]; n != creationRounds {
			t.Errorf("%s with %d keys created %d", op.ID, creationRounds, n)
		}
	}
	for round := range creationRounds {
		answers := atOnce(t, callers, func(_ context.Context, i int) (servertest.Answer, error) {
			op := ops[(i+round)%len(ops)]
			return w.Create(t, servers[i%len(servers)], op, fmt.Sprint("of any kind ", round), w.Body(t, op)), nil
		})
		var kinds [][]servertest.Answer
		for kind := range ops {
			var same []servertest.Answer
			for i := kind; i < len(answers); i += len(ops) {
				same = append(same, answers[i])
			}
			if same[0].Status == http.StatusOK {
				kinds = append(kinds, same)
				continue
			}
			for _, a := range same {
				a.Reused(t)
			}
		}
		if len(kinds) != 1 {
			t.Fatalf("%d kinds were created with one key", len(kinds))
		}
		oneCreation(t, kinds[0])
	}
	if n := count(t, db, "idempotency_keys"); n != (len(ops)+1)*creationRounds {
		t.Errorf("%d keys are kept, want %d", n, (len(ops)+1)*creationRounds)
	}
	servertest.WantSound(t, s.Database)
}

// oneCreation checks that all responses are 200 with one body, and that exactly one is not a replay.
func oneCreation(t testing.TB, answers []servertest.Answer) {
	t.Helper()
	first := 0
	for _, a := range answers {
		if a.Status != http.StatusOK || !bytes.Equal(a.Body, answers[0].Body) {
			t.Fatalf("status %d: %s\nanother answer: %s", a.Status, a.Body, answers[0].Body)
		}
		if a.Header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d answers are no replay, want 1", first)
	}
}

// Concurrent repeats of any creation create one thing, and one key serves one kind of creation (D-16, D-54).
func TestConcurrentCreations(t *testing.T) {
	t.Parallel()
	raceCreations(t, servertest.New(t))
}

// The same at two replicas.
func TestConcurrentCreationsAtReplicas(t *testing.T) {
	t.Parallel()
	both := newReplicas(t)
	raceCreations(t, both[:]...)
}

// A repeat that waits for the first request longer than the timeout is answered with 503, and creates once the first one was
// rolled back (D-08, D-16).
func TestRepeatThatWaitsTooLong(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t) // only the service itself holds the lock of a SQLite file for long
	s := servertest.New(t)
	w, db := servertest.NewWorld(t, s.Client), s.Beside(t)
	impatient := servertest.New(t, func(c *server.Config) { c.Database, c.Timeout = s.Database, 300*time.Millisecond })
	first, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelReadCommitted}) // open for long, beside serializable tests
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback()
	ops := servertest.Creations(t, s)
	for _, op := range ops {
		if _, err := first.ExecContext(t.Context(), `insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)
			values ($1, $2, 'f', $2)`, server.SandboxClients[0].ID, op.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, op := range ops {
		servertest.WantUnavailable(t, w.Create(t, impatient, op, op.ID, w.Body(t, op)))
		// A rule that is no longer met refuses nothing before the first request is done (D-65).
		for _, country := range []string{`"US"`, `"NP"`} {
			unmet := bytes.Replace(w.Body(t, op), []byte(country), []byte(`"DE"`), 1)
			servertest.WantUnavailable(t, w.Create(t, impatient, op, op.ID, unmet))
		}
	}
	if err := first.Rollback(); err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		created := w.Create(t, s, op, op.ID, w.Body(t, op)).First(t)
		w.Create(t, s, op, op.ID, w.Body(t, op)).Replays(t, created)
	}
}

// count counts the rows of a table.
func count(t testing.TB, db *sql.DB, table string) (n int) {
	t.Helper()
	servertest.Rows(t, db, `select count(*) from `+table, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n
}
