package client_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// Receiver handles webhooks. An event may come again, also at the same time, and after a later one.
type Receiver struct {
	DB      *sql.DB
	Secrets func() []string // of the endpoint; while a secret is replaced, both
}

// ServeHTTP accepts an event with 204 once it is stored. The service repeats what gets another answer.
func (h *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	event, err := client.VerifyWebhook(r.Header, body, h.Secrets()...)
	if errors.Is(err, client.ErrWebhookSignature) {
		http.Error(w, "the signature is not valid", http.StatusBadRequest) // someone else sent it
		return
	}
	if err == nil {
		err = h.store(r.Context(), event)
	}
	if err != nil {
		http.Error(w, "try again", http.StatusInternalServerError) // and tell whoever runs this program
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// store takes in an event, in one transaction: if the program is stopped, all of it happened or nothing.
func (h *Receiver) store(ctx context.Context, event *api.Event) error {
	tx, err := h.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	isNew, err := changes(ctx, tx, `insert into webhooks (event_id) values ($1) on conflict do nothing`, event.ID.String())
	if err != nil || !isNew {
		return err // it was stored before
	}
	if v := event.Data.Transaction; v != nil && v.UpdatedAt != nil {
		// A state replaces an older one only.
		if _, err := changes(ctx, tx, `insert into payouts (id, status, updated_at) values ($1, $2, $3) on conflict (id)
			do update set status = excluded.status, updated_at = excluded.updated_at where excluded.updated_at > payouts.updated_at`,
			v.ID.String(), string(v.Status), v.UpdatedAt.UnixMicro()); err != nil {
			return err
		}
		// What follows from an event happens once. What takes longer, such as an email, is done later, from a table.
		if event.Type == api.EventTypeTransactionStatusChanged && v.Status == api.TransactionStatusCompleted {
			if _, err := changes(ctx, tx, `insert into emails (payout_id) values ($1)`, v.ID.String()); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

// changes executes a statement, and reports whether it changed a row.
func changes(ctx context.Context, tx *sql.Tx, statement string, args ...any) (bool, error) {
	result, err := tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

const tables = `
	create table webhooks (event_id text primary key);
	create table payouts (id text primary key, status text not null, updated_at bigint not null);
	create table emails (payout_id text not null);`

// Receive webhooks, safe against repeats and late arrival. The statements are for SQLite and PostgreSQL.
func ExampleVerifyWebhook() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "program.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	check(err)
	defer db.Close()
	_, err = db.Exec(tables)
	check(err)
	var secret string // a program reads it from where its secrets are
	receiver := httptest.NewServer(&Receiver{DB: db, Secrets: func() []string { return []string{secret} }})
	defer receiver.Close()

	sandbox := payouttest.Start(payouttest.Webhooks())
	defer sandbox.Stop()
	hook := sandbox.Webhook(receiver.URL) // in production Client.CreateWebhookEndpoint, once
	secret = hook.Secret
	ctx, sender := context.Background(), sandbox.VerifiedSender()
	payout, err := sandbox.Client.CreateTransaction(ctx, sender.ID,
		sandbox.Payout(sender, sandbox.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100.00"))
	check(err)
	sandbox.Settle(payout.ID)
	for _, event := range hook.Delivered() {
		hook.Again(event.ID)
	}

	var status string
	var emails int
	check(db.QueryRow(`select status from payouts`).Scan(&status))
	check(db.QueryRow(`select count(*) from emails`).Scan(&emails))
	fmt.Println(status, emails)
	// Output: COMPLETED 1
}
