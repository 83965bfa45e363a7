package httpapi

import (
	"context"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// What fails outside of the operations is not stored either.
func TestFailuresAreNotStored(t *testing.T) {
	t.Parallel()
	for status, ready := range map[int]func(context.Context) error{
		http.StatusInternalServerError: func(context.Context) error { panic("a defect") },
		http.StatusServiceUnavailable:  func(context.Context) error { return payout.NewError(payout.CodeServiceUnavailable) },
	} {
		w := serve(newHandler(t, func(c *Config) { c.Ready = ready }), http.MethodGet, "/readyz", "")
		if w.Code != status || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%d with %v, want %d", w.Code, w.Header(), status)
		}
	}
}
