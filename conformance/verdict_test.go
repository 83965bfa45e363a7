package conformance_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// withoutTransactions is a proxy that answers 500 where the server creates a transaction.
func withoutTransactions(t *testing.T, works string) string {
	t.Helper()
	at, err := url.Parse(works)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method == http.MethodPost && strings.HasSuffix(r.Request.URL.Path, "/transactions") && r.StatusCode == http.StatusOK {
			text := `{"status":500,"code":"INTERNAL_ERROR","message":"no","request_id":"` + r.Header.Get("X-Request-Id") + `"}`
			_ = r.Body.Close()
			r.StatusCode, r.Body, r.ContentLength = http.StatusInternalServerError, io.NopCloser(strings.NewReader(text)), int64(len(text))
			r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		}
		return nil
	}
	web := httptest.NewServer(proxy)
	t.Cleanup(web.Close)
	return web.URL
}

// A verdict claims no more than the run has shown.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	works := servertest.New(t, func(c *server.Config) { c.Now = time.Now }).URL // created_at is compared with the time
	broken := withoutTransactions(t, works)
	for name, tc := range map[string]struct {
		url     string
		profile probe.Profile
		alone   bool // without a second client
		only    conformance.Filter
		want    conformance.Verdict
		exit    int
		notRun  string // a reason for that
	}{
		"no transaction works, in profile full":                       {broken, probe.Full, false, conformance.Filter{}, conformance.NotConformant, 1, ""},
		"no transaction works, and a second client is missing":        {broken, probe.Full, true, conformance.Filter{}, conformance.NotConformant, 1, "no credentials of a second client"},
		"no transaction works, and the fixtures to create one either": {broken, probe.Document, false, conformance.Filter{}, conformance.Incomplete, 3, "the fixtures name no sender"},
		"a filter":                 {works, probe.Full, false, conformance.Filter{IDs: []string{"reference"}}, conformance.Incomplete, 3, "not selected by the filter"},
		"no fixtures":              {works, probe.Document, false, conformance.Filter{}, conformance.Incomplete, 3, "the fixtures name no sender"},
		"no second client":         {works, probe.Full, true, conformance.Filter{}, conformance.Incomplete, 3, "no credentials of a second client"},
		"a filter and a violation": {broken, probe.Full, false, conformance.Filter{Operations: []string{"createTransaction"}}, conformance.NotConformant, 1, "not selected by the filter"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := sandbox(tc.url)
			target.Profile = tc.profile
			if tc.alone {
				target.OtherClientID, target.OtherClientSecret = "", ""
			}
			report, err := conformance.Run(t.Context(), conformance.Target{Target: target, Only: tc.only})
			if err != nil {
				t.Fatal(err)
			}
			if report.Verdict != tc.want || report.Verdict.ExitCode() != tc.exit || report.Problem != "" {
				t.Errorf("%s, exit %d, %v %q; want %s", report.Verdict, report.Verdict.ExitCode(), report.Counts, report.Problem, tc.want)
				for _, r := range report.Results {
					if r.Status >= probe.Failed && tc.want != conformance.NotConformant {
						t.Logf("%s %s: %s", r.Status, r.ID, r.Messages)
					}
				}
			}
			said := tc.notRun == "" || slices.ContainsFunc(report.NotRun, func(o conformance.Omission) bool {
				return strings.HasPrefix(o.Reason, tc.notRun) && o.Checks > 0 && !o.Outside
			})
			if !said {
				t.Errorf("it does not say %q but %+v", tc.notRun, report.NotRun)
			}
			for _, o := range report.NotRun {
				if strings.Contains(o.Reason, ": ") || o.Checks > report.Counts["skipped"]+report.Counts["disabled"] {
					t.Errorf("%d times %q is no reason without the name of a case", o.Checks, o.Reason)
				}
			}
			if report.Given.SecondClient == tc.alone {
				t.Error("it does not say who asked")
			}
		})
	}
}
