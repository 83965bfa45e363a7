package mutants_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi"
)

func validationMutants() []mutant {
	return slices.Concat(queryMutants(), parameterMutants(), typeMutants(), valueMutants(), requiredMutants(), unknownMutants(),
		textMutants(), numberMutants(), refusalMutants(), openSetMutants())
}

// declared gives the names of the query parameters of an operation, and of the members of its body.
func declared(id string) (query, body []string) {
	document, err := openapi.Document()
	if err != nil {
		panic(err)
	}
	for _, item := range document.Paths.Map() {
		for _, op := range item.Operations() {
			if op.OperationID != id {
				continue
			}
			for _, p := range op.Parameters {
				if p.Value.In == "query" {
					query = append(query, p.Value.Name)
				}
			}
			if op.RequestBody != nil {
				for name := range op.RequestBody.Value.Content["application/json"].Schema.Value.Properties {
					body = append(body, name)
				}
			}
		}
	}
	return query, body
}

// all tells whether there are values and all of them fit.
func all[V any](values []V, fits func(V) bool) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v V) bool { return !fits(v) })
}

// queryMutants overlook a query parameter that they do not know, one operation each.
func queryMutants() (mutants []mutant) {
	for _, op := range compiled().Operations() {
		known, _ := declared(op.ID)
		mutants = append(mutants, mutant{
			name: op.ID + " overlooks query parameters that it does not know", by: "validation." + op.ID + ".query",
			fault: then(op.ID, func(r request, a answer, next func(request) answer) answer {
				if a.status != http.StatusBadRequest || !all(a.fields(), func(field string) bool {
					name, inQuery := strings.CutPrefix(field, "query ")
					return inQuery && name != "" && !slices.Contains(known, name)
				}) {
					return a
				}
				for _, field := range a.fields() {
					r = r.query(strings.TrimPrefix(field, "query "), "")
				}
				return next(r)
			}),
		})
	}
	for _, id := range []string{"listPayers", "listStatesV2", "getTransactionLimit"} {
		known, _ := declared(id)
		mutants = append(mutants, mutant{
			name: id + " reads query parameters whatever their case", by: "validation." + id + ".query",
			fault: asking(id, func(r request) request {
				for _, name := range known {
					if upper := strings.ToUpper(name); r.URL.Query().Has(upper) {
						r = r.query(name, r.URL.Query().Get(upper)).query(upper, "")
					}
				}
				return r
			}),
		})
	}
	return mutants
}

// parameterMutants take a parameter that is not written as the contract has it.
func parameterMutants() (mutants []mutant) {
	// segments mends segments of the path.
	segments := func(id, does string, mend func(segment string) string) mutant {
		return mutant{name: id + " " + does, by: "validation." + id + ".parameters", fault: asking(id, func(r request) request {
			all := strings.Split(r.URL.Path, "/")
			for i, segment := range all {
				all[i] = mend(segment)
			}
			if path := strings.Join(all, "/"); path != r.URL.Path {
				return r.at(path)
			}
			return r
		})}
	}
	for _, op := range compiled().Operations() {
		if strings.Contains(op.Path, "{user_id}") {
			mutants = append(mutants, segments(op.ID, "takes identifiers without hyphens", func(segment string) string {
				if id, err := uuid.Parse(segment); err == nil && len(segment) == 32 {
					return id.String()
				}
				return segment
			}))
		}
	}
	for _, id := range []string{"getPayer", "getBank", "getStateV2"} {
		mutants = append(mutants, segments(id, "takes identifiers with a fraction", func(segment string) string {
			if n, err := strconv.ParseFloat(segment, 64); err == nil && n > 0 && strings.Contains(segment, ".") {
				return strconv.FormatInt(int64(n), 10)
			}
			return segment
		}))
	}
	for _, id := range []string{"listCountryStates", "getCountryState"} {
		mutants = append(mutants, segments(id, "takes countries in lower case", func(segment string) string {
			if len(segment) == 2 {
				return strings.ToUpper(segment)
			}
			return segment
		}))
	}
	for _, of := range [][2]string{{"listPayers", "country"}, {"listBanks", "country"}, {"listStatesV2", "countryCode"}} {
		id, name := of[0], of[1]
		mutants = append(mutants, mutant{
			name: id + " takes countries in lower case", by: "validation." + id + ".parameters",
			fault: asking(id, func(r request) request {
				if country := r.URL.Query()[name]; len(country) == 1 && country[0] != strings.ToUpper(country[0]) {
					return r.query(name, strings.ToUpper(country[0]))
				}
				return r
			}),
		}, mutant{
			name: id + " takes the first of two countries", by: "validation." + id + ".parameters",
			fault: asking(id, func(r request) request {
				if country := r.URL.Query()[name]; len(country) > 1 {
					return r.query(name, country[0])
				}
				return r
			}),
		})
	}
	return append(mutants, mutant{
		name: "createUser: a key of 256 characters is cut", by: "validation.createUser.parameters",
		fault: then("createUser", func(r request, a answer, next func(request) answer) answer {
			if slices.Equal(a.fields(), []string{"header " + keyHeader}) && len(r.key()) == 256 {
				a = next(r.header(keyHeader, r.key()[:255]))
			}
			return a
		}),
	}, mutant{
		name: "A key may be as long as it likes",
		by:   "validation.createUser.parameters",
		fault: stateless(func(_ string, r request, next func(request) answer) answer {
			if key := []rune(r.key()); len(key) > 255 {
				r = r.header(keyHeader, string(key[:255]))
			}
			return next(r)
		}),
	})
}

// refusalMutants refuse what they should, and go wrong with what they say or do.
func refusalMutants() []mutant {
	return []mutant{
		{
			name: "The body is judged only where the parameters are right", by: "validation.all-at-once",
			fault: stateless(func(_ string, r request, next func(request) answer) answer {
				a := next(r)
				inBody := func(field string) bool { return strings.HasPrefix(field, "body ") }
				if a.status != http.StatusBadRequest || !slices.ContainsFunc(a.fields(), inBody) || all(a.fields(), inBody) {
					return a
				}
				return a.object(func(body map[string]any) {
					body["details"] = slices.DeleteFunc(each(body["details"]), func(d any) bool { return member(d, "in") == "body" })
				})
			}),
		},
		{
			name: "The refusal of an identifier repeats it", by: "validation.no-values",
			fault: answering("getBank", http.StatusBadRequest, func(r request, a answer) answer {
				return a.object(func(body map[string]any) { body["message"] = r.segment(1) + " is no bank." })
			}),
		},
		{
			name: "A refused email address is repeated", by: "validation.no-values",
			fault: answering("createUser", http.StatusBadRequest, func(r request, a answer) answer {
				return a.object(func(body map[string]any) {
					for _, d := range each(body["details"]) {
						if d := d.(map[string]any); d["field"] == "/email" {
							d["reason"] = text(r.member("email")) + " is no email address"
						}
					}
				})
			}),
		},
		{
			name: "What is refused for a member that is not known is done", by: "validation.changes-nothing",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if _, known := declared(op); a.status == http.StatusBadRequest && r.user() != "" && len(known) > 0 {
					next(r.as(func(body map[string]any) { keep(body, known...) }))
				}
				return a
			}),
		},
		{
			name: "A query that cannot be decoded is none", by: "validation.query-encoding",
			fault: asking("listPayers", func(r request) request {
				if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
					r.Request = r.Clone(r.Context())
					r.URL.RawQuery = ""
				}
				return r
			}),
		},
		{
			name: "A query that cannot be decoded is taken as far as it can", by: "validation.query-encoding",
			fault: asking("listStatesV2", func(r request) request {
				if _, err := url.ParseQuery(r.URL.RawQuery); err != nil {
					r.Request = r.Clone(r.Context())
					r.URL.RawQuery = r.URL.Query().Encode()
				}
				return r
			}),
		},
	}
}

// keep deletes all other members of an object.
func keep(object map[string]any, names ...string) {
	for name := range object {
		if !slices.Contains(names, name) {
			delete(object, name)
		}
	}
}

// openSetMutants refuse what they should take.
func openSetMutants() []mutant {
	// refusing refuses requests that would be accepted, if they are such.
	refusing := func(name, check, id string, such func(r request) bool) mutant {
		return mutant{
			name: name, by: "validation." + check,
			fault: answering(id, http.StatusOK, func(r request, a answer) answer {
				if such(r) {
					a = a.failure(http.StatusBadRequest, "BAD_REQUEST")
				}
				return a
			}),
		}
	}
	none := func(values ...string) func(v any) bool {
		return func(v any) bool { return v != nil && !slices.Contains(values, text(v)) }
	}
	genders, purposes := none("FEMALE", "MALE", "OTHER"), none("OTHER", "FAMILY_SUPPORT", "EDUCATION", "GIFT")
	sources := none("CARD", "BANK_ACCOUNT", "SAVINGS", "WIRE", "CASH")
	all := []mutant{
		{
			name: "A fund_id is ignored where cash is handed out", by: "validation.other-payout-method",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				if method := r.method(); op == "createTransaction" && (method == "CASH_PICKUP" || method == "HOME_DELIVERY") {
					r = r.set(nil, "to", "fund_id")
				}
				return next(r)
			}),
		},
		refusing("The genders are a list", "open-sets.users", "createUser", func(r request) bool { return genders(r.member("gender")) }),
		refusing("The legal forms of a business are a list", "open-sets.users", "createUser", func(r request) bool {
			return none("LLC", "CORPORATION", "PARTNERSHIP")(r.member("business_type"))
		}),
		refusing("The purposes are a list", "open-sets.transactions", "createTransaction", func(r request) bool { return purposes(r.member("purpose")) }),
		refusing("The types of funding accounts are a list", "open-sets.funding-accounts", "createFundingAccount", func(r request) bool {
			return sources(r.member("funding_source_type"))
		}),
		refusing("Home delivery knows no calculation mode", "calculation-mode", "createTransaction", func(r request) bool {
			return r.member("to", "payout_method") == "HOME_DELIVERY" && r.member("to", "calculation_mode") == "SENDER_AMOUNT"
		}),
		refusing("Names are measured in bytes", "length-in-characters", "createUser", func(r request) bool {
			return len(text(r.member("first_name"))) > 200
		}),
	}
	long := func(v any) bool { return len(text(v)) > 32 }
	for _, of := range []struct {
		check, id string
		names     []string
	}{
		{"users", "createUser", []string{"gender", "business_type", "user_scope", "number_of_employee"}},
		{"transactions", "createTransaction", []string{"purpose", "funding_source_type"}},
		{"funding-accounts", "createFundingAccount", []string{"funding_source_type"}},
	} {
		for _, name := range of.names {
			all = append(all, refusing(of.id+" refuses a "+name+" of more than 32 characters", "open-sets."+of.check, of.id,
				func(r request) bool { return long(r.member(name)) }))
		}
	}
	for _, of := range [][3]string{
		{"users", "createUser", "physical_documents"}, {"users", "createUser", "virtual_documents"},
		{"transactions", "createTransaction", "physical_documents"},
	} {
		all = append(all, refusing(of[1]+" refuses a type of more than 32 characters in "+of[2], "open-sets."+of[0], of[1], func(r request) bool {
			return slices.ContainsFunc(each(r.member(of[2])), func(d any) bool { return long(member(d, "document_type")) })
		}))
	}
	return all
}
