package mutants_test

import (
	"fmt"
	"net/http"
)

func errorMutants() []mutant {
	editing := func(status int, edit func(body map[string]any)) func() fault {
		return stateless(func(_ string, r request, next ask) answer {
			a := next(r)
			if a.status == status {
				a = a.object(edit)
			}
			return a
		})
	}
	return []mutant{
		{
			name: "The error of a path that does not exist has an undeclared member", by: "contract.errors",
			fault: stateless(func(op string, r request, next ask) answer {
				a := next(r)
				if op == "" && a.status >= http.StatusBadRequest {
					a = a.object(func(body map[string]any) { body["path"] = r.URL.Path })
				}
				return a
			}),
		},
		{
			name: "A 405 has no message", by: "errors.message",
			fault: editing(405, func(body map[string]any) { body["message"] = "" }),
		},
		{
			name: "The details of a 415 have no reasons", by: "errors.message",
			fault: editing(415, func(body map[string]any) {
				for _, d := range each(body["details"]) {
					d.(map[string]any)["reason"] = " "
				}
			}),
		},
		{
			name: "The refusal of a registration names the user", by: "errors.no-values",
			fault: answering("createUser", 422, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					body["message"] = text(r.member("first_name")) + " is in a country that is not enabled."
				})
			}),
		},
		{
			name: "The refusal of a malformed transaction repeats its note", by: "errors.no-values-transactions",
			fault: answering("createTransaction", 400, func(r request, a answer) answer {
				return a.object(func(body map[string]any) { body["message"] = "It is not right: " + text(r.member("note")) })
			}),
		},
		{
			name: "The refusal of a key that was used repeats the purpose", by: "errors.no-values-transactions",
			fault: answering("createTransaction", 409, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					body["message"] = "Used for another purpose than " + text(r.member("custom_purpose"))
				})
			}),
		},
		{
			name: "The details of an amount that is not allowed repeat the rate", by: "errors.no-values-transactions",
			fault: answering("createTransaction", 422, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					for _, d := range objects(body["details"]) {
						d["reason"] = "pays nothing at " + fmt.Sprint(r.member("exchange_rate"))
					}
				})
			}),
		},
	}
}
