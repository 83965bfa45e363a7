package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/checks"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// list prints the checks that would run: their titles are the specification that the suite holds.
func list(out io.Writer, target conformance.Target) error {
	all, err := conformance.Checks()
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	group, n := "", 0
	for _, c := range all {
		if target.Disabled(c) != "" {
			continue
		}
		if name, _, _ := strings.Cut(c.ID, "."); name != group {
			group = name
			fmt.Fprintf(w, "\n%s\n", group)
		}
		n++
		fmt.Fprintf(w, "  %s\n      %s.\n", c.ID, c.Title)
	}
	if n == 0 {
		return errors.New("the filter fits no check")
	}
	fmt.Fprintf(w, "\n%d checks\n", n)
	return w.Flush()
}

// writeClauses prints CLAUSES.md: which checks hold which clause.
func writeClauses(out io.Writer) error {
	all, err := conformance.Checks()
	if err != nil {
		return err
	}
	holding := map[string][]string{}
	for _, c := range all {
		for _, clause := range c.Clauses {
			holding[clause] = append(holding[clause], "`"+c.ID+"`")
		}
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `# Clauses

Which check holds which rule. Made by %s from the checks; do not edit.

## Of the interface document

A clause is named after the section of the interface document that states it.

| clause | what it says | checks |
|---|---|---|
`, "`go run ./conformance/conform --clauses`")
	for _, clause := range checks.Clauses() {
		fmt.Fprintf(w, "| %s | %s | %s |\n", clause.ID, strings.ReplaceAll(clause.Text, "|", `\|`), strings.Join(holding[clause.ID], "<br>"))
	}
	fmt.Fprint(w, `
## Decisions

What `+"`openapi/decisions.md`"+` settles where the document is silent. A decision that is not here is none that a caller can see.

| decision | checks |
|---|---|
`)
	for _, id := range slices.Sorted(maps.Keys(holding)) {
		if strings.HasPrefix(id, "D-") {
			fmt.Fprintf(w, "| %s | %s |\n", id, strings.Join(holding[id], "<br>"))
		}
	}
	fmt.Fprintf(w, "\n%d checks in all. %s\n", len(all), conditions(all))
	return w.Flush()
}

// conditions says what not all runs look at.
func conditions(all []probe.Check) string {
	documented, special := 0, 0
	for _, c := range all {
		if c.Needs&probe.Extensions == 0 {
			documented++
		}
		if c.Condition != "" && c.Condition != probe.Normal {
			special++
		}
	}
	return fmt.Sprintf("%d of them need documented operations only, %d a server in a special condition.", documented, special)
}
