package resources_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Transactions are listed newest first, also those of the same instant, and each page continues the previous one (D-29).
func TestTransactionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	if all := servertest.List(t, s.Client, sender.ID, 100); len(all) != 0 {
		t.Errorf("a new user has %d transactions", len(all))
	}
	var created []string // newest first
	create := func(n int) {
		for range n {
			r := servertest.Send(t, s.Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "1"))
			created = append([]string{servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil).ID.String()}, created...)
		}
	}
	create(50)                           // the clock stands still
	s.Clock.Set(s.Clock.Now().Add(1000)) // less than the resolution of the store
	create(5)
	s.Clock.Set(s.Clock.Now().Add(1000000))
	create(52)
	for _, size := range []int32{1, 2, 7, 20, 50, 99, 100} {
		t.Run("pages of "+strconv.Itoa(int(size)), func(t *testing.T) {
			wantList(t, servertest.List(t, s.Client, sender.ID, size), created)
		})
	}
	t.Run("a page has 20 where the caller does not say", func(t *testing.T) {
		r, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, &api.ListTransactionsParams{})
		wantList(t, servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items, created[:20])
	})
	t.Run("new transactions do not disturb", func(t *testing.T) {
		before := created
		size, params := int32(10), &api.ListTransactionsParams{}
		params.Limit = &size
		var seen []api.Transaction
		for range 100 {
			r, err := s.Client.ListTransactionsWithResponse(t.Context(), sender.ID, params)
			page := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			seen = append(seen, page.Items...)
			if params.Cursor = page.NextCursor; params.Cursor == nil {
				break
			}
			create(3)
		}
		wantList(t, seen, before)
		wantList(t, servertest.List(t, s.Client, sender.ID, 100), created)
	})
}

func wantList(t testing.TB, all []api.Transaction, want []string) {
	t.Helper()
	if len(all) != len(want) {
		t.Fatalf("%d transactions, want %d", len(all), len(want))
	}
	for i, transaction := range all {
		if transaction.ID.String() != want[i] {
			t.Fatalf("transaction %d is %s, want %s", i, transaction.ID, want[i])
		}
	}
}

// Receive users are listed oldest first, also those of the same instant, whole or in pages (D-59).
func TestReceiveUsersComeInPages(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	path := "/users/" + sender.ID.String() + "/receive-users"
	var created []string
	for i := range 107 {
		if i == 50 { // until then the clock stands still
			s.Clock.Set(s.Clock.Now().Add(time.Millisecond))
		}
		r, err := s.Client.CreateReceiveUserWithResponse(t.Context(), sender.ID, nil, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
		created = append(created, servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).ID.String())
	}
	read := func(query string) (ids []string, next string) {
		t.Helper()
		a := servertest.Call(t, s, "GET", path+query, nil)
		for _, r := range servertest.Parse[[]api.ReceiveUser](t, servertest.OKBody(t, a)) {
			ids = append(ids, r.ID.String())
		}
		return ids, a.Header.Get("Next-Cursor")
	}
	if all, next := read(""); !slices.Equal(all, created) || next != "" {
		t.Errorf("without a limit there are %d, and then %q", len(all), next)
	}
	for _, size := range []int{1, 7, 53, 100} {
		t.Run("pages of "+strconv.Itoa(size), func(t *testing.T) {
			query := "?limit=" + strconv.Itoa(size)
			var got []string
			for next := ""; ; {
				page, after := read(query + next)
				if got = append(got, page...); after == "" {
					break
				}
				if len(page) != size {
					t.Fatalf("a page before others has %d", len(page))
				}
				next = "&cursor=" + after
			}
			if !slices.Equal(got, created) {
				t.Errorf("%d receive users, or in another order, want %d", len(got), len(created))
			}
		})
	}
	_, next := read("?limit=7")
	if rest, end := read("?cursor=" + next); !slices.Equal(rest, created[7:]) || end != "" {
		t.Errorf("after a cursor without a limit there are %d, and then %q", len(rest), end)
	}
}

func TestInvalidPages(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	user := "/users/" + sender.ID.String()
	accounts := user + "/receive-users/" + receiver.ID.String()
	for _, path := range []string{
		servertest.TransactionsPath(sender), user + "/funding-accounts", user + "/receive-users", accounts + "/bank-accounts", accounts + "/wallet-accounts",
	} {
		t.Run(path[strings.LastIndex(path, "/")+1:], func(t *testing.T) {
			t.Parallel()
			refusesInvalidPages(t, s, path)
		})
	}
}

func refusesInvalidPages(t *testing.T, s *servertest.Server, path string) {
	t.Helper()
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=1.5": "limit", "limit=x": "limit", "limit=": "limit",
		"cursor=%20": "cursor", "cursor=abc": "cursor", "cursor=!!!": "cursor", "cursor=MTIzNA": "cursor", "cursor=": "cursor",
		"cursor=MTc3MzUwMDk2NjUzNTg5Ny5ub3QtYW4taWQ":                 "cursor", // a time and no id
		"cursor=eC4wMTk5MDAwMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDA": "cursor", // an id and no time
	} {
		e := servertest.Call(t, s, "GET", path+"?"+query, nil).Refusal(t, 400, api.ErrorCodeBadRequest)
		if !servertest.Names(e, api.ErrorDetailInQuery, field) {
			t.Errorf("%s: details %v do not name %s", query, e.Details, field)
		}
	}
	for _, query := range []string{"limit=1", "limit=100"} {
		servertest.Get(t, s, path+"?"+query)
	}
}
