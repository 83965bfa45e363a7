package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

var namePattern = regexp.MustCompile(`"name":"[^"]*"`)

// timePattern matches a time as commands print it.
var timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// A payout is exported, released and settled by files; one that fails no longer counts against the limit.
func TestPayoutsByFile(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		paid, failed := d.pay(t, "100"), d.pay(t, "50.50")
		all := d.remaining(t)
		export := filepath.Join(t.TempDir(), "payouts.csv")
		out := d.done(t, "transactions", "export", export, "--ready")
		if !strings.HasPrefix(out, "Batch ") || !strings.HasSuffix(out, ": 2 transactions, 19903.63 NPR\n") {
			t.Errorf("export prints %q", out)
		}
		if out := d.done(t, "transactions", "release", export, "--dry-run"); out !=
			"Dry run: nothing was changed. The file would be released: 2 transactions, 19903.63 NPR\n" || d.status(t, paid.ID) != "INITIATED NONE" {
			t.Errorf("the dry run prints %q, and the transaction is %s", out, d.status(t, paid.ID))
		}
		if out := d.done(t, "transactions", "release", export, "--dry-run", "--json"); strings.Contains(out, "file_id") || strings.Contains(out, "applied_at") {
			t.Errorf("the dry run has an id or a time of what it did not do: %s", out)
		}
		d.done(t, "transactions", "release", export, "--lines=2", "--total=NPR=19903.63")
		for _, tx := range []payout.Transaction{paid, failed} {
			if got := d.status(t, tx.ID); got != "PROCESSING PENDING" {
				t.Errorf("after the release it is %s", got)
			}
		}
		settlement := d.lines(t, string(paid.ID)+",COMPLETED", string(failed.ID)+",FAILED,ACCOUNT_INVALID")
		if out := d.done(t, "transactions", "settle", settlement); !strings.HasSuffix(out, ": 2 transactions, 19903.63 NPR settled\n") {
			t.Errorf("settle prints %q", out)
		}
		if a, b := d.status(t, paid.ID), d.status(t, failed.ID); a != "COMPLETED DELIVERED" || b != "FAILED FAILED ACCOUNT_INVALID" { //nolint:dupword // two statuses
			t.Errorf("after the settlement they are %s and %s", a, b)
		}
		if got := d.remaining(t); got != all+50_50 {
			t.Errorf("%d cents remain, of %d before", got, all)
		}
		d.done(t, "transactions", "settle", d.lines(t, string(paid.ID)+",RETURNED,PAYOUT_RETURNED"))
		if got := d.remaining(t); got != all+150_50 {
			t.Errorf("after the return %d cents remain, of %d before", got, all)
		}
		d.done(t, "check")

		var log []string
		for _, e := range slices.Backward(d.auditLog(t, "--limit=1000")) {
			if slices.Contains(byFile, e.Command) && e.Object == "transaction" {
				log = append(log, strings.Join([]string{
					e.Command, e.Object, strings.NewReplacer(string(paid.ID), "paid", string(failed.ID), "failed").Replace(e.ObjectID),
					compact(t, e.Before), compact(t, e.After),
				}, " "))
			}
		}
		want := []string{
			`transactions release transaction paid {"status":"INITIATED","delivery_status":"NONE"} {"status":"PROCESSING","delivery_status":"PENDING"}`,
			`transactions release transaction failed {"status":"INITIATED","delivery_status":"NONE"} {"status":"PROCESSING","delivery_status":"PENDING"}`,
			`transactions settle transaction paid {"status":"PROCESSING","delivery_status":"PENDING"} {"status":"COMPLETED","delivery_status":"DELIVERED"}`,
			`transactions settle transaction failed {"status":"PROCESSING","delivery_status":"PENDING"} {"status":"FAILED","delivery_status":"FAILED","status_reason":"ACCOUNT_INVALID"}`,
			`transactions settle transaction paid {"status":"COMPLETED","delivery_status":"DELIVERED"} {"status":"RETURNED","delivery_status":"RETURNED","status_reason":"PAYOUT_RETURNED"}`,
		}
		if !slices.Equal(log, want) {
			t.Errorf("the audit log has\n%s", strings.Join(log, "\n"))
		}
		// A file is an entry of its own, and an export too, which has personal data.
		var files []string
		for _, e := range slices.Backward(d.auditLog(t, "--limit=1000")) {
			if e.Object == "payout_file" {
				files = append(files, e.Command+" "+namePattern.FindString(compact(t, e.After)))
			}
		}
		if want := []string{
			`transactions export "name":"payouts.csv"`, `transactions release "name":"payouts.csv"`, `transactions settle "name":"lines.csv"`,
			`transactions settle "name":"lines.csv"`,
		}; !slices.Equal(files, want) {
			t.Errorf("the audit log has the files %q", files)
		}
		private := d.done(t, "audit", "list", "--json", "--limit=1000")
		for _, text := range []string{"Asha", "Bina", "example.com", "9779800000000", "0001234567", "Road", "1990"} {
			if strings.Contains(private, text) {
				t.Errorf("the audit log has %q", text)
			}
		}
	})
}

// The same file changes nothing the second time, whatever its name, and says so.
func TestAFileIsAppliedOnce(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		cash := d.pay(t, "10", func(n *payout.NewTransaction) {
			n.To = payout.ReceiveSide{ReceiveUserID: d.receiver, Method: payout.CashPickup, Mode: payout.SenderAmount, PayerID: 1002, PickupLocation: 30002}
		})
		release, settle := d.lines(t, string(cash.ID)), d.lines(t, string(cash.ID)+",READY_FOR_PICKUP")
		for _, c := range []struct{ command, file, status string }{
			{"release", release, "PROCESSING PENDING"}, {"settle", settle, "PROCESSING READY_FOR_PICKUP"},
		} {
			d.done(t, "transactions", c.command, c.file, "--actor=asha")
			log := len(d.auditLog(t))
			again := filepath.Join(t.TempDir(), "copy.csv")
			if err := os.WriteFile(again, []byte(readFile(t, c.file)), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{again}, {c.file, "--dry-run"}} {
				out := d.done(t, append([]string{"transactions", c.command}, args...)...)
				if !strings.HasPrefix(out, "No change: this file was "+c.command+"d already by asha at 20") || !strings.Contains(out, ", as lines.csv (") {
					t.Errorf("%s again prints %q", c.command, out)
				}
			}
			var result fileResultJSON
			if err := json.Unmarshal([]byte(d.done(t, "transactions", c.command, again, "--json")), &result); err != nil || !result.Repeated ||
				result.Changed != 0 || result.Unchanged != 1 || result.Name != "lines.csv" {
				t.Errorf("%s again: %+v, %v", c.command, result, err)
			}
			if got := d.status(t, cash.ID); got != c.status || len(d.auditLog(t)) != log {
				t.Errorf("%s again: %s, %d entries of the audit log after %d", c.command, got, len(d.auditLog(t)), log)
			}
		}
	})
}

// One bad line rejects a file, and every bad line is named.
func TestAFileIsAppliedAsAWhole(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		good, initiated, held := d.pay(t, "100"), d.pay(t, "1"), d.pay(t, "2")
		d.done(t, "transactions", "release", d.lines(t, string(good.ID)))
		d.done(t, "users", "verify", "--client=wide", string(d.user), "--tag=ID_DOC=FAILED")
		above := d.pay(t, "10000")
		log := len(d.auditLog(t))
		for _, c := range []struct {
			command string
			file    string
			want    string
		}{
			{"settle", d.lines(t, string(good.ID)+",COMPLETED", unknownID+",COMPLETED", string(initiated.ID)+",COMPLETED", string(good.ID)+",COMPLETED", "x,COMPLETED", string(held.ID)+",FAILED"),
				"line 3: there is no such transaction of client wide\n" +
					"line 4: TRANSITION_NOT_ALLOWED: A transaction that is INITIATED with delivery NONE can only become PROCESSING with delivery PENDING, or CANCELED with delivery NONE.\n" +
					"line 5: the transaction is in the file twice\nline 6: transaction_id must be a UUID\nline 7: status_reason is required with this status\n" +
					"payoutd: <file> FILE is rejected with 5 problems; nothing was changed\n"},
			{"release", d.lines(t, string(initiated.ID), string(above.ID), string(good.ID)),
				"line 3: INFORMATION_REQUIRED: Information of the user must be verified first: ID_DOC.\n" +
					"line 4: the transaction is PROCESSING already: line 2 of lines.csv, applied by " + systemUser() + " at TIME\n" +
					"payoutd: <file> FILE is rejected with 2 problems; nothing was changed\n"},
			{"release", d.lines(t), "the file has no lines\npayoutd: <file> FILE is rejected with 1 problem; nothing was changed\n"},
			{"release", filepath.Join(t.TempDir(), "none"), "payoutd: <file> open FILE: no such file or directory\n"},
			{"release", t.TempDir(), "payoutd: <file> FILE is a directory\n"},
			{"release", file(t, "client_id;transaction_id\n"), "payoutd: <file> FILE is rejected: the file is separated by semicolons; save it as CSV with commas (UTF-8); nothing was changed\n"},
			{"release", file(t, "id\n"), "payoutd: <file> FILE is rejected: the header has no column transaction_id; nothing was changed\n"},
		} {
			code, out, errs := d.run(t, "transactions", c.command, c.file)
			errs = timePattern.ReplaceAllString(strings.ReplaceAll(errs, c.file, "FILE"), "TIME")
			if code != exitUsage || out != "" || errs != c.want {
				t.Errorf("%s: code %d, %q,\n%s\nwant\n%s", c.command, code, out, errs, c.want)
			}
		}
		if a, b := d.status(t, good.ID), d.status(t, initiated.ID); a != "PROCESSING PENDING" || b != "INITIATED NONE" {
			t.Errorf("they are %s and %s", a, b)
		}
		if n := len(d.auditLog(t)); n != log {
			t.Errorf("the audit log has %d entries after %d", n, log)
		}
	})
}

func TestControlFiguresOfFiles(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		v := d.pay(t, "100")
		release := d.lines(t, string(v.ID))
		for args, want := range map[string]string{
			"--lines=2":                   "the file has 1 lines, not 2\n",
			"--total=NPR=13225.01":        "the total is 13225.00 NPR, not 13225.01\n",
			"--total=KWD=1":               "the total is 0.000 KWD, not 1.000\n",
			"--total=USD=1 --total=JPY=5": "the total is 0 JPY, not 5\nthe total is 0.00 USD, not 1.00\n",
		} {
			code, out, errs := d.run(t, append([]string{"transactions", "release", release}, strings.Fields(args)...)...)
			if code != exitUsage || out != "" || !strings.HasPrefix(errs, want+"payoutd: <file> ") {
				t.Errorf("%s: code %d, %q, %q; want %q", args, code, out, errs, want)
			}
		}
		for args, want := range map[string]string{
			"--lines=-1":      "--lines (or $PAYOUTD_LINES) must not be negative",
			"--total=XYZ=1":   "--total (or $PAYOUTD_TOTAL) XYZ is not a currency of ISO 4217",
			"--total=NPR=1e3": "--total (or $PAYOUTD_TOTAL) NPR must be a plain amount, such as 1000.00",
			"--client=Wide":   "--client (or $PAYOUTD_CLIENT) must be 1 to 63...",
		} {
			d.refused(t, exitUsage, want, "transactions", "release", release, args)
		}
		amount := file(t, "transaction_id,to_amount,to_currency\n"+string(v.ID)+",13225.01,NPR\n")
		if code, _, errs := d.run(t, "transactions", "release", amount, "--client=wide"); code != exitUsage ||
			!strings.HasPrefix(errs, "line 2: the amount is 13225.01 NPR, and that of the transaction is 13225.00 NPR\n") {
			t.Errorf("another amount: %d, %q", code, errs)
		}
		d.done(t, "transactions", "release", release, "--lines=1", "--total=NPR=13225")
	})
}

// Of two operators who settle files with lines in common, one wins each line, and the other is told. Neither waits for ever.
func TestOverlappingFilesOfTwoOperators(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		var releases, settlements []string
		for range 30 {
			id := string(d.pay(t, "1").ID)
			releases, settlements = append(releases, id), append(settlements, id+",FAILED,OTHER")
		}
		d.done(t, "transactions", "release", d.lines(t, releases...))
		before := d.remaining(t)
		// In opposite orders, so that row locks alone would deadlock.
		first, second := slices.Clone(settlements[:20]), slices.Clone(settlements[10:])
		slices.Reverse(second)
		files := map[string]string{"asha": d.lines(t, first...), "bina": d.lines(t, second...)}
		var mu sync.Mutex
		said := map[string]string{}
		var operators sync.WaitGroup
		for actor, name := range files {
			operators.Go(func() {
				code, out, errs := d.run(t, "transactions", "settle", name, "--actor="+actor)
				if code != exitOK {
					t.Errorf("%s: code %d, %s", actor, code, errs)
				}
				mu.Lock()
				defer mu.Unlock()
				said[actor] = out + errs
			})
		}
		operators.Wait()
		told := 0
		for actor, other := range map[string]string{"asha": "bina", "bina": "asha"} {
			told += strings.Count(said[actor], "no change: the transaction has this status already (line ")
			if strings.Contains(said[actor], "no change") && strings.Count(said[actor], "of lines.csv, applied by "+other+" at ") != 10 {
				t.Errorf("%s is told\n%s", actor, said[actor])
			}
		}
		if told != 10 {
			t.Errorf("%d lines had their status already, want 10", told)
		}
		if got := d.remaining(t); got != before+30_00 {
			t.Errorf("%d cents remain, want %d", got, before+30_00)
		}
		moved := map[string]int{}
		for _, e := range d.auditLog(t, "--limit=1000") {
			if e.Command == "transactions settle" && e.Object == "transaction" {
				moved[e.ObjectID]++
			}
		}
		if len(moved) != 30 {
			t.Errorf("the audit log has %d settlements", len(moved))
		}
		d.done(t, "check")
	})
}

// Two operators who release the same batch at once: one does, and the other is told; so does one with another file.
func TestATransactionIsReleasedOnce(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		var ids []string
		for range 10 {
			ids = append(ids, string(d.pay(t, "1").ID))
		}
		release := d.lines(t, ids...)
		outputs := make(chan string, 4)
		var operators sync.WaitGroup
		for i := range cap(outputs) {
			operators.Go(func() {
				code, out, errs := d.run(t, "transactions", "release", release, fmt.Sprintf("--actor=operator %d", i))
				if code != exitOK {
					t.Errorf("code %d, %s", code, errs)
				}
				outputs <- out
			})
		}
		operators.Wait()
		close(outputs)
		repeated := 0
		for out := range outputs {
			repeated += strings.Count(out, "No change: this file was released already by operator ")
		}
		if repeated != cap(outputs)-1 {
			t.Errorf("%d commands say that the file was released already", repeated)
		}
		code, _, errs := d.run(t, "transactions", "release", d.lines(t, ids[3]))
		if code != exitUsage || !strings.HasPrefix(errs, "line 2: the transaction is PROCESSING already: line 5 of lines.csv, applied by operator ") {
			t.Errorf("another file: code %d, %s", code, errs)
		}
	})
}

// A transaction shows every file that names it, with the line: exports of both formats, the release and the settlement.
func TestATransactionShowsTheFilesThatNameIt(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		d.pay(t, "1")
		second, dir := d.pay(t, "2"), t.TempDir()
		csv, jsonl := filepath.Join(dir, "payouts.csv"), filepath.Join(dir, "payouts.jsonl")
		d.done(t, "transactions", "export", csv, "--ready", "--actor=anna")
		d.done(t, "transactions", "export", jsonl, "--ready", "--actor=bo")
		d.done(t, "transactions", "release", csv, "--actor=anna")
		d.done(t, "transactions", "settle", d.lines(t, string(second.ID)+",COMPLETED"), "--actor=bo")
		var shown struct {
			Files []struct {
				FileID, Direction, Name, Actor string
				Line                           int
			}
		}
		text := d.done(t, "transactions", "show", string(second.ID), "--json")
		if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "file_id", "FileID")), &shown); err != nil {
			t.Fatal(err)
		}
		table := d.done(t, "transactions", "show", string(second.ID))
		var got []string
		for _, f := range shown.Files {
			got = append(got, fmt.Sprintf("%s line %d of %s by %s", f.Direction, f.Line, f.Name, f.Actor))
			row := regexp.MustCompile(fmt.Sprintf(`(?m)^%s +line %d of %s, by %s at \S+Z \(%s\)$`, strings.ToUpper(f.Direction), f.Line, f.Name, f.Actor, f.FileID))
			if !row.MatchString(table) {
				t.Errorf("%s is not in\n%s", row, table)
			}
		}
		if want := []string{
			"export line 3 of payouts.csv by anna", "export line 2 of payouts.jsonl by bo", "release line 3 of payouts.csv by anna", "settle line 2 of lines.csv by bo",
		}; !slices.Equal(got, want) {
			t.Errorf("shown are %q, want %q", got, want)
		}
	})
}
