package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A result is what became of one consumer.
type result struct {
	consumer consumer
	missing  []string // programs that are not on PATH
	steps    []outcome
}

type outcome struct {
	name   string
	took   time.Duration
	output string
	err    error
}

func (r result) skipped() bool { return len(r.missing) > 0 }

func (r result) failed() bool {
	return len(r.steps) > 0 && r.steps[len(r.steps)-1].err != nil
}

// print writes one line for each step, and what the step that failed printed last.
func (r result) print(out io.Writer) {
	if r.skipped() {
		fmt.Fprintf(out, "WARNING: %s is skipped: %s\n", r.consumer.Name, r.remark())
		return
	}
	for _, o := range r.steps {
		fmt.Fprintf(out, "%-22s %-8s %s\n", r.consumer.Name, o.name, o.cell())
		if o.err != nil {
			lines := strings.Split(o.output, "\n")
			fmt.Fprintf(out, "  %s\n  %v; .tmp/consumers/%s.log has all of it\n", strings.Join(lines[max(0, len(lines)-40):], "\n  "),
				o.err, r.consumer.Name)
		}
	}
}

func (o outcome) cell() string {
	if o.err != nil {
		return "NO"
	}
	return fmt.Sprintf("yes, %.1f s", o.took.Seconds())
}

// cell says what became of the step with that name.
func (r result) cell(name string) string {
	for _, o := range r.steps {
		if o.name == name {
			return o.cell()
		}
	}
	for _, s := range r.consumer.steps() {
		if s.name == name {
			return "not run"
		}
	}
	return "-"
}

func (r result) remark() string {
	switch {
	case r.skipped():
		return "missing: " + strings.Join(r.missing, ", ")
	case r.failed():
		last := r.steps[len(r.steps)-1]
		lines := strings.Split(last.output, "\n")
		return fmt.Sprintf("%s: %v: %s", last.name, last.err, lines[len(lines)-1])
	}
	return r.consumer.Remark
}

const tableHead = `| consumer | version | installs | generates | compiles | story runs | remarks |
|---|---|---|---|---|---|---|
`

// markdown returns the table of all results.
func markdown(results []result) string {
	var b strings.Builder
	b.WriteString(tableHead)
	for _, r := range results {
		c := r.consumer
		remark := strings.ReplaceAll(r.remark(), "|", `\|`)
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", c.Name, c.Version, r.cell("install"), r.cell("generate"),
			r.cell("compile"), r.cell("story"), remark)
	}
	return b.String()
}
