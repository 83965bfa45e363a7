package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Whatever support is asked about is found, with the command that shows it, and that command works.
func TestFind(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.withWebhooks(t)
		paymentDocument := unknownID[:35] + "e"
		for text, want := range map[string]string{
			ashaID: "user", strings.ToUpper(ashaID): "user", transferID: "transaction", fundID: "funding account", receiverID: "receive user",
			unknownID: "document of a user", paymentDocument: "document of a transaction", "asha@example.com": "user, by its email address",
			"ASHA@Example.com": "user, by its email address", hookID: "webhook endpoint", rotationID: "rotation of a webhook secret",
			"rotation": "rotation of a webhook secret, by its idempotency key", "acme": "client",
			"customer-1": "user, by its client_reference", "order-2": "transaction, by its client_reference", "sign\x1bup": "user, by its idempotency key",
			"card\t1": "funding account, by its idempotency key", "firm kk": "user, by its name", "ASHA": "user, by its name",
			"asha exa\x1bmple": "user, by its name", "asha devi exa\x1bmple": "user, by its name",
		} {
			for _, args := range [][]string{{"find", text}, {"find", "--client=acme", text}} {
				out := o.done(t, args...)
				lines := strings.Split(strings.TrimSpace(out), "\n")
				if len(lines) != 2 || !strings.HasPrefix(lines[1], want+"  ") {
					t.Errorf("%q: %s", text, out)
					continue
				}
				_, command, _ := strings.Cut(lines[1], "payoutd ")
				o.done(t, strings.Fields(command)...)
			}
			o.refused(t, exitFailure, "nothing was found", "find", "--client=beta", text)
		}
		if out := o.done(t, "find", "order-1"); strings.Count(out, transferID) != 4 || strings.Count(out, "\n") != 3 { // key and reference
			t.Errorf("%s", out)
		}
		o.refused(t, exitFailure, "nothing was found", "find", "nobody@example.com")
		// An address that was registered in another case is not in the index as the text is.
		o.registered(t, "Third@Example.com")
		if out := o.done(t, "find", "third@EXAMPLE.com"); !strings.Contains(out, "\nuser, by its email address  ") || strings.Count(out, "\n") != 2 {
			t.Errorf("%s", out)
		}
		if code, _, errs := o.run(t, "find", "--names=1", "Asha"); code != exitFailure || !strings.Contains(errs, "only the newest 1 users of acme") {
			t.Errorf("code %d, %s", code, errs)
		}
	})
}

// registered writes a user of acme with an email address.
func (o operator) registered(t *testing.T, email string) {
	t.Helper()
	db, err := store.Connect(t.Context(), o.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Write(t.Context(), func(tx payout.Tx) error {
		return tx.InsertUser(t.Context(), "acme", payout.User{
			ID: "01990000-0000-7000-8000-000000000005", CreatedAt: seeded.Add(2 * time.Hour), Status: payout.KYCUnverified, Country: "US",
			Profile: payout.UserProfile{FirstName: "Fifth", Email: email},
		})
	}); err != nil {
		t.Fatal(err)
	}
}

// A batch that an export prints, a file that a release prints, and an entry of the audit log are found by their ids.
func TestFindWhatOperatorsDid(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		d.pay(t, "1")
		export := filepath.Join(t.TempDir(), "payouts.csv")
		ids := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
		batch := ids.FindString(d.done(t, "transactions", "export", export))
		released := ids.FindString(d.done(t, "transactions", "release", export))
		var verified string
		for _, e := range d.auditLog(t) {
			if e.Command == "users verify" {
				verified = e.ID
			}
		}
		for id, want := range map[string][2]string{
			batch: {"payout file", "transactions export"}, released: {"payout file", "transactions release"}, verified: {"entry of the audit log", "users verify"},
		} {
			lines := strings.Split(strings.TrimSpace(d.done(t, "find", id)), "\n")
			_, command, _ := strings.Cut(lines[len(lines)-1], "payoutd ")
			if len(lines) != 2 || !strings.HasPrefix(lines[1], want[0]+"  ") {
				t.Errorf("%s: %q", want, lines)
			} else if out := d.done(t, strings.Fields(command)...); !strings.Contains(out, want[1]) {
				t.Errorf("%s: payoutd %s prints %s", want, command, out)
			}
		}
		d.done(t, "find", "--client=wide", verified)
		d.newClient(t, "second")
		for _, id := range []string{batch, verified} {
			d.refused(t, exitFailure, "nothing was found", "find", "--client=second", id)
		}
	})
}

// The id is enough: --client may be left out, and a wrong one finds nothing.
func TestTheClientOfAnID(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		o.prints(t, "users_show.txt", "users", "show", ashaID)
		o.prints(t, "transactions_show.txt", "transactions", "show", transferID)
		o.prints(t, "funding_list.txt", "funding-accounts", "list", "--user="+ashaID)
		o.prints(t, "users_documents.txt", "users", "documents", "list", ashaID)
		o.prints(t, "users_documents.json", "users", "documents", "list", "--json", ashaID)
		o.prints(t, "limits_show.txt", "limits", "show", ashaID)
		o.prints(t, "limits_show.json", "limits", "show", "--json", ashaID)
		o.prints(t, "limits_none.txt", "limits", "show", firmID)
		o.refused(t, exitFailure, "there is no such user", "users", "show", transferID)
		o.refused(t, exitFailure, "there is no such transaction", "transactions", "show", ashaID)
		o.refused(t, exitFailure, "there is no such user", "users", "documents", "list", "--client=beta", ashaID)
	})
}

// A tag for which nothing was submitted is verified by force only, and a request that names one changes nothing.
func TestVerifyWhatWasSubmitted(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		before := o.done(t, "users", "show", ashaID)
		o.refused(t, exitUsage, "--tag (or $PAYOUTD_TAG) CITY was not submitted; GENDER was not submitted", "users", "verify", ashaID,
			"--kyc-status=VERIFIED", "--tag=ID_DOC=VERIFIED,GENDER=VERIFIED,CITY=VERIFIED")
		if after := o.done(t, "users", "show", ashaID); after != before {
			t.Errorf("%s, before %s", after, before)
		}
		o.done(t, "users", "verify", ashaID, "--tag=ID_DOC=VERIFIED,GENDER=REQUESTED")
		o.refused(t, exitUsage, "--tag (or $PAYOUTD_TAG) GENDER was not submitted", "users", "verify", ashaID, "--tag=GENDER=VERIFIED")
		if out := o.done(t, "users", "verify", ashaID, "--force", "--tag=GENDER=VERIFIED"); !strings.Contains(out, "TAG GENDER  VERIFIED") {
			t.Errorf("%s", out)
		}
	})
}

// Documents are exported to files that the operator alone can read, whose names are ids, and which nothing overwrites.
func TestExportDocuments(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		const copied = "01990000-0000-7000-8000-0000000000fc"
		db, err := store.Connect(t.Context(), o.url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.Write(t.Context(), func(tx payout.Tx) error {
			return tx.InsertUserDocuments(t.Context(), "acme", ashaID, 1, []payout.Document{
				{ID: copied, Kind: payout.PhysicalDocument, Type: "STATE_ID", MediaType: "image/png", Content: []byte("\x89PNG")},
			})
		}); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "review")
		out := o.done(t, "users", "documents", "export", ashaID, dir)
		for name, want := range map[string]string{ashaID + "_" + unknownID: "123-45-6789", ashaID + "_" + copied: "\x89PNG"} {
			path := filepath.Join(dir, name)
			content, err := os.ReadFile(path)
			if err != nil || string(content) != want || !strings.Contains(out, path) || strings.Contains(out, want) {
				t.Errorf("%s has %q, %v; printed %s", name, content, err, out)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory: %v, %v", info.Mode(), err)
		}
		// All or nothing: the second file is in the way, so the first one is not left.
		first, second := filepath.Join(dir, ashaID+"_"+unknownID), filepath.Join(dir, ashaID+"_"+copied)
		if err := os.Remove(first); err != nil {
			t.Fatal(err)
		}
		o.refused(t, exitFailure, second+" exists already, and is not overwritten", "users", "documents", "export", ashaID, dir)
		if _, err := os.Stat(first); !os.IsNotExist(err) {
			t.Errorf("a file of a failed export is left: %v", err)
		}
		// A link is not followed, not even to nowhere.
		if err := os.Symlink(filepath.Join(dir, "elsewhere"), first); err != nil {
			t.Fatal(err)
		}
		o.refused(t, exitFailure, first+" exists already, and is not overwritten", "users", "documents", "export", ashaID, dir)
	})
}
