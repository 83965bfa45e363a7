package mutants_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/crossborder-payouts/payouts/server"
)

// referenceMutants return other reference data than was asked for.
func referenceMutants() []mutant {
	return slices.Concat(filterMutants(), listedMutants(), stateMutants(), enabledCountryMutants(), tagMutants())
}

// filterMutants read the filters of the payer list wrong, where it would accept them.
func filterMutants() []mutant {
	const list, both = "listPayers", "reference.payers.contradiction"
	all := []mutant{
		broken("Two spellings of the method are refused together", "reference.payers.country", narrow(list, func(r request) bool {
			return r.URL.Query().Has("payout_method") && r.URL.Query().Has("delivery_method")
		})),
		broken("A method that nobody has in a country finds nothing", "reference.payers.country",
			answering(list, 200, func(r request, a answer) answer {
				if q := r.URL.Query(); q.Has("country") && q.Get("payout_method") == "BANK_DEPOSIT" {
					a = a.list(func([]any) []any { return nil })
				}
				return a
			})),
	}
	for _, where := range []string{"", "country"} {
		all = append(all, broken("Of two different methods the first is taken "+where, both, then(list, func(r request, a answer, next ask) answer {
			if q := r.URL.Query(); a.status == 400 && q.Has("payout_method") && q.Has("delivery_method") && (where == "" || q.Has(where)) &&
				next(r.query("payout_method", "")).status == 200 {
				a = next(r.query("delivery_method", ""))
			}
			return a
		})))
	}
	for _, of := range []struct {
		name      string
		when      func(q url.Values) bool
		parameter string
		value     func(q url.Values) string // none: the parameter is dropped
	}{
		{"A country of 3 letters finds nothing", hasAlpha3, "country", func(url.Values) string { return "ZZ" }},
		{"The first 2 letters of a country of 3 count", hasAlpha3, "country", func(q url.Values) string { return q.Get("country")[:2] }},
		{"payout_method is ignored beside a country", hasCountry, "payout_method", nil},
		{"delivery_method is ignored beside a country", hasCountry, "delivery_method", nil},
		{"payout_method is ignored beside a country of 3 letters", hasAlpha3, "payout_method", nil},
		{"HOME_DELIVERY is no filter without a country", func(q url.Values) bool {
			return !q.Has("country") && q.Get("payout_method") == "HOME_DELIVERY"
		}, "payout_method", nil},
		{"delivery_method is ignored without a country", func(q url.Values) bool { return !q.Has("country") }, "delivery_method", nil},
	} {
		all = append(all, broken("In the payer list: "+of.name, "reference.payers.country", then(list, func(r request, a answer, next ask) answer {
			if q := r.URL.Query(); a.status == 200 && of.when(q) {
				value := ""
				if of.value != nil {
					value = of.value(q)
				}
				a = next(r.query(of.parameter, value))
			}
			return a
		})))
	}
	return all
}

func hasCountry(q url.Values) bool { return q.Has("country") }

func hasAlpha3(q url.Values) bool { return len(q.Get("country")) == 3 }

// listedMutants list too much or too little, or in another order.
func listedMutants() (all []mutant) {
	for _, of := range []struct{ id, filter string }{
		{"listPayers", "country"}, {"listBanks", "country"}, {"listStatesV2", "countryCode"},
	} {
		edited := func(filtered bool, edit func([]any) []any) func() fault {
			return answering(of.id, 200, func(r request, a answer) answer {
				if r.URL.Query().Has(of.filter) == filtered {
					a = a.list(edit)
				}
				return a
			})
		}
		whole := func(empty bool) func() fault {
			return then(of.id, func(r request, a answer, next ask) answer {
				if r.URL.RawQuery != "" && a.status == 200 && (len(each(decode(a.body))) == 0) == empty {
					a = next(r.query(of.filter, ""))
				}
				return a
			})
		}
		all = append(all,
			broken(of.id+" is in descending order with a filter", "reference.lists.order", edited(true, reversed)),
			broken(of.id+" lists all where a country has something", "reference.lists.country", whole(false)),
			broken(of.id+" lists all where a country has nothing", "reference.disabled-country", whole(true)),
			broken(of.id+" ends after 50 without a filter", "reference.lists.all-countries", edited(false, func(list []any) []any {
				return list[:min(50, len(list))]
			})),
		)
	}
	return all
}

// stateMutants find states in other places.
func stateMutants() []mutant {
	const one = "getCountryState"
	return []mutant{
		broken("A state of a country is looked for in the other countries too", "reference.states.unknown",
			then(one, func(r request, a answer, next ask) answer {
				if a.status != 404 || next(r.to(http.MethodGet, "/countries/"+r.segment(1)+"/states")).status != 200 {
					return a
				}
				for _, country := range []string{"US", "GB", "NP"} {
					if other := next(r.to(http.MethodGet, "/countries/"+country+"/states/"+r.segment(3))); other.status == 200 {
						return other
					}
				}
				return a
			})),
		broken("A single state of a country that is not enabled is a bad request", "reference.states.disabled-country",
			then(one, func(r request, a answer, next ask) answer {
				if a.status == 404 && next(r.to(http.MethodGet, "/countries/"+r.segment(1)+"/states")).status == 404 {
					a = a.failure(400, "BAD_REQUEST")
				}
				return a
			})),
		broken("A single state is found without the prefix /countries too", "reference.states.prefix",
			stateless(func(op string, r request, next ask) answer {
				segments := strings.Split(r.URL.Path, "/")
				if op == "" && len(segments) == 4 && len(segments[1]) == 2 && segments[2] == "states" {
					return next(r.to(r.Method, "/countries"+r.URL.Path))
				}
				return next(r)
			})),
	}
}

// enabledCountryMutants confuse which countries are enabled, and for whom.
func enabledCountryMutants() []mutant {
	const rule, disabled = "reference.enabled-countries-only", "FR"
	second := func(r request) bool { return r.Header.Get("X-Client-Id") == server.SandboxClients[1].ID }
	all := []mutant{
		broken("The payer list holds a payer of a country that is not enabled", rule,
			oneMore("listPayers", "getPayer", func(payer map[string]any) { payer["country"] = disabled })),
		broken("The bank list holds a bank of a country that is not enabled", rule,
			oneMore("listBanks", "getBank", func(bank map[string]any) { bank["country"] = disabled })),
		broken("The second form lists a state of a country that is not enabled", rule,
			oneMore("listStatesV2", "getStateV2", func(state map[string]any) { state["country_id"] = "250" })),
	}
	for _, of := range [][2]string{{"listBanks", "country"}, {"listStatesV2", "countryCode"}, {"getTransactionLimit", "destination"}} {
		all = append(all, broken(of[0]+" takes countries of 3 letters", "reference.alpha-3-elsewhere", asking(of[0], func(r request) request {
			if r.URL.Query().Get(of[1]) == "NPL" {
				r = r.query(of[1], "NP")
			}
			return r
		})))
	}
	for _, of := range []struct{ list, one string }{{"listPayers", "getPayer"}, {"listBanks", "getBank"}} {
		all = append(all, broken(of.one+" knows what is enabled for the first client only", "reference.each-client-its-own",
			answering(of.one, 200, func(r request, a answer) answer {
				if second(r) {
					return a.failure(404, "NOT_FOUND")
				}
				return a
			})), broken(of.one+" returns what the list of a client does not hold", "reference.each-client-its-own",
			answering(of.list, 200, func(r request, a answer) answer {
				if second(r) {
					return a.list(func(list []any) []any { return list[:len(list)/2] })
				}
				return a
			})))
	}
	return all
}

// oneMore lists one more element without a filter, a copy of the last one with the next id and a change, and finds it by
// that id.
func oneMore(list, one string, edit func(element map[string]any)) func() fault {
	return stateless(func(op string, r request, next ask) answer {
		a := next(r)
		switch {
		case op == list && a.status == 200 && r.URL.RawQuery == "":
			return a.list(func(all []any) []any {
				last := maps.Clone(all[len(all)-1].(map[string]any))
				id, _ := strconv.Atoi(fmt.Sprint(last["id"]))
				last["id"] = id + 1
				edit(last)
				return append(all, last)
			})
		case op == one && a.status == 404:
			folder, last := path.Split(r.URL.Path)
			id, _ := strconv.Atoi(last)
			if before := next(r.to(http.MethodGet, folder+strconv.Itoa(id-1))); before.status == 200 {
				return before.object(func(element map[string]any) { element["id"] = id; edit(element) })
			}
		}
		return a
	})
}

func reversed(list []any) []any {
	slices.Reverse(list)
	return list
}

// each returns the elements of an array, none of anything else.
func each(v any) []any {
	list, _ := v.([]any)
	return list
}
