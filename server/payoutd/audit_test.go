package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// reading are the commands that change nothing in the database, or, like serve and migrate up, not on behalf of an operator; reset
// removes the database of a sandbox with its audit log.
var reading = []string{
	"serve", "clients list", "clients show", "users list", "users show", "funding-accounts list", "transactions list",
	"transactions show", "reference export", "migrate status", "migrate up", "migrate distribute", "check", "audit list", "version", "completion",
	"secrets-key create", "secrets-key rotate", "users documents list", "users documents export", "limits show", "find",
	"webhooks list", "webhooks show", "reset",
}

// byFile are the commands whose entries TestPayoutsByFile looks for.
var byFile = []string{"transactions export", "transactions release", "transactions settle"}

// A new command must say whether it changes something: only one that embeds changing writes to the audit log.
func TestEveryCommandSaysWhetherItChangesSomething(t *testing.T) {
	t.Parallel()
	var c commands
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	var changes []string
	for _, leaf := range parser.Model.Leaves(true) {
		name := commandOf(leaf.FullPath())
		_, writesLog := leaf.Target.Type().FieldByName("changing")
		if writesLog == slices.Contains(reading, name) {
			t.Errorf("%s: writes to the audit log: %t, and is in the list of commands that only read: %t", name, writesLog, writesLog)
		}
		if writesLog {
			changes = append(changes, name)
		}
	}
	for _, name := range changes {
		if !slices.Contains(byFile, name) && !slices.ContainsFunc(audited, func(a auditedCommand) bool { return a.command == name }) {
			t.Errorf("no test looks for %s in the audit log", name)
		}
	}
}

// commandOf cuts the name of the program and the arguments.
func commandOf(path string) string {
	words := strings.Fields(path)[1:]
	if i := slices.IndexFunc(words, func(w string) bool { return w[0] == '<' || w[0] == '[' }); i >= 0 {
		words = words[:i]
	}
	return strings.Join(words, " ")
}

// auditedCommand is a command that changes something, what the audit log has of it afterwards, and whether its repetition
// changes nothing.
type auditedCommand struct {
	command, args string
	object, id    string
	client        string
	before, after string
	again         bool
}

var seededFingerprint = store.Fingerprint(payout.HashSecret("seeded second"))

var audited = []auditedCommand{
	{"clients apply", "-f FILE", "client", "acme", "acme", `"daily":1000`, `"daily":1001`, true},
	{"clients disable", "acme", "client", "acme", "acme", `{"disabled":false}`, `{"disabled":true}`, true},
	{"clients enable", "acme", "client", "acme", "acme", `{"disabled":true}`, `{"disabled":false}`, true},
	{"clients rotate-secret", "acme", "client", "acme", "acme", `{"secrets":[{"fingerprint":`, `{"secrets":[{"fingerprint":`, false},
	{"clients revoke-secret", "acme " + seededFingerprint, "client", "acme", "acme", `"` + seededFingerprint + `"`, `"` + seededFingerprint + `","expires_at":"`, true},
	{
		"users verify", "--client=acme " + ashaID + " --kyc-status=VERIFIED --tag=ID_DOC=VERIFIED --tag=CITY=SUBMIT", "user", ashaID, "acme",
		`{"kyc_status":"IN PROGRESS","cip_info":{"ID_DOC":"SUBMIT"}}`, `{"kyc_status":"VERIFIED","cip_info":{"CITY":"SUBMIT","ID_DOC":"VERIFIED"}}`, true,
	},
	{
		"funding-accounts set-status", "--client=acme --user=" + ashaID + " " + fundID + " ACTIVE", "funding_account", fundID, "acme",
		`{"status":"PENDING"}`, `{"status":"ACTIVE"}`, true,
	},
	{"reference import", "states STATES", "reference", "states", "", `null`, `{"new":1,"changed":0,"unchanged":0,"removed":0}`, true},
}

// auditEntry is an entry that audit list prints as JSON.
type auditEntry struct {
	ID       string
	At       time.Time
	Actor    string
	Command  string
	ClientID string `json:"client_id"`
	Object   string
	ObjectID string `json:"object_id"`
	Before   json.RawMessage
	After    json.RawMessage
}

func (o operator) auditLog(t *testing.T, args ...string) []auditEntry {
	t.Helper()
	var page struct{ Items []auditEntry }
	if err := json.Unmarshal([]byte(o.done(t, append([]string{"audit", "list", "--json"}, args...)...)), &page); err != nil {
		t.Fatal(err)
	}
	return page.Items
}

func compact(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCommandsWriteTheAuditLog(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		files := strings.NewReplacer("FILE", file(t, acme, "daily: 1000.00", "daily: 1001.00"),
			"STATES", csvFile(t, []payout.State{{ID: 1, Country: "NP", Code: "P1", Name: "Koshi"}}, reference.WriteStates))
		for _, c := range audited {
			before := o.auditLog(t)
			args := append(strings.Fields(c.command), strings.Fields(files.Replace(c.args))...)
			began := time.Now().Truncate(time.Microsecond)
			o.done(t, append(args, "--actor=asha.o'brien@ops")...)
			entries := o.auditLog(t)
			if len(entries) != len(before)+1 {
				t.Errorf("%s: %d entries after %d", c.command, len(entries), len(before))
				continue
			}
			got := entries[0]
			if got.At.Before(began) || got.At.After(time.Now()) || got.Actor != "asha.o'brien@ops" || got.Command != c.command ||
				got.ClientID != c.client || got.Object != c.object || got.ObjectID != c.id ||
				!strings.Contains(compact(t, got.Before), c.before) || !strings.Contains(compact(t, got.After), c.after) {
				t.Errorf("%s: the entry is %q by %q of %s %s of %q, %s, %s", c.command, got.Command, got.Actor, got.Object, got.ObjectID, got.ClientID, got.Before, got.After)
			}
			if !c.again {
				continue
			}
			o.done(t, args...)
			if n := len(o.auditLog(t)); n != len(entries) {
				t.Errorf("%s again, which changes nothing: %d entries after %d", c.command, n, len(entries))
			}
		}
		// Nothing in the log is personal data or a secret.
		log := o.done(t, "audit", "list", "--json")
		for _, private := range []string{"Asha", "example.com", "1990-01-02", "15550100", "123-45-6789", "Main", payout.HashSecret("seeded second")} {
			if strings.Contains(log, private) {
				t.Errorf("the audit log has %q", private)
			}
		}
	})
}

// A change that is rejected, or only tried, leaves no entry.
func TestWhatChangesNothingIsNotInTheAuditLog(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		o.refused(t, exitUsage, "--tag...", "users", "verify", "--client=acme", ashaID, "--kyc-status=VERIFIED", "--tag=EIN_DOC=VERIFIED")
		o.refused(t, exitFailure, "it is the last active secret...", "clients", "revoke-secret", "acme", seededFingerprint)
		o.done(t, "clients", "apply", "--dry-run", "-f", file(t, acme, "daily: 1000.00", "daily: 1001.00"))
		states := csvFile(t, []payout.State{{ID: 1, Country: "NP", Code: "P1", Name: "Koshi"}}, reference.WriteStates)
		o.done(t, "reference", "import", "--dry-run", "states", states)
		if entries := o.auditLog(t); len(entries) != 0 {
			t.Errorf("the audit log has %+v", entries)
		}
		o.refused(t, exitUsage, "--actor (or $PAYOUTD_ACTOR) must be at most 128 printable characters", "clients", "enable", "beta", "--actor=a\nb")
	})
}

func TestTheAuditLogIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		environ := variables("PAYOUTD_DATABASE", o.url, "PAYOUTD_ACTOR", "asha")
		for _, args := range [][]string{{"clients", "disable", "acme"}, {"clients", "enable", "beta"}, {"clients", "enable", "acme"}} {
			if code, _, errs := once(t, environ, args...); code != exitOK {
				t.Fatal(errs)
			}
		}
		o.done(t, "funding-accounts", "set-status", "--client=acme", "--user="+ashaID, fundID, "ACTIVE") // by the user of the operating system
		all := o.auditLog(t)
		if len(all) != 4 || all[0].Actor != systemUser() || all[3].Command != "clients disable" {
			t.Fatalf("the audit log is %+v", all)
		}
		for _, c := range []struct{ args, want string }{
			{"--actor=asha", "123"},
			{"--client=acme", "013"},
			{"--client=acme --actor=asha", "13"},
			{"--object=" + fundID, "0"},
			{"--object=beta", "2"},
			{"--since=24h", "0123"},
			{"--since=" + all[1].At.Format(time.RFC3339Nano), "01"},
			{"--since=2999-01-01", ""},
			{"--limit=2 --after=" + all[0].ID, "12"},
		} {
			var got string
			for _, e := range o.auditLog(t, strings.Fields(c.args)...) {
				got += strconv.Itoa(slices.IndexFunc(all, func(a auditEntry) bool { return a.ID == e.ID }))
			}
			if got != c.want {
				t.Errorf("audit list %s: entries %q, want %q", c.args, got, c.want)
			}
		}
	})
}
