package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

const diffDescription = `Compare two runs by their report.json.

Exit codes: 0 no check fails that did not fail before; 1 some check does; 2 a file is not a report, or the runs cannot be compared.`

// diff is the command line of conform diff.
type diff struct {
	Old string `arg:"" help:"report.json of the earlier run."`
	New string `arg:"" help:"report.json of the later run."`
}

// exitWorse is the exit code of a comparison with new failures.
const exitWorse = 1

func (d diff) run(out io.Writer) (int, error) {
	before, err := readReport(d.Old)
	if err != nil {
		return exitUnable, err
	}
	after, err := readReport(d.New)
	if err != nil {
		return exitUnable, err
	}
	switch {
	case before.Profile != after.Profile:
		return exitUnable, fmt.Errorf("the runs have different profiles, %s and %s", before.Profile, after.Profile)
	case before.Condition != after.Condition:
		return exitUnable, fmt.Errorf("the runs have different conditions, %s and %s", before.Condition, after.Condition)
	}
	c := compare(before, after)
	w := bufio.NewWriter(out)
	for _, r := range []struct {
		name string
		*conformance.Report
	}{{"old", before}, {"new", after}} {
		fmt.Fprintf(w, "%s: %s, %s, %s, suite %s, contract %s\n", r.name, r.Verdict, r.URL, r.Started.Format("2006-01-02 15:04 UTC"), r.Suite, r.Contract)
	}
	for _, part := range []struct {
		title   string
		results []conformance.Result
	}{
		{"newly failing", c.newlyFailing}, {"newly passing", c.newlyPassing}, {"still failing", c.stillFailing},
		{"no longer run", c.noLongerRun}, {"new checks", c.added}, {"checks gone", c.gone},
	} {
		fmt.Fprintf(w, "\n%s: %d\n", part.title, len(part.results))
		for _, r := range part.results {
			fmt.Fprintf(w, "  %s  %s (%s)\n", r.ID, r.Title, r.Status)
		}
	}
	if before.Verdict != after.Verdict {
		fmt.Fprintf(w, "\nThe verdict has changed from %s to %s.\n", before.Verdict, after.Verdict)
	}
	if err := w.Flush(); err != nil {
		return exitUnable, err
	}
	if len(c.newlyFailing) > 0 {
		return exitWorse, nil
	}
	return exitDone, nil
}

func readReport(name string) (*conformance.Report, error) {
	text, err := os.ReadFile(name) //nolint:gosec // the user names it
	if err != nil {
		return nil, err
	}
	var r conformance.Report
	err = json.Unmarshal(text, &r)
	switch {
	case err != nil || r.Verdict == "" || len(r.Results) == 0:
		return nil, fmt.Errorf("%s is not a report.json of this suite", name)
	case r.Problem != "":
		return nil, errors.New(name + " judges nothing: " + strings.ToLower(r.Problem[:1]) + strings.TrimSuffix(r.Problem[1:], "."))
	}
	return &r, nil
}

// comparison lists checks by how their status has changed. A check that could not be judged counts as failing.
type comparison struct {
	newlyFailing, newlyPassing, stillFailing, noLongerRun, added, gone []conformance.Result
}

func compare(before, after *conformance.Report) (c comparison) {
	was := map[string]conformance.Result{}
	for _, r := range before.Results {
		was[r.ID] = r
	}
	is := map[string]bool{}
	for _, r := range after.Results {
		is[r.ID] = true
		old, known := was[r.ID]
		if !known {
			c.added = append(c.added, r)
		}
		switch failed, fails := old.Status >= probe.Failed, r.Status >= probe.Failed; {
		case fails && failed:
			c.stillFailing = append(c.stillFailing, r)
		case fails:
			c.newlyFailing = append(c.newlyFailing, r)
		case failed && r.Status == probe.Passed:
			c.newlyPassing = append(c.newlyPassing, r)
		case old.Status >= probe.Passed && r.Status < probe.Passed:
			c.noLongerRun = append(c.noLongerRun, r)
		}
	}
	for _, r := range before.Results {
		if !is[r.ID] {
			c.gone = append(c.gone, r)
		}
	}
	return c
}
