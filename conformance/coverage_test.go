package conformance_test

import (
	"testing"

	"github.com/crossborder-payouts/payouts/conformance/coverage"
)

// The runs in all conditions together exercise everything that the contract declares: each operation with each of its
// statuses and codes, each parameter and request member with valid and invalid values, each response member.
func TestTheSuiteCoversTheContract(t *testing.T) {
	t.Parallel()
	var all []coverage.Report
	for _, run := range []*sharedRun{fullRun, documentRun, rateLimitedRun, unavailableRun, brokenRun} {
		all = append(all, run.get(t).Coverage)
	}
	for _, missing := range coverage.Merge(all...).Missing {
		t.Error(missing)
	}
}
