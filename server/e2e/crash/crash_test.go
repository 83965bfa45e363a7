//go:build linux

package crash

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// `make crash` sets these.
const (
	crashMoves = "PAYOUTD_TEST_CRASH"      // how many transitions
	crashSeed  = "PAYOUTD_TEST_CRASH_SEED" // of what is killed, and when
)

const (
	shortMoves = 150
	// killEvery is how many transitions are between two kills, on average.
	killEvery = 20
)

func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(otherwise)))
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number above zero", name, os.Getenv(name))
	}
	return n
}

// Replicas and PostgreSQL are killed all the time while payouts are created and moved, and everything ends as callers were
// told: in the database, in the feed, at a reader of it and at receivers of webhooks.
func TestCrash(t *testing.T) {
	t.Parallel()
	moves, seed := setting(t, crashMoves, shortMoves), setting(t, crashSeed, int(time.Now().UnixNano()%1_000_000))
	t.Logf("%d transitions, seed %d", moves, seed)
	// A short run has about six kills: the first ones are of both replicas and both ways to kill PostgreSQL.
	k := &killer{random: rand.New(rand.NewPCG(uint64(seed), 0)), kills: map[string]int{}, faults: []int{0, 3, 1, 2, 4, 5}}
	databaseURL := "sqlite:" + t.TempDir() + "/payouts.db"
	switch {
	case servertest.OnCitus():
		databaseURL = servertest.Database(t)
	case servertest.OnPostgreSQL(t):
		k.cluster = pgtest.Private(t)
		databaseURL = k.cluster.URL
	}
	p := build(t, databaseURL)
	k.replicas = append(k.replicas, startReplica(t, p, pgtest.FreeAddress(t)))
	if servertest.OnPostgreSQL(t) {
		k.replicas = append(k.replicas, startReplica(t, p, pgtest.FreeAddress(t)))
	}

	h := &history{failed: map[string]int{}}
	clients := make([]*client.Client, len(k.replicas))
	for i, r := range k.replicas {
		clients[i] = sdk(t, r.url, h)
	}
	endpoints := []*endpoint{newEndpoint(t, clients[0]), newEndpoint(t, clients[0], api.EventTypeTransactionStatusChanged)}
	all := newCallers(t, h, clients, k.replicas[0].url, uint64(seed))

	// A call that never ends shall not end with the test.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute+time.Duration(moves)*100*time.Millisecond)
	defer cancel()
	var working sync.WaitGroup
	for _, c := range all[2:] {
		working.Go(func() { c.work(ctx, moves) })
	}
	working.Go(func() { all[0].operate(ctx, t, p, moves) })
	working.Go(func() { all[1].switching(ctx, moves) })
	done := make(chan struct{})
	read := &reader{replicas: clients}
	var reading sync.WaitGroup
	reading.Go(func() { read.follow(ctx, done) })
	began := time.Now()
	k.work(ctx, t, h, moves)
	working.Wait()
	took := time.Since(began)
	close(done)
	reading.Wait()
	if ctx.Err() != nil {
		t.Errorf("only %d changes were made: %v", h.count(), h.failed)
	}
	for _, w := range h.wrong {
		t.Error(w)
	}
	t.Logf("%d payouts and %d transitions in %s; killed: %v; an operator ran %d commands for %d files; failed attempts: %v",
		len(h.stories), h.moves, took.Round(time.Millisecond), k.kills, h.commands, h.files, h.failed)

	for _, r := range k.replicas { // the last kill may be of a moment ago
		servertest.Await(t, time.Minute, "a replica does not listen again", r.up)
	}
	wantRepeats(t, h, clients)
	feed := readFeed(t, k.replicas[0].url)
	db := servertest.Beside(t, databaseURL)
	if moves <= shortMoves {
		for i, r := range k.replicas {
			r.stop(t)
			if i == len(k.replicas)-1 {
				passRescue(t, db)
			}
		}
		for i, r := range k.replicas {
			k.replicas[i] = startReplica(t, p, r.listen)
		}
	}
	awaitWebhooks(t, clients[0], endpoints, feed, moves <= shortMoves)
	for _, r := range k.replicas {
		if again := readFeed(t, r.url); len(again) != len(feed) {
			t.Errorf("there were %d events, and now there are %d", len(feed), len(again))
		}
	}
	judgeFeed(t, h, feed, clients[0])
	judgeReader(t, read, feed)
	for _, r := range k.replicas {
		r.stop(t)
	}
	for _, e := range endpoints {
		e.judge(t, feed)
	}
	judgeDatabase(t, p, db, feed)
}

// newCallers makes senders and callers that pay as one of them. The first two callers are the operator and one with a sender of
// its own.
func newCallers(t *testing.T, h *history, clients []*client.Client, address string, seed uint64) []*caller {
	t.Helper()
	plain, err := api.NewClientWithResponses(address, api.WithRequestEditorFn(credentials))
	if err != nil {
		t.Fatal(err)
	}
	var people [senders]servertest.Sender
	var receivers [senders]servertest.Receiver
	for i := range people {
		people[i] = servertest.NewSender(t, plain)
		receivers[i] = servertest.NewReceiver(t, plain, people[i].ID)
	}
	all := make([]*caller, callers+2)
	for i := range all {
		all[i] = &caller{
			history: h, replicas: clients, name: fmt.Sprint("caller ", i), random: rand.New(rand.NewPCG(seed, uint64(i+1))),
			sender: people[i%senders], receiver: receivers[i%senders],
		}
	}
	all[1].sender, all[1].loyal = servertest.NewSender(t, plain), true
	return all
}

// wantRepeats fails the test unless the repeats of all acknowledged creations return what was created.
func wantRepeats(t *testing.T, h *history, clients []*client.Client) {
	t.Helper()
	for i, s := range h.stories {
		if s.key == "" || s.id == uuid.Nil {
			continue
		}
		again, err := clients[i%len(clients)].CreateTransaction(t.Context(), s.user, s.body, client.IdempotencyKey(s.key))
		if err != nil || again.ID != s.id {
			t.Errorf("the repeat of %s, which created %s, returns %+v, %v", s.key, s.id, again, err)
		}
	}
}

// awaitWebhooks waits until every event has been accepted by every endpoint that wants it, and no delivery is pending. With
// hurry it makes the attempts now that are due later.
func awaitWebhooks(t *testing.T, c *client.Client, endpoints []*endpoint, feed []event, hurry bool) {
	t.Helper()
	began := time.Now()
	for n := 0; ; n++ {
		left := map[string]bool{}
		for _, e := range endpoints {
			params := api.ListWebhookDeliveriesParams{Status: new(api.WebhookDeliveryStatusPending), Limit: new(int32(100))}
			for d, err := range c.WebhookDeliveries(t.Context(), e.id, &params) {
				if err == nil && hurry && n%8 == 4 {
					_, err = c.RetryWebhookDelivery(t.Context(), e.id, d.EventID)
				}
				if err != nil {
					t.Fatal(err)
				}
				left[e.id.String()+" "+d.EventID.String()] = true
			}
			for _, id := range e.missing(feed) {
				left[e.id.String()+" "+id] = true
			}
		}
		if len(left) == 0 {
			t.Logf("all webhooks had arrived after %s", time.Since(began).Round(time.Millisecond))
			return
		}
		if time.Since(began) > 5*time.Minute {
			t.Fatalf("%d webhooks do not arrive: %v", len(left), left)
		}
		<-time.After(250 * time.Millisecond)
	}
}

// passRescue makes the database as if --webhook-rescue had passed since the last kill, while no replica runs.
func passRescue(t *testing.T, db *sql.DB) {
	t.Helper()
	ago := `datetime('now', '-1 hour')`
	if servertest.OnPostgreSQL(t) {
		ago = `now() - interval '1 hour'`
	}
	servertest.Exec(t, db, `update river_job set attempted_at = `+ago+` where state = 'running'`, `update river_leader set expires_at = `+ago)
}

func credentials(_ context.Context, r *http.Request) error {
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	return nil
}

// killer kills replicas and PostgreSQL.
type killer struct {
	random   *rand.Rand
	replicas []*replica
	cluster  *pgtest.Cluster // nil on SQLite, and on Citus, where others run tests as well
	kills    map[string]int
	faults   []int // that come next, each once before they are drawn anew
}

// work kills until enough changes were acknowledged. Each kill comes after a number of changes since the one before, so that
// work is done in between.
func (k *killer) work(ctx context.Context, t *testing.T, h *history, enough int) {
	t.Helper()
	for {
		next := min(enough, h.count()+1+k.random.IntN(2*killEvery))
		for h.count() < next && ctx.Err() == nil {
			<-time.After(time.Millisecond)
		}
		if next >= enough || ctx.Err() != nil {
			return
		}
		<-time.After(time.Duration(k.random.IntN(20)) * time.Millisecond) // at any point of a request
		k.strike(t)
	}
}

// strike kills something, and returns when it has been started again or is being started.
func (k *killer) strike(t *testing.T) {
	t.Helper()
	down := time.Duration(k.random.IntN(300)) * time.Millisecond
	if len(k.faults) == 0 {
		k.faults = k.random.Perm(6)
	}
	fault := k.faults[0]
	if k.faults = k.faults[1:]; k.cluster == nil {
		fault = 5
	}
	var err error
	switch fault {
	case 0:
		k.kills["PostgreSQL, kill -9"]++
		err = k.cluster.Crash()
	case 1:
		k.kills["PostgreSQL, immediate"]++
		err = k.cluster.Halt(pgtest.Immediate)
	case 2:
		k.killSession(t)
		return
	case 3:
		for _, r := range k.replicas {
			k.killReplica(t, r)
		}
		return
	default:
		k.killReplica(t, k.replicas[k.random.IntN(len(k.replicas))])
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(down)
	if err := k.cluster.Resume(); err != nil {
		t.Fatal(err)
	}
}

// killReplica kills a replica, once it listens.
func (k *killer) killReplica(t *testing.T, r *replica) {
	t.Helper()
	servertest.Await(t, time.Minute, "the replica does not listen again", r.kill)
	k.kills["replica"]++
}

// killSession kills one process of PostgreSQL that serves a replica: the others end with it, and start again.
func (k *killer) killSession(t *testing.T) {
	t.Helper()
	db := servertest.Beside(t, k.cluster.URL)
	var id int
	err := db.QueryRowContext(t.Context(), `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
		order by state = 'idle', random() limit 1`).Scan(&id)
	if err == nil {
		err = syscall.Kill(id, syscall.SIGKILL)
	}
	if err == nil {
		k.kills["PostgreSQL, one session"]++
	}
}
