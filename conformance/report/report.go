package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// Names of the files that [Write] creates.
const (
	JSONFile  = "report.json"
	JUnitFile = "junit.xml"
	HTMLFile  = "report.html"
)

// Write writes all files of a report into a folder, which it creates if necessary.
func Write(dir string, r *conformance.Report) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	for name, write := range map[string]func(io.Writer, *conformance.Report) error{JSONFile: JSON, JUnitFile: JUnit, HTMLFile: HTML} {
		var text bytes.Buffer
		if err := write(&text, r); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return nil
}

// JSON writes the report as it is.
func JSON(w io.Writer, r *conformance.Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// group is the checks with the same beginning of the id.
type group struct {
	Name    string
	Status  probe.Status
	Results []conformance.Result
}

// groups returns the results by group, in the order of the report.
func groups(r *conformance.Report) []group {
	var all []group
	at := map[string]int{}
	for _, result := range r.Results {
		name, _, _ := strings.Cut(result.ID, ".")
		i, ok := at[name]
		if !ok {
			i = len(all)
			at[name], all = i, append(all, group{Name: name})
		}
		all[i].Results = append(all[i].Results, result)
		all[i].Status = max(all[i].Status, result.Status)
	}
	return all
}

// Counts returns the number of checks by status.
func (g group) Counts() string {
	counts := map[string]int{}
	for _, result := range g.Results {
		counts[result.Status.String()]++
	}
	return tally(counts)
}

// tally returns the number of results by status, such as "11 passed, 1 failed".
func tally(counts map[string]int) string {
	var parts []string
	for _, s := range []probe.Status{probe.Passed, probe.Failed, probe.Error, probe.Skipped, probe.Disabled} {
		if n := counts[s.String()]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word(s)))
		}
	}
	if parts == nil {
		return "no checks"
	}
	return strings.Join(parts, ", ")
}

// word is the name of a status for readers.
func word(s probe.Status) string {
	if s == probe.Error {
		return "not judged"
	}
	return s.String()
}

// outcome is the status whose mark and color a verdict has.
func outcome(r *conformance.Report) probe.Status {
	return map[conformance.Verdict]probe.Status{
		conformance.Conformant: probe.Passed, conformance.Incomplete: probe.Skipped,
		conformance.NotConformant: probe.Failed, conformance.NotJudged: probe.Error,
	}[r.Verdict]
}

// fact is what a reader must know about a run to rely on its verdict.
type fact struct{ Name, Value string }

// facts returns what was tested, how and when.
func facts(r *conformance.Report) []fact {
	given := r.Given.Facts
	secondClient := "given"
	if !r.Given.SecondClient {
		secondClient = "none"
	}
	all := []fact{
		{"Suite", strings.TrimSpace(r.Suite + " " + r.Revision)},
		{"Contract", r.Contract},
		{"Commit of the server", r.Commit},
		{"Profile", string(r.Profile)},
		{"Condition", string(r.Condition)},
		{"Filter", filter(r.Filter)},
		{"Second client", secondClient},
		{"Facts", fmt.Sprintf("origin %s in %s, destination %s, disabled country %s, rates to %s in %s from %s to %s",
			given.OriginCountry, given.OriginCurrency, given.Destination, given.DisabledCountry,
			given.Rates.Currency, given.Rates.Destination, given.Rates.Min, given.Rates.Max)},
		{"Fixtures", strings.Join(r.Given.Fixtures, ", ")},
		{"Started", r.Started.Format("2006-01-02 15:04 UTC")},
		{"Duration", shortly(r.Duration)},
	}
	for i := range all {
		if all[i].Value == "" {
			all[i].Value = "none"
		}
	}
	return all
}

// filter describes a filter.
func filter(f conformance.Filter) string {
	var parts []string
	for _, part := range []struct {
		name   string
		values []string
	}{{"checks", f.IDs}, {"operations", f.Operations}, {"clauses", f.Clauses}} {
		if len(part.values) > 0 {
			parts = append(parts, part.name+" "+strings.Join(part.values, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// shortly rounds a duration for readers.
func shortly(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	default:
		return d.Round(100 * time.Millisecond).String()
	}
}
