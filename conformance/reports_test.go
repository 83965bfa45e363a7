package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance/report"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// reportsVariable is the folder for the reports of make conform.
const reportsVariable = "CONFORM_REPORT"

// TestReports writes the reports of all runs on the database of the tests, and prints a line for each.
func TestReports(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(reportsVariable)
	if dir == "" {
		t.Skip(reportsVariable + " names no folder; make conform sets it")
	}
	engine := "sqlite"
	if servertest.OnPostgreSQL(t) {
		engine = "postgres"
	}
	for _, run := range []struct {
		name string
		*sharedRun
	}{
		{"full", fullRun}, {"document", documentRun},
		{"rate-limited", rateLimitedRun}, {"unavailable", unavailableRun}, {"broken", brokenRun},
	} {
		t.Run(run.name, func(t *testing.T) {
			r := run.get(t)
			into := filepath.Join(dir, engine+"-"+run.name)
			if err := report.Write(into, r); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(os.Stdout, "%-22s %s\n", engine+"-"+run.name, report.Summary(r))
			allPassed(t, r)
		})
	}
}
