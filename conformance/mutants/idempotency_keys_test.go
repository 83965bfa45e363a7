package mutants_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// keyMutants take other keys than those that were sent, and use up keys of refused requests.
func keyMutants() []mutant {
	changed := func(name, check string, change func(key string) string) mutant {
		return mutant{
			name: name, by: "idempotency.key." + check,
			fault: asking("createTransaction", func(r request) request {
				if r.key() != "" {
					r = r.header(keyHeader, change(r.key()))
				}
				return r
			}),
		}
	}
	burnt := func(name, check string, serve func(refused exchange, r request) (answer, bool)) mutant {
		return mutant{
			name: name, by: "idempotency.refused." + check,
			fault: keyed("createTransaction", func(p past, r request, next func(request) answer) answer {
				if p.last != nil && p.first == nil {
					if a, ok := serve(*p.last, r); ok {
						return a
					}
				}
				return next(r)
			}),
		}
	}
	differs := func(code string) func(exchange, request) (answer, bool) {
		return func(refused exchange, r request) (answer, bool) {
			return refused.answer.failure(http.StatusConflict, reused), refused.answer.code() == code && !r.repeats(refused.request)
		}
	}
	// replaying takes a key in an operation that does not know it.
	replaying := func(id string) mutant {
		return mutant{
			name: id + " answers what it answered to the same key", by: "idempotency.scope.sandbox",
			fault: keyed(id, func(p past, r request, next func(request) answer) answer {
				if p.first != nil {
					return p.first.answer
				}
				return next(r)
			}),
		}
	}
	return []mutant{
		{
			name: "The length of a key is counted in bytes", by: "idempotency.key.characters",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if op == "createTransaction" && len(r.key()) > 255 && utf8.RuneCountInString(r.key()) <= 255 {
					a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
				}
				return a
			}),
		},
		changed("Characters beyond ASCII do not count for the length of a key", "characters-too-many", func(key string) string {
			ascii := strings.Map(func(c rune) rune {
				if c >= utf8.RuneSelf {
					return -1
				}
				return c
			}, key)
			if utf8.RuneCountInString(key) > 255 && len(ascii) <= 255 {
				return ascii
			}
			return key
		}),
		changed("Keys are kept in lower case", "case", strings.ToLower),
		changed("Keys are kept without quotes around them", "quotes", func(key string) string {
			return strings.Trim(key, `"`)
		}),
		changed("The first 128 characters of a key are kept", "end", func(key string) string {
			if len(key) > 128 && len(key) <= 255 {
				key = key[:128]
			}
			return key
		}),
		changed("A key ends at its first comma", "comma", func(key string) string {
			key, _, _ = strings.Cut(key, ",")
			return key
		}),
		changed("Keys are percent-decoded", "percent", func(key string) string {
			if decoded, err := url.PathUnescape(key); err == nil {
				key = decoded
			}
			return key
		}),
		changed("A plus sign in a key is taken for a space", "plus", func(key string) string { return strings.ReplaceAll(key, "+", " ") }),
		changed("Keys are kept in a Unicode normal form", "composed", func(key string) string {
			return strings.ReplaceAll(key, "e\u0301", "\u00e9")
		}),
		{
			name: "Keys are shared between clients", by: "idempotency.scope.client",
			fault: func() fault {
				var first sync.Map // answer by key
				return func(op string, r request, next func(request) answer) answer {
					if op != "createUser" || r.key() == "" {
						return next(r)
					}
					type used struct {
						client string
						answer answer
					}
					if u, ok := first.Load(r.key()); ok && u.(used).client != r.client() {
						return u.(used).answer.with(replayHeader, "true")
					}
					a := next(r)
					if a.status == http.StatusOK {
						first.LoadOrStore(r.key(), used{r.client(), a})
					}
					return a
				}
			},
		},
		{
			name: "Keys are kept per operation", by: "idempotency.scope.operation",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				if n := utf8.RuneCountInString(r.key()); n > 0 && n <= 255 {
					sum := sha256.Sum256([]byte(op + " " + r.key()))
					r = r.header(keyHeader, hex.EncodeToString(sum[:]))
				}
				return next(r)
			}),
		},
		replaying("setVerification"),
		replaying("setFundingAccountStatus"),
		burnt("A refusal for a rule is answered to repeats too", "rule-then-same", func(refused exchange, r request) (answer, bool) {
			return refused.answer, refused.answer.status == http.StatusUnprocessableEntity && r.repeats(refused.request)
		}),
		burnt("A request that is refused for a rule uses up its key", "rule-then-different", differs("FUNDING_ACCOUNT_NOT_FOUND")),
		burnt("A malformed request uses up its key", "form-then-different", differs("BAD_REQUEST")),
		burnt("A transaction that the limit refuses uses up its key", "limit-then-different", differs("LIMIT_EXCEEDED")),
		burnt("A transaction that pays out nothing uses up its key", "amount-then-different", differs("AMOUNT_NOT_ALLOWED")),
	}
}

// laterMutants answer a repeat by what is true now where it counts what was, and the other way round.
func laterMutants() []mutant {
	// rulesFirst looks at a rule before the key.
	rulesFirst := func(rule, check string, broken func(r request, look func(path string) any) bool) mutant {
		return mutant{
			name: "A repeat is refused where " + rule, by: "idempotency.later." + check,
			fault: again("createTransaction", func(_ exchange, r request, a answer, next func(request) answer) answer {
				if a.isReplay() && broken(r, looking(r, next)) {
					a = next(r.header(keyHeader, ""))
				}
				return a
			}),
		}
	}
	all := []mutant{
		rulesFirst("the sender is no longer verified", "suspended", func(r request, look func(path string) any) bool {
			return member(look("/users/"+r.user()), "status") != "VERIFIED"
		}),
		rulesFirst("the funding account is no longer active", "inactive", func(r request, look func(path string) any) bool {
			account := named(look("/users/"+r.user()+"/funding-accounts"), r.member("from_fund_id"))
			return account != nil && account["status"] != "ACTIVE"
		}),
	}
	for _, of := range [][2]string{{"createUser", "user-status"}, {"createFundingAccount", "funding-account-status"}} {
		id := of[0]
		all = append(all, mutant{
			name: id + ": a repeat is answered with the bytes of the first answer", by: "idempotency.later." + of[1],
			fault: again(id, func(first exchange, _ request, a answer, _ func(request) answer) answer {
				if a.isReplay() {
					a.body = first.answer.body
				}
				return a
			}),
		})
	}
	return all
}

func concurrentMutants() []mutant {
	const answers, once, limit = "idempotency.concurrent.answer", "idempotency.concurrent.once", "idempotency.concurrent.limit"
	return []mutant{
		{
			name: "A repeat does not wait for the first request and is refused", by: answers,
			fault: beside(func(a answer) answer {
				if a.isReplay() {
					a = a.failure(http.StatusConflict, reused)
				}
				return a
			}),
		},
		{
			name: "A repeat that waited for the first request does not say that it is one", by: answers,
			fault: beside(func(a answer) answer { return a.with(replayHeader, "") }),
		},
		{
			name: "A transaction is listed once for each of two requests that came at the same time", by: once,
			fault: listedTwice(func(repeated func(answer)) func() fault {
				return beside(func(a answer) answer {
					if a.isReplay() {
						repeated(a)
					}
					return a
				})
			}),
		},
		{
			name: "Repeats that come at the same time lower the daily limit twice", by: limit,
			fault: countedTwice,
		},
		{
			name: "A different request that waited for the first one is a fault of the server", by: "idempotency.concurrent.different",
			fault: beside(func(a answer) answer {
				if a.code() == reused {
					a = a.failure(http.StatusInternalServerError, "INTERNAL_ERROR")
				}
				return a
			}),
		},
		{
			name: "Requests with one key that come at the same time are all done", by: answers,
			fault: crowded(func(is bool, r request, next func(request) answer) answer {
				if is {
					r = r.header(keyHeader, "")
				}
				return next(r)
			}),
		},
	}
}

// listedTwice lists transactions twice that had a repeat which the fault of the creation tells of.
func listedTwice(creation func(repeated func(answer)) func() fault) func() fault {
	return func() fault {
		var repeated sync.Map
		creating := creation(func(a answer) { repeated.Store(a.member("id"), true) })()
		return func(op string, r request, next func(request) answer) answer {
			a := creating(op, r, next)
			if op != "listTransactions" || a.status != http.StatusOK {
				return a
			}
			return a.object(func(page map[string]any) {
				items, _ := page["items"].([]any)
				for _, x := range items {
					if _, again := repeated.Load(member(x, "id")); again {
						items = append(items, x)
					}
				}
				page["items"] = items
			})
		}
	}
}

// countedTwice takes the amount of transactions that were repeated at the same time from the daily limit once more.
func countedTwice() fault {
	var more sync.Map // amount by user
	creating := beside(func(a answer) answer {
		if a.isReplay() {
			more.Store(a.member("user_id"), a.member("from_amount"))
		}
		return a
	})()
	return func(op string, r request, next func(request) answer) answer {
		a := creating(op, r, next)
		amount, again := more.Load(r.user())
		if op != "getTransactionLimit" || !again {
			return a
		}
		return a.object(func(body map[string]any) {
			limit, _ := body["remaining_limit"].(map[string]any)
			left, _ := limit["daily_limit"].(json.Number)
			once, _ := amount.(json.Number)
			d, err := wire.MustAmount(left.String()).Decimal().Sub(wire.MustAmount(once.String()).Decimal())
			if err != nil {
				panic(err)
			}
			limit = maps.Clone(limit)
			limit["daily_limit"] = json.Number(d.String())
			body["remaining_limit"] = limit
		})
	}
}
