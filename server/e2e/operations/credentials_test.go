package operations_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-19: every operation answers the same 401 to missing, unknown and wrong credentials, before any other check.
func TestCredentialsThatNameNoClient(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	db := s.Beside(t)
	servertest.Exec(t, db,
		`insert into clients (id, name, profile, disabled, created_at) values ('disabled', 'D', '{}', true, 0)`,
		`insert into clients (id, name, profile, disabled, created_at) values ('expired', 'E', '{}', false, 0)`,
		`insert into client_secrets (client_id, hash, created_at, expires_at) select 'disabled', hash, 0, null from client_secrets where client_id = 'sandbox'`,
		`insert into client_secrets (client_id, hash, created_at, expires_at) select 'expired', hash, 0, 1 from client_secrets where client_id = 'sandbox'`)
	watch := servertest.NewWatch(db)
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	for _, op := range s.Contract.Operations() {
		for _, c := range []struct{ name, id, secret string }{
			{"none", "-", "-"},
			{"id alone", first.ID, "-"},
			{"secret alone", "-", first.Secret},
			{"empty id", "", first.Secret},
			{"empty secret", first.ID, ""},
			{"wrong secret", first.ID, first.Secret + "x"},
			{"secret in another case", first.ID, strings.ToUpper(first.Secret)},
			{"unknown client", "nobody", first.Secret},
			{"secret of another client", first.ID, second.Secret},
			{"disabled client", "disabled", first.Secret},
			{"expired secret", "expired", first.Secret},
		} {
			t.Run(op.ID+"/"+c.name, func(t *testing.T) {
				h := servertest.Headers("X-Client-Id", c.id, "X-Client-Secret", c.secret, "Content-Type", "text/plain")
				for name, values := range h {
					if values[0] == "-" {
						h.Del(name)
					}
				}
				watch.Unchanged(t, func() {
					body := w.Body(t, op)
					a := servertest.Do(t, s, op.Method, w.Path(t, op), h, bytes.NewReader(body), int64(len(body)))
					e := a.Refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
					if got, want := a.Header.Get("WWW-Authenticate"), `Client headers="X-Client-Id X-Client-Secret"`; got != want {
						t.Errorf("WWW-Authenticate is %q, want %q", got, want)
					}
					if e.Message != payout.NewError(payout.CodeUnauthorized).Message || e.Details != nil {
						t.Errorf("answers %+v, which tells more than the others", e)
					}
				})
			})
		}
	}
}
