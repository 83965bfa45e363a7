package operations_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// D-73: the doc_url of an error leads to its code on the page that the same service serves. That every error has the doc_url of
// its code is checked wherever a test reads one.
func TestErrorsLeadToTheirCodes(t *testing.T) {
	t.Parallel()
	for name, sandbox := range map[string]bool{"sandbox": true, "production": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t, func(c *server.Config) { c.Sandbox = sandbox })
			e := servertest.Call(t, s, http.MethodGet, "/nowhere", nil).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
			path, anchor, _ := strings.Cut(*e.DocURL, "#")
			text := string(page(t, s, path, "text/html").Body)
			for _, code := range payout.Codes() {
				id := strings.Replace(anchor, string(e.Code), string(code), 1)
				if n := strings.Count(text, ` id="`+id+`"`); n != 1 {
					t.Errorf("%d elements of %s are %s", n, path, id)
				}
			}
		})
	}
}
