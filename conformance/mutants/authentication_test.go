package mutants_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/crossborder-payouts/payouts/server"
)

const (
	clientHeader = "X-Client-Id"
	secretHeader = "X-Client-Secret"
)

// signed returns the request with credentials.
func (r request) signed(id, secret string) request {
	return r.header(clientHeader, id).header(secretHeader, secret)
}

func (r request) secret() string { return r.Header.Get(secretHeader) }

// opening makes a fault that accepts wrong credentials of a client if they are such.
func opening(such func(r request, client, secret string) bool) func() fault {
	return stateless(func(_ string, r request, next ask) answer {
		a := next(r)
		if a.status != http.StatusUnauthorized {
			return a
		}
		for _, c := range server.SandboxClients {
			if such(r, c.ID, c.Secret) {
				return next(r.signed(c.ID, c.Secret))
			}
		}
		return a
	})
}

func authenticationMutants() []mutant {
	return []mutant{
		broken("As much of the secret as was sent is compared", "authentication.getPayer", opening(func(r request, client, secret string) bool {
			return r.client() == client && r.secret() != "" && strings.HasPrefix(secret, r.secret())
		})),
		broken("As much of what was sent as the secret has is compared", "authentication.listBanks",
			opening(func(r request, client, secret string) bool {
				return r.client() == client && strings.HasPrefix(r.secret(), secret)
			})),
		broken("A wrong secret is told from an unknown client", "authentication.one-answer", after(func(_ string, r request, a answer, _ ask) answer {
			if a.status == http.StatusUnauthorized && r.secret() != "" && r.client() == server.SandboxClients[0].ID {
				a = a.object(func(body map[string]any) { body["message"] = "The secret is wrong." })
			}
			return a
		})),
		broken("The 401 names the header that is missing", "authentication.one-answer", after(func(_ string, r request, a answer, _ ask) answer {
			if a.status == http.StatusUnauthorized && r.secret() == "" {
				missing := map[string]any{"in": "header", "field": secretHeader, "reason": "is required"}
				a = a.object(func(body map[string]any) { body["details"] = []any{missing} })
			}
			return a
		})),
		broken("The content type is judged before the credentials", "authentication.first", after(func(op string, r request, a answer, _ ask) answer {
			if op != "" && a.status == http.StatusUnauthorized && len(r.body) > 0 && r.Header.Get("Content-Type") != "application/json" {
				a = a.failure(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
			}
			return a
		})),
		broken("Identifiers in paths are judged before the credentials", "authentication.first",
			after(func(_ string, r request, a answer, next ask) answer {
				if a.status != http.StatusUnauthorized || r.Method != http.MethodGet {
					return a
				}
				c := server.SandboxClients[0]
				b := next(r.signed(c.ID, c.Secret))
				if slices.ContainsFunc(b.fields(), func(field string) bool { return strings.HasPrefix(field, "path ") }) {
					return b
				}
				return a
			})),
		broken("Credentials may be in the query", "authentication.query", stateless(func(_ string, r request, next ask) answer {
			if q := r.URL.Query(); r.client() == "" && q.Has(clientHeader) {
				r = r.query(clientHeader, "").query(secretHeader, "").signed(q.Get(clientHeader), q.Get(secretHeader))
			}
			return next(r)
		})),
		broken("Credentials may be in the header Authorization", "authentication.basic", stateless(func(_ string, r request, next ask) answer {
			if id, secret, ok := r.BasicAuth(); ok && r.client() == "" {
				r = r.signed(id, secret)
			}
			return next(r)
		})),
		broken("A secret is compared whatever its case", "authentication.case", opening(func(r request, client, secret string) bool {
			return r.client() == client && strings.EqualFold(r.secret(), secret)
		})),
		broken("A secret is looked for among those of all clients", "authentication.secret-of-another-client",
			opening(func(r request, client, _ string) bool {
				return r.client() == client && slices.ContainsFunc(server.SandboxClients, func(c struct{ ID, Name, Secret string }) bool {
					return c.Secret == r.secret()
				})
			})),
		broken("Many wrong secrets in a row lock the client out", "authentication.no-lock-out", func() fault {
			var mu sync.Mutex
			failures := map[string]int{}
			return func(_ string, r request, next ask) answer {
				a := next(r)
				mu.Lock()
				defer mu.Unlock()
				id := r.client()
				switch {
				case a.status == http.StatusUnauthorized:
					failures[id]++
				case failures[id] >= 10:
					failures[id] = 0
					return a.failure(http.StatusUnauthorized, "UNAUTHORIZED").with("WWW-Authenticate", "Client")
				default:
					failures[id] = 0
				}
				return a
			}
		}),
		broken("What is refused for want of credentials is done", "authentication.changes-nothing",
			after(func(_ string, r request, a answer, next ask) answer {
				if a.status == http.StatusUnauthorized && r.Method == http.MethodPost && r.user() != "" {
					for _, c := range server.SandboxClients {
						next(r.signed(c.ID, c.Secret))
					}
				}
				return a
			})),
	}
}
