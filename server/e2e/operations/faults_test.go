package operations_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Every operation answers 200 without faults, so that the errors below are due to the faults.
func TestEveryOperationAnswers200(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			if a := w.Send(t, s, op); a.Status != http.StatusOK {
				t.Errorf("status %d: %s", a.Status, a.Body)
			}
		})
	}
}

// D-08: with a damaged database every operation answers 500 without details, and works again after the repair.
func TestDamagedDatabaseAnswers500(t *testing.T) {
	t.Parallel()
	for name, tables := range map[string][]string{
		"before the client is known": {"clients"}, "after the client is known": servertest.Tables,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			w := servertest.NewWorld(t, s.Client)
			restore := servertest.Lose(t, s, tables...)
			for _, op := range s.Contract.Operations() {
				t.Run(op.ID, func(t *testing.T) { servertest.WantInternalError(t, w.Send(t, s, op)) })
			}
			restore()
			for _, op := range s.Contract.Operations() {
				t.Run(op.ID+" repaired", func(t *testing.T) {
					if a := w.Send(t, s, op); a.Status != http.StatusOK {
						t.Errorf("status %d: %s", a.Status, a.Body)
					}
				})
			}
		})
	}
}

// Only operations that return documents read them.
func TestDocumentsAreReadOnlyToBeShown(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	servertest.Lose(t, s, "documents")
	shows := []string{"getUser", "getTransaction", "listTransactions", "updateUser", "createDocuments", "listUsers",
		"listClientTransactions", "setTransactionStatus", "cancelTransaction"}
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			a := w.Send(t, s, op)
			if slices.Contains(shows, op.ID) {
				servertest.WantInternalError(t, a)
			} else if a.Status != http.StatusOK {
				t.Errorf("reads documents; if its answer shows them, it belongs to those that do: status %d: %s", a.Status, a.Body)
			}
		})
	}
}

// A row that cannot be decoded is a 500, too.
func TestUnreadableRowAnswers500(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	servertest.Exec(t, s.Beside(t), `update users set profile = '{"first_name":'`)
	servertest.WantInternalError(t, servertest.Call(t, s, http.MethodGet, "/users/"+w["user_id"], nil))
}

// D-08: while the store is unavailable every operation answers 503 with Retry-After, as does /readyz, but not /healthz.
func TestClosedStoreAnswers503(t *testing.T) {
	t.Parallel()
	s, srv := servertest.Serve(t, server.Config{Database: servertest.Database(t)})
	w := servertest.NewWorld(t, s.Client)
	page := func(path string, status int, body string) {
		t.Helper()
		resp, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text := make([]byte, 100)
		n, _ := resp.Body.Read(text)
		if resp.StatusCode != status || string(text[:n]) != body {
			t.Errorf("%s answers %d %q, want %d %q", path, resp.StatusCode, text[:n], status, body)
		}
	}
	page("/readyz", http.StatusOK, "ready\n")
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) { servertest.WantUnavailable(t, w.Send(t, s, op)) })
	}
	page("/readyz", http.StatusServiceUnavailable, "not ready\nThe database does not answer.\n")
	page("/healthz", http.StatusOK, "ok\n")
}

// Every operation answers 503 to a request that takes longer than the timeout.
func TestTimeoutAnswers503(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Timeout = time.Nanosecond })
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) { servertest.WantUnavailable(t, servertest.Nowhere().Send(t, s, op)) })
	}
}
