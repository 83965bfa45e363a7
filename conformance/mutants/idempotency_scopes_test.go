package mutants_test

import (
	"net/http"
	"slices"
)

var accountCreations = []string{"createFundingAccount", "createReceiveUser", "createBankAccount", "createWalletAccount"}

// scopeMutants keep keys for less than the client.
func scopeMutants() []mutant {
	all := []mutant{{
		name: "Each operation but the creation of a transaction or a user has keys of its own", by: "idempotency.scope.operation",
		fault: stateless(func(op string, r request, next func(request) answer) answer {
			if r.key() != "" && len(r.key()) < 200 && slices.Contains(accountCreations, op) {
				r = r.header(keyHeader, op+r.key())
			}
			return next(r)
		}),
	}}
	for _, id := range accountCreations {
		all = append(all, mutant{
			name: id + ": a request with a used key is a repeat whatever its path", by: "idempotency.scope.path",
			fault: again(id, func(first exchange, r request, a answer, next func(request) answer) answer {
				if a.code() == reused && string(first.request.body) == string(r.body) {
					a = next(first.request)
				}
				return a
			}),
		})
	}
	return append(all, mutant{
		name: "createBankAccount: the receive user in the path is not what a key was used for", by: "idempotency.scope.path",
		fault: again("createBankAccount", func(first exchange, r request, a answer, next func(request) answer) answer {
			if a.code() == reused && first.request.user() == r.user() && string(first.request.body) == string(r.body) {
				a = next(first.request)
			}
			return a
		}),
	})
}

// keyRefusalMutants use up the keys of creations that are refused with a status.
func keyRefusalMutants() (all []mutant) {
	for _, of := range []struct {
		id     string
		status int
		reason string
	}{
		{"createUser", http.StatusUnprocessableEntity, "breaks a rule"},
		{"createUser", http.StatusBadRequest, "is malformed"},
		{"createFundingAccount", http.StatusBadRequest, "is malformed"},
		{"createReceiveUser", http.StatusUnprocessableEntity, "breaks a rule"},
		{"createBankAccount", http.StatusUnprocessableEntity, "breaks a rule"},
		{"createWalletAccount", http.StatusNotFound, "is below an unknown user"},
		{"createTransaction", http.StatusNotFound, "is below an unknown user"},
	} {
		all = append(all, mutant{
			name: of.id + ": a request that " + of.reason + " uses up its key", by: "idempotency.refused.creations",
			fault: keyed(of.id, func(p past, r request, next func(request) answer) answer {
				if p.first == nil && p.last != nil && p.last.answer.status == of.status && !r.repeats(p.last.request) {
					return p.last.answer.failure(http.StatusConflict, reused)
				}
				return next(r)
			}),
		})
	}
	return all
}
