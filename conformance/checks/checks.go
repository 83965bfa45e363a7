package checks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// All returns the checks in the order in which a reader of the interface document meets their subjects.
func All() []probe.Check {
	return slices.Concat(
		reference(),
		users(),
		verification(),
		information(),
		limits(),
		accounts(),
		transactions(),
		events(),
		webhooks(),
		lifecycle(),
		previews(),
		lists(),
		webhooksReceived(),
		idempotency(),
		authentication(),
		isolation(),
		validation(),
		httpRules(),
		notFoundRules(),
		errorRules(),
	)
}

const contractPrefix = "contract."

// Contract returns one check for each operation, and one for requests that match none, about all answers of a run: they
// keep the contract. They have nothing to run; the runner judges them at the end.
func Contract(c *contract.Contract) []probe.Check {
	all := []probe.Check{{
		ID:      contractPrefix + "errors",
		Title:   "Every refusal of a request that matches no operation has the error body",
		Clauses: []string{"7-body", "D-08"},
		Fix:     "Answer unknown paths and methods with the body Error and the header X-Request-Id, as all other failures.",
	}}
	compiled := c.Operations()
	slices.SortStableFunc(compiled, func(a, b *contract.Operation) int { return cmp.Compare(placeOf(a.ID), placeOf(b.ID)) })
	for _, op := range compiled {
		all = append(all, probe.Check{
			ID:         contractPrefix + op.ID,
			Title:      "Every answer of " + op.Method + " " + op.Path + " keeps the contract: declared status, headers, members, types and formats",
			Clauses:    []string{"D-08", "D-14"},
			Operations: []string{op.ID},
			Needs:      needsOf(op.ID),
			Fix:        "Compare the answer with the schema of this status in openapi.yaml; each message names the place and what is expected there.",
		})
	}
	return all
}

// ContractOperation returns the operation that a check of [Contract] is about, "" for requests that match none.
func ContractOperation(c probe.Check) string {
	if len(c.Operations) == 0 {
		return ""
	}
	return strings.TrimPrefix(c.ID, contractPrefix)
}
