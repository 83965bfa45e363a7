package conformance_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// The sandbox with its two clients has everything that a check needs: nothing is skipped.
func TestOurServerPassesEveryCheck(t *testing.T) {
	t.Parallel()
	allPassed(t, fullRun.get(t))
}

// sandbox returns a target for a sandbox with its two clients.
func sandbox(url string) probe.Target {
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	return probe.Target{
		URL: url, ClientID: first.ID, ClientSecret: first.Secret, OtherClientID: second.ID, OtherClientSecret: second.Secret,
		Timeout: 2 * time.Minute, // beside other tests
	}
}

// Ids identify checks in filters, reports and mutants; the clauses and operations of a check must exist.
func TestChecksNameWhatExists(t *testing.T) {
	t.Parallel()
	compiled, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	var operations []string
	for _, op := range compiled.Operations() {
		operations = append(operations, op.ID)
	}
	isID := regexp.MustCompile(`^[a-z0-9-]+(\.[a-zA-Z0-9-]+)+$`) // an operationId is written as in the contract
	isDecision := regexp.MustCompile(`^D-[0-9]{2}$`)
	isClause := func(id string) bool {
		return isDecision.MatchString(id) ||
			slices.ContainsFunc(checks.Clauses(), func(c checks.Clause) bool { return c.ID == id })
	}
	seen := map[string]bool{}
	for _, c := range slices.Concat(checks.All(), checks.Contract(compiled)) {
		for problem, found := range map[string]bool{
			"is not a dotted id":              !isID.MatchString(c.ID),
			"is there twice":                  seen[c.ID],
			"has no title":                    c.Title == "",
			"has no fix":                      c.Fix == "",
			"holds no clause":                 len(c.Clauses) == 0,
			"ends its title with a full stop": strings.HasSuffix(c.Title, "."),
		} {
			if found {
				t.Errorf("check %s %s", c.ID, problem)
			}
		}
		seen[c.ID] = true
		for _, clause := range c.Clauses {
			if !isClause(clause) {
				t.Errorf("check %s holds %q, which is no clause", c.ID, clause)
			}
		}
		for _, op := range c.Operations {
			if !slices.Contains(operations, op) {
				t.Errorf("check %s is about %q, which is no operation", c.ID, op)
			}
		}
	}
}

// Less than a yen cannot be paid out, but a cent can be sent.
func TestLimitsAreJudgedWhereTheReceivingCurrencyHasNoDecimals(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Now = time.Now })
	target := sandbox(s.URL)
	target.Facts.Destination = "JP"
	report, err := conformance.Run(t.Context(), conformance.Target{Target: target, Only: conformance.Filter{IDs: []string{"limits.tier"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status != probe.Passed && r.Status != probe.Disabled {
			t.Errorf("%s %s: %s", r.Status, r.ID, strings.Join(r.Messages, "\n\t"))
		}
	}
}
