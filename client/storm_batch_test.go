package client_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// canary is in the note of every payout and in each client secret but the first, and may be in no error and no log.
const canary = "canary"

// leaks reports whether a text shows a body or a secret.
func leaks(text string) bool {
	return strings.Contains(text, canary) || strings.Contains(text, server.SandboxClients[0].Secret)
}

// batch is the Store of the storm. It is in memory, outside of the processes that crash, and compares each thing that the SDK
// says with the database at that moment.
type batch struct {
	t     testing.TB
	proxy *storm // which knows what happened
	db    *sql.DB
	pause time.Duration // of the Payer

	mu     sync.Mutex
	rows   map[string]*Row
	wanted map[string]client.Code // "" for a row that must be paid
	said   map[string]map[string]int
	codes  map[client.Code]int // of all errors
}

// created returns the transaction that exists with a key; "" for none.
func (b *batch) created(key string) string {
	var id string
	err := b.db.QueryRowContext(context.Background(), `select t.id from transactions t
		join idempotency_keys k on k.client_id = t.client_id and k.resource_id = t.id where k.idempotency_key = $1`, key).Scan(&id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		b.t.Errorf("ask the database about %s: %v", key, err)
	}
	return id
}

// says counts what the SDK said about a row after what its last request met.
func (b *batch) says(key, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := b.proxy.last(key)
	if b.said[kind] == nil {
		b.said[kind] = map[string]int{}
	}
	b.said[kind][what]++
}

func (b *batch) change(key string, change func(*Row)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b.rows[key])
}

func (b *batch) Sent(key string) error {
	b.change(key, func(r *Row) { r.Sent = true })
	return nil
}

func (b *batch) Paid(key string, transaction uuid.UUID) error {
	b.says(key, "paid")
	if id := b.created(key); id != transaction.String() {
		b.t.Errorf("%s, %s: paid as %s, and the service has %q", key, b.proxy.last(key), transaction, id)
	}
	b.change(key, func(r *Row) { r.State, r.Transaction = "paid", transaction })
	return nil
}

func (b *batch) Refused(key string, reason *client.Error) error {
	b.says(key, "refused")
	b.judge(key, reason)
	b.change(key, func(r *Row) { r.State, r.Code = "refused", reason.Code })
	return nil
}

func (b *batch) Open(key string, reason *client.Error) error {
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
func (b *batch) judge(key string, reason *client.Error) {
	if id := b.created(key); id != "" && !reason.OutcomeUnknown() {
		b.t.Errorf("%s, %s: %s exists, and the SDK says that nothing was created: %v", key, b.proxy.last(key), id, reason)
	}
	b.mu.Lock()
	b.codes[reason.Code]++
	b.mu.Unlock()
	shown := fmt.Sprintf("%v %+v %#v", reason, *reason, reason.Unwrap())
	for cause := error(reason); cause != nil; cause = errors.Unwrap(cause) {
		shown += cause.Error()
	}
	if leaks(shown) || reason.IdempotencyKey != key {
		b.t.Errorf("%s, %s: the error shows %s", key, b.proxy.last(key), shown)
	}
}

// open returns the rows without a final word.
func (b *batch) open() (rows []Row) {
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
	*batch
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
	return p.alive(func() error { return p.batch.Sent(key) })
}

func (p process) Paid(key string, transaction uuid.UUID) error {
	return p.alive(func() error { return p.batch.Paid(key, transaction) })
}

func (p process) Refused(key string, reason *client.Error) error {
	return p.alive(func() error { return p.batch.Refused(key, reason) })
}

func (p process) Open(key string, reason *client.Error) error {
	return p.alive(func() error { return p.batch.Open(key, reason) })
}

// run pays the open rows in a process, again and again until all have their final word or it crashes.
func (b *batch) run(ctx context.Context, c *client.Client) {
	for open := b.open(); len(open) > 0 && ctx.Err() == nil; open = b.open() {
		b.pay(ctx, c, open)
	}
}

func (b *batch) pay(ctx context.Context, c *client.Client, open []Row) {
	rows := make(chan Row)
	var workers sync.WaitGroup
	payer := Payer{Client: c, Store: process{b, ctx}, Pause: b.pause, Patience: 200 * time.Millisecond}
	for range stormWorkers {
		workers.Go(func() {
			for row := range rows {
				_ = payer.Pay(ctx, row) // the row is still open
			}
		})
	}
	for _, row := range open {
		rows <- row
	}
	close(rows)
	workers.Wait()
}

// newBatch returns a batch of payouts that the service accepts, and a tenth as many that it refuses.
func newBatch(t testing.TB, s *servertest.Server, proxy *storm, payouts int) *batch {
	t.Helper()
	b := &batch{
		t: t, proxy: proxy, db: s.Beside(t), pause: time.Millisecond,
		rows: map[string]*Row{}, wanted: map[string]client.Code{}, said: map[string]map[string]int{}, codes: map[client.Code]int{},
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

// finish compares the final words of all rows with the database.
func (b *batch) finish(database string) {
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
	requests, kinds := b.proxy.counts()
	b.t.Logf("%d paid once, %d refused, %d requests\n%s", paid, len(b.rows)-paid, requests, b.table(kinds))
}

// table shows how often each kind of fault happened, and what the SDK said.
func (b *batch) table(kinds map[string]int) string {
	said := []string{"retried", "unknown", "unknown, temporary", "temporary", "refused", "paid"}
	var out strings.Builder
	fmt.Fprintf(&out, "%-55s %6s", "", "met")
	for _, what := range said {
		fmt.Fprintf(&out, " %*s", max(8, len(what)), what)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&out, "\n%-55s %6d", kind, kinds[kind])
		for _, what := range said {
			fmt.Fprintf(&out, " %*d", max(8, len(what)), b.said[kind][what])
		}
	}
	return out.String()
}

// client returns the options of the paying program, which is impatient.
func (b *batch) client(log *bytes.Buffer, options ...client.Option) []client.Option {
	hooks := client.Hooks{Retry: func(_ context.Context, a client.Attempt) { b.says(a.IdempotencyKey, "retried") }}
	if b.proxy.succeeded != nil { // no proxy of ours sees what happens
		hooks.Response = func(_ context.Context, a client.Attempt) { b.proxy.saw(a) }
	}
	return append(options, client.WithTimeout(time.Second), client.WithBackoff(time.Millisecond, 5*time.Millisecond),
		client.WithLogger(slog.New(slog.NewTextHandler(log, nil))), client.WithHooks(hooks))
}
