package servertest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Tables are the tables that operations read after authentication.
var Tables = []string{
	"users", "cip_tags", "limit_usage", "funding_accounts", "receive_users", "bank_accounts", "wallet_accounts",
	"transactions", "documents", "idempotency_keys", "states", "payers", "banks", "events",
	"webhook_endpoints",
}

// Lose renames tables, and returns a function that restores them.
func Lose(t testing.TB, s *Server, tables ...string) (restore func()) {
	t.Helper()
	db := s.Beside(t)
	rename := func(suffixNow, suffixThen string) {
		for _, table := range tables {
			Exec(t, db, "alter table "+table+suffixNow+" rename to "+table+suffixThen)
		}
	}
	rename("", "_gone")
	return func() { rename("_gone", "") }
}

// WantOpaque fails the test unless the response is an error with the message of its code, which reveals nothing of the inside
// of the service.
func WantOpaque(t testing.TB, a Answer, status int, code api.ErrorCode) {
	t.Helper()
	e := a.Refusal(t, status, code)
	message := payout.NewError(payout.Code(code)).Message
	if e.Message != message || e.Details != nil || e.RequestID == "" || e.RequestID != a.Header.Get("X-Request-Id") {
		t.Errorf("answers %+v with X-Request-Id %q, want the message %q alone", e, a.Header.Get("X-Request-Id"), message)
	}
	for _, inside := range slices.Concat(Tables, []string{"sql", "table", "database", "clients", "_gone", ".go", ".db"}) {
		if strings.Contains(strings.ToLower(string(a.Body)), inside) {
			t.Errorf("the answer tells about %q: %s", inside, a.Body)
		}
	}
}

// WantInternalError fails the test unless the response is 500 INTERNAL_ERROR without details.
func WantInternalError(t testing.TB, a Answer) {
	t.Helper()
	WantOpaque(t, a, http.StatusInternalServerError, api.ErrorCodeInternalError)
}

// WantUnavailable fails the test unless the response is 503 SERVICE_UNAVAILABLE with Retry-After.
func WantUnavailable(t testing.TB, a Answer) {
	t.Helper()
	WantOpaque(t, a, http.StatusServiceUnavailable, api.ErrorCodeServiceUnavailable)
	if got := a.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After is %q, want 1", got)
	}
}

// Serve serves a sandbox from a handler that keeps running when the service behind it is closed.
func Serve(t testing.TB, c server.Config) (*Server, *server.Server) {
	t.Helper()
	c.Sandbox = true
	srv, err := server.New(t.Context(), c)
	if err != nil {
		t.Fatalf("start server: %v", err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	s := &Server{URL: web.URL, Contract: Contract(t)}
	s.HTTP = &http.Client{Transport: Checked(t, s.Contract, web.Client().Transport)}
	s.Client = s.As(t, server.SandboxClients[0].ID, server.SandboxClients[0].Secret)
	return s, srv
}

// Await waits until done, and fails the test with otherwise after patience.
func Await(t testing.TB, patience time.Duration, otherwise string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s within %s", otherwise, patience)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// WantSound fails the test for every difference that `payoutd check` reports.
func WantSound(t testing.TB, databaseURL string) {
	t.Helper()
	db, err := store.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it was only read
	if _, err := db.Check(t.Context(), func(d store.Difference) error {
		t.Errorf("check finds %+v", d)
		return nil
	}); err != nil {
		t.Error(err)
	}
}
