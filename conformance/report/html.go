package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"mark": func(s probe.Status) string { return marks[s] }, "word": word, "shortly": shortly, "join": strings.Join,
	"sum":     func(a, b int) int { return a + b },
	"percent": func(touched, missing int) int { return 100 * touched / max(1, touched+missing) },
}).Parse(pageText))

// clause is one row of the matrix: a clause or a decision, and the checks that hold it.
type clause struct {
	checks.Clause
	Status  probe.Status
	Results []conformance.Result
}

// finding is a list of checks that did not pass for one reason.
type finding struct {
	ID, Title, None string
	Results         []conformance.Result
}

// view is what the page is made of.
type view struct {
	*conformance.Report
	Style     template.CSS
	Outcome   probe.Status // that the verdict is marked with
	Facts     []fact
	Statuses  []probe.Status // in the order in which a reader asks for them
	Groups    []group
	Findings  []finding
	Clauses   []clause
	Decisions []clause
	Touched   []coverage.Operation
}

// HTML writes the report as one page without scripts that loads nothing.
func HTML(w io.Writer, r *conformance.Report) error {
	v := view{
		Report: r, Style: template.CSS(pageStyle), Outcome: outcome(r), Facts: facts(r), //nolint:gosec // it is ours
		Statuses: []probe.Status{probe.Passed, probe.Failed, probe.Error, probe.Skipped, probe.Disabled},
		Groups:   groups(r), Touched: r.Coverage.Operations,
		Findings: []finding{
			{"wrong", "What is wrong", "Nothing: no check that ran has failed.", withStatus(r, probe.Failed)},
			{"unknown", "What could not be judged", "", withStatus(r, probe.Error)},
		},
	}
	if r.Problem != "" {
		v.Findings[0].None = "Nothing that is known."
	}
	v.Clauses, v.Decisions = matrix(r)
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// withStatus gives the results that have a status, and more to say than the problem of the whole run.
func withStatus(r *conformance.Report, s probe.Status) []conformance.Result {
	var all []conformance.Result
	for _, result := range r.Results {
		if result.Status == s && !slices.Equal(result.Messages, []string{r.Problem}) {
			all = append(all, result)
		}
	}
	return all
}

// matrix gives every clause of the interface document and every decision that a check names, with those checks.
func matrix(r *conformance.Report) (clauses, decisions []clause) {
	at := map[string]*clause{}
	rows := make([]*clause, 0, len(r.Clauses))
	for _, c := range r.Clauses {
		at[c.ID] = &clause{Clause: c}
		rows = append(rows, at[c.ID])
	}
	for _, result := range r.Results {
		for _, id := range result.Clauses {
			if at[id] == nil {
				at[id] = &clause{Clause: checks.Clause{ID: id}}
				rows = append(rows, at[id])
			}
			at[id].Results = append(at[id].Results, result)
			at[id].Status = max(at[id].Status, result.Status)
		}
	}
	for _, row := range rows {
		if strings.HasPrefix(row.ID, "D-") {
			decisions = append(decisions, *row)
		} else {
			clauses = append(clauses, *row)
		}
	}
	slices.SortFunc(decisions, func(a, b clause) int { return strings.Compare(a.ID, b.ID) })
	return clauses, decisions
}
