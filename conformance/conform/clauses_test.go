package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
)

func TestClausesFileIsCurrent(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	if err := writeClauses(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../CLAUSES.md")
	if err != nil || string(got) != want.String() {
		t.Errorf("CLAUSES.md is not what the checks make; run make generate (%v)", err)
	}
}

func TestEveryClauseHasACheckAndEveryDecisionOfACheckExists(t *testing.T) {
	t.Parallel()
	all, err := conformance.Checks()
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := os.ReadFile("../../openapi/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	var held []string
	for _, c := range all {
		held = append(held, c.Clauses...)
		for _, id := range c.Clauses {
			if strings.HasPrefix(id, "D-") && !strings.Contains(string(decisions), "\n## "+id+" ") {
				t.Errorf("%s holds %s, which decisions.md does not have", c.ID, id)
			}
		}
	}
	for _, clause := range checks.Clauses() {
		if !slices.Contains(held, clause.ID) {
			t.Errorf("no check holds %s: %s", clause.ID, clause.Text)
		}
	}
}
