package mutants_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/google/uuid"
)

const reused = "IDEMPOTENCY_KEY_REUSED"

// creations are the operations that take a key.
var creations = []string{
	"createUser", "createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount", "createTransaction",
}

func idempotencyMutants() []mutant {
	return slices.Concat(creationMutants(), differenceMutants(), keyMutants(), scopeMutants(), refusedKeyMutants(), laterMutants(), concurrentMutants(),
		outcomeMutants())
}

// creationMutants are faults that any creation may have.
func creationMutants() (all []mutant) {
	for _, id := range creations {
		add := func(does, check string, fault func() fault) {
			if id != "createUser" || check != "once" { // nothing lists users
				all = append(all, broken(id+": "+does, "idempotency."+id+"."+check, fault))
			}
		}
		replaying := func(edit func(body map[string]any)) func() fault {
			return again(id, func(_ exchange, _ request, a answer, _ ask) answer {
				if a.isReplay() {
					a = a.object(edit)
				}
				return a
			})
		}
		add("a repeat returns a new id", "replay", replaying(func(body map[string]any) { body["id"] = uuid.NewString() }))
		add("a repeat returns another time", "replay", replaying(func(body map[string]any) { body["created_at"] = "2001-01-01T00:00:00.000000" }))
		add("a different request with a used key is answered as the first one", "reused", answeredAsFirst(id, func(first, r request) bool {
			return first.URL.Path == r.URL.Path
		}))
		add("requests with one key that come at the same time are all done", "concurrent", withoutKeyAtOnce(id))
		add("a request without a key that equals the one before it is a repeat", "once", twice(id, func(before exchange, r request, next ask) answer {
			if r.key() != "" {
				return next(r)
			}
			return before.answer
		}))
		add("a repeat creates a second one behind the first one that it returns", "once", again(id, func(_ exchange, r request, a answer, next ask) answer {
			if a.isReplay() {
				next(r.header(keyHeader, ""))
			}
			return a
		}))
	}
	return all
}

// answeredAsFirst answers a different request with a used key as the first one, if the two are such.
func answeredAsFirst(id string, such func(first, r request) bool) func() fault {
	return again(id, func(first exchange, r request, a answer, next ask) answer {
		if a.code() == reused && such(first.request, r) {
			a = next(first.request)
		}
		return a
	})
}

// withoutKeyAtOnce ignores keys of requests that come at the same time.
func withoutKeyAtOnce(id string) func() fault {
	return crowdedIn(id, func(is bool, r request, next ask) answer {
		if is {
			r = r.header(keyHeader, "")
		}
		return next(r)
	})
}

// onlyNull reports whether requests differ in nothing but a line of an address that is null.
func onlyNull(a, b request) bool {
	line := place{path: []string{"mailing_address", "address_line2"}}
	without := func(r request) any { return line.edit(decode(r.body), func(any) any { return absent{} }) }
	return !reflect.DeepEqual(decode(a.body), decode(b.body)) && reflect.DeepEqual(without(a), without(b))
}

var accountCreations = creations[1:5]

// scopeMutants keep keys for less than the client.
func scopeMutants() []mutant {
	all := []mutant{broken("Each operation but the creation of a transaction or a user has keys of its own", "idempotency.scope.operation",
		stateless(func(op string, r request, next ask) answer {
			if r.key() != "" && len(r.key()) < 200 && slices.Contains(accountCreations, op) {
				r = r.header(keyHeader, op+r.key())
			}
			return next(r)
		}))}
	for _, id := range accountCreations {
		all = append(all, broken(id+": a request with a used key is a repeat whatever its path", "idempotency.scope.path",
			answeredAsFirst(id, func(first, r request) bool { return string(first.body) == string(r.body) })))
	}
	return append(all, broken("createBankAccount: the receive user in the path is not what a key was used for", "idempotency.scope.path",
		answeredAsFirst("createBankAccount", func(first, r request) bool {
			return first.user() == r.user() && string(first.body) == string(r.body)
		})))
}

// laterMutants answer a repeat by what is true now where it counts what was, and the other way round.
func laterMutants() []mutant {
	// rulesFirst looks at a rule before the key.
	rulesFirst := func(rule string, breaks func(r request, look func(path string) any) bool) mutant {
		return broken("A repeat is refused where "+rule, "idempotency.later.rules",
			again("createTransaction", func(_ exchange, r request, a answer, next ask) answer {
				if a.isReplay() && breaks(r, func(path string) any { return r.read(next, path) }) {
					a = next(r.header(keyHeader, ""))
				}
				return a
			}))
	}
	all := []mutant{
		rulesFirst("the sender is no longer verified", func(r request, look func(path string) any) bool {
			return member(look("/users/"+r.user()), "status") != "VERIFIED"
		}),
		rulesFirst("the funding account is no longer active", func(r request, look func(path string) any) bool {
			account := named(look("/users/"+r.user()+"/funding-accounts"), r.member("from_fund_id"))
			return account != nil && account["status"] != "ACTIVE"
		}),
	}
	for _, id := range []string{"createUser", "createFundingAccount"} {
		all = append(all, broken(id+": a repeat is answered with the bytes of the first answer", "idempotency.later.status",
			again(id, func(first exchange, _ request, a answer, _ ask) answer {
				if a.isReplay() {
					a.body = first.answer.body
				}
				return a
			})))
	}
	return all
}

// concurrentMutants treat requests with one key that come at the same time wrong.
func concurrentMutants() []mutant {
	all := []mutant{
		broken("A repeat does not wait for the first request and is refused", "idempotency.createTransaction.concurrent", beside(func(a answer) answer {
			if a.isReplay() {
				a = a.failure(http.StatusConflict, reused)
			}
			return a
		})),
		broken("A different request that waited for the first one is a fault of the server", "idempotency.concurrent.transactions", beside(func(a answer) answer {
			if a.code() == reused {
				a = a.failure(http.StatusInternalServerError, "INTERNAL_ERROR")
			}
			return a
		})),
	}
	for _, by := range []string{"idempotency.createTransaction.concurrent", "idempotency.concurrent.transactions"} {
		all = append(all, broken("Transactions with one key that come at the same time are all created: "+by, by,
			withoutKeyAtOnce("createTransaction")))
	}
	return all
}

// outcomeMutants answer what a caller takes for a proof, and is none.
func outcomeMutants() (all []mutant) {
	for _, id := range creations {
		for _, status := range []int{http.StatusBadRequest, http.StatusUnsupportedMediaType} {
			all = append(all, broken(fmt.Sprintf("%s: a request that is answered %d frees its key", id, status), "idempotency.outcome.open",
				keyed(id, func(p past, r request, next ask) answer {
					if p.first != nil && p.last.answer.status == status {
						r = r.header(keyHeader, "")
					}
					return next(r)
				})))
		}
		all = append(all, broken(id+": a body that was cut is refused for the first member that it lacks", "idempotency.outcome.cut",
			answering(id, http.StatusBadRequest, func(_ request, a answer) answer {
				return a.object(func(body map[string]any) {
					for _, d := range objects(body["details"]) {
						if d["in"] == "body" && d["field"] == "" {
							d["field"] = "/conformance"
						}
					}
				})
			})))
		if id != "createUser" {
			all = append(all, broken(id+": an unknown user is not found, whether the key was used or not", "idempotency.outcome.unknown",
				again(id, func(_ exchange, r request, a answer, next ask) answer {
					if a.code() == reused {
						if free := next(r.header(keyHeader, "")); free.status == http.StatusNotFound {
							return free
						}
					}
					return a
				})))
		}
	}
	return append(all, broken("A path that does not exist is not found like an identifier", "http.unknown-path",
		after(func(op string, _ request, a answer, _ ask) answer {
			if op == "" && a.status == http.StatusNotFound {
				a = a.object(func(body map[string]any) { delete(body, "details") })
			}
			return a
		})))
}
