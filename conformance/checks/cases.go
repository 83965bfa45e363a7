package checks

import "github.com/crossborder-payouts/payouts/conformance/probe"

// testCase is one of several cases of a check. Every message about it begins with its name.
type testCase struct {
	name string
	run  func(*probe.T)
}

// each makes a check of cases, which run one after the other.
func each(cases ...testCase) func(*probe.T) {
	return func(t *probe.T) {
		for _, c := range cases {
			t.Case(c.name, func() { c.run(t) })
		}
	}
}
