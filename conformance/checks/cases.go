package checks

import "github.com/crossborder-payouts/payouts/conformance/probe"

// testCase is one of several cases of a check. Every message about it begins with its name.
type testCase struct {
	name  string
	needs probe.Need // Extensions: left out in profile document
	run   func(*probe.T)
}

// of makes a case.
func of(name string, run func(*probe.T)) testCase { return testCase{name: name, run: run} }

// extended makes a case that needs extensions.
func extended(name string, run func(*probe.T)) testCase {
	return testCase{name: name, needs: probe.Extensions, run: run}
}

// each makes a check of cases, which run one after the other.
func each(cases ...testCase) func(*probe.T) {
	return func(t *probe.T) {
		for _, c := range cases {
			if t.Full() || c.needs == 0 {
				t.Case(c.name, func() { c.run(t) })
			}
		}
	}
}
