package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/conformance/report"
)

// reported writes a report with these results.
func reported(t *testing.T, verdict conformance.Verdict, ended map[string]probe.Status, edit ...func(*conformance.Report)) string {
	t.Helper()
	r := conformance.Report{Verdict: verdict, URL: "http://127.0.0.1", Suite: "1", Profile: probe.Full, Condition: probe.Normal}
	for id, status := range ended {
		r.Results = append(r.Results, conformance.Result{ID: id, Title: "Rule of " + id, Status: status})
	}
	for _, e := range edit {
		e(&r)
	}
	var text bytes.Buffer
	if err := report.JSON(&text, &r); err != nil {
		t.Fatal(err)
	}
	return file(t, text.String())
}

func TestDiffListsWhatHasBecomeOfEachCheck(t *testing.T) {
	t.Parallel()
	old := reported(t, conformance.NotConformant, map[string]probe.Status{
		"a.breaks": probe.Passed, "a.mended": probe.Failed, "a.still": probe.Failed, "a.unknown": probe.Passed, "a.left": probe.Passed, "a.gone": probe.Passed,
	})
	worse := reported(t, conformance.NotConformant, map[string]probe.Status{
		"a.breaks": probe.Failed, "a.mended": probe.Passed, "a.still": probe.Error, "a.unknown": probe.Error, "a.left": probe.Skipped, "a.new": probe.Failed,
	})
	better := reported(t, conformance.Conformant, map[string]probe.Status{"a.breaks": probe.Passed, "a.mended": probe.Passed})
	code, out, errs := conform(t.Context(), nil, "diff", old, worse)
	if code != exitWorse {
		t.Errorf("exit %d: %s", code, errs)
	}
	for _, want := range []string{
		"\nnewly failing: 3\n", "\n  a.breaks  Rule of a.breaks (failed)\n", "\n  a.unknown  Rule of a.unknown (error)\n",
		"\nnewly passing: 1\n  a.mended  ", "\nstill failing: 1\n  a.still  ", "\nno longer run: 1\n  a.left  ", "\nnew checks: 1\n  a.new  ",
		"\nchecks gone: 1\n  a.gone  ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q:\n%s", want, out)
		}
	}
	code, out, _ = conform(t.Context(), nil, "diff", old, better)
	if code != exitDone || !strings.Contains(out, "\nThe verdict has changed from NOT CONFORMANT to CONFORMANT.\n") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

func TestDiffComparesOnlyWhatCanBeCompared(t *testing.T) {
	t.Parallel()
	passed := map[string]probe.Status{"a.check": probe.Passed}
	old := reported(t, conformance.Conformant, passed)
	for says, with := range map[string]string{
		"different profiles, full and document":   reported(t, conformance.Conformant, passed, func(r *conformance.Report) { r.Profile = probe.Document }),
		"different conditions, normal and broken": reported(t, conformance.Conformant, passed, func(r *conformance.Report) { r.Condition = probe.Broken }),
		"judges nothing: the server is away":      reported(t, conformance.NotJudged, passed, func(r *conformance.Report) { r.Problem = "The server is away." }),
		"is not a report.json of this suite":      file(t, `{"results":[]}`),
		"no such file":                            "none.json",
	} {
		if code, out, errs := conform(t.Context(), nil, "diff", old, with); code != exitUnable || !strings.Contains(errs, says) || out != "" {
			t.Errorf("exit %d, want %q: %s%s", code, says, out, errs)
		}
	}
	if code, _, errs := conform(t.Context(), nil, "diff", old); code != exitUnable || !strings.Contains(errs, "conform diff --help") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, out, _ := conform(t.Context(), nil, "diff", "--help"); code != exitDone || !strings.Contains(out, "Exit codes: 0 no check fails") {
		t.Errorf("exit %d: %s", code, out)
	}
}
