package conformance_test

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/servertest/subject"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// commitVariable names the commit that make conform runs, for the reports.
const commitVariable = "CONFORM_COMMIT"

// sharedRun is a run that several tests examine; it is executed once.
type sharedRun struct {
	once   sync.Once
	target func(t *testing.T) probe.Target
	report *conformance.Report
}

// get returns the report of the run.
func (r *sharedRun) get(t *testing.T) *conformance.Report {
	t.Helper()
	if servertest.OnPostgreSQL(t) {
		if err := pgtest.Available(); err != nil {
			pgtest.Missing(t, err) // each test says so, not the first one alone
		}
	}
	r.once.Do(func() {
		report, err := conformance.Run(t.Context(), conformance.Target{Target: r.target(t), Commit: os.Getenv(commitVariable)})
		if err != nil {
			t.Fatal(err)
		}
		r.report = report
	})
	if r.report == nil {
		t.Fatal("the run failed; see the test that started it")
	}
	return r.report
}

var (
	fullRun = &sharedRun{target: func(t *testing.T) probe.Target {
		s := servertest.New(t, func(c *server.Config) {
			c.Now = time.Now        // created_at is compared with the time
			c.RateLimit = 1_000_000 // never met, but in the headers
			c.FailureLimit = 300    // the default of the program
			c.WebhooksOff = false
		})
		target := sandbox(s.URL)
		target.Receiver = "127.0.0.1:0"
		return target
	}}
	rateLimitedRun = &sharedRun{target: func(t *testing.T) probe.Target {
		s := servertest.New(t, func(c *server.Config) { c.RateLimit, c.FailureLimit = 1, 300 })
		return inCondition(s.URL, probe.RateLimited)
	}}
	unavailableRun = &sharedRun{target: func(t *testing.T) probe.Target {
		return inCondition(subject.Unavailable(t), probe.Unavailable)
	}}
	brokenRun = &sharedRun{target: func(t *testing.T) probe.Target {
		return inCondition(subject.Broken(t).URL, probe.Broken)
	}}
)

func inCondition(url string, condition probe.Condition) probe.Target {
	target := sandbox(url)
	target.Condition = condition
	return target
}

// allPassed fails the test unless every check of the profile and condition ran and passed.
func allPassed(t *testing.T, report *conformance.Report) {
	t.Helper()
	t.Logf("%s, %s: %v in %v", report.Profile, report.Condition, report.Counts, report.Duration.Round(time.Millisecond))
	if report.Verdict != conformance.Conformant || report.Counts[probe.Passed.String()] == 0 {
		t.Errorf("%s %v %s", report.Verdict, report.NotRun, report.Problem)
	}
	for _, r := range report.Results {
		if r.Status > probe.Passed || r.Status == probe.Skipped {
			t.Errorf("%s %s: %s\n\t%s", r.Status, r.ID, r.Title, strings.Join(r.Messages, "\n\t"))
		}
	}
}
