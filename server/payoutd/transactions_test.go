package main

import (
	"strings"
	"testing"
)

func TestTransactionsAreListedInPagesAndDays(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		for _, c := range []struct{ args, want, more string }{
			{"", transfer2ID + " " + transferID, ""},
			{"--limit=1", transfer2ID, "There are more: --after " + transfer2ID + "\n"},
			{"--limit=1 --after=" + transfer2ID, transferID, ""},
			{"--user=" + ashaID, transfer2ID + " " + transferID, ""},
			{"--user=" + firmID, "", ""},
			{"--status=INITIATED", transfer2ID + " " + transferID, ""},
			{"--status=COMPLETED", "", ""},
			{"--from=" + transferDate, transfer2ID + " " + transferID, ""},
			{"--to=" + transferDate, transferID, ""}, // the last day is included
			{"--from=2020-03-15", transfer2ID, ""},
			{"--from=" + transferDate + " --to=" + transferDate, transferID, ""},
			{"--to=2020-03-13", "", ""},
			{"--from=2020-03-16", "", ""},
		} {
			code, out, errs := o.run(t, append([]string{"transactions", "list", "--client=acme"}, strings.Fields(c.args)...)...)
			if code != exitOK || ids(out) != c.want || errs != c.more {
				t.Errorf("%s: code %d, %s, %q", c.args, code, out, errs)
			}
		}
	})
}

// Commands show neither document numbers nor contact data of a receiver.
func TestATransactionIsShownWithoutPersonalData(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		for _, format := range []string{"--json", "--json=false"} {
			out := o.done(t, "transactions", "show", "--client=acme", transferID, format)
			if strings.Contains(out, "ram@") || strings.Contains(out, "secret number") || !strings.Contains(out, "1234567890123.45") {
				t.Errorf("%s", out)
			}
		}
	})
}
