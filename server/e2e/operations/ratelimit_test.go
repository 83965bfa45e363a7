package operations_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-28: every operation answers 429 with Retry-After beyond the burst of a client. Other clients, and callers with wrong
// credentials, do not share its limit.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.RateLimit = 1 })
	for i := range 2 { // the burst
		a := servertest.Call(t, s, http.MethodGet, "/payers", nil)
		if a.Status != http.StatusOK {
			t.Fatalf("status %d within the burst: %s", a.Status, a.Body)
		}
		if got, want := a.Header.Get("RateLimit"), `"client";r=1;t=1`; i == 0 && got != want {
			t.Errorf("RateLimit is %s, want %s", got, want)
		}
		if got, want := a.Header.Get("RateLimit-Policy"), `"client";q=2;w=2`; got != want {
			t.Errorf("RateLimit-Policy is %s, want %s", got, want)
		}
	}
	for _, op := range s.Contract.Operations() {
		t.Run(op.ID, func(t *testing.T) {
			w := servertest.Nowhere()
			for range 100 {
				a := w.Send(t, s, op)
				if a.Status != http.StatusTooManyRequests {
					continue
				}
				servertest.WantOpaque(t, a, http.StatusTooManyRequests, api.ErrorCodeRateLimited)
				if wait, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || wait < 1 {
					t.Errorf("Retry-After is %q, want at least 1 second", a.Header.Get("Retry-After"))
				}
				return
			}
			t.Error("100 requests at once were let through")
		})
	}
	payers := func(headers ...string) servertest.Answer {
		return servertest.Call(t, s, http.MethodGet, "/payers", nil, headers...)
	}
	for range 10 {
		payers("X-Client-Id", server.SandboxClients[1].ID).Refusal(t, http.StatusUnauthorized, api.ErrorCodeUnauthorized)
	}
	if a := payers(servertest.AsOther...); a.Status != http.StatusOK {
		t.Errorf("the other client got status %d: %s", a.Status, a.Body)
	}
}
