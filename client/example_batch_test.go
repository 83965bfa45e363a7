package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Row is one payout of a batch.
type Row struct {
	Key    string // the idempotency key, stored before the first call
	UserID uuid.UUID
	Payout api.TransactionRequest

	Sent        bool        // a call may have been made; stored before the first one
	State       string      // paid or refused; until then open
	Transaction uuid.UUID   // of a paid row
	Code        client.Code // of a refused row
}

// Store keeps the rows. Each method returns when the row is stored.
type Store interface {
	Sent(key string) error // before the first call
	Paid(key string, transaction uuid.UUID) error
	Refused(key string, reason *client.Error) error
	Open(key string, reason *client.Error) error // no final word yet
}

// Payer pays rows.
type Payer struct {
	Client *client.Client
	Store  Store

	Pause    time.Duration // before the first repeat of a row; doubles
	Patience time.Duration // the longest of these pauses
}

// Pay calls until a row has its final word, ctx ends or its patience does. The next run of the program goes on with a row
// that is open. An error is about the program, not about the row.
func (p *Payer) Pay(ctx context.Context, row Row) error {
	key := client.IdempotencyKey(row.Key)
	if row.Sent { // perhaps, before the program was restarted
		key = client.RepeatOf(row.Key)
	} else if err := p.Store.Sent(row.Key); err != nil {
		return err
	}
	for pause := p.Pause; ; pause *= 2 {
		transaction, err := p.Client.CreateTransaction(ctx, row.UserID, row.Payout, key)
		if err == nil {
			return p.Store.Paid(row.Key, transaction.ID)
		}
		e, _ := errors.AsType[*client.Error](err) // every error of a call is one
		if e.Refused() {
			return p.Store.Refused(row.Key, e) // nothing was created
		}
		if err := p.Store.Open(row.Key, e); err != nil {
			return err
		}
		wait := max(e.RetryAfter, pause)
		switch {
		case !e.OutcomeUnknown() && !e.Temporary():
			return e // about the program, such as a revoked secret: the same for all rows
		case e.OutcomeUnknown():
			key = client.RepeatOf(row.Key)
		}
		if wait > p.Patience {
			return nil // the next run goes on with the row
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ledger is a Store in a file.
type ledger struct {
	file string
	rows []*Row
}

func openLedger(file string) (*ledger, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := &ledger{file: file}
	return l, json.Unmarshal(content, &l.rows)
}

// save replaces the file, so that a crash leaves the old or the new one.
func (l *ledger) save() error {
	f, err := os.Create(l.file + ".new")
	if err != nil {
		return err
	}
	err = json.NewEncoder(f).Encode(l.rows)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), l.file)
}

func (l *ledger) change(key string, change func(*Row)) error {
	for _, row := range l.rows {
		if row.Key == key {
			change(row)
		}
	}
	return l.save()
}

func (l *ledger) Sent(key string) error {
	return l.change(key, func(r *Row) { r.Sent = true })
}

func (l *ledger) Paid(key string, transaction uuid.UUID) error {
	return l.change(key, func(r *Row) { r.State, r.Transaction = "paid", transaction })
}

func (l *ledger) Refused(key string, reason *client.Error) error {
	return l.change(key, func(r *Row) { r.State, r.Code = "refused", reason.Code })
}

func (l *ledger) Open(key string, _ *client.Error) error {
	return l.change(key, func(r *Row) { r.State = "open" })
}

// run is what the program does at its start: it pays the rows that have no final word.
func (l *ledger) run(ctx context.Context, c *client.Client) {
	payer := Payer{Client: c, Store: l, Pause: time.Second, Patience: time.Minute}
	for _, row := range l.rows {
		if row.State != "paid" && row.State != "refused" && payer.Pay(ctx, *row) != nil {
			break
		}
	}
	for _, row := range l.rows {
		fmt.Printf("%s %s %q\n", row.Key, row.State, row.Code)
	}
}

// Pay a batch of rows in a file. Each is paid once and gets its final word, although the program is stopped when the
// service has created the first transaction, and the program has not heard of it.
func Example_batch() {
	sandbox := payouttest.Start()
	defer sandbox.Stop()
	sender := sandbox.VerifiedSender()
	sandbox.TopTier(sender)
	receiver := sandbox.ReceiveUser(sender, "NP")
	folder, err := os.MkdirTemp("", "batch")
	check(err)
	defer os.RemoveAll(folder)

	batch := &ledger{file: filepath.Join(folder, "batch.json")}
	for i, amount := range []string{"100.00", "20000.01", "300.00"} {
		batch.rows = append(batch.rows, &Row{
			Key: fmt.Sprint("march-", i+1), State: "open", UserID: sender.ID,
			Payout: sandbox.Payout(sender, receiver, api.PayoutMethodBankDeposit, amount),
		})
	}
	check(batch.save())

	ctx, stop := context.WithCancel(context.Background())
	sandbox.Next("createTransaction").LoseResponse()
	batch.run(ctx, sandbox.NewClient(client.WithHooks(client.Hooks{Retry: func(context.Context, client.Attempt) { stop() }})))

	fmt.Println("after the restart:")
	batch, err = openLedger(batch.file)
	check(err)
	batch.run(context.Background(), sandbox.Client)
	// Output:
	// march-1 open ""
	// march-2 open ""
	// march-3 open ""
	// after the restart:
	// march-1 paid ""
	// march-2 refused "LIMIT_EXCEEDED"
	// march-3 paid ""
}
