package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// lastLine returns the line on which a command prints a secret.
func lastLine(out string) string {
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	return lines[len(lines)-1]
}

// D-19: operators issue, rotate and revoke secrets, with effect from the next request of a running service.
func TestSecretsTakeEffectWithTheNextRequest(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		first := lastLine(o.done(t, "clients", "apply", "-f", file(t, acme)))
		s := servertest.New(t, func(c *server.Config) { c.Database, c.Sandbox = o.url, false })
		s.Clock.Set(time.Now())
		calls := func(when, secret string, want int) {
			t.Helper()
			resp, err := s.As(t, "acme", secret).CreateUserWithResponse(t.Context(), nil,
				api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US"})
			if err != nil || resp.StatusCode() != want {
				t.Errorf("%s: status %d, %v, want %d", when, resp.StatusCode(), err, want)
			}
		}
		fingerprint := func(secret string) string { return payout.HashSecret(secret)[:12] }
		calls("the first secret", first, http.StatusOK)
		calls("a wrong one", "x"+first, http.StatusUnauthorized)

		second := lastLine(o.done(t, "clients", "rotate-secret", "acme"))
		calls("the old secret after a rotation", first, http.StatusOK)
		calls("the new secret", second, http.StatusOK)
		o.refused(t, exitFailure, "two secrets are active already; end one of them before with payoutd clients revoke-secret, ...",
			"clients", "rotate-secret", "acme", "--grace=0s")
		s.Clock.Set(time.Now().Add(23 * time.Hour))
		calls("the old secret within the grace time", first, http.StatusOK)
		s.Clock.Set(time.Now().Add(25 * time.Hour))
		calls("the old secret after the grace time", first, http.StatusUnauthorized)
		calls("the new secret after the grace time", second, http.StatusOK)

		s.Clock.Set(time.Now().Add(time.Minute))
		if out := o.done(t, "clients", "revoke-secret", "acme", fingerprint(first)); !strings.Contains(out, "is revoked") {
			t.Error(out)
		}
		calls("a revoked secret", first, http.StatusUnauthorized)
		if out := o.done(t, "clients", "revoke-secret", "acme", fingerprint(first)); !strings.HasPrefix(out, "No change: ") {
			t.Error(out)
		}
		o.refused(t, exitFailure, "it is the last active secret of this client; ...", "clients", "revoke-secret", "acme", fingerprint(second))
		calls("the last secret", second, http.StatusOK)

		third := lastLine(o.done(t, "clients", "rotate-secret", "acme", "--grace=0s"))
		s.Clock.Set(time.Now().Add(time.Minute))
		calls("the old secret without a grace time", second, http.StatusUnauthorized)
		calls("the third secret", third, http.StatusOK)

		for _, c := range []struct {
			command, says string
			want          int
		}{
			{"disable", "Client acme is disabled.\n", http.StatusUnauthorized},
			{"disable", "No change: client acme is already disabled.\n", http.StatusUnauthorized},
			{"enable", "Client acme is enabled.\n", http.StatusOK},
			{"enable", "No change: client acme is already enabled.\n", http.StatusOK},
		} {
			if out := o.done(t, "clients", c.command, "acme"); out != c.says {
				t.Error(out)
			}
			calls(c.command, third, c.want)
		}
		o.done(t, "clients", "revoke-secret", "acme", fingerprint(third), "--force")
		s.Clock.Set(time.Now().Add(time.Minute))
		calls("the last secret, revoked by force", third, http.StatusUnauthorized)
		if out := o.done(t, "clients", "show", "acme"); strings.Count(out, ", expired ") != 3 {
			t.Error(out)
		}
		fourth := lastLine(o.done(t, "clients", "rotate-secret", "acme"))
		calls("a secret after none", fourth, http.StatusOK)
	})
}
