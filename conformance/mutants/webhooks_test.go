package mutants_test

import (
	"net/http"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/server"
)

// webhookMutants show secrets, accept any address, change too much or too little, or deliver what they should not.
func webhookMutants() []mutant {
	const create, read, list, change, remove, rotate, deliveries = "createWebhookEndpoint", "getWebhookEndpoint", "listWebhookEndpoints",
		"updateWebhookEndpoint", "deleteWebhookEndpoint", "rotateWebhookSecret", "listWebhookDeliveries"
	const test, retry = "testWebhookEndpoint", "retryWebhookDelivery"
	const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	with := func(id, name string, value any) func() fault {
		return returning(id, func(_ request, body map[string]any) { body[name] = value })
	}
	without := func(id, name string) func() fault {
		return returning(id, func(_ request, body map[string]any) { delete(body, name) })
	}
	// ignoring drops a member of a request.
	ignoring := func(id, name string) func() fault {
		return asking(id, func(r request) request { return r.as(func(body map[string]any) { delete(body, name) }) })
	}
	// page changes the items of each page.
	page := func(id string, edit func(items []any) []any) func() fault {
		return returning(id, func(_ request, body map[string]any) {
			if items, _ := body["items"].([]any); len(items) > 0 {
				body["items"] = edit(items)
			}
		})
	}
	backwards := func(items []any) []any {
		slices.Reverse(items)
		return items
	}
	// taking accepts an address that has a text as if it were another one.
	taking := func(id, has string) func() fault {
		return then(id, func(r request, a answer, next ask) answer {
			if address, _ := r.member("url").(string); a.status == http.StatusBadRequest && strings.Contains(address, has) {
				return next(r.as(func(body map[string]any) { body["url"] = "https://conformance.invalid/" }))
			}
			return a
		})
	}
	all := []mutant{
		broken("An endpoint is registered without its description", "webhooks.created", ignoring(create, "description")),
		broken("An endpoint is always registered for all events", "webhooks.created", ignoring(create, "event_types")),
		broken("An endpoint is never registered as disabled", "webhooks.created", ignoring(create, "disabled")),
		broken("event_types are answered in the order of the request", "webhooks.created", returning(create, func(r request, body map[string]any) {
			if types, ok := r.member("event_types").([]any); ok {
				body["event_types"] = types
			}
		})),
		broken("An endpoint that is read has no types of events", "webhooks.created", with(read, "event_types", []any{})),

		broken("A registration takes a user and a password", "webhooks.url", taking(create, "user:password@")),
		broken("A registration takes a fragment", "webhooks.url", taking(create, "#fragment")),
		broken("A registration takes ftp", "webhooks.url", taking(create, "ftp://")),
		broken("A registration takes the port 0", "webhooks.url", taking(create, ":0/")),
		broken("A registration takes an address as a decimal number", "webhooks.url", taking(create, "2130706433")),
		broken("A change takes a short address", "webhooks.url", taking(change, "127.1")),
		broken("An endpoint may name ping", "webhooks.event-types", then(create, func(r request, a answer, next ask) answer {
			if types, _ := r.member("event_types").([]any); a.status == http.StatusBadRequest && slices.Contains(types, any("ping")) {
				return next(r.as(func(body map[string]any) { delete(body, "event_types") }))
			}
			return a
		})),

		broken("A change does not change updated_at", "webhooks.update", returning(change, func(_ request, body map[string]any) { body["updated_at"] = body["created_at"] })),
		broken("A change without event_types means all events", "webhooks.update", asking(change, func(r request) request {
			return r.as(func(body map[string]any) {
				if body["event_types"] == nil {
					body["event_types"] = []any{}
				}
			})
		})),
		broken("A change without disabled enables the endpoint", "webhooks.update", asking(change, func(r request) request {
			return r.as(func(body map[string]any) {
				if body["disabled"] == nil {
					body["disabled"] = false
				}
			})
		})),
		broken("A change without a description removes it", "webhooks.update", asking(change, func(r request) request {
			return r.as(func(body map[string]any) {
				if body["description"] == nil {
					body["description"] = ""
				}
			})
		})),

		broken("A creation does not show the secret", "webhooks.secret", without(create, "secret")),
		broken("All endpoints have one secret", "webhooks.secret", with(create, "secret", secret)),
		broken("A repeat of a creation does not show the secret", "webhooks.secret", answering(create, http.StatusOK, func(_ request, a answer) answer {
			if a.header.Get("Idempotent-Replayed") == "true" {
				a = a.object(func(body map[string]any) { delete(body, "secret") })
			}
			return a
		})),
		broken("The list shows secrets", "webhooks.secret", page(list, func(items []any) []any {
			for _, e := range items {
				if endpoint, ok := e.(map[string]any); ok {
					endpoint["secret"] = secret
				}
			}
			return items
		})),
		broken("The secret of a rotation is 16 bytes short", "webhooks.secret", with(rotate, "secret", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz")),
		broken("A rotation returns one secret for ever", "webhooks.rotation", with(rotate, "secret", secret)),
		broken("A rotation makes the secret before invalid at once", "webhooks.rotation", without(rotate, "previous_expires_at")),
		broken("A rotation ignores its key", "webhooks.rotation", asking(rotate, func(r request) request { return r.header("X-Idempotency-Key", "") })),

		broken("A deletion only disables the endpoint", "webhooks.delete", stateless(func(op string, r request, next ask) answer {
			if op == remove {
				r = r.to(http.MethodPatch, r.URL.Path)
				r.Header.Set("Content-Type", "application/json")
				r.body = []byte(`{"disabled":true}`)
			}
			return next(r)
		})),
		broken("A deletion answers the endpoint as enabled", "webhooks.delete", with(remove, "disabled", false)),

		broken("The newest endpoint comes first", "webhooks.list", page(list, backwards)),
		broken("The list of endpoints has one page", "webhooks.list", without(list, "next_cursor")),
		broken("The list of endpoints begins anew where a cursor was never issued", "webhooks.bad-cursor", then(list, func(r request, a answer, next ask) answer {
			if r.URL.Query().Has("cursor") && a.status == http.StatusBadRequest {
				return next(r.query("cursor", ""))
			}
			return a
		})),
		broken("The oldest delivery comes first", "webhooks.deliveries", page(deliveries, backwards)),
		broken("The newest delivery of a page is lost", "webhooks.deliveries", page(deliveries, func(items []any) []any { return items[1:] })),
		broken("An endpoint has deliveries of every type of event", "webhooks.deliveries", ignoring(create, "event_types")),
		broken("A disabled endpoint has deliveries", "webhooks.deliveries", ignoring(create, "disabled")),
		broken("Deliveries are shown whatever their status", "webhooks.disabled", asking(deliveries, func(r request) request { return r.query("status", "") })),
		broken("An endpoint that is disabled goes on", "webhooks.disabled", ignoring(change, "disabled")),
		broken("A test sends what an endpoint never asked for", "webhooks.test", with(test, "event_type", "transaction.created")),
		broken("Each test has one event", "webhooks.test", with(test, "event_id", "0b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e")),
		broken("A test is not due", "webhooks.test", without(test, "next_attempt_at")),
		broken("A ping is in no list of deliveries", "webhooks.test", page(deliveries, func(items []any) []any {
			return slices.DeleteFunc(items, func(d any) bool { return member(d, "event_type") == "ping" })
		})),
		broken("A retry answers a delivery that has ended", "webhooks.retry", with(retry, "status", "DELIVERED")),
		broken("A retry of an event that is not delivered is accepted", "webhooks.retry", then(retry, func(r request, a answer, next ask) answer {
			if a.status == http.StatusNotFound {
				end := strings.LastIndex(strings.TrimSuffix(r.URL.Path, "/retry"), "/deliveries/")
				b := next(r.to(http.MethodPost, r.URL.Path[:end]+"/test"))
				if b.status == http.StatusOK {
					return b
				}
			}
			return a
		})),
		broken("A test at a disabled endpoint is due", "webhooks.asked-while-disabled", with(test, "status", "PENDING")),
		broken("A retry at a disabled endpoint is due", "webhooks.asked-while-disabled", with(retry, "status", "PENDING")),
		broken("A client is refused its first endpoint", "webhooks.most", answering(create, http.StatusOK, func(r request, a answer) answer {
			if r.Header.Get(clientHeader) == server.SandboxClients[1].ID {
				return a.failure(http.StatusUnprocessableEntity, "TOO_MANY_WEBHOOK_ENDPOINTS")
			}
			return a
		})),
		broken("The list shows an endpoint of another client", "webhooks.other-client", asking(list, func(r request) request {
			return r.signed(server.SandboxClients[0].ID, server.SandboxClients[0].Secret)
		})),
	}
	for _, id := range []string{read, change, remove} {
		all = append(all, broken(id+" shows a secret", "webhooks.secret", with(id, "secret", secret)))
	}
	return all
}
