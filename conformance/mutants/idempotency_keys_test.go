package mutants_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
)

// keyMutants take other keys than those that were sent.
func keyMutants() []mutant {
	changed := func(name, check string, change func(key string) string) mutant {
		return broken(name, check, asking("createTransaction", func(r request) request {
			if r.key() != "" {
				r = r.header(keyHeader, change(r.key()))
			}
			return r
		}))
	}
	// replaying takes a key in an operation that does not know it.
	replaying := func(id string) mutant {
		return broken(id+" answers what it answered to the same key", "idempotency.scope.sandbox",
			keyed(id, func(p past, r request, next ask) answer {
				if p.first != nil {
					return p.first.answer
				}
				return next(r)
			}))
	}
	return []mutant{
		broken("The length of a key is counted in bytes", "idempotency.createTransaction.key", after(func(op string, r request, a answer, _ ask) answer {
			if op == "createTransaction" && len(r.key()) > 255 && utf8.RuneCountInString(r.key()) <= 255 {
				a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
			}
			return a
		})),
		changed("Characters beyond ASCII do not count for the length of a key", "idempotency.createTransaction.key", func(key string) string {
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
		changed("Keys are kept in lower case", "idempotency.key.distinct", strings.ToLower),
		changed("Keys are kept without quotes around them", "idempotency.key.distinct", func(key string) string {
			return strings.Trim(key, `"`)
		}),
		changed("The first 128 characters of a key are kept", "idempotency.key.distinct", func(key string) string {
			if len(key) > 128 && len(key) <= 255 {
				key = key[:128]
			}
			return key
		}),
		changed("A key ends at its first comma", "idempotency.key.distinct", func(key string) string {
			key, _, _ = strings.Cut(key, ",")
			return key
		}),
		changed("Keys are percent-decoded", "idempotency.key.distinct", func(key string) string {
			if decoded, err := url.PathUnescape(key); err == nil {
				key = decoded
			}
			return key
		}),
		changed("A plus sign in a key is taken for a space", "idempotency.key.distinct", func(key string) string { return strings.ReplaceAll(key, "+", " ") }),
		changed("Keys are kept in a Unicode normal form", "idempotency.key.distinct", func(key string) string {
			return strings.ReplaceAll(key, "e\u0301", "\u00e9")
		}),
		broken("Keys are shared between clients", "idempotency.scope.client", func() fault {
			var first sync.Map // answer by key
			return func(op string, r request, next ask) answer {
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
		}),
		broken("Keys are kept per operation", "idempotency.scope.operation", stateless(func(op string, r request, next ask) answer {
			if n := utf8.RuneCountInString(r.key()); n > 0 && n <= 255 {
				sum := sha256.Sum256([]byte(op + " " + r.key()))
				r = r.header(keyHeader, hex.EncodeToString(sum[:]))
			}
			return next(r)
		})),
		replaying("setVerification"),
		replaying("setFundingAccountStatus"),
	}
}

// refusedKeyMutants use up the keys of requests that were refused.
func refusedKeyMutants() (all []mutant) {
	burnt := func(name, id string, serve func(refused exchange, r request) (answer, bool)) {
		all = append(all, broken(name+" uses up its key", "idempotency.refused.creations", keyed(id, func(p past, r request, next ask) answer {
			if p.last != nil && p.first == nil {
				if a, ok := serve(*p.last, r); ok {
					return a
				}
			}
			return next(r)
		})))
	}
	burnt("A transaction that breaks a rule", "createTransaction", func(refused exchange, r request) (answer, bool) {
		return refused.answer, refused.answer.status == http.StatusUnprocessableEntity && r.repeats(refused.request)
	})
	for _, code := range []string{"FUNDING_ACCOUNT_NOT_FOUND", "BAD_REQUEST", "LIMIT_EXCEEDED", "AMOUNT_NOT_ALLOWED"} {
		burnt("A transaction that is refused with "+code, "createTransaction", func(refused exchange, r request) (answer, bool) {
			return refused.answer.failure(http.StatusConflict, reused), refused.answer.code() == code && !r.repeats(refused.request)
		})
	}
	for _, of := range []struct {
		id     string
		status int
	}{
		{"createUser", http.StatusUnprocessableEntity}, {"createUser", http.StatusBadRequest}, {"createFundingAccount", http.StatusBadRequest},
		{"createReceiveUser", http.StatusUnprocessableEntity}, {"createBankAccount", http.StatusUnprocessableEntity},
		{"createWalletAccount", http.StatusNotFound}, {"createTransaction", http.StatusNotFound},
	} {
		burnt(fmt.Sprintf("%s that is answered %d", of.id, of.status), of.id, func(refused exchange, r request) (answer, bool) {
			return refused.answer.failure(http.StatusConflict, reused), refused.answer.status == of.status && !r.repeats(refused.request)
		})
	}
	return all
}
