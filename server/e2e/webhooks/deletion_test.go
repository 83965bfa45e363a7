package webhooks_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
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
	whileAnAttemptIsRecorded(t, s, endpoint, func() error {
		r, err := s.Client.DeleteWebhookEndpointWithResponse(t.Context(), endpoint.ID)
		if err == nil && r.StatusCode() != http.StatusOK {
			err = fmt.Errorf("status %d: %s", r.StatusCode(), r.Body)
		}
		return err
	})
}

// So can an old event.
func TestAnEventIsDeletedWhileAnAttemptIsRecorded(t *testing.T) {
	t.Parallel()
	if !servertest.OnPostgreSQL(t) {
		return // the writes of SQLite follow each other
	}
	s := delivering(t)
	in := newReceiver(t, func(int) int { return http.StatusOK })
	endpoint := register(t, s, in.URL)
	servertest.Verify(t, s.Client, servertest.NewUser(t, s.Client).ID, api.KycStatusVerified)
	servertest.Await(t, time.Minute, "nothing is delivered", func() bool {
		r, err := s.Client.ListWebhookDeliveriesWithResponse(t.Context(), endpoint.ID,
			&api.ListWebhookDeliveriesParams{Status: servertest.Ptr(api.WebhookDeliveryStatusDelivered)})
		return len(servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items) > 0
	})
	db, err := store.Connect(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	whileAnAttemptIsRecorded(t, s, endpoint, func() error {
		n, _, err := db.DeleteEvents(t.Context(), "sandbox", 0, time.Now().Add(time.Hour), 100)
		if err == nil && n == 0 {
			err = errors.New("no event is deleted")
		}
		return err
	})
	if _, conflicts, other := db.Failures(); conflicts+other > 0 {
		t.Errorf("%d conflicts and %d other failures of the database", conflicts, other)
	}
}

// whileAnAttemptIsRecorded wants act to wait until an attempt of the one delivery of an endpoint is written.
func whileAnAttemptIsRecorded(t testing.TB, s *servertest.Server, endpoint api.WebhookEndpoint, act func() error) {
	t.Helper()
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
	done := make(chan error, 1)
	go func() { done <- act() }()
	db := s.Beside(t)
	servertest.Await(t, time.Minute, "the deletion does not wait", func() (waits bool) {
		servertest.Rows(t, db, `select exists (select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`,
			func(rows *sql.Rows) error { return rows.Scan(&waits) })
		return waits
	})
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
