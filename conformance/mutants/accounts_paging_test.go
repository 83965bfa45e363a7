package mutants_test

import (
	"net/http"
	"strconv"
	"sync"
)

const nextCursor = "Next-Cursor"

// accountPagingMutants cut pages of arrays wrongly, or continue them at the wrong place.
func accountPagingMutants() (all []mutant) {
	for _, id := range []string{"listFundingAccounts", "listReceiveUsers", "listBankAccounts", "listWalletAccounts"} {
		pages, cursors := "accounts.pages."+id, "accounts.cursors."+id
		page := func(edit func(r request, a answer) answer) func() fault { return answering(id, http.StatusOK, edit) }
		all = append(all,
			broken(id+" skips the last entry of a page between others", pages, page(func(r request, a answer) answer {
				if r.URL.Query().Has("cursor") && a.header.Get(nextCursor) != "" {
					a = a.list(func(list []any) []any { return list[:len(list)-1] })
				}
				return a
			})),
			broken(id+" has one entry more than the limit on a page", pages, asking(id, func(r request) request {
				if limit, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && limit > 1 && limit < 100 {
					r = r.query("limit", strconv.Itoa(limit+1))
				}
				return r
			})),
			broken(id+" has a cursor on a last page that is full", pages, page(func(r request, a answer) answer {
				if list, _ := decode(a.body).([]any); strconv.Itoa(len(list)) == r.URL.Query().Get("limit") && a.header.Get(nextCursor) == "" {
					a = a.with(nextCursor, "bGFzdA")
				}
				return a
			})),
			broken(id+" ignores a cursor that comes without a limit", pages, asking(id, func(r request) request {
				if !r.URL.Query().Has("limit") {
					r = r.query("cursor", "")
				}
				return r
			})),
			broken(id+" has 20 entries where no limit is sent", "accounts.lists", asking(id, func(r request) request {
				if !r.URL.Query().Has("limit") {
					r = r.query("limit", "20")
				}
				return r
			})),
			broken(id+" answers to a cursor once", pages, func() fault {
				var used sync.Map
				return func(op string, r request, next ask) answer {
					a := next(r)
					if cursor := r.URL.Query().Get("cursor"); op == id && cursor != "" && a.status == http.StatusOK {
						if _, before := used.LoadOrStore(cursor, true); before {
							a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
						}
					}
					return a
				}
			}),
			broken(id+" shows the list whose page gave the cursor", cursors, func() fault {
				var paths sync.Map
				return func(op string, r request, next ask) answer {
					if op != id {
						return next(r)
					}
					if path, ok := paths.Load(r.URL.Query().Get("cursor")); ok {
						r = r.at(text(path))
					}
					a := next(r)
					if cursor := a.header.Get(nextCursor); cursor != "" {
						paths.Store(cursor, r.URL.Path)
					}
					return a
				}
			}),
			broken(id+" begins with the first page where a cursor was never issued", cursors, then(id, func(r request, a answer, next ask) answer {
				if r.URL.Query().Get("cursor") != "" && a.status == http.StatusBadRequest {
					if b := next(r.query("cursor", "")); b.status == http.StatusOK {
						a = b
					}
				}
				return a
			})),
		)
	}
	return all
}
