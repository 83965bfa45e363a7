package mutants_test

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// transactionReadingMutants read other transactions than were asked for, or read them incompletely.
func transactionReadingMutants() []mutant {
	return []mutant{
		broken("Without a limit the oldest transaction comes first", "transactions.list.newest-first",
			pages(func(r request, items []any, _ map[string]any) {
				if !r.URL.Query().Has("limit") {
					slices.Reverse(items)
				}
			})),
		broken("The list of a user that has nothing holds the last transaction of the client", "transactions.list.own", lastOfClient),
		broken("Where a limit is sent an unknown user has no transactions", "errors.not-found",
			answering("listTransactions", http.StatusNotFound, func(r request, a answer) answer {
				if r.URL.Query().Has("limit") {
					a = a.found(map[string]any{"items": []any{}})
				}
				return a
			})),
	}
}

// transactions returns the first page of the transactions of the user in the path.
func (r request) transactions(next ask) []map[string]any {
	return objects(member(r.read(next, "/users/"+r.user()+"/transactions?limit=100"), "items"))
}

// found returns a 200 with a body in place of an error.
func (a answer) found(body any) answer { return answer{http.StatusOK, a.header, encode(body)} }

// pages changes the pages of transactions.
func pages(edit func(r request, items []any, page map[string]any)) func() fault {
	return returning("listTransactions", func(r request, page map[string]any) {
		items, _ := page["items"].([]any)
		edit(r, items, page)
	})
}

func lastOfClient() fault {
	var lasts sync.Map
	return func(op string, r request, next ask) answer {
		a := next(r)
		switch {
		case a.status != http.StatusOK:
		case op == "createTransaction":
			lasts.Store(r.client(), decode(a.body))
		case op == "listTransactions" && len(r.below(next, "/funding-accounts")) == 0:
			if last, ok := lasts.Load(r.client()); ok {
				a = a.object(func(page map[string]any) { page["items"] = []any{last} })
			}
		}
		return a
	}
}

// transactionPagingMutants cut pages wrongly, or continue them at the wrong place.
func transactionPagingMutants() []mutant {
	const paging = "transactions.paging."
	isMiddle := func(r request, page map[string]any) bool {
		return r.URL.Query().Has("cursor") && page["next_cursor"] != nil
	}
	return []mutant{
		broken("A page between others skips its last transaction", paging+"complete", pages(func(r request, items []any, page map[string]any) {
			if isMiddle(r, page) {
				page["items"] = items[:len(items)-1]
			}
		})),
		broken("The cursor of a page between others is the one that led to it", paging+"complete",
			pages(func(r request, _ []any, page map[string]any) {
				if isMiddle(r, page) {
					page["next_cursor"] = r.URL.Query().Get("cursor")
				}
			})),
		broken("A page holds one more than the limit", paging+"complete", asking("listTransactions", func(r request) request {
			if limit, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && limit > 1 && limit < 100 {
				r = r.query("limit", strconv.Itoa(limit+1))
			}
			return r
		})),
		broken("A page that is full has a cursor in any case", paging+"complete", pages(func(r request, items []any, page map[string]any) {
			if strconv.Itoa(len(items)) == r.URL.Query().Get("limit") && page["next_cursor"] == nil {
				page["next_cursor"] = "bGFzdA"
			}
		})),
		broken("A page that is full has a cursor where one led to it", paging+"complete", pages(func(r request, items []any, page map[string]any) {
			if cursor := r.URL.Query().Get("cursor"); cursor != "" && strconv.Itoa(len(items)) == r.URL.Query().Get("limit") && page["next_cursor"] == nil {
				page["next_cursor"] = cursor
			}
		})),
		broken("A cursor shows the transactions of the user whose page gave it", paging+"other-user", cursorsOfUsers),
		broken("A cursor can be used once", paging+"again", func() fault {
			var used sync.Map
			return func(op string, r request, next ask) answer {
				a := next(r)
				if cursor := r.URL.Query().Get("cursor"); op == "listTransactions" && cursor != "" && a.status == http.StatusOK {
					if _, before := used.LoadOrStore(cursor, true); before {
						a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
					}
				}
				return a
			}
		}),
		broken("A cursor is an offset, which a new transaction moves", paging+"undisturbed", offsets),
		broken("A user is looked up before the cursor is read", paging+"bad-cursor",
			then("listTransactions", func(r request, a answer, next ask) answer {
				if a.status == 400 && r.URL.Query().Has("cursor") && look(r, next, "").status == 404 {
					return a.failure(404, "NOT_FOUND")
				}
				return a
			})),
		broken("A cursor that cannot be read begins with the first page", paging+"bad-cursor",
			after(func(op string, r request, a answer, next ask) answer {
				if text, err := base64.RawURLEncoding.DecodeString(r.URL.Query().Get("cursor")); op == "listTransactions" &&
					a.status == http.StatusBadRequest && err == nil && len(text) > 0 {
					if b := next(r.query("cursor", "")); b.status == http.StatusOK {
						a = b
					}
				}
				return a
			})),
	}
}

// cursorsOfUsers remembers for each cursor whose page gave it.
func cursorsOfUsers() fault {
	var users sync.Map
	return func(op string, r request, next ask) answer {
		if op != "listTransactions" {
			return next(r)
		}
		query := r.URL.RawQuery
		if user, ok := users.Load(r.URL.Query().Get("cursor")); ok {
			r = r.to(http.MethodGet, "/users/"+text(user)+"/transactions")
			r.URL.RawQuery = query
		}
		a := next(r)
		if cursor := text(a.member("next_cursor")); cursor != "" {
			users.Store(cursor, r.user())
		}
		return a
	}
}

// offsets remembers for each cursor how many transactions there were before the page that it leads to.
func offsets() fault {
	var before sync.Map
	return func(op string, r request, next ask) answer {
		a := next(r)
		if op != "listTransactions" || a.status != http.StatusOK {
			return a
		}
		return a.object(func(page map[string]any) {
			items, _ := page["items"].([]any)
			offset := 0
			if known, ok := before.Load(r.URL.Query().Get("cursor")); ok {
				offset, _ = known.(int)
				all := r.transactions(next)
				for i, x := range all[min(offset, len(all)):min(offset+len(items), len(all))] { // the cursor may be another user's
					items[i] = x
				}
			}
			before.Store(page["next_cursor"], offset+len(items))
		})
	}
}
