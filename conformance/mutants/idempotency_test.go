package mutants_test

import (
	"net/http"
	"reflect"
	"slices"

	"github.com/google/uuid"
)

const reused = "IDEMPOTENCY_KEY_REUSED"

func idempotencyMutants() []mutant {
	all := []mutant{}
	for _, id := range []string{
		"createUser", "createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount", "createTransaction",
	} {
		all = append(all, creationMutants(id)...)
	}
	return slices.Concat(all, partialMutants(), userCreationMutants(), accountCreationMutants(), transactionRepeatMutants(), differenceMutants(),
		forgetfulMutants(), keyMutants(), scopeMutants(), keyRefusalMutants(), laterMutants(), concurrentMutants())
}

// creationMutants are faults that any creation may have.
func creationMutants(id string) []mutant {
	check := "idempotency." + id
	return []mutant{
		{
			name: id + ": a key of 255 characters is one too long", by: check + ".key-longest",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if op == id && len(r.key()) == 255 {
					a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
				}
				return a
			}),
		},
		{
			name: id + ": an empty key is none", by: check + ".key-empty",
			fault: asking(id, func(r request) request {
				if r.key() == "" {
					r = r.header(keyHeader, "")
				}
				return r
			}),
		},
	}
}

// aNewID is a repeat that answers what was created first under a new id.
func aNewID(id string) mutant {
	return mutant{
		name: id + ": a repeat answers an id that it made before it looked for the key", by: "idempotency." + id + ".replay",
		fault: again(id, func(_ exchange, _ request, a answer, _ func(request) answer) answer {
			if !a.isReplay() {
				return a
			}
			return a.object(func(body map[string]any) { body["id"] = uuid.NewString() })
		}),
	}
}

// silent does not say that it answers a repeat.
func silent(id string) mutant {
	return mutant{
		name: id + ": a repeat does not say that it is one", by: "idempotency." + id + ".replay-header",
		fault: again(id, func(_ exchange, _ request, a answer, _ func(request) answer) answer {
			return a.with(replayHeader, "")
		}),
	}
}

// unawaited does requests with one key that come at the same time.
func unawaited(id string) mutant {
	return mutant{
		name: id + ": a repeat that comes before the first answer is a request of its own", by: "idempotency." + id + ".concurrent",
		fault: crowdedIn(id, func(is bool, r request, next func(request) answer) answer {
			if is {
				r = r.header(keyHeader, "")
			}
			return next(r)
		}),
	}
}

// neverRefused is a server that remembers keys without what was asked with them.
func neverRefused(id string) mutant {
	return mutant{
		name: id + ": a different request with a used key is answered as the first one", by: "idempotency." + id + ".reused",
		fault: again(id, func(first exchange, r request, a answer, next func(request) answer) answer {
			if a.code() == reused && first.request.URL.Path == r.URL.Path && !onlyNull(first.request, r) {
				a = next(first.request)
			}
			return a
		}),
	}
}

// onlyNull tells whether requests differ in nothing but a line of an address that is null.
func onlyNull(a, b request) bool {
	line := []string{"mailing_address", "address_line2"}
	return a.member(line...) == nil && b.member(line...) == nil && reflect.DeepEqual(without(a, line...), without(b, line...))
}

// partial answers a repeat without something that was there, or with something else.
func partial(id string, edit func(body map[string]any)) mutant {
	return mutant{
		name: id + ": a repeat does not answer all that the first request was answered", by: "idempotency." + id + ".replay-whole",
		fault: again(id, func(_ exchange, _ request, a answer, _ func(request) answer) answer {
			if a.isReplay() {
				a = a.object(edit)
			}
			return a
		}),
	}
}

func partialMutants() []mutant {
	lacks := func(names ...string) func(map[string]any) {
		return func(body map[string]any) {
			for _, name := range names {
				delete(body, name)
			}
		}
	}
	return []mutant{
		partial("createUser", lacks("physical_documents", "virtual_documents")), partial("createFundingAccount", lacks("label")),
		partial("createReceiveUser", lacks("state", "zipcode")), partial("createBankAccount", lacks("branch_id")),
		partial("createWalletAccount", func(body map[string]any) { body["created_at"] = "2001-01-01T00:00:00.000000" }),
	}
}

// cutKey takes keys of 256 bytes without their end, where nothing else is wrong.
func cutKey(id string) mutant {
	return mutant{
		name: id + ": a key of 256 characters is cut", by: "idempotency." + id + ".key-too-long",
		fault: stateless(func(op string, r request, next func(request) answer) answer {
			a := next(r)
			if op == id && len(r.key()) == 256 && slices.Equal(a.fields(), []string{"header " + keyHeader}) {
				a = next(r.header(keyHeader, r.key()[:255]))
			}
			return a
		}),
	}
}

// doubleClick takes a request that equals the one before it for the same one, though neither has a key.
func doubleClick(id string) mutant {
	return mutant{
		name: id + ": a request without a key that equals the one before it is taken for a repeat", by: "idempotency." + id + ".without-key",
		fault: twice(id, func(before exchange, r request, next func(request) answer) answer {
			if r.key() != "" {
				return next(r)
			}
			return before.answer
		}),
	}
}

func userCreationMutants() []mutant {
	return []mutant{
		aNewID("createUser"), silent("createUser"), neverRefused("createUser"), unawaited("createUser"),
		{
			name: "createUser: a default that is sent makes another request", by: "idempotency.same.default-business",
			fault: again("createUser", func(first exchange, r request, a answer, _ func(request) answer) answer {
				if a.isReplay() && (first.request.member("business") == nil) != (r.member("business") == nil) {
					a = a.failure(http.StatusConflict, reused)
				}
				return a
			}),
		},
	}
}

func accountCreationMutants() (all []mutant) {
	for _, id := range []string{"createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount"} {
		all = append(all, aNewID(id), neverRefused(id), cutKey(id), doubleClick(id), unawaited(id),
			mutant{
				name: id + ": a repeat creates a second one behind the first one that it answers", by: "idempotency." + id + ".once",
				fault: again(id, func(_ exchange, r request, a answer, next func(request) answer) answer {
					if a.isReplay() {
						next(r.header(keyHeader, ""))
					}
					return a
				}),
			},
			silent(id),
			mutant{
				name: id + ": the first answer to a key says that it is a repeat", by: "idempotency." + id + ".replay-header",
				fault: keyed(id, func(_ past, r request, next func(request) answer) answer {
					a := next(r)
					if a.status == http.StatusOK {
						a = a.with(replayHeader, "true")
					}
					return a
				}),
			})
	}
	return all
}

// transactionRepeatMutants are the same faults in transactions that have a note: there are more checks of transactions without.
func transactionRepeatMutants() []mutant {
	const id, check = "createTransaction", "idempotency.createTransaction."
	return []mutant{
		cutKey(id),
		{
			name: id + ": a repeat does not say that it is one, if there is a note", by: check + "replay-header",
			fault: again(id, func(_ exchange, r request, a answer, _ func(request) answer) answer {
				if r.hasNote() {
					a = a.with(replayHeader, "")
				}
				return a
			}),
		},
		{
			name: id + ": a repeat answers the id of the note in place of that of the transaction", by: check + "replay",
			fault: again(id, func(_ exchange, r request, a answer, _ func(request) answer) answer {
				if a.isReplay() && r.hasNote() {
					a = a.object(func(body map[string]any) { body["id"] = uuid.NewString() })
				}
				return a
			}),
		},
		{
			name: id + ": a purpose that is added to a repeat is overlooked", by: check + "reused",
			fault: again(id, func(first exchange, r request, a answer, next func(request) answer) answer {
				if a.code() == reused && first.request.member("purpose") == nil && r.member("purpose") != nil {
					a = next(first.request)
				}
				return a
			}),
		},
		{
			name: id + ": a note is taken for a reference that makes the next equal transaction the same one", by: check + "without-key",
			fault: twice(id, func(before exchange, r request, next func(request) answer) answer {
				if r.key() != "" || !r.hasNote() {
					return next(r)
				}
				return before.answer
			}),
		},
		{
			name: id + ": a transaction with a note is listed once for each request", by: check + "once",
			fault: listedTwice(func(repeated func(answer)) func() fault {
				return again(id, func(_ exchange, r request, a answer, _ func(request) answer) answer {
					if a.isReplay() && r.hasNote() {
						repeated(a)
					}
					return a
				})
			}),
		},
		{
			name: id + ": keys are ignored", by: check + "replay",
			fault: asking(id, func(r request) request {
				if n := len(r.key()); n > 0 && n <= 255 {
					r = r.header(keyHeader, "")
				}
				return r
			}),
		},
	}
}

func (r request) hasNote() bool { return r.member("note") != nil }
