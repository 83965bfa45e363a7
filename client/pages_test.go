package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// page is a page of transactions with these notes.
func page(next string, notes ...string) answer {
	items := make([]string, len(notes))
	for i, note := range notes {
		items[i] = strings.Replace(theTransaction, `{`, `{"note":"`+note+`",`, 1)
	}
	body := `{"items":[` + strings.Join(items, ",") + `]`
	if next != "" {
		body += `,"next_cursor":"` + next + `"`
	}
	return respond(200, body+"}")
}

func queries(n *network) string {
	var all []string
	for _, x := range n.seen {
		_, query, _ := strings.Cut(x.url, "?")
		all = append(all, query)
	}
	return strings.Join(all, " ")
}

func TestIteratorReadsAllPages(t *testing.T) {
	t.Parallel()
	n, c := dial(t, page("c2", "1", "2"), page("c3", "3"), page("c4"), page("", "4"))
	params := &api.ListTransactionsParams{Limit: new(int32(2)), Cursor: new("c1")}
	all := c.Transactions(t.Context(), userID, params)
	*params.Limit, *params.Cursor, params.Cursor = 99, "c99", nil // the caller uses its own again
	notes := ""
	for transaction, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		notes += *transaction.Note
	}
	if want := "limit=2&cursor=c1 limit=2&cursor=c2 limit=2&cursor=c3 limit=2&cursor=c4"; notes != "1234" || queries(n) != want {
		t.Errorf("got %s with %s", notes, queries(n))
	}
	n.seen = nil
	for range all {
		break
	}
	if got := queries(n); got != "limit=2&cursor=c1" {
		t.Errorf("the second range asked for %s", got)
	}
}

// arrayPage is a page of funding accounts with these labels; the cursor of the next one is a header.
func arrayPage(next string, labels ...string) answer {
	items := make([]string, len(labels))
	for i, label := range labels {
		items[i] = strings.Replace(theFundingAccount, `{`, `{"label":"`+label+`",`, 1)
	}
	var header []string
	if next != "" {
		header = []string{"Next-Cursor", next}
	}
	return respond(200, "["+strings.Join(items, ",")+"]", header...)
}

func TestIteratorsFollowTheHeader(t *testing.T) {
	t.Parallel()
	n, c := dial(t, arrayPage("c2", "1", "2"), arrayPage("c3"), arrayPage("", "3"), arrayPage("", "4"))
	params := &api.ListFundingAccountsParams{Limit: new(int32(2)), Cursor: new("c1")}
	all := c.FundingAccounts(t.Context(), userID, params)
	*params.Limit, *params.Cursor, params.Cursor = 99, "c99", nil // the caller uses its own again
	labels := ""
	for account, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		labels += *account.Label
	}
	if want := "limit=2&cursor=c1 limit=2&cursor=c2 limit=2&cursor=c3"; labels != "123" || queries(n) != want {
		t.Errorf("got %s with %s", labels, queries(n))
	}
	n.seen = nil
	for range c.FundingAccounts(t.Context(), userID, nil) {
		break
	}
	if got := queries(n); got != "limit=100" { // never the whole list
		t.Errorf("without parameters it asked for %s", got)
	}
}

func TestIteratorsOfArraysEndWithTheFirstError(t *testing.T) {
	t.Parallel()
	for want, second := range map[string]answer{
		"NOT_FOUND": refuse(404, client.NotFound), "repeats a page": arrayPage("c2", "2"), "what the contract says": respond(200, "{}"),
	} {
		_, c := dial(t, arrayPage("c2", "1"), second)
		var last error
		for _, err := range c.FundingAccounts(t.Context(), userID, nil) {
			last = err
		}
		if e := errorOf(t, last); !strings.Contains(e.Error(), want) || e.Operation != "listFundingAccounts" {
			t.Errorf("want %s, got %v", want, e)
		}
	}
}

func TestIteratorReadsPagesWhenNeeded(t *testing.T) {
	t.Parallel()
	n, c := dial(t, page("c2", "1", "2"), page("", "3"))
	for range c.Transactions(t.Context(), userID, nil) {
		break
	}
	if got := queries(n); len(n.seen) != 1 || got != "" {
		t.Errorf("asked for %q", got)
	}
}

func TestIteratorEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	for want, second := range map[string]answer{
		"NOT_FOUND": refuse(404, client.NotFound), "repeats a page": page("c2", "2"), "what the contract says": respond(200, "{}"),
	} {
		_, c := dial(t, page("c2", "1"), second)
		var told []string
		for transaction, err := range c.Transactions(t.Context(), userID, nil) {
			if err != nil {
				errorOf(t, err)
				told = append(told, err.Error())
			} else {
				told = append(told, *transaction.Note)
			}
		}
		if last := told[len(told)-1]; told[0] != "1" || !strings.Contains(last, want) {
			t.Errorf("want %s, told %q", want, told)
		}
	}
}

func TestIteratorEndsWithARepeatedCursor(t *testing.T) {
	t.Parallel()
	n, c := dial(t, page("c2"), page("c3"), page("c4"), page("c2"), page("c3"), page(""))
	var last error
	for _, err := range c.Transactions(t.Context(), userID, nil) {
		last = err
	}
	if e := errorOf(t, last); !strings.Contains(e.Message, "repeats a page") || len(n.seen) != 4 {
		t.Errorf("%v after %d requests", last, len(n.seen))
	}
}

func TestOptionsApplyToEachPage(t *testing.T) {
	t.Parallel()
	n, c := dial(t, page("c2", "1"), respond(http.StatusOK, `{"items":[],"next_cursor":""}`, "X-Request-Id", "last"))
	var info client.Info
	for _, err := range c.Transactions(t.Context(), userID, nil, client.CaptureInfo(&info)) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if withoutAnswer(info) != (client.Info{RequestID: "last", Attempts: 1}) || len(n.seen) != 2 {
		t.Errorf("info is %+v after %d requests", info, len(n.seen))
	}
	for _, err := range c.Transactions(t.Context(), userID, nil, client.IdempotencyKey("k")) {
		if e := (*client.Error)(nil); !errors.As(err, &e) || e.Attempts != 0 {
			t.Errorf("got %v", err)
		}
	}
}
