package mutants_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// previewMutants answer to a preview what the creation does not, or do more than look.
func previewMutants() []mutant {
	const id = "previewTransaction"
	promising := func(edit func(body map[string]any)) func() fault {
		return returning(id, func(_ request, body map[string]any) { edit(body) })
	}
	return []mutant{
		broken("A preview has no note", "preview.same", promising(func(body map[string]any) { delete(body, "note") })),
		broken("A preview has the funding type of nothing", "preview.same", promising(func(body map[string]any) { body["funding_source_type"] = "BANK" })),
		broken("A preview has no documents", "preview.same", promising(func(body map[string]any) { body["physical_documents"] = []any{} })),
		broken("A preview requires nothing, whatever the amount", "preview.limits", promising(func(body map[string]any) { body["required_information"] = []any{} })),
		broken("A preview answers the daily limit as the annual one", "preview.limits", promising(func(body map[string]any) {
			limit, _ := body["remaining_limit"].(map[string]any)
			limit["annual_limit"] = limit["daily_limit"]
		})),
		broken("A preview creates the transaction", "preview.limits", stateless(func(op string, r request, next ask) answer {
			a := next(r)
			if op == id && a.status == http.StatusOK {
				next(r.at(strings.TrimSuffix(r.URL.Path, "/preview")))
			}
			return a
		})),
		broken("A refused preview always says KYC_NOT_ELIGIBLE", "preview.refusals", answering(id, http.StatusUnprocessableEntity, func(_ request, a answer) answer {
			return a.failure(http.StatusUnprocessableEntity, "KYC_NOT_ELIGIBLE")
		})),
	}
}

// clientListMutants find too much, too little, or in another order.
func clientListMutants() (all []mutant) {
	without := func(id, parameter string) func() fault {
		return asking(id, func(r request) request { return r.query(parameter, "") })
	}
	for _, l := range []struct {
		id, checks string
		filters    []string
	}{
		{"listUsers", "lists.users", []string{"email", "status", "client_reference"}},
		{"listClientTransactions", "lists.transactions", []string{"status", "delivery_status", "client_reference"}},
	} {
		for _, filter := range l.filters {
			all = append(all, broken(l.id+" ignores "+filter, l.checks+".filters", without(l.id, filter)))
		}
		page := func(edit func(r request, page map[string]any)) func() fault { return returning(l.id, edit) }
		all = append(all,
			broken(l.id+" has the oldest first", l.checks+".filters", page(func(_ request, page map[string]any) {
				items, _ := page["items"].([]any)
				slices.Reverse(items)
			})),
			broken(l.id+" skips the last entry of a page between others", l.checks+".pages", page(func(r request, page map[string]any) {
				if items, _ := page["items"].([]any); r.URL.Query().Has("cursor") && page["next_cursor"] != nil && len(items) > 1 {
					page["items"] = items[:len(items)-1]
				}
			})),
			broken(l.id+" has one entry more than the limit", l.checks+".pages", asking(l.id, func(r request) request {
				if limit, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && limit > 1 && limit < 100 {
					r = r.query("limit", strconv.Itoa(limit+1))
				}
				return r
			})),
			broken(l.id+" has 100 entries where no limit is sent", l.checks+".pages", asking(l.id, func(r request) request {
				if !r.URL.Query().Has("limit") {
					r = r.query("limit", "100")
				}
				return r
			})),
			broken(l.id+" has no second page", l.checks+".pages", page(func(_ request, page map[string]any) { delete(page, "next_cursor") })),
			broken(l.id+" begins with the first page where a cursor was never issued", l.checks+".pages", then(l.id, func(r request, a answer, next ask) answer {
				if r.URL.Query().Get("cursor") != "" && a.status == http.StatusBadRequest {
					if b := next(r.query("cursor", "")); b.status == http.StatusOK {
						a = b
					}
				}
				return a
			})),
			broken(l.id+" finds for one client what another one found", l.checks+".tenancy", foundByOthers(l.id)),
		)
	}
	shifted := func(parameter string, by time.Duration) func() fault {
		return asking("listClientTransactions", func(r request) request {
			const layout = "2006-01-02T15:04:05.000000"
			if at, err := time.Parse(layout, r.URL.Query().Get(parameter)); err == nil {
				r = r.query(parameter, at.Add(by).Format(layout))
			}
			return r
		})
	}
	return append(all,
		broken("listUsers finds an email address in other letters", "lists.users.filters", asking("listUsers", func(r request) request {
			if email := r.URL.Query().Get("email"); email != "" {
				r = r.query("email", strings.ToLower(email))
			}
			return r
		})),
		broken("created_from is ignored", "lists.transactions.times", without("listClientTransactions", "created_from")),
		broken("created_to is ignored", "lists.transactions.times", without("listClientTransactions", "created_to")),
		broken("created_from is excluded", "lists.transactions.times", shifted("created_from", time.Microsecond)),
		broken("created_to is included", "lists.transactions.times", shifted("created_to", time.Microsecond)),
		broken("A date is the end of its day", "lists.transactions.times", asking("listClientTransactions", func(r request) request {
			if day, err := time.Parse(time.DateOnly, r.URL.Query().Get("created_to")); err == nil {
				r = r.query("created_to", day.AddDate(0, 0, 1).Format(time.DateOnly))
			}
			return r
		})),
		broken("An end before the beginning is an empty list", "lists.transactions.times", answering("listClientTransactions", http.StatusBadRequest, func(r request, a answer) answer {
			if q := r.URL.Query(); q.Get("created_to") == "2026-01-31" {
				a = a.found(map[string]any{"items": []any{}})
			}
			return a
		})),
		broken("A receive user has no reference", "references.shown", answering("listReceiveUsers", http.StatusOK, func(_ request, a answer) answer {
			return a.object(func(body map[string]any) { delete(body, "client_reference") })
		})),
		broken("A transaction that is read has no reference", "references.shown", returning("getTransaction", func(_ request, body map[string]any) {
			delete(body, "client_reference")
		})),
		broken("A user that is read has no reference", "references.shown", returning("getUser", func(_ request, body map[string]any) {
			delete(body, "client_reference")
		})),
	)
}

// foundByOthers answers what another client found with the same reference.
func foundByOthers(id string) func() fault {
	return func() fault {
		var found sync.Map
		return func(op string, r request, next ask) answer {
			a := next(r)
			reference := r.URL.Query().Get("client_reference")
			if op != id || a.status != http.StatusOK || reference == "" {
				return a
			}
			reference = url.QueryEscape(reference)
			if items, _ := a.member("items").([]any); len(items) > 0 {
				found.Store(reference, items)
			} else if items, ok := found.Load(reference); ok {
				a = a.object(func(page map[string]any) { page["items"] = items })
			}
			return a
		}
	}
}
