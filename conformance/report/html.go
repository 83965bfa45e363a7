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

// problem is a group of checks with the same messages.
type problem struct {
	Status   probe.Status
	Messages []string
	Fix      string // "" if the checks have different ones
	Results  []conformance.Result
}

// view is the data of the page.
type view struct {
	*conformance.Report
	Style     template.CSS
	Outcome   probe.Status // whose mark and color the verdict has
	Facts     []fact
	Statuses  []probe.Status // most important first
	Groups    []group
	Findings  []finding
	Clauses   []clause
	Decisions []clause
	Touched   []coverage.Operation
}

// HTML writes the report as a page that loads nothing; its script is only for searching.
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

// problems returns the results with a status, grouped by messages: largest group first, then in the order of the report. It
// omits results that only repeat the problem of the whole run.
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

// matrix returns the clauses of the interface document, and the decisions that checks name, with their checks.
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
