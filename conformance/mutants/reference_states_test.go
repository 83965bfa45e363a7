package mutants_test

import (
	"net/http"
	"strings"
)

func stateMutants() []mutant {
	const list, one = "listCountryStates", "getCountryState"
	return []mutant{
		{
			name: "Every state is one of the second corridor", by: "reference.states.country",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if (op == list || op == one) && a.status == 200 {
					a = a.object(func(state map[string]any) { state["country"] = "GB" })
				}
				return a
			}),
		},
		{
			name: "The states of a country are in descending order", by: "reference.states.order",
			fault: answering(list, 200, func(_ request, a answer) answer { return a.list(reversed) }),
		},
		{
			name: "A single state has its name in capitals", by: "reference.states.single",
			fault: answering(one, 200, inCapitals),
		},
		{
			name: "An unknown state of a country is the first one", by: "reference.states.unknown",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if op != one || a.status != 404 {
					return a
				}
				all := next(r.to(http.MethodGet, "/countries/"+r.segment(1)+"/states"))
				if states := each(decode(all.body)); len(states) > 0 {
					all.body = encode(states[0])
					return all
				}
				return a
			}),
		},
		{
			name: "A state of a country is looked for in the other countries too", by: "reference.states.unknown",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if op != one || a.status != 404 || next(r.to(http.MethodGet, "/countries/"+r.segment(1)+"/states")).status != 200 {
					return a
				}
				for _, country := range []string{"US", "GB", "NP"} {
					if other := next(r.to(http.MethodGet, "/countries/"+country+"/states/"+r.segment(3))); other.status == 200 {
						return other
					}
				}
				return a
			}),
		},
		{
			name: "A single state of a country that is not enabled is a bad request", by: "reference.states.disabled-country",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if op == one && a.status == 404 && next(r.to(http.MethodGet, "/countries/"+r.segment(1)+"/states")).status == 404 {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			}),
		},
		{
			name: "A single state is found without the prefix /countries too", by: "reference.states.prefix",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				segments := strings.Split(r.URL.Path, "/")
				if op == "" && len(segments) == 4 && len(segments[1]) == 2 && segments[2] == "states" {
					return next(r.to(r.Method, "/countries"+r.URL.Path))
				}
				return next(r)
			}),
		},
	}
}

func stateV2Mutants() []mutant {
	const list, one = "listStatesV2", "getStateV2"
	both := func(edit func(state map[string]any)) func() fault {
		return stateless(func(op string, r request, next func(request) answer) answer {
			a := next(r)
			if (op == list || op == one) && a.status == 200 {
				a = a.object(edit)
			}
			return a
		})
	}
	return []mutant{
		{
			name: "country_id is the calling code of the country", by: "reference.states-v2.country",
			fault: both(func(state map[string]any) {
				if state["country_id"] == "840" {
					state["country_id"] = "001"
				}
			}),
		},
		{
			name: "The second form lists the states of originating corridors only, without a country", by: "reference.states-v2.all-countries",
			fault: listing(list, "countryCode", "", leaveOut(func(state map[string]any) bool {
				return state["country_id"] != "840" && state["country_id"] != "826"
			})),
		},
		{
			name: "The second form lists the states of all countries for a country without states", by: "reference.disabled-country",
			fault: whereListed(list, false, func(r request) request { return r.query("countryCode", "") }),
		},
		{
			name: "The second form is in descending order", by: "reference.states-v2.order",
			fault: listing(list, "countryCode", "", reversed),
		},
		{
			name: "The second form lists the states of a country in descending order", by: "reference.states-v2.order",
			fault: listingOf(list, "countryCode", reversed),
		},
		{
			name: "A single state of the second form has its name in capitals", by: "reference.states-v2.single",
			fault: answering(one, 200, inCapitals),
		},
		{name: "An unknown state of the second form is a bad request", by: "reference.states-v2.unknown", fault: unknownIsBad(one)},
		{
			name: "The second form has codes of its own", by: "reference.states-v2.first-form",
			fault: both(func(state map[string]any) {
				if code := text(state["code"]); len(code) == 2 {
					state["code"] = code + "1"
				}
			}),
		},
	}
}
