package payout_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// The diagram in the guide, and the tables in the guide and in D-66, are those of the transitions.
func TestDocumentsShowTheTransitions(t *testing.T) {
	t.Parallel()
	for file, parts := range map[string]map[string]string{
		"../../openapi/openapi.yaml": {"state diagram": diagram(t), "transitions": table()},
		"../../openapi/decisions.md": {"transitions": table()},
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range parts {
			_, after, _ := strings.Cut(string(text), "<!-- "+name+" -->\n")
			got, _, ended := strings.Cut(after, "<!-- end -->")
			if got = unindented(got); !ended || got != want {
				t.Errorf("%s, between the markers of %q:\n%s\nwant\n%s", file, name, got, want)
			}
		}
	}
}

func unindented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "    ")
		if line = strings.TrimRight(line, " "); line != "" {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// table returns the transitions as Markdown.
func table() string {
	var out strings.Builder
	row := func(cells ...string) { fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | ")) }
	row("From", "To", "Who", "`delivery_status`", "`status_reason`", "Limits")
	row(slices.Repeat([]string{"---"}, 6)...)
	code := func(v any) string { return fmt.Sprintf("`%s`", v) }
	for _, x := range payout.Transitions() {
		who := make([]string, len(x.By))
		for i, actor := range x.By {
			who[i] = string(actor)
		}
		reason, limits := "none", "unchanged"
		if x.GivesBack {
			reason, limits = "optional", "given back"
		}
		if x.NeedsReason {
			reason = "needed"
		}
		row(code(x.From), code(x.To), strings.Join(who, ", "), code(x.Delivery), reason, limits)
	}
	for _, x := range payout.DeliveryTransitions() {
		row(code(x.Status), code(x.Status), string(payout.ActorOperator),
			fmt.Sprintf("%s, after %s with %s", code(x.To), code(x.From), code(x.Method)), "none", "unchanged")
	}
	return out.String()
}

// diagram draws the way of a payout that succeeds from left to right, and below each status the one in which that way ends.
func diagram(t *testing.T) string {
	t.Helper()
	const arrow = " ---> "
	var lines [4]strings.Builder
	for status := payout.StatusInitiated; status != ""; {
		next, end := payout.TransactionStatus(""), payout.TransactionStatus("")
		for _, x := range payout.Transitions() {
			switch to := &next; {
			case x.From != status:
				continue
			case x.GivesBack:
				to = &end
				fallthrough
			default:
				if *to != "" {
					t.Fatalf("the diagram has room for one of %s and %s after %s", *to, x.To, status)
				}
				*to = x.To
			}
		}
		width := max(len(status), len(end)) + len(arrow)
		top := string(status)
		if next != "" {
			top += arrow
		}
		for i, text := range []string{top, "    |", "    v", string(end)} {
			fmt.Fprintf(&lines[i], "%-*s", width, text)
		}
		status = next
	}
	out := "```text\n"
	for i := range lines {
		out += strings.TrimRight(lines[i].String(), " ") + "\n"
	}
	return out + "```\n"
}
