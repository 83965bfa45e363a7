package webhooks_test

import (
	"database/sql"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// An endpoint can be deleted while an attempt is recorded: the deletion waits for it.
func TestAnEndpointIsDeletedWhileAnAttemptIsRecorded(t *testing.T) {
	t.Parallel()
	if !servertest.OnPostgreSQL(t) {
		return // the writes of SQLite follow each other
	}
	s := delivering(t)
	in := newReceiver(t, func(int) int { return http.StatusOK })
	endpoint := register(t, s, in.URL)
	sent := ping(t, s, endpoint.ID)
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusDelivered, 1)

	tx, err := s.Beside(t).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for _, statement := range []string{
		`update webhook_deliveries set attempts = 2 where endpoint_id = $1`,
		`insert into webhook_attempts (client_id, endpoint_id, event_id, number, at, duration_ms, http_status, error)
			select client_id, endpoint_id, event_id, 2, at, duration_ms, http_status, error from webhook_attempts where endpoint_id = $1`,
	} {
		if _, err := tx.ExecContext(t.Context(), statement, endpoint.ID.String()); err != nil {
			t.Fatal(err)
		}
	}
	status := make(chan int, 1)
	go func() {
		r, err := s.Client.DeleteWebhookEndpointWithResponse(t.Context(), endpoint.ID)
		if err != nil {
			status <- 0
			return
		}
		status <- r.StatusCode()
	}()
	db := s.Beside(t)
	servertest.Await(t, time.Minute, "the deletion does not wait", func() (waits bool) {
		servertest.Rows(t, db, `select exists (select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`,
			func(rows *sql.Rows) error { return rows.Scan(&waits) })
		return waits
	})
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := <-status; got != http.StatusOK {
		t.Errorf("the deletion is answered %d", got)
	}
}
