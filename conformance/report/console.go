package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// maxConsoleMessages is the number of messages shown per check; the other formats have all.
const maxConsoleMessages = 5

var marks = map[probe.Status]string{
	probe.Disabled: "·", probe.Skipped: "–", probe.Passed: "✓", probe.Failed: "✗", probe.Error: "!",
}

var colours = map[probe.Status]string{
	probe.Disabled: "2", probe.Skipped: "33", probe.Passed: "32", probe.Failed: "31;1", probe.Error: "35;1",
}

// Console writes the checks as a tree with failures and how to fix them, and the verdict in the last line. Disabled checks
// are only counted.
func Console(w io.Writer, r *conformance.Report, colour bool) error {
	p := printer{Writer: bufio.NewWriter(w), colour: colour}
	fmt.Fprintf(p, "Conformance of %s\n", r.URL)
	if r.Problem != "" {
		fmt.Fprintf(p, "\n%s\n", p.in(probe.Error, r.Problem))
	}
	for _, g := range groups(r) {
		if g.Status > probe.Disabled && !sameProblem(r, g) {
			p.group(g)
		}
	}
	fmt.Fprintln(p)
	for _, f := range facts(r) {
		fmt.Fprintf(p, "%-21s %s\n", f.Name+":", f.Value)
	}
	p.notRun("Not run:", r.NotRun, false)
	p.notRun("Not part of this run:", r.NotRun, true)
	fmt.Fprintf(p, "\n%s\n", p.in(outcome(r), Summary(r)))
	if err := p.Flush(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// Summary returns the verdict and the counts in one line.
func Summary(r *conformance.Report) string {
	return fmt.Sprintf("%s: %s (profile %s, condition %s, %s)", r.Verdict, tally(r.Counts), r.Profile, r.Condition, shortly(r.Duration))
}

// sameProblem reports whether a group only repeats the problem of the whole run.
func sameProblem(r *conformance.Report, g group) bool {
	for _, result := range g.Results {
		if result.Status != probe.Disabled && (len(result.Messages) != 1 || result.Messages[0] != r.Problem) {
			return false
		}
	}
	return true
}

type printer struct {
	*bufio.Writer
	colour bool
}

func (p printer) in(s probe.Status, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + colours[s] + "m" + text + "\x1b[0m"
}

func (p printer) notRun(title string, all []conformance.Omission, outside bool) {
	for _, o := range all {
		if o.Outside == outside {
			fmt.Fprintf(p, "%-21s %d %s\n", title, o.Checks, o.Reason)
			title = ""
		}
	}
}

func (p printer) group(g group) {
	fmt.Fprintf(p, "\n%s %s: %s\n", p.in(g.Status, marks[g.Status]), g.Name, g.Counts())
	widest := 0
	for _, result := range g.Results {
		widest = max(widest, len(result.ID))
	}
	for _, result := range g.Results {
		if result.Status == probe.Disabled {
			continue
		}
		fmt.Fprintf(p, "  %s %-*s  %s\n", p.in(result.Status, marks[result.Status]), widest, result.ID, result.Title)
		p.details(result)
	}
}

func (p printer) details(result conformance.Result) {
	for i, message := range result.Messages {
		if i == maxConsoleMessages {
			fmt.Fprintf(p, "      and %d more\n", len(result.Messages)-i)
			break
		}
		fmt.Fprintf(p, "      %s\n", strings.ReplaceAll(message, "\n", "\n      "))
	}
	if result.Status == probe.Failed {
		fmt.Fprintf(p, "      How to fix it: %s (%s)\n", result.Fix, strings.Join(result.Clauses, ", "))
	}
}
