package conformance

import (
	"runtime/debug"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// Version is the version of the suite: of its checks, reports and exit codes. README.md lists the changes.
const Version = "2.0.0"

// Report is the result of a run. It is redacted, so it can be passed on.
type Report struct {
	Verdict   Verdict         `json:"verdict"`
	Problem   string          `json:"problem,omitempty"` // why the server could not be judged, in one sentence
	Suite     string          `json:"suite"`             // [Version]
	Revision  string          `json:"suite_revision,omitempty"`
	Contract  string          `json:"contract"`         // version of the contract
	Commit    string          `json:"commit,omitempty"` // of the server
	URL       string          `json:"url"`
	Profile   probe.Profile   `json:"profile"`
	Condition probe.Condition `json:"condition"`
	Filter    Filter          `json:"filter,omitzero"`
	Given     Given           `json:"given"`
	Started   time.Time       `json:"started"`
	Duration  time.Duration   `json:"duration_ns"`
	Counts    map[string]int  `json:"counts"`            // results by status
	NotRun    []Omission      `json:"not_run,omitempty"` // by reason
	Results   []Result        `json:"results"`
	Clauses   []checks.Clause `json:"clauses"`
	Coverage  coverage.Report `json:"coverage"`
}

// Given is what a run was told about a server.
type Given struct {
	SecondClient bool        `json:"second_client"`
	Facts        probe.Facts `json:"facts"`
	Fixtures     []string    `json:"fixtures,omitempty"` // "sender", "unverified", and the receivers as "BANK_DEPOSIT NPR"
}

func givenTo(t Target) Given {
	g := Given{SecondClient: t.OtherClientID != "", Facts: t.Facts}
	if t.Fixtures.Sender != nil {
		g.Fixtures = append(g.Fixtures, "sender")
	}
	if t.Fixtures.Unverified != nil {
		g.Fixtures = append(g.Fixtures, "unverified")
	}
	for _, f := range t.Fixtures.Receivers {
		g.Fixtures = append(g.Fixtures, string(f.PayoutMethod)+" "+f.Currency)
	}
	return g
}

// revision is the commit that the suite was built from, if the program knows it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != "github.com/crossborder-payouts/payouts" { // else the commit is that of another module
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
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
	if o.Status < probe.Failed {
		o.Exchanges = nil
	}
	r.redactor.result(&result, o.Exchanges)
	return result
}

func (r *run) report(results []Result, begun time.Time, problem string) *Report {
	report := &Report{
		Problem: r.redactor.text(problem), Suite: Version, Revision: revision(), Contract: r.contract, Commit: r.target.Commit,
		URL: baseURL(r.target.URL), Profile: r.target.Profile, Condition: r.target.Condition, Filter: r.target.Only, Given: givenTo(r.target),
		Started: begun.UTC(), Duration: time.Since(begun), Counts: map[string]int{}, NotRun: omissions(results), Results: results,
		Clauses: checks.Clauses(), Coverage: r.coverage.Report(),
	}
	for _, result := range results {
		report.Counts[result.Status.String()]++
	}
	report.Verdict = report.conclude()
	return report
}
