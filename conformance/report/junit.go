package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"` // seconds
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	Skipped   *junitProblem `xml:"skipped"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the report as JUnit XML: a test suite for each group, a test case for each check. It omits disabled checks.
func JUnit(w io.Writer, r *conformance.Report) error {
	all := junitSuites{Name: "conformance", Time: seconds(r.Duration)}
	for _, g := range groups(r) {
		suite := junitSuiteOf(r, g)
		if suite.Tests == 0 {
			continue
		}
		all.Suites = append(all.Suites, suite)
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
		all.Skipped += suite.Skipped
	}
	text, err := xml.MarshalIndent(all, "", "  ") // it replaces characters that XML cannot contain
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, text); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func junitSuiteOf(r *conformance.Report, g group) junitSuite {
	suite := junitSuite{Name: g.Name, Timestamp: r.Started.Format("2006-01-02T15:04:05"), Properties: properties(r)}
	var took time.Duration
	for _, result := range g.Results {
		test := junitCase{Name: result.ID, ClassName: "conformance." + g.Name, Time: seconds(result.Duration)}
		switch result.Status {
		case probe.Disabled:
			continue
		case probe.Skipped:
			suite.Skipped++
			test.Skipped = &junitProblem{Message: strings.Join(result.Messages, "; ")}
		case probe.Passed:
		case probe.Failed:
			suite.Failures++
			test.Failure = junitProblemOf(result, "rule")
		case probe.Error:
			suite.Errors++
			test.Error = junitProblemOf(result, "suite")
		}
		suite.Tests++
		took += result.Duration
		suite.Cases = append(suite.Cases, test)
	}
	suite.Time = seconds(took)
	return suite
}

// properties returns the facts about the run.
func properties(r *conformance.Report) []junitProperty {
	all := []junitProperty{{"verdict", string(r.Verdict)}, {"problem", r.Problem}, {"url", r.URL}}
	for _, f := range facts(r) {
		all = append(all, junitProperty{strings.ReplaceAll(strings.ToLower(f.Name), " ", "_"), f.Value})
	}
	for _, o := range r.NotRun {
		if !o.Outside {
			all = append(all, junitProperty{"not_run", fmt.Sprintf("%d %s", o.Checks, o.Reason)})
		}
	}
	return all
}

func junitProblemOf(result conformance.Result, kind string) *junitProblem {
	first := "no message"
	if len(result.Messages) > 0 {
		first, _, _ = strings.Cut(result.Messages[0], "\n")
	}
	text := fmt.Sprintf("Rule: %s\nClauses: %s\n\n%s\n\nHow to fix it: %s\n",
		result.Title, strings.Join(result.Clauses, ", "), strings.Join(result.Messages, "\n"), result.Fix)
	return &junitProblem{Message: first, Type: kind, Text: text}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
