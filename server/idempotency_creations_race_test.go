package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// creationRounds is how often each creation is raced, each time by idempotencyCallers.
const creationRounds = 4

// creationsRace lets callers repeat each creation at the same time at the servers, which share a database, and finds one
// of each. Then they send all kinds of creations with one key, and one kind is created.
func creationsRace(t testing.TB, servers ...*servertest.Server) {
	t.Helper()
	s := servers[0]
	w, db, ops := isolationNew(t, s.Client), s.Beside(t), creations(t, s)
	before := map[string]int{}
	for id, table := range creationTables {
		before[id] = creationCount(t, db, table)
	}
	for _, op := range ops {
		for round := range creationRounds {
			answers := limitAtOnce(t, idempotencyCallers, func(_ context.Context, i int) (answer, error) {
				return w.create(t, servers[i%len(servers)], op, fmt.Sprint(op.ID, round), w.body(t, op)), nil
			})
			creationOnce(t, answers)
		}
		if n := creationCount(t, db, creationTables[op.ID]) - before[op.ID]; n != creationRounds {
			t.Errorf("%s with %d keys created %d", op.ID, creationRounds, n)
		}
	}
	for round := range creationRounds {
		answers := limitAtOnce(t, idempotencyCallers, func(_ context.Context, i int) (answer, error) {
			op := ops[(i+round)%len(ops)]
			return w.create(t, servers[i%len(servers)], op, fmt.Sprint("of any kind ", round), w.body(t, op)), nil
		})
		var kinds [][]answer
		for kind := range ops {
			var same []answer
			for i := kind; i < len(answers); i += len(ops) {
				same = append(same, answers[i])
			}
			if same[0].status == http.StatusOK {
				kinds = append(kinds, same)
				continue
			}
			for _, a := range same {
				a.reused(t)
			}
		}
		if len(kinds) != 1 {
			t.Fatalf("%d kinds were created with one key", len(kinds))
		}
		creationOnce(t, kinds[0])
	}
	if n := creationCount(t, db, "idempotency_keys"); n != (len(ops)+1)*creationRounds {
		t.Errorf("%d keys are kept, want %d", n, (len(ops)+1)*creationRounds)
	}
	replicasChecked(t, s.Database)
}

// creationOnce checks that all answers are 200 with one body, and that exactly one is not a replay.
func creationOnce(t testing.TB, answers []answer) {
	t.Helper()
	first := 0
	for _, a := range answers {
		if a.status != http.StatusOK || !bytes.Equal(a.body, answers[0].body) {
			t.Fatalf("status %d: %s\nanother answer: %s", a.status, a.body, answers[0].body)
		}
		if a.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%d answers are no replay, want 1", first)
	}
}

// Concurrent repeats of any creation create one thing, and one key serves one kind of creation (D-16, D-54).
func TestIdempotencyOfConcurrentCreations(t *testing.T) {
	t.Parallel()
	creationsRace(t, servertest.New(t))
}

// The same at two replicas.
func TestReplicasCreateOneOfAnythingForAKey(t *testing.T) {
	t.Parallel()
	both := replicasNew(t)
	creationsRace(t, both[:]...)
}

// A repeat that waits for the first try longer than a request may take is told to come again, and creates once the first
// try was taken back (D-08, D-16).
func TestIdempotencyOfARepeatThatWaitsTooLong(t *testing.T) {
	t.Parallel()
	replicasNeedPostgreSQL(t) // nobody but the service itself writes to a SQLite file for long
	s := servertest.New(t)
	w, db := isolationNew(t, s.Client), s.Beside(t)
	impatient := servertest.New(t, func(c *server.Config) { c.Database, c.Timeout = s.Database, 300*time.Millisecond })
	first, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Rollback()
	ops := creations(t, s)
	for _, op := range ops {
		if _, err := first.ExecContext(t.Context(), `insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)
			values ($1, $2, 'f', $2)`, server.SandboxClients[0].ID, op.ID); err != nil {
			t.Fatal(err)
		}
	}
	for _, op := range ops {
		faultUnavailable(t, w.create(t, impatient, op, op.ID, w.body(t, op)))
	}
	if err := first.Rollback(); err != nil {
		t.Fatal(err)
	}
	for _, op := range ops {
		created := w.create(t, s, op, op.ID, w.body(t, op)).first(t)
		w.create(t, impatient, op, op.ID, w.body(t, op)).replays(t, created)
	}
}

// D-16: a creation of any kind that failed with 500 used up no key. What a key created is never created again, not even
// where it was lost.
func TestFaultDuringAnyCreationUsesUpNoKey(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, db := isolationNew(t, s.Client), s.Beside(t)
	watch := badWatch{db}
	for _, op := range creations(t, s) {
		t.Run(op.ID, func(t *testing.T) {
			for _, table := range []string{creationTables[op.ID], "idempotency_keys"} {
				restore := faultLose(t, s, table)
				watch.unchanged(t, func() { faultInternal(t, w.create(t, s, op, op.ID, w.body(t, op))) })
				restore()
			}
			first := w.create(t, s, op, op.ID, w.body(t, op)).first(t)
			w.create(t, s, op, op.ID, w.body(t, op)).replays(t, first)
			faultRun(t, db, `update idempotency_keys set resource_id = 'lost' where idempotency_key = '`+op.ID+`'`)
			watch.unchanged(t, func() { faultInternal(t, w.create(t, s, op, op.ID, w.body(t, op))) })
			faultRun(t, db, `update idempotency_keys set resource_id = '`+creationID(t, first)+`' where idempotency_key = '`+op.ID+`'`)
			w.create(t, s, op, op.ID, w.body(t, op)).replays(t, first)
		})
	}
}
