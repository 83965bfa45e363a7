package client_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// `make storm` sets these.
const (
	stormPayouts = "PAYOUTD_TEST_STORM"      // how many payouts
	stormSeed    = "PAYOUTD_TEST_STORM_SEED" // of what happens to each request
)

func setting(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := cmp.Or(os.Getenv(name), strconv.Itoa(otherwise))
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number above zero", name, text)
	}
	return n
}

// stormWorkers pay at the same time, as one process.
const stormWorkers = 8

// canary is in the note of every payout and in each client secret but the first, and may be in no error and no log.
const canary = "canary"

// leaks reports whether a text shows a body or a secret.
func leaks(text string) bool {
	return strings.Contains(text, canary) || strings.Contains(text, server.SandboxClients[0].Secret)
}

// bank is the Store of the storm, in memory: what is stored survives a crash. It judges what the SDK says when it says it.
type bank struct {
	t     testing.TB
	proxy *storm // what happened
	db    *sql.DB
	pause time.Duration // of the Payer

	mu     sync.Mutex
	rows   map[string]*Row
	wanted map[string]client.Code // "" for a row that must be paid
	said   map[string]map[string]int
}

// created returns the transaction that exists with a key; "" for none.
func (b *bank) created(key string) string {
	var id string
	err := b.db.QueryRowContext(context.Background(), `select t.id from transactions t
		join idempotency_keys k on k.client_id = t.client_id and k.resource_id = t.id where k.idempotency_key = $1`, key).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		b.t.Errorf("ask the database about %s: %v", key, err)
	}
	return id
}

// says counts what the SDK said about a row after what its last request met.
func (b *bank) says(key, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := b.proxy.last(key)
	if b.said[kind] == nil {
		b.said[kind] = map[string]int{}
	}
	b.said[kind][what]++
}

func (b *bank) change(key string, change func(*Row)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b.rows[key])
}

func (b *bank) Sent(key string) error {
	b.change(key, func(r *Row) { r.Sent = true })
	return nil
}

func (b *bank) Paid(key string, transaction uuid.UUID) error {
	b.says(key, "paid")
	if id := b.created(key); id != transaction.String() {
		b.t.Errorf("%s, %s: paid as %s, and the service has %q", key, b.proxy.last(key), transaction, id)
	}
	b.change(key, func(r *Row) { r.State, r.Transaction = "paid", transaction })
	return nil
}

func (b *bank) Refused(key string, reason *client.Error) error {
	b.says(key, "refused")
	b.judge(key, reason)
	b.change(key, func(r *Row) {
		if reason.Code == client.Unauthorized {
			return // it is not about the row, which is sent again when the program has the new secret
		}
		r.State, r.Code = "refused", reason.Code
	})
	return nil
}

func (b *bank) Open(key string, reason *client.Error) error {
	switch {
	case reason.OutcomeUnknown() && reason.Temporary():
		b.says(key, "unknown, temporary")
	case reason.OutcomeUnknown():
		b.says(key, "unknown")
	default:
		b.says(key, "temporary")
	}
	b.judge(key, reason)
	return nil
}

// judge compares an error with the database, and looks for what it must not show.
func (b *bank) judge(key string, reason *client.Error) {
	if id := b.created(key); id != "" && !reason.OutcomeUnknown() {
		b.t.Errorf("%s, %s: %s exists, and the SDK knows that it does not: %v", key, b.proxy.last(key), id, reason)
	}
	shown := fmt.Sprintf("%v %+v %#v", reason, *reason, reason.Unwrap())
	for cause := error(reason); cause != nil; cause = errors.Unwrap(cause) {
		shown += cause.Error()
	}
	if leaks(shown) || reason.IdempotencyKey != key {
		b.t.Errorf("%s, %s: the error shows %s", key, b.proxy.last(key), shown)
	}
}

// open returns the rows without a final word.
func (b *bank) open() (rows []Row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(b.rows)) {
		if r := b.rows[key]; r.State == "" {
			rows = append(rows, *r)
		}
	}
	return rows
}

// process is a run of the paying program. When it has crashed, it stores nothing any more.
type process struct {
	*bank
	ctx context.Context //nolint:containedctx // it is the life of the process
}

var errCrashed = errors.New("the process has crashed")

func (p process) alive(do func() error) error {
	if p.ctx.Err() != nil {
		return errCrashed
	}
	return do()
}

func (p process) Sent(key string) error {
	return p.alive(func() error { return p.bank.Sent(key) })
}

func (p process) Paid(key string, transaction uuid.UUID) error {
	return p.alive(func() error { return p.bank.Paid(key, transaction) })
}

func (p process) Refused(key string, reason *client.Error) error {
	return p.alive(func() error { return p.bank.Refused(key, reason) })
}

func (p process) Open(key string, reason *client.Error) error {
	return p.alive(func() error { return p.bank.Open(key, reason) })
}

// run pays all open rows in a process, which ends when all have their final word or it crashes.
func (b *bank) run(ctx context.Context, c *client.Client) {
	rows := make(chan Row)
	var workers sync.WaitGroup
	payer := Payer{Client: c, Store: process{b, ctx}, Pause: b.pause}
	for range stormWorkers {
		workers.Go(func() {
			for row := range rows {
				_ = payer.Pay(ctx, row) // the row is still open
			}
		})
	}
	for _, row := range b.open() {
		rows <- row
	}
	close(rows)
	workers.Wait()
}

// newBank returns a bank with this number of payouts that the service accepts, and a tenth of this that it refuses.
func newBank(t testing.TB, s *servertest.Server, proxy *storm, payouts int) *bank {
	t.Helper()
	b := &bank{
		t: t, proxy: proxy, db: s.Beside(t), pause: time.Millisecond,
		rows: map[string]*Row{}, wanted: map[string]client.Code{}, said: map[string]map[string]int{},
	}
	sender := servertest.NewSender(t, s.Client)
	servertest.VerifyTags(t, s.Client, sender.ID, servertest.TopTier...)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	add := func(key string, code client.Code, amount string, change func(*Row)) {
		row := &Row{Key: key, UserID: sender.ID, Payout: servertest.Deposit(t, sender, receiver, amount)}
		row.Payout.Note = new(canary + " " + key)
		change(row)
		b.rows[key], b.wanted[key] = row, code
	}
	for i := range payouts {
		add(fmt.Sprintf("row-%04d", i), "", "0.01", func(*Row) {})
	}
	for i := range payouts / 10 {
		key := fmt.Sprintf("refused-%04d", i)
		switch i % 6 {
		case 0:
			add(key, client.LimitExceeded, "260000", func(*Row) {})
		case 1:
			add(key, client.ReceiveUserNotFound, "0.01", func(r *Row) { r.Payout.To = client.BankDeposit(uuid.New(), receiver.Bank) })
		case 2:
			add(key, client.BadRequest, "0.001", func(*Row) {}) // a rule of currencies
		case 3:
			add(key, client.BadRequest, "0", func(*Row) {}) // the schema
		case 4:
			add(key, client.NotFound, "0.01", func(r *Row) { r.UserID = uuid.New() })
		case 5:
			add(key, client.IdempotencyKeyReused, "0.01", func(*Row) {})
			params := &api.CreateFundingAccountParams{XIdempotencyKey: &key}
			r, err := s.Client.CreateFundingAccountWithResponse(t.Context(), sender.ID, params, api.FundingAccountRequest{FundingSourceType: "CARD"})
			servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
		}
	}
	return b
}

// finish checks the words of all rows against the database.
func (b *bank) finish(database string) {
	b.t.Helper()
	b.proxy.background.Wait()
	paid := 0
	for key, row := range b.rows {
		switch id := b.created(key); {
		case row.State == "":
			b.t.Errorf("%s has no final word", key)
		case b.wanted[key] == "" && (row.State != "paid" || row.Transaction.String() != id):
			b.t.Errorf("%s is %s %s %s, and the service has %q", key, row.State, row.Code, row.Transaction, id)
		case b.wanted[key] != "" && (row.State != "refused" || row.Code != b.wanted[key] || id != ""):
			b.t.Errorf("%s is %s %s, want %s, and the service has %q", key, row.State, row.Code, b.wanted[key], id)
		case row.State == "paid":
			paid++
		}
	}
	var rows, notes int
	if err := b.db.QueryRowContext(context.Background(), "select count(*), count(distinct notes) from transactions").Scan(&rows, &notes); err != nil {
		b.t.Fatal(err)
	}
	if rows != paid || notes != paid {
		b.t.Errorf("%d rows are paid, by %d transactions for %d rows", paid, rows, notes)
	}
	servertest.WantSound(b.t, database)
	b.t.Logf("%d paid once, %d refused, %d requests; seed %d\n%s", paid, len(b.rows)-paid, b.proxy.requests, b.proxy.seed, b.table())
}

// table shows how often each kind of fault happened, and what the SDK said.
func (b *bank) table() string {
	said := []string{"retried", "unknown", "unknown, temporary", "temporary", "refused", "paid"}
	var out strings.Builder
	fmt.Fprintf(&out, "%-55s %6s", "", "met")
	for _, what := range said {
		fmt.Fprintf(&out, " %*s", max(8, len(what)), what)
	}
	for _, kind := range slices.Sorted(maps.Keys(b.proxy.kinds)) {
		fmt.Fprintf(&out, "\n%-55s %6d", kind, b.proxy.kinds[kind])
		for _, what := range said {
			fmt.Fprintf(&out, " %*d", max(8, len(what)), b.said[kind][what])
		}
	}
	return out.String()
}

// client returns the options of the paying program, which is impatient.
func (b *bank) client(log *bytes.Buffer, options ...client.Option) []client.Option {
	hooks := client.Hooks{Retry: func(_ context.Context, a client.Attempt) { b.says(a.IdempotencyKey, "retried") }}
	if b.proxy.succeeded != nil { // no proxy of ours sees what happens
		hooks.Response = func(_ context.Context, a client.Attempt) { b.proxy.saw(a) }
	}
	return append(options, client.WithTimeout(time.Second), client.WithBackoff(time.Millisecond, 5*time.Millisecond),
		client.WithLogger(slog.New(slog.NewTextHandler(log, nil))), client.WithHooks(hooks))
}

// Half of all requests of a batch meet a fault, and still each row ends with its true final word.
func TestStorm(t *testing.T) {
	t.Parallel()
	payouts, seed := setting(t, stormPayouts, 1000), setting(t, stormSeed, 1)
	if testing.Short() {
		payouts /= 5
	}
	for name, paying := range map[string]func(*testing.T, *servertest.Server, *bank, *bytes.Buffer){
		"a queue":              payQueue,
		"crashes":              payThroughCrashes,
		"rotations of secrets": payThroughRotations,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			b := newBank(t, s, newStorm(t, s, uint64(seed)), payouts)
			var log bytes.Buffer
			paying(t, s, b, &log)
			b.finish(s.Database)
			if log.Len() == 0 || leaks(log.String()) {
				t.Errorf("the log shows nothing or too much:\n%.1000s", &log)
			}
			if kinds := len(b.proxy.kinds) - 1; kinds < 40 {
				t.Errorf("%d kinds of faults happened, want 40 or more", kinds)
			}
		})
	}
}

func stormContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a call that does not end
	t.Cleanup(cancel)
	return ctx
}

// payQueue pays all rows in one process.
func payQueue(t *testing.T, _ *servertest.Server, b *bank, log *bytes.Buffer) {
	t.Helper()
	b.run(stormContext(t), connect(t, b.proxy.url, b.client(log)...))
}

// payThroughCrashes crashes the process in the middle of a call, and starts another one.
func payThroughCrashes(t *testing.T, _ *servertest.Server, b *bank, log *bytes.Buffer) {
	t.Helper()
	ctx := stormContext(t)
	var crash atomic.Pointer[context.CancelFunc]
	lose := fault{"the caller crashes", either, func(m *meeting) {
		(*crash.Load())()
		m.raw("")
	}}
	b.proxy.before = func(_, _ int, _ string, random *rand.Rand) *fault {
		if random.IntN(25) == 0 {
			return &lose
		}
		return nil
	}
	processes := 0
	for ; len(b.open()) > 0 && ctx.Err() == nil; processes++ {
		life, end := context.WithCancel(ctx)
		crash.Store(&end)
		c := connect(t, b.proxy.url, b.client(log)...)
		b.run(life, c)
		c.CloseIdleConnections()
		end()
	}
	if processes < 5 {
		t.Errorf("%d processes only", processes)
	}
}

// payThroughRotations replaces the secret of the client several times, with and without a time in which the program has
// only the old one.
func payThroughRotations(t *testing.T, s *servertest.Server, b *bank, log *bytes.Buffer) {
	t.Helper()
	ctx := stormContext(t)
	db, err := store.Open(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	sandbox := server.SandboxClients[0]
	rotation := &rotation{secret: sandbox.Secret, held: sandbox.Secret}
	rotation.replace = func(old, fresh string) error {
		profile, _, _, err := db.Client(ctx, payout.ClientID(sandbox.ID), s.Clock.Now())
		if err == nil {
			err = db.PutClient(ctx, profile, payout.HashSecret(fresh), s.Clock.Now())
		}
		if err == nil {
			_, err = b.db.ExecContext(ctx, "delete from client_secrets where hash = $1", payout.HashSecret(old))
		}
		return err
	}
	every := len(b.rows) / 4
	b.proxy.before = func(number, _ int, _ string, _ *rand.Rand) *fault {
		if number%every == 0 {
			if err := rotation.rotate(number/every%2 == 0); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	c, err := client.New(b.proxy.url, "", "", b.client(log, client.WithCredentials(rotation.current))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	for len(b.open()) > 0 && ctx.Err() == nil {
		b.run(ctx, c)
	}
	if rotation.number < 5 {
		t.Errorf("%d rotations only", rotation.number)
	}
}

// rotation is the secret of the client, as the service and as the program know it.
type rotation struct {
	replace func(old, fresh string) error // at the service

	mu           sync.Mutex
	number       int
	secret, held string // of the service and of the program
	behind       int    // for how many more questions the program has the old one
}

// rotate replaces the secret. The program has the new one at once, or after a while in which nothing is accepted.
func (r *rotation) rotate(late bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	old := r.secret
	r.secret = fmt.Sprintf("%s-secret-%d", canary, r.number)
	if r.behind = 0; late {
		r.behind = 5 * stormWorkers
	} else {
		r.held = r.secret
	}
	return r.replace(old, r.secret)
}

func (r *rotation) current(context.Context) (client.Credentials, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.behind == 0 {
		r.held = r.secret
	} else {
		r.behind--
	}
	return client.Credentials{ClientID: server.SandboxClients[0].ID, ClientSecret: r.held}, nil
}

// Each fault is met once by a call that is not retried, before and after the service has handled the request.
func TestEveryFaultOfTheStorm(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	proxy := newStorm(t, s, uint64(setting(t, stormSeed, 1)))
	b := newBank(t, s, proxy, 1)
	row := b.rows["row-0000"]
	b.rows = map[string]*Row{}
	faults := map[string]fault{}
	for _, f := range proxy.faults {
		for name, when := range map[string]when{" before": before, " after": after} {
			if f.when == either || f.when == when {
				once := f
				once.when = when
				faults[f.name+name] = once
			}
		}
	}
	for key := range faults {
		copied := *row
		copied.Key, copied.Payout.Note = key, new(canary+key)
		b.rows[key] = &copied
	}
	proxy.before = func(_, attempt int, key string, _ *rand.Rand) *fault {
		f := faults[key]
		if attempt > 1 {
			f = fault{calm, before, (*meeting).pass}
		}
		return &f
	}
	var log bytes.Buffer
	c := connect(t, proxy.url, b.client(&log, client.WithRetries(0))...)
	stranger, err := client.New(s.URL, server.SandboxClients[0].ID, "wrong-secret", client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stranger.CloseIdleConnections)
	rows := make(chan *Row, len(faults))
	for _, row := range b.rows {
		rows <- row
	}
	concurrently(stormWorkers, len(faults), func() {
		row := <-rows
		made, err := c.CreateTransaction(t.Context(), row.UserID, row.Payout, client.IdempotencyKey(row.Key))
		if err == nil {
			_ = b.Paid(row.Key, made.ID)
			return
		}
		e := errorOf(t, err)
		if _ = b.Open(row.Key, e); !e.OutcomeUnknown() && !e.Temporary() {
			t.Errorf("%s: the row is given up: %v", row.Key, e)
		}
		_, err = stranger.CreateTransaction(t.Context(), row.UserID, row.Payout, client.RepeatOf(row.Key))
		if e := errorOf(t, err); e.Code != client.Unauthorized || !e.OutcomeUnknown() {
			t.Errorf("%s: a repeat without valid credentials proves nothing about the first call: %v", row.Key, e)
		}
		row.Sent = true
		if err := (&Payer{Client: c, Store: b, Pause: time.Millisecond}).Pay(t.Context(), *row); err != nil {
			t.Error(err)
		}
	})
	b.finish(s.Database)
}
