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

// clause is a row of the matrix: a clause or a decision, and the checks that enforce it.
type clause struct {
	checks.Clause
	Status  probe.Status
	Results []conformance.Result
}

// finding is a list of checks that did not pass.
type finding struct {
	ID, Title, None string
	Problems        []problem
}

// problem is what several checks report in the same words.
type problem struct {
	Status   probe.Status
	Messages []string
	Fix      string // "" where the checks have several
	Results  []conformance.Result
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

// HTML writes the report as one page that loads nothing. Without its script it lacks only the search.
func HTML(w io.Writer, r *conformance.Report) error {
	v := view{
		Report: r, Style: template.CSS(pageStyle), Outcome: outcome(r), Facts: facts(r), //nolint:gosec // it is ours
		Statuses: []probe.Status{probe.Passed, probe.Failed, probe.Error, probe.Skipped, probe.Disabled},
		Groups:   groups(r), Touched: r.Coverage.Operations,
		Findings: []finding{
			{"failed", "Failed", "No check that ran has failed.", problems(r, probe.Failed)},
			{"not-judged", "Not judged", "", problems(r, probe.Error)},
		},
	}
	if r.Problem != "" {
		v.Findings[0].None = "The server was not judged."
	}
	v.Clauses, v.Decisions = matrix(r)
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// problems are the results with a status, grouped by their messages: the most frequent first, then in the order of the
// report. A result that says nothing but the problem of the whole run is left out.
func problems(r *conformance.Report, s probe.Status) []problem {
	var all []problem
	for _, result := range r.Results {
		if result.Status != s || slices.Equal(result.Messages, []string{r.Problem}) {
			continue
		}
		i := slices.IndexFunc(all, func(p problem) bool { return slices.Equal(p.Messages, result.Messages) })
		if i < 0 {
			i = len(all)
			all = append(all, problem{Status: s, Messages: result.Messages, Fix: result.Fix})
		}
		all[i].Results = append(all[i].Results, result)
		if all[i].Fix != result.Fix {
			all[i].Fix = ""
		}
	}
	slices.SortStableFunc(all, func(a, b problem) int { return len(b.Results) - len(a.Results) })
	return all
}

// matrix returns every clause of the interface document and every decision that a check names, with those checks.
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
