package mutants_test

import (
	"net/http"
	"strings"
)

// contractMutants answer in a form that the contract does not have, each in one operation, where no program would care.
func contractMutants() []mutant {
	all := []mutant{{
		name: "The error of a path that does not exist has a member more", by: "contract.errors",
		fault: stateless(func(op string, r request, next func(request) answer) answer {
			a := next(r)
			if op == "" && a.status >= http.StatusBadRequest {
				a = a.object(func(body map[string]any) { body["path"] = r.URL.Path })
			}
			return a
		}),
	}}
	found := func(edit func(a answer) answer) func(answer) answer {
		return func(a answer) answer {
			if a.status == http.StatusOK {
				a = edit(a)
			}
			return a
		}
	}
	refused := func(edit func(a answer) answer) func(answer) answer {
		return func(a answer) answer {
			if a.status >= http.StatusBadRequest {
				a = edit(a)
			}
			return a
		}
	}
	null := func(name string) func(answer) answer {
		return found(func(a answer) answer {
			return a.object(func(body map[string]any) {
				if _, ok := body[name]; !ok {
					body[name] = nil
				}
			})
		})
	}
	for _, form := range []struct {
		does       string
		operations []string
		edit       func(a answer) answer
	}{
		{
			"answers a member more", []string{"setVerification", "getTransactionLimit", "listTransactions", "listPayers"},
			found(func(a answer) answer { return a.object(func(body map[string]any) { body["version"] = 1 }) }),
		},
		{
			"answers text/json", []string{"getBank", "listCountryStates", "getUser", "createWalletAccount"},
			func(a answer) answer { return a.with("Content-Type", "text/json") },
		},
		{
			"answers UTF-8 by another name", []string{"listBankAccounts", "createUser"},
			found(func(a answer) answer { return a.with("Content-Type", "application/json; charset=unicode-1-1-utf-8") }),
		},
		{
			"does not say what credentials it needs", []string{"getPayer", "createFundingAccount", "getStateV2"},
			refused(func(a answer) answer { return a.with("WWW-Authenticate", "") }),
		},
		{
			"answers null for details that it does not have", []string{"getCountryState", "getTransaction", "createBankAccount", "setFundingAccountStatus"},
			refused(func(a answer) answer {
				return a.object(func(body map[string]any) {
					if body["details"] == nil {
						body["details"] = nil
					}
				})
			}),
		},
		{
			"answers no X-Request-Id where all is well", []string{"listBanks", "createReceiveUser", "createTransaction"},
			found(func(a answer) answer { return a.with("X-Request-Id", "") }),
		},
		{
			"answers an X-Request-Id of more than 64 characters to what it refuses", []string{"listStatesV2", "getCipInfo"},
			refused(func(a answer) answer {
				long := strings.Repeat(a.header.Get("X-Request-Id"), 2)
				return a.with("X-Request-Id", long).object(func(body map[string]any) { body["request_id"] = long })
			}),
		},
		{"answers null for a label that it does not have", []string{"listFundingAccounts"}, null("label")},
		{"answers null for a state that it does not have", []string{"listReceiveUsers"}, null("state")},
		{"answers null for a name that it does not have", []string{"listWalletAccounts"}, null("name")},
	} {
		for _, id := range form.operations {
			all = append(all, mutant{
				name: id + " " + form.does, by: "contract." + id,
				fault: then(id, func(_ request, a answer, _ func(request) answer) answer { return form.edit(a) }),
			})
		}
	}
	return append(all,
		mutant{
			name: "Every request is answered 200 with an empty object", by: "contract.getUser",
			fault: stateless(func(_ string, r request, next func(request) answer) answer {
				a := next(r)
				a.status, a.body = http.StatusOK, []byte("{}")
				return a
			}),
		},
		mutant{
			name: "Errors have no code", by: "contract.errors",
			fault: stateless(func(_ string, r request, next func(request) answer) answer {
				return refused(func(a answer) answer { return a.object(func(body map[string]any) { delete(body, "code") }) })(next(r))
			}),
		},
		mutant{
			name: "Errors are plain text", by: "contract.errors",
			fault: stateless(func(_ string, r request, next func(request) answer) answer {
				return refused(func(a answer) answer {
					a = a.with("Content-Type", "text/plain")
					a.body = []byte(http.StatusText(a.status))
					return a
				})(next(r))
			}),
		},
	)
}
