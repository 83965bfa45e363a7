package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/conformance/report"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// sample has a result of each status, and texts that must be escaped.
func sample() *conformance.Report {
	result := func(id string, s probe.Status, messages ...string) conformance.Result {
		return conformance.Result{
			ID: id, Title: "Rule <" + id + "> & \"more\"", Clauses: []string{"2.1-list", "D-08"}, Operations: []string{"listPayers"},
			Fix: "Mend <it>.", Status: s, Messages: messages, Duration: 1500 * time.Millisecond,
		}
	}
	failed := result("payers.failed", probe.Failed, "answered 500 ]]> <script>alert(1)</script>", "and\x00\x1b[31m more\ufffe")
	failed.Omitted = 3
	failed.Exchanges = []conformance.Exchange{
		{
			Method: "GET", URL: "/payers?country=NP", Status: 500, RequestHeader: map[string]string{"X-Client-Id": "[the first client's]"},
			ResponseHeader: map[string]string{"Content-Type": "text/html"}, ResponseBody: "[text/html, 8 bytes]\n</pre><script>alert(2)</script>",
			Violations: []contract.Violation{{In: "status", Field: "500", Reason: "is not declared"}},
		},
		{Method: "GET", URL: "/payers", Error: "connection refused"},
	}
	return &conformance.Report{
		Verdict: conformance.NotConformant, Suite: "2.0.0", Contract: "1.1.0", URL: "http://127.0.0.1:8080", Profile: probe.Full,
		Condition: probe.Normal, Commit: "abc", Started: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC), Duration: 2 * time.Second,
		Filter: conformance.Filter{IDs: []string{"payers", "users"}},
		Given:  conformance.Given{Facts: probe.DefaultFacts, Fixtures: []string{"sender", "WALLET NPR"}},
		NotRun: []conformance.Omission{{Reason: "no payer has limits", Checks: 1}, {Reason: "for profile full only", Checks: 1, Outside: true}},
		Counts: map[string]int{"passed": 1, "failed": 1, "error": 1, "skipped": 1, "disabled": 1},
		Results: []conformance.Result{
			result("payers.passed", probe.Passed), failed, result("users.unknown", probe.Error, "set-up: no answer"),
			result("users.skipped", probe.Skipped, "no payer has limits"), result("other.disabled", probe.Disabled, "for profile full only"),
		},
		Clauses:  []checks.Clause{{ID: "2.1-list", Text: "fields of a payer"}, {ID: "9-v2", Text: "a rule that nothing holds"}},
		Coverage: coverage.Report{Operations: []coverage.Operation{{ID: "listPayers", Answered: 3, Touched: []string{"200"}, Missing: []string{"500 <x>"}}}},
	}
}

func text(t *testing.T, write func(io.Writer, *conformance.Report) error, r *conformance.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestConsoleTellsWhatIsWrongAndHowToPutItRight(t *testing.T) {
	t.Parallel()
	plain := func(w io.Writer, r *conformance.Report) error { return report.Console(w, r, false) }
	got := text(t, plain, sample())
	for _, want := range []string{
		"✗ payers: 1 passed, 1 failed\n", "  ✓ payers.passed  Rule", "  ✗ payers.failed  Rule", "How to fix it: Mend <it>. (2.1-list, D-08)",
		"  ! users.unknown  Rule", "      set-up: no answer", "  – users.skipped  Rule",
		"\nContract:             1.1.0\n", "\nFilter:               checks payers, users\n", "\nSecond client:        none\n", "\nFixtures:             sender, WALLET NPR\n",
		"\nNot run:              1 no payer has limits\nNot part of this run: 1 for profile full only\n",
		"\nNOT CONFORMANT: 1 passed, 1 failed, 1 not judged, 1 skipped, 1 disabled (profile full, condition normal, 2s)\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "other.disabled") {
		t.Errorf("with a check that was not chosen:\n%s", got)
	}
	coloured := text(t, func(w io.Writer, r *conformance.Report) error { return report.Console(w, r, true) }, sample())
	if !strings.Contains(coloured, "\x1b[31;1m✗\x1b[0m") || strings.Contains(strings.ReplaceAll(got, "\x1b[31m more", ""), "\x1b") {
		t.Error("colour must be there if it is asked for, and only then")
	}
}

func TestAProblemOfTheWholeRunIsSaidOnce(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Problem = "The server at http://127.0.0.1:8080 cannot be tested: connection refused."
	for i := range r.Results {
		r.Results[i].Status, r.Results[i].Messages, r.Results[i].Exchanges = probe.Error, []string{r.Problem}, nil
	}
	console := text(t, func(w io.Writer, r *conformance.Report) error { return report.Console(w, r, false) }, r)
	page := text(t, report.HTML, r)
	if strings.Count(console, r.Problem) != 1 || strings.Count(page, r.Problem) != 1 {
		t.Errorf("%d times on the console, %d times on the page", strings.Count(console, r.Problem), strings.Count(page, r.Problem))
	}
}

func TestJSONReadsBackAsTheReport(t *testing.T) {
	t.Parallel()
	want := sample()
	want.Results[1].Messages = []string{"answered 500"} // JSON cannot contain invalid characters
	var got conformance.Report
	if err := json.Unmarshal([]byte(text(t, report.JSON, want)), &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestJUnitIsXMLThatTellsFailuresErrorsAndSkippedChecksApart(t *testing.T) {
	t.Parallel()
	type problem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var got struct {
		XMLName  xml.Name `xml:"testsuites"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Time  string `xml:"time,attr"`
			Cases []struct {
				Name    string   `xml:"name,attr"`
				Failure *problem `xml:"failure"`
				Error   *problem `xml:"error"`
				Skipped *problem `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	written := text(t, report.JUnit, sample())
	if err := xml.Unmarshal([]byte(written), &got); err != nil {
		t.Fatalf("%v:\n%s", err, written)
	}
	if got.Tests != 4 || got.Failures != 1 || got.Errors != 1 || got.Skipped != 1 || len(got.Suites) != 2 || got.Suites[0].Time != "3.000" {
		t.Fatalf("got %+v", got)
	}
	payers, users := got.Suites[0].Cases, got.Suites[1].Cases
	if payers[0].Failure != nil || payers[0].Error != nil || payers[0].Skipped != nil {
		t.Errorf("the check that passed: %+v", payers[0])
	}
	failure := payers[1].Failure
	if failure == nil || !strings.HasPrefix(failure.Message, "answered 500") || !strings.Contains(failure.Text, "How to fix it: Mend <it>.") {
		t.Errorf("the check that failed: %+v", payers[1])
	}
	if strings.ContainsAny(failure.Text, "\x00\x1b\ufffe") {
		t.Errorf("characters that XML cannot hold: %q", failure.Text)
	}
	if users[0].Error == nil || users[1].Skipped == nil || users[1].Skipped.Message != "no payer has limits" {
		t.Errorf("the others: %+v", users)
	}
}

func TestPageLoadsNothingAndRunsOnlyItsSearch(t *testing.T) {
	t.Parallel()
	page := text(t, report.HTML, sample())
	if strings.Count(page, "<script") != 1 || !strings.Contains(page, "<script>\nconst search") {
		t.Error("the page runs something else than its search")
	}
	for _, forbidden := range []string{"<link", "<img", "<iframe", "src=", "@import", "url(", "http-equiv", "javascript:"} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page has %s", forbidden)
		}
	}
	for _, want := range []string{
		`name="viewport"`, `lang="en"`, "prefers-color-scheme: dark", "@media print", "NOT CONFORMANT", "&lt;script&gt;alert(1)",
		"no check", "500 &lt;x&gt;", "3 more requests are not shown", "Mend &lt;it&gt;.", "connection refused",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page is without %s", want)
		}
	}
}

// Checks with the same messages are one article: one defect often breaks many rules.
func TestPageGroupsEqualFailures(t *testing.T) {
	t.Parallel()
	r := sample()
	again := r.Results[1]
	again.ID, again.Fix = "payers.again", "Mend that."
	other := r.Results[1]
	other.ID, other.Messages = "payers.other", []string{"answered 404"}
	r.Results = append(r.Results, again, other)
	page := text(t, report.HTML, r)
	if strings.Count(page, "<article class=\"failed\">") != 2 || !strings.Contains(page, "2 checks with the same messages") {
		t.Error("the failures are not grouped by their messages")
	}
	for _, once := range []string{"alert(1)", "answered 404", "Mend that."} {
		if n := strings.Count(page, once); n != 1 {
			t.Errorf("%s is there %d times", once, n)
		}
	}
}

// Links have targets, ids are unique, and every tag is closed.
func TestPageIsWellFormed(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Results[1].Messages = r.Results[1].Messages[:1] // control characters are removed before a report is written
	page := text(t, report.HTML, r)
	ids := map[string]bool{}
	for _, found := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[found[1]] {
			t.Errorf("the id %s is there twice", found[1])
		}
		ids[found[1]] = true
	}
	for _, found := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[strings.TrimPrefix(found[1], "#")] {
			t.Errorf("%s leads nowhere", found[1])
		}
	}
	for tokens := xml.NewDecoder(strings.NewReader(page)); ; { // the page is XML too
		if _, err := tokens.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriteMakesTheFolderAndItsFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 { // the second time over the first
		if err := report.Write(dir, sample()); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"report.json", "junit.xml", "report.html"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := report.Write(filepath.Join(dir, "report.json"), sample()); err == nil {
		t.Error("a file in the place of the folder is no error")
	}
}
