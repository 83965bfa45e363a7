package conformance

import (
	"time"

	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// Report is what a run found. Its exchanges are redacted: it may leave the house.
type Report struct {
	Spec      string          `json:"spec"`             // version of the contract
	Commit    string          `json:"commit,omitempty"` // of the target
	URL       string          `json:"url"`
	Profile   probe.Profile   `json:"profile"`
	Condition probe.Condition `json:"condition"`
	Started   time.Time       `json:"started"`
	Duration  time.Duration   `json:"duration_ns"`
	Problem   string          `json:"problem,omitempty"` // why the run does not tell what it should, in one sentence
	Status    probe.Status    `json:"status"`            // the highest of all results
	Counts    map[string]int  `json:"counts"`            // results by status
	Results   []Result        `json:"results"`
	Clauses   []checks.Clause `json:"clauses"`
	Coverage  coverage.Report `json:"coverage"`
}

// Result is how one check ended.
type Result struct {
	ID         string        `json:"id"`
	Title      string        `json:"title"`
	Clauses    []string      `json:"clauses"`
	Operations []string      `json:"operations,omitempty"`
	Fix        string        `json:"fix"`
	Status     probe.Status  `json:"status"`
	Messages   []string      `json:"messages,omitempty"`
	Duration   time.Duration `json:"duration_ns"`
	Exchanges  []Exchange    `json:"exchanges,omitempty"`         // the last of a check that failed or could not be judged
	Omitted    int           `json:"exchanges_omitted,omitempty"` // how many came before them
}

func (r *run) newResult(c probe.Check, o probe.Outcome, took time.Duration) Result {
	result := Result{
		ID: c.ID, Title: c.Title, Clauses: c.Clauses, Operations: c.Operations, Fix: c.Fix,
		Status: o.Status, Messages: o.Messages, Duration: took,
	}
	if o.Status >= probe.Failed {
		result.Exchanges, result.Omitted = r.redactor.exchanges(o.Exchanges)
	}
	return result
}

func (r *run) report(results []Result, begun time.Time, problem string) *Report {
	report := &Report{
		Spec: r.spec, Problem: problem,
		Commit: r.target.Commit, URL: r.target.URL, Profile: r.target.Profile, Condition: r.target.Condition,
		Started: begun.UTC(), Duration: time.Since(begun), Counts: map[string]int{}, Results: results,
		Clauses: checks.Clauses(), Coverage: r.coverage.Report(),
	}
	for _, result := range results {
		report.Status = max(report.Status, result.Status)
		report.Counts[result.Status.String()]++
	}
	r.redactor.finish(report)
	return report
}

// ExitCode is 0 if something was tested and all of it passed, 1 if something failed, 2 if the suite could not tell.
func (r *Report) ExitCode() int {
	switch {
	case r.Problem != "":
		return 2
	case r.Counts[probe.Failed.String()] > 0:
		return 1
	case r.Status == probe.Passed:
		return 0
	default:
		return 2
	}
}
