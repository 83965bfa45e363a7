package mutants_test

import (
	"fmt"
	"net/http"
	"net/url"
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
		broken("The error of a path that does not exist has an undeclared member", "contract.errors",
			after(func(op string, r request, a answer, _ ask) answer {
				if op == "" && a.status >= http.StatusBadRequest {
					a = a.object(func(body map[string]any) { body["path"] = r.URL.Path })
				}
				return a
			})),
		broken("A 405 has no message", "errors.message", editing(405, func(body map[string]any) { body["message"] = "" })),
		broken("The details of a 415 have no reasons", "errors.message", editing(415, func(body map[string]any) {
			for _, d := range each(body["details"]) {
				d.(map[string]any)["reason"] = " "
			}
		})),
		broken("The doc_url of a 401 is no address", "errors.doc-url", editing(401, func(body map[string]any) {
			body["doc_url"] = "see:UNAUTHORIZED"
		})),
		broken("The doc_url of a 404 has the path of the request", "errors.doc-url",
			after(func(_ string, r request, a answer, _ ask) answer {
				if a.status == http.StatusNotFound {
					a = a.object(func(body map[string]any) { body["doc_url"] = "/docs?" + url.QueryEscape(r.URL.Path) })
				}
				return a
			})),
		broken("The message of an amount that is not allowed repeats the rate", "errors.no-values-transactions",
			answering("createTransaction", 422, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					body["message"] = "It pays nothing at " + fmt.Sprint(r.member("exchange_rate")) + "."
				})
			})),
		broken("The refusal of a registration names the user", "errors.no-values", answering("createUser", 422, func(r request, a answer) answer {
			return a.object(func(body map[string]any) {
				body["message"] = text(r.member("first_name")) + " is in a country that is not enabled."
			})
		})),
		broken("The refusal of a malformed transaction repeats its note", "errors.no-values-transactions",
			answering("createTransaction", 400, func(r request, a answer) answer {
				return a.object(func(body map[string]any) { body["message"] = "It is not right: " + text(r.member("note")) })
			})),
		broken("The refusal of a key that was used repeats the purpose", "errors.no-values-transactions",
			answering("createTransaction", 409, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					body["message"] = "Used for another purpose than " + text(r.member("custom_purpose"))
				})
			})),
		broken("The details of an amount that is not allowed repeat the rate", "errors.no-values-transactions",
			answering("createTransaction", 422, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					for _, d := range objects(body["details"]) {
						d["reason"] = "pays nothing at " + fmt.Sprint(r.member("exchange_rate"))
					}
				})
			})),
	}
}
