package mutants_test

import "net/http"

// eventMutants lose, repeat, mix up or show wrong events.
func eventMutants() []mutant {
	// page changes the events of each page.
	page := func(edit func(items []any) []any) func() fault {
		return answering("listEvents", http.StatusOK, func(_ request, a answer) answer {
			return a.object(func(body map[string]any) {
				if items, _ := body["items"].([]any); len(items) > 0 {
					body["items"] = edit(items)
				}
			})
		})
	}
	without := func(eventType string) func() fault {
		return page(func(items []any) []any {
			kept := []any{}
			for _, e := range items {
				if member(e, "type") != eventType {
					kept = append(kept, e)
				}
			}
			return kept
		})
	}
	return []mutant{
		broken("A change of the status of a funding account has no event", "events.complete", without("funding_account.status_changed")),
		broken("An event of a funding account does not name its user", "events.complete", page(func(items []any) []any {
			for _, e := range items {
				delete(e.(map[string]any)["data"].(map[string]any), "user_id")
			}
			return items
		})),
		broken("A change of the delivery status has no event", "events.complete", without("transaction.delivery_status_changed")),
		broken("The newest event of a page comes first", "events.complete", page(func(items []any) []any {
			items[0], items[len(items)-1] = items[len(items)-1], items[0]
			return items
		})),
		broken("The last event of a page is lost", "events.complete", page(func(items []any) []any {
			if len(items) > 1 {
				items = items[:len(items)-1]
			}
			return items
		})),
		broken("The feed ignores type", "events.type", asking("listEvents", func(r request) request { return r.query("type", "") })),
		broken("The feed begins anew where a cursor was never issued", "events.bad-cursor", then("listEvents", func(r request, a answer, next ask) answer {
			if r.URL.Query().Get("after") != "" && a.status == http.StatusBadRequest {
				if b := next(r.query("after", "")); b.status == http.StatusOK {
					return b
				}
			}
			return a
		})),
		broken("An event shows the transaction as it is now", "events.snapshot", answering("listEvents", http.StatusOK, func(_ request, a answer) answer {
			return a.object(func(body map[string]any) {
				items, _ := body["items"].([]any)
				for _, e := range items {
					if data, ok := member(e, "data", "transaction").(map[string]any); ok && member(e, "type") == "transaction.created" {
						data["status"] = "CANCELED"
					}
				}
			})
		})),
		broken("The first page shows more events than its limit", "events.paging", asking("listEvents", func(r request) request {
			if r.URL.Query().Get("limit") == "3" {
				r = r.query("limit", "5")
			}
			return r
		})),
	}
}
