package mutants_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/crossborder-payouts/payouts/server"
)

func isolationMutants() []mutant {
	return slices.Concat(leakMutants(), foreignMutants(), foreignMemberMutants())
}

// elsewhere asks the same as the other client, and returns an answer only if that one finds something.
func elsewhere(r request, next ask) (answer, bool) {
	for _, c := range server.SandboxClients {
		if c.ID != r.client() {
			if a := next(r.signed(c.ID, c.Secret)); a.status == http.StatusOK {
				return a, true
			}
		}
	}
	return answer{}, false
}

// leakMutants show something of another client, or that there is something.
func leakMutants() (all []mutant) {
	for _, op := range compiled().Operations() {
		if !strings.Contains(op.Path, "{user_id}") {
			continue
		}
		leak := broken(op.ID+" looks for the user among those of all clients", "isolation."+op.ID,
			then(op.ID, func(r request, a answer, next ask) answer {
				if a.status != http.StatusNotFound {
					return a
				}
				if foreign, ok := elsewhere(r, next); ok {
					return foreign
				}
				return a
			}))
		if op.Method == http.MethodGet {
			all = append(all, leak)
			continue
		}
		leak.name = op.ID + " tells a user of another client from one that nobody has"
		leak.fault = then(op.ID, func(r request, a answer, next ask) answer {
			if a.status != http.StatusNotFound {
				return a
			}
			if _, ok := elsewhere(r.to(http.MethodGet, "/users/"+r.user()), next); ok {
				a = a.object(func(body map[string]any) { body["message"] = "The user is one of another client." })
			}
			return a
		})
		all = append(all, leak)
	}
	return all
}

func foreignMutants() []mutant {
	return []mutant{
		broken("What is not found for the user of another client is done", "isolation.changes-nothing",
			after(func(_ string, r request, a answer, next ask) answer {
				if a.status == http.StatusNotFound && r.Method == http.MethodPost {
					elsewhere(r, next)
				}
				return a
			})),
		broken("The list of a user without transactions is that of the last user of another client who sent any", "isolation.lists", func() fault {
			var last sync.Map // user by client
			return func(op string, r request, next ask) answer {
				a := next(r)
				if op == "createTransaction" && a.status == http.StatusOK {
					last.Store(r.client(), r.user())
				}
				if op != "listTransactions" || len(each(a.member("items"))) > 0 || a.status != http.StatusOK {
					return a
				}
				for _, c := range server.SandboxClients {
					if user, ok := last.Load(c.ID); ok && c.ID != r.client() {
						return next(r.to(http.MethodGet, "/users/"+user.(string)+"/transactions").signed(c.ID, c.Secret))
					}
				}
				return a
			}
		}),
	}
}

// foreignMemberMutants know what belongs to another client, where a transaction names it.
func foreignMemberMutants() []mutant {
	// of makes a fault in refusals of what the other client has made.
	of := func(creates, code string, names []string, edit func(r request, a answer, next ask) answer) func() fault {
		return func() fault {
			var owners sync.Map // client by id
			return func(op string, r request, next ask) answer {
				a := next(r)
				if op == creates && a.status == http.StatusOK {
					owners.Store(a.member("id"), r.client())
				}
				if op != "createTransaction" || a.code() != code {
					return a
				}
				if owner, ok := owners.Load(r.member(names...)); ok && owner != r.client() {
					a = edit(r, a, next)
				}
				return a
			}
		}
	}
	told := func(_ request, a answer, _ ask) answer {
		return a.object(func(body map[string]any) { body["message"] = "It belongs to another client." })
	}
	return []mutant{
		broken("A transaction may be funded by another client", "isolation.body.from-fund-id",
			of("createFundingAccount", "FUNDING_ACCOUNT_NOT_FOUND", []string{"from_fund_id"}, func(r request, a answer, next ask) answer {
				for _, own := range each(r.read(next, "/users/"+r.user()+"/funding-accounts")) {
					return next(r.as(func(body map[string]any) { body["from_fund_id"] = member(own, "id") }))
				}
				return a
			})),
		broken("The refusal of a receive user tells that another client has it", "isolation.body.receive-user",
			of("createReceiveUser", "RECEIVE_USER_NOT_FOUND", []string{"to", "id"}, told)),
		broken("The refusal of a receive account tells that another client has it", "isolation.body.receive-account",
			of("createBankAccount", "RECEIVE_ACCOUNT_NOT_FOUND", []string{"to", "fund_id"}, told)),
	}
}
