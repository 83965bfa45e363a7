package mutants_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

func accountMutants() []mutant {
	return slices.Concat(fundingAccountMutants(), receiveUserMutants(), bankAccountMutants(), walletAccountMutants(), listMutants(), accountPagingMutants())
}

func fundingAccountMutants() []mutant {
	return []mutant{
		broken("A funding account that is made PENDING becomes INACTIVE", "accounts.funding.status",
			asking("setFundingAccountStatus", func(r request) request {
				if string(r.body) == `{"status":"PENDING"}` {
					r.body = []byte(`{"status":"INACTIVE"}`)
				}
				return r
			})),
	}
}

func receiveUserMutants() []mutant {
	return []mutant{
		broken("A receive user may be in an originating country", "accounts.receive-users.origin",
			accepting("createReceiveUser", "CORRIDOR_NOT_ENABLED", func(r request, body map[string]any, _ func(path string) any) bool {
				body["country"] = sandboxDestination
				return r.text("country") == sandboxOrigin
			})),
		broken("A receive user may be in any country but an originating one", "accounts.receive-users.destination",
			accepting("createReceiveUser", "CORRIDOR_NOT_ENABLED", func(r request, body map[string]any, look func(path string) any) bool {
				banks, _ := look("/banks").([]any)
				body["country"] = member(banks[0], "country")
				return r.text("country") != sandboxOrigin
			})),
	}
}

func bankAccountMutants() []mutant {
	bank := func(body map[string]any, look func(path string) any) any {
		return look("/banks/" + text(body["bank_id"]))
	}
	return []mutant{
		broken("A bank account at an unknown bank answers 404", "accounts.bank.bank",
			then("createBankAccount", func(r request, a answer, next ask) answer {
				id := text(r.member("bank_id"))
				if slices.Equal(a.fields(), []string{"body /bank_id"}) && next(r.to(http.MethodGet, "/banks/"+id)).status == http.StatusNotFound {
					a = a.failure(http.StatusNotFound, "NOT_FOUND")
				}
				return a
			})),
		broken("A bank account may be in another country than the receive user", "accounts.bank.bank",
			accepting("createBankAccount", "BAD_REQUEST", func(r request, body map[string]any, look func(path string) any) bool {
				if member(bank(body, look), "id") == nil {
					return false
				}
				receiver := named(look("/users/"+r.user()+"/receive-users"), r.segment(3))
				banks, _ := look("/banks").([]any)
				for _, b := range banks {
					if receiver != nil && member(b, "country") == receiver["country"] {
						body["bank_id"], body["currency"] = member(b, "id"), firstCurrency(look("/banks/"+text(member(b, "id"))))
						return true
					}
				}
				return false
			})),
		broken("The branch of a bank account may be one of another bank", "accounts.bank.branch",
			then("createBankAccount", func(r request, a answer, next ask) answer {
				branch, _ := r.member("branch_id").(json.Number)
				if id, err := branch.Int64(); err != nil || id < 1 || !slices.Equal(a.fields(), []string{"body /branch_id"}) {
					return a
				}
				return next(r.as(func(body map[string]any) { delete(body, "branch_id") })).object(func(body map[string]any) { body["branch_id"] = branch })
			})),
		broken("A bank account may have a currency that the bank does not receive", "accounts.bank.currency",
			accepting("createBankAccount", "CURRENCY_NOT_SUPPORTED", func(_ request, body map[string]any, look func(path string) any) bool {
				body["currency"] = firstCurrency(bank(body, look))
				return true
			})),
		broken("A second account at a bank must have the currency of the first one", "accounts.bank.each-currency",
			then("createBankAccount", func(r request, a answer, next ask) answer {
				accounts, _ := r.read(next, r.URL.Path).([]any)
				if a.status == http.StatusOK && slices.ContainsFunc(accounts, func(other any) bool {
					return member(other, "bank_id") == r.member("bank_id") && member(other, "currency") != r.member("currency")
				}) {
					a = a.failure(http.StatusUnprocessableEntity, "CURRENCY_NOT_SUPPORTED")
				}
				return a
			})),
	}
}

func walletAccountMutants() []mutant {
	// anyPayer accepts payers that are such, by storing one that is right.
	anyPayer := func(name, check string, such func(payer any, country any) bool) mutant {
		return broken(name, "accounts.wallet."+check,
			accepting("createWalletAccount", "PAYER_NOT_FOUND", func(r request, body map[string]any, look func(path string) any) bool {
				receiver := named(look("/users/"+r.user()+"/receive-users"), r.segment(3))
				if !such(look("/payers/"+text(body["payer_id"])), receiver["country"]) {
					return false
				}
				payers, _ := look("/payers").([]any)
				for _, p := range payers {
					if member(p, "delivery_method") == "WALLET" && member(p, "country") == receiver["country"] {
						whole := look("/payers/" + text(member(p, "id")))
						body["payer_id"], body["currency"] = member(p, "id"), member(whole, "receiving_currency")
						return true
					}
				}
				return false
			}))
	}
	return []mutant{
		anyPayer("A wallet account may be with a payer of any method", "method", func(payer, country any) bool {
			return member(payer, "country") == country && member(payer, "delivery_method") != "WALLET"
		}),
		anyPayer("A wallet account may be with a payer that does not exist", "method", func(payer, _ any) bool {
			return member(payer, "id") == nil
		}),
		anyPayer("A wallet account may be in another country than the receive user", "country", func(payer, country any) bool {
			return member(payer, "delivery_method") == "WALLET" && member(payer, "country") != country
		}),
		broken("A wallet account may have a currency that the payer does not pay out", "accounts.wallet.currency",
			accepting("createWalletAccount", "CURRENCY_NOT_SUPPORTED", func(_ request, body map[string]any, look func(path string) any) bool {
				body["currency"] = member(look("/payers/"+text(body["payer_id"])), "receiving_currency")
				return true
			})),
	}
}

// listMutants list the accounts of all receive users.
func listMutants() (all []mutant) {
	for _, id := range []string{"listBankAccounts", "listWalletAccounts"} {
		all = append(all, broken(id+" lists the accounts of all receive users of the user", "accounts.lists",
			then(id, func(r request, a answer, next ask) answer {
				if a.status != http.StatusOK {
					return a
				}
				found := []any{}
				for _, u := range r.below(next, "/receive-users") {
					found = append(found, each(r.read(next, "/users/"+r.user()+"/receive-users/"+text(u["id"])+"/"+r.segment(4)))...)
				}
				a.body = encode(found)
				return a
			})))
	}
	return all
}

// then makes a fault in the answers of an operation that may ask the server for more.
func then(id string, edit func(r request, a answer, next ask) answer) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		if op == id {
			a = edit(r, a, next)
		}
		return a
	})
}

// accepting makes a fault that takes what is refused with a code: repair makes a request of it that is not, unless it returns
// false, and what was sent is returned.
func accepting(id, code string, repair func(r request, body map[string]any, look func(path string) any) bool) func() fault {
	return then(id, func(r request, a answer, next ask) answer {
		sent, ok := decode(r.body).(map[string]any)
		if a.code() != code || !ok {
			return a
		}
		repaired := false
		right := r.as(func(body map[string]any) {
			repaired = repair(r, body, func(path string) any { return r.read(next, path) })
		})
		if !repaired {
			return a
		}
		return next(right).object(func(body map[string]any) {
			for name := range body {
				if value, ok := sent[name]; ok {
					body[name] = value
				}
			}
		})
	})
}

// fields returns the places that an error names, as "body /email".
func (a answer) fields() (all []string) {
	details, _ := a.member("details").([]any)
	for _, d := range details {
		all = append(all, text(member(d, "in"))+" "+text(member(d, "field")))
	}
	return all
}

// named returns the object of a list with an id, or nil.
func named(list, id any) map[string]any {
	all, _ := list.([]any)
	for _, item := range all {
		if m, ok := item.(map[string]any); ok && strings.EqualFold(text(m["id"]), text(id)) {
			return m
		}
	}
	return nil
}

func firstCurrency(bank any) any {
	all, _ := member(bank, "receiving_currency").([]any)
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// text returns a string or the digits of a number.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
