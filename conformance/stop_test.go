package conformance_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// A run ends at the maximum number of failures; checks that were running or waiting neither pass nor fail. Responses that
// break the schema count immediately, before the checks that judge them.
func TestARunStopsAtItsMostFailures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body string
		only conformance.Filter
		most int
	}{
		"a check that fails":           {`{"no":"error"}`, conformance.Filter{IDs: []string{"users", "limits"}}, 3},
		"an answer against the schema": {`[{"id":"one"}]`, conformance.Filter{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(tc.body))
			}))
			defer web.Close()
			report, err := conformance.Run(t.Context(), conformance.Target{
				Target: sandbox(web.URL), Only: tc.only, Parallel: 1, MaxFailures: tc.most,
			})
			if err != nil {
				t.Fatal(err)
			}
			if report.Verdict != conformance.NotConformant || report.Counts["failed"] != tc.most {
				t.Errorf("%s, %v", report.Verdict, report.Counts)
			}
			notRun := 0
			for _, r := range report.Results {
				if r.Status == probe.Skipped && strings.HasPrefix(r.Messages[0], "not run because the run stopped at ") {
					notRun++
				}
			}
			if notRun == 0 || notRun != report.Counts["skipped"] {
				t.Errorf("%d of %v not run", notRun, report.Counts)
			}
		})
	}
}
