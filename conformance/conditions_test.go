package conformance_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Our server passes in every condition, and each of those runs calls every operation.
func TestOurServerPassesInEveryCondition(t *testing.T) {
	t.Parallel()
	for condition, run := range map[probe.Condition]*sharedRun{
		probe.RateLimited: rateLimitedRun, probe.Unavailable: unavailableRun, probe.Broken: brokenRun,
	} {
		t.Run(string(condition), func(t *testing.T) {
			t.Parallel()
			report := run.get(t)
			allPassed(t, report)
			for _, c := range checks.All() {
				i := slices.IndexFunc(report.Results, func(r conformance.Result) bool { return r.ID == c.ID })
				if ran := report.Results[i].Status != probe.Disabled; ran != (c.Condition == condition) {
					t.Errorf("%s is %s", c.ID, report.Results[i].Status)
				}
			}
			for _, o := range report.Coverage.Operations {
				if o.ID != "" && o.Answered == 0 {
					t.Errorf("%s was not called", o.ID)
				}
			}
		})
	}
}

// A rate limit is not a failure: the suite waits, even with a request of the maximum size.
func TestTheSuiteKeepsToARateLimit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.RateLimit = 3 })
	var waits atomic.Int32
	target := sandbox(s.URL)
	target.Transport = answering(func(status int) {
		if status == http.StatusTooManyRequests {
			waits.Add(1)
		}
	})
	report, err := conformance.Run(t.Context(), conformance.Target{
		Target: target, Parallel: 1, Only: conformance.Filter{IDs: []string{"http.size", "reference.banks.single"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status > probe.Passed {
			t.Errorf("%s %s: %s", r.Status, r.ID, r.Messages)
		}
	}
	if waits.Load() == 0 {
		t.Error("the limit was never met")
	}
}

// answering is a transport that reports the status of each response.
type answering func(status int)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		a(res.StatusCode)
	}
	return res, err
}

// A server in normal condition fails the checks of the other conditions.
func TestAServerInOrderFailsInEveryOtherCondition(t *testing.T) {
	t.Parallel()
	url := servertest.New(t).URL
	for condition, id := range map[probe.Condition]string{
		probe.RateLimited: "errors.rate-limited", probe.Unavailable: "errors.unavailable", probe.Broken: "errors.internal",
	} {
		report, err := conformance.Run(t.Context(), conformance.Target{
			Target: inCondition(url, condition), Only: conformance.Filter{IDs: []string{id}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != conformance.NotConformant {
			t.Errorf("%s: %s %v", condition, report.Verdict, report.Counts)
		}
	}
}
