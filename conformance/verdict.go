package conformance

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// Verdict is the conclusion of a run.
type Verdict string

// Verdicts. A run that leaves out checks of its profile and condition is never [Conformant].
const (
	Conformant    Verdict = "CONFORMANT"     // every check of the profile and condition ran and passed
	Incomplete    Verdict = "INCOMPLETE"     // nothing failed, but some of them did not run
	NotConformant Verdict = "NOT CONFORMANT" // the server breaks a rule
	NotJudged     Verdict = "NOT JUDGED"     // the suite could not judge the server
)

// ExitCode is the exit code of the program for a verdict.
func (v Verdict) ExitCode() int {
	return slices.Index([]Verdict{Conformant, NotConformant, NotJudged, Incomplete}, v)
}

// notChosen is the reason for a check that only the filter disables.
const notChosen = "not selected by the filter"

// Omission is a reason for checks that did not run.
type Omission struct {
	Reason  string `json:"reason"`
	Checks  int    `json:"checks"`
	Outside bool   `json:"outside,omitempty"` // of the profile or the condition, so that the verdict does not depend on them
}

// omissions counts the checks that did not run by reason: those that matter to the verdict first, then by number.
func omissions(results []Result) []Omission {
	var all []Omission
	for _, r := range results {
		if r.Status > probe.Skipped {
			continue
		}
		counted := map[string]bool{} // once, although several cases of a check may be skipped for it
		for _, message := range r.Messages {
			reason := strings.TrimSpace(message[strings.LastIndex(message, ": ")+1:]) // without the name of the case
			if counted[reason] {
				continue
			}
			counted[reason] = true
			i := slices.IndexFunc(all, func(o Omission) bool { return o.Reason == reason })
			if i < 0 {
				i = len(all)
				all = append(all, Omission{Reason: reason, Outside: r.Status == probe.Disabled && reason != notChosen})
			}
			all[i].Checks++
		}
	}
	slices.SortStableFunc(all, func(a, b Omission) int {
		switch {
		case a.Outside == b.Outside:
			return cmp.Compare(b.Checks, a.Checks)
		case b.Outside:
			return -1
		default:
			return 1
		}
	})
	return all
}

// conclude derives the verdict from the other fields of a report.
func (r *Report) conclude() Verdict {
	left := slices.ContainsFunc(r.NotRun, func(o Omission) bool { return !o.Outside })
	switch {
	case r.Problem != "":
		return NotJudged
	case r.Counts[probe.Failed.String()] > 0:
		return NotConformant
	case r.Counts[probe.Error.String()] > 0:
		return NotJudged
	case left:
		return Incomplete
	default:
		return Conformant
	}
}
