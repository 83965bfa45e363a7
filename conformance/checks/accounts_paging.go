package checks

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// listsOfAccounts are the operations whose pages are arrays (D-59).
var listsOfAccounts = []string{"listFundingAccounts", "listReceiveUsers", "listBankAccounts", "listWalletAccounts"}

// accountList is a list of accounts or receive users.
type accountList struct {
	path, elsewhere string // of the list, and of one of another user or receive user
	body            any    // of a creation
	differs         string // a member
}

// newAccountList returns an empty list.
func newAccountList(t *probe.T, operation string) accountList {
	country := t.Target().Facts.Destination
	user := t.NewUser().ID
	if operation == "listFundingAccounts" || operation == "listReceiveUsers" {
		l := accountList{body: api.FundingAccountRequest{FundingSourceType: "CARD"}, differs: "label"}
		list := "funding-accounts"
		if operation == "listReceiveUsers" {
			l, list = accountList{body: probe.ReceiveUserRequest(country), differs: "last_name"}, "receive-users"
		}
		l.path, l.elsewhere = probe.UserPath(user, list), probe.UserPath(t.NewUser().ID, list)
		return l
	}
	below := func(list string) string {
		return probe.UserPath(user, "receive-users", t.NewReceiveUser(user, country).String(), list)
	}
	if operation == "listBankAccounts" {
		return accountList{below("bank-accounts"), below("bank-accounts"), bankAccount(t.Bank(country)), "account_number"}
	}
	return accountList{below("wallet-accounts"), below("wallet-accounts"), walletAccount(t.AnyPayer(wallet)), "wallet_number"}
}

// create adds an entry, as a set-up.
func (l accountList) create(t *probe.T, path string, i int) any {
	body := probe.Object(t, l.body)
	body[l.differs] = strconv.Itoa(9800000000 + i*7%aboveUsualPage) // in no order of their own
	return prepare(t, path, body)
}

// fill adds so many entries, and returns them oldest first.
func (l accountList) fill(t *probe.T, n int) (made []moment) {
	for i := range n {
		made = append(made, momentOf(t, l.create(t, l.path, i)))
	}
	return made
}

// accountPage is one page of a list, and the cursor of the next one; "" if there is none.
type accountPage struct {
	entries []moment
	next    string
}

// page reads a page; 0 and "" leave a parameter out.
func (l accountList) page(t *probe.T, limit int, cursor string) accountPage {
	return pageIn(t, t.Send(pageRequest(l.path, limit, cursor)))
}

func pageIn(t *probe.T, reply probe.Reply) (page accountPage) {
	if reply.Status != http.StatusOK {
		t.Fatalf("a page is answered with %d, want 200", reply.Status)
	}
	all, _ := jsonValue(t, reply).([]any)
	for _, v := range all {
		page.entries = append(page.entries, momentOf(t, v))
	}
	page.next = reply.Header.Get("Next-Cursor")
	return page
}

func pageRequest(path string, limit int, cursor string) probe.Request {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return probe.Request{Method: http.MethodGet, Path: withQuery(path, query.Encode())}
}

// following returns the entries of a page and of all that follow it.
func (l accountList) following(t *probe.T, page accountPage, limit int) []moment {
	const most = 8 // a page may have less than its limit
	all := page.entries
	t.Expect(len(page.entries) <= limit, "a page of %d has %d entries", limit, len(page.entries))
	for range most {
		if page.next == "" {
			return all
		}
		page = l.page(t, limit, page.next)
		t.Expect(len(page.entries) > 0 && len(page.entries) <= limit, "a page of %d that a cursor announces has %d entries", limit, len(page.entries))
		all = append(all, page.entries...)
	}
	t.Fatalf("%d pages of %d have no end", most, limit)
	return nil
}

// momentOf returns when what an answer has was created.
func momentOf(t *probe.T, v any) moment {
	object, _ := v.(map[string]any)
	text, _ := object["created_at"].(string)
	when, err := time.Parse("2006-01-02T15:04:05.000000", text)
	if err != nil {
		t.Fatalf("an entry has no created_at")
	}
	return moment{uuid.MustParse(idIn(t, v)), when}
}

// accountPaging returns the checks of pages, for each list.
func accountPaging() (all []probe.Check) {
	for _, op := range operationsWhere(func(op operation) bool { return slices.Contains(listsOfAccounts, op.id) }) {
		all = append(all, probe.Check{
			ID: "accounts.pages." + op.id, Title: op.name() + " with limit answers pages whose cursors lead to each entry once, oldest first",
			Clauses: []string{"D-29", "D-59"}, Operations: []string{op.id}, Needs: probe.Extensions,
			Fix: "Answer at most limit entries, the header Next-Cursor where others follow and only there, and after a cursor the entries that were created later than the last one of its page.",
			Run: func(t *probe.T) { pagesOfAccounts(t, newAccountList(t, op.id)) },
		}, probe.Check{
			ID: "accounts.cursors." + op.id, Title: op.name() + " shows nothing of another list after its cursor, and refuses one that was never issued",
			Clauses: []string{"D-10", "D-29", "D-59"}, Operations: []string{op.id}, Needs: probe.Extensions,
			Fix: "List what belongs to the path, whatever the cursor. Answer 400 BAD_REQUEST with a detail for cursor where it is not a whole Next-Cursor of an earlier page.",
			Run: func(t *probe.T) { cursorsOfAccounts(t, newAccountList(t, op.id)) },
		})
	}
	return all
}

func pagesOfAccounts(t *probe.T, l accountList) {
	made := l.fill(t, 5)
	inOrder := func(got, want []moment) {
		t.Expect(sameOrder(got, want), "there are %d entries, or in another order; want %d, the oldest first", len(got), len(want))
	}
	for _, limit := range []int{1, 2, 4, 5, 100} {
		t.Case(fmt.Sprintf("5 entries in pages of %d", limit), func() {
			inOrder(l.following(t, l.page(t, limit, ""), limit), made)
		})
	}
	t.Case("no limit", func() {
		whole := l.page(t, 0, "")
		inOrder(whole.entries, made)
		t.Expect(whole.next == "", "a complete list has a cursor")
		first := l.page(t, 2, "")
		rest := l.page(t, 0, first.next)
		inOrder(slices.Concat(first.entries, rest.entries), made)
		t.Expect(rest.next == "", "all that follows a page has a cursor")
	})
	t.Case("a cursor that is sent again", func() {
		first := l.page(t, 2, "")
		inOrder(l.page(t, 2, first.next).entries, l.page(t, 2, first.next).entries)
	})
	t.Case("an entry that is added meanwhile", func() {
		first := l.page(t, 2, "")
		l.create(t, l.path, 5)
		all := l.following(t, first, 2)
		inOrder(all[:min(len(all), len(made))], made)
		t.Expect(len(all) <= len(made)+1, "%d entries are listed", len(all))
	})
}

func cursorsOfAccounts(t *probe.T, l accountList) {
	made := l.fill(t, 3)
	issued := l.page(t, 2, "").next
	if issued == "" {
		t.Fatalf("a page of 2 of 3 entries has no Next-Cursor")
	}
	t.Case("a cursor of another list", func() {
		l.create(t, l.elsewhere, 0)
		reply := t.Send(pageRequest(l.elsewhere, 2, issued))
		if reply.Status == http.StatusBadRequest {
			t.Refused(reply, nil, http.StatusBadRequest, badRequest, "query cursor")
			return
		}
		for _, entry := range pageIn(t, reply).entries {
			t.Expect(!slices.ContainsFunc(made, func(m moment) bool { return m.id == entry.id }), "an entry of another list is shown")
		}
	})
	t.Case("a cursor that was never issued", func() {
		for _, cursor := range []string{
			"A", "bm90LWEtY3Vyc29y", issued[:(len(issued)+1)/2], issued[len(issued)/2:],
			base64.RawURLEncoding.EncodeToString([]byte("1795167000000000.conformance")), // a time and no identifier
			base64.RawURLEncoding.EncodeToString([]byte("conformance." + uuid.NewString())),
		} {
			t.Refused(t.Send(pageRequest(l.path, 2, cursor)), nil, http.StatusBadRequest, badRequest, "query cursor")
		}
	})
}
