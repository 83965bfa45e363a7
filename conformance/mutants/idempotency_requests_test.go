package mutants_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// differenceMutants tell too many requests apart, or too few.
func differenceMutants() []mutant {
	member := func(names ...string) func(first, again request) bool {
		return func(first, again request) bool {
			return !reflect.DeepEqual(first.member(names...), again.member(names...))
		}
	}
	texts := func(alike func(a, b string) bool) func(first, again request) bool {
		return func(first, again request) bool {
			a, _ := first.member("note").(string)
			b, _ := again.member("note").(string)
			return a != b && alike(a, b)
		}
	}
	path := func(first, again request) bool { return first.URL.Path != again.URL.Path }
	return slices.Concat(
		strict("another order of members", func(first, again request) bool {
			return !slices.Equal(tokens(first.body), tokens(again.body)) && reflect.DeepEqual(decode(first.body), decode(again.body))
		}),
		strict("white space between members", func(first, again request) bool {
			return !bytes.Equal(first.body, again.body) && bytes.Equal(compact(first.body), compact(again.body))
		}),
		strict("another way to write a number", member("from_amount")),
		strict("a fee of 0 that is written", member("fee_amount")),
		strict("the default calculation mode that is written", member("to", "calculation_mode")),
		strict("the case of a UUID", member("from_fund_id")),
		strict("the case of a UUID of the receive side", member("to", "fund_id")),
		strict("an escape", func(first, again request) bool {
			return !bytes.Equal(compact(first.body), compact(again.body)) && slices.Equal(tokens(first.body), tokens(again.body))
		}),
		strict("the case of the user in the path", path),
		strict("a fee of -0", member("fee_amount")),
		strictIn("createUser", "a default that is written", member("business")),

		lax("another sending amount", member("from_amount")),
		lax("a receiving amount that is not used", member("to_amount")),
		lax("a funding source type that is that of the account", func(first, again request) bool {
			return first.member("funding_source_type") == nil && again.member("funding_source_type") != nil
		}),
		lax("another payer", member("to", "payer_id")),
		lax("a pick-up location", member("to", "pickup_location")),
		lax("the case of a text", texts(strings.EqualFold)),
		lax("white space at the ends of a text", texts(func(a, b string) bool {
			return strings.TrimSpace(a) == strings.TrimSpace(b)
		})),
		lax("the order of documents", func(first, again request) bool {
			return !slices.Equal(documents(first), documents(again)) && slices.Equal(sorted(documents(first)), sorted(documents(again)))
		}),
		lax("the content of the only document", func(first, again request) bool {
			return len(documents(first)) == 1 && len(documents(again)) == 1 && !slices.Equal(sorted(documents(first)), sorted(documents(again)))
		}),
		lax("the user in the path", path),
		[]mutant{
			broken("Below an unknown user a used key is not looked for", "idempotency.different.request",
				again("createTransaction", func(_ exchange, r request, a answer, next ask) answer {
					if a.code() == reused && look(r, next, "").status == http.StatusNotFound {
						a = a.failure(http.StatusNotFound, "NOT_FOUND")
					}
					return a
				})),
			broken("Decimals are judged before a used key", "idempotency.different.first",
				again("createTransaction", func(_ exchange, r request, a answer, _ ask) answer {
					if amount, _ := r.member("from_amount").(json.Number); a.code() == reused && amount == "1.001" {
						a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
					}
					return a
				})),
			broken("The kind of a user is judged before a used key", "idempotency.different.first",
				answering("createUser", http.StatusConflict, func(r request, a answer) answer {
					if r.member("business") == true && r.member("last_name") != nil {
						a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
					}
					return a
				})),
			broken("null and absent make one request", "idempotency.different.request", answeredAsFirst("createUser", onlyNull)),
			broken("A different request with a used key is refused and takes the key over", "idempotency.different.changes-nothing", func() fault {
				var taken sync.Map
				return again("createTransaction", func(_ exchange, r request, a answer, next ask) answer {
					if a.code() == reused {
						taken.Store(r.key(), true)
					} else if _, gone := taken.Load(r.key()); gone {
						a = next(r.header(keyHeader, ""))
					}
					return a
				})()
			}),
			broken("A different request with a used key is refused and done", "idempotency.different.changes-nothing",
				again("createTransaction", func(_ exchange, r request, a answer, next ask) answer {
					if a.code() == reused {
						next(r.header(keyHeader, ""))
					}
					return a
				})),
		},
	)
}

// strict is a server that takes a repeat for a different request.
func strict(difference string, differ func(first, again request) bool) []mutant {
	return strictIn("createTransaction", difference, differ)
}

func strictIn(id, difference string, differ func(first, again request) bool) []mutant {
	return []mutant{broken("A repeat with "+difference+" is a different request", "idempotency.same.request",
		again(id, func(first exchange, r request, a answer, _ ask) answer {
			if a.isReplay() && differ(first.request, r) {
				a = a.failure(http.StatusConflict, reused)
			}
			return a
		}))}
}

// lax is a server that takes a different request for a repeat.
func lax(difference string, differ func(first, again request) bool) []mutant {
	return []mutant{broken("A request with a used key is a repeat whatever "+difference, "idempotency.different.request",
		answeredAsFirst("createTransaction", differ))}
}

// tokens are the parts of a JSON text in their order, escapes resolved.
func tokens(text []byte) (all []string) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		all = append(all, fmt.Sprint(token))
	}
}

func compact(text []byte) []byte {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

// documents are the documents of a request, each as text.
func documents(r request) (all []string) {
	list, _ := r.member("physical_documents").([]any)
	for _, d := range list {
		all = append(all, string(encode(d)))
	}
	return all
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }
