package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// ids returns the first column of a table.
func ids(table string) string {
	var all []string
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if i > 0 {
			all = append(all, strings.Fields(line)[0])
		}
	}
	return strings.Join(all, " ")
}

func TestUsersAreListedInPages(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		for _, c := range []struct{ args, want, more string }{
			{"", thirdID + " " + firmID + " " + ashaID, ""},
			{"--limit=3", thirdID + " " + firmID + " " + ashaID, ""},
			{"--limit=2", thirdID + " " + firmID, "There are more: --after " + firmID + "\n"},
			{"--limit=2 --after=" + firmID, ashaID, ""},
			{"--after=" + strings.ToUpper(firmID), ashaID, ""},
			{"--after=" + ashaID, "", ""},
			{"--status=VERIFIED", firmID, ""},
			{"--status=SUSPENDED", "", ""},
		} {
			code, out, errs := o.run(t, append([]string{"users", "list", "--client=acme"}, strings.Fields(c.args)...)...)
			if code != exitOK || ids(out) != c.want || errs != c.more {
				t.Errorf("%s: code %d, %s, %q", c.args, code, out, errs)
			}
		}
		if out := o.done(t, "users", "list", "--client=acme", "--status=IN PROGRESS"); ids(out) != ashaID {
			t.Errorf("in progress: %s", out)
		}
	})
}

// A script follows next_cursor until it is absent.
func TestScriptsReadPages(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		for list, want := range map[string][]string{"users": {thirdID, firmID, ashaID}, "transactions": {transfer2ID, transferID}} {
			var got []string
			args := []string{list, "list", "--client=acme", "--json", "--limit=1"}
			for range want {
				var page struct {
					Items      []struct{ ID string }
					NextCursor *string `json:"next_cursor"`
				}
				if err := json.Unmarshal([]byte(o.done(t, args...)), &page); err != nil || len(page.Items) != 1 {
					t.Fatalf("%s: %d on a page, %v", list, len(page.Items), err)
				}
				got = append(got, page.Items[0].ID)
				if page.NextCursor == nil {
					break
				}
				args = append(args[:5:5], "--after="+*page.NextCursor)
			}
			if last := o.done(t, args...); !slices.Equal(got, want) || strings.Contains(last, "next_cursor") {
				t.Errorf("%s: %q, want %q; the last page is %s", list, got, want, last)
			}
		}
	})
}

// D-20, D-24, D-25: in production operators do what the sandbox operation does.
func TestVerifyUsers(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		verify := []string{"users", "verify", "--client=acme", ashaID}
		o.prints(t, "users_verify.txt", append(verify, "--kyc-status=VERIFIED", "--tag=ID_DOC=VERIFIED", "--tag", "GENDER=REQUESTED")...)
		o.prints(t, "users_verify.json", append(verify, "--tag=CITY=FAILED,STATE=REVIEWING", "--json")...)
		o.prints(t, "users_verified.txt", "users", "show", "--client=acme", strings.ToUpper(ashaID))
	})
}

func TestMaskedEmails(t *testing.T) {
	t.Parallel()
	for email, want := range map[string]string{
		"asha@example.com": "a***@example.com", "a@b": "a***@b", "\u0928\u0947x@b": "\u0928***@b", "": "***@", "@b": "***@b",
	} {
		if got := masked(email); got != want {
			t.Errorf("%q: %q", email, got)
		}
	}
}
