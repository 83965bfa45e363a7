package conformance_test

import (
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Our server passes in each condition that an operator can put it in, and the run calls every operation.
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

// A server that is in order does not pass as one that is in a condition.
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
		if report.ExitCode() != 1 {
			t.Errorf("%s: %v", condition, report.Counts)
		}
	}
}
