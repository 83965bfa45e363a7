package conformance

import (
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// A limit does not count after midnight what was sent before it.
func TestACheckOverMidnightIsRunAgain(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 3, 14, 23, 59, 59, 0, time.UTC)
	for name, tc := range map[string]struct {
		took  time.Duration
		fails int // times
		want  probe.Status
		runs  int
	}{
		"a failure within the day stands":            {time.Millisecond, 1, probe.Failed, 1},
		"a failure over midnight counts for nothing": {time.Second, 1, probe.Passed, 2},
		"a failure after midnight stands":            {time.Second, 2, probe.Failed, 2},
		"a pass over midnight stands":                {time.Second, 0, probe.Passed, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := newRun(Target{Target: probe.Target{URL: "http://127.0.0.1:1", ClientID: "acme", ClientSecret: "of-acme"}})
			if err != nil {
				t.Fatal(err)
			}
			now, runs := before, 0
			r.now = func() time.Time { return now }
			outcome := r.runCheck(t.Context(), probe.Check{ID: "a.check", Run: func(p *probe.T) {
				now = now.Add(tc.took)
				runs++
				p.Expect(runs > tc.fails, "answered %d", http.StatusConflict)
			}})
			if outcome.Status != tc.want || runs != tc.runs {
				t.Errorf("%v after %d runs, want %v after %d", outcome.Status, runs, tc.want, tc.runs)
			}
		})
	}
}
