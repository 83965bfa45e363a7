package mutants_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/crossborder-payouts/payouts/server"
)

func referenceMutants() []mutant {
	return slices.Concat(referencePayerMutants(), referenceBankMutants(), stateMutants(), stateV2Mutants(), enabledCountryMutants())
}

func referencePayerMutants() []mutant {
	const list, one = "listPayers", "getPayer"
	return []mutant{
		{
			name: "The payer list takes a country for a question whether there are any, and lists all", by: "reference.payers.country",
			fault: whereListed(list, true, allCountries),
		},
		{
			name: "The payer list without a country leaves out cash payers without pick-up locations", by: "reference.payers.all-countries",
			fault: listing(list, "country", "", leaveOut(func(payer map[string]any) bool {
				return payer["delivery_method"] == "CASH_PICKUP" && len(each(payer["pickup_location"])) == 0
			})),
		},
		{
			name: "The payer list without a country ends after 50",
			by:   "reference.payers.all-countries", fault: listing(list, "country", "", first50),
		},
		{
			name: "The payer list without a country leaves out wallets in the Philippines", by: "reference.payers.all-countries",
			fault: listing(list, "country", "", leaveOut(func(payer map[string]any) bool {
				return payer["country"] == "PH" && payer["delivery_method"] == "WALLET"
			})),
		},
		{
			name: "The payer list finds nothing in a country of 3 letters without a method", by: "reference.payers.alpha-3",
			fault: reasking(list, func(r request) request {
				if q := r.URL.Query(); len(q.Get("country")) == 3 && !q.Has("payout_method") && !q.Has("delivery_method") {
					return r.query("country", "ZZ")
				}
				return r
			}),
		},
		{
			name: "The payer list takes the first 2 letters of a country of 3", by: "reference.payers.alpha-3",
			fault: reasking(list, func(r request) request {
				if country := r.URL.Query().Get("country"); len(country) == 3 {
					return r.query("country", country[:2])
				}
				return r
			}),
		},
		{
			name: "The payer list of a country without payers is that of all countries", by: "reference.disabled-country",
			fault: whereListed(list, false, allCountries),
		},
		{
			name: "Without a country the filter payout_method does not know HOME_DELIVERY", by: "reference.payers.payout-method",
			fault: reasking(list, func(r request) request {
				if q := r.URL.Query(); q.Get("payout_method") == "HOME_DELIVERY" && !q.Has("country") {
					return r.query("payout_method", "")
				}
				return r
			}),
		},
		{
			name: "Without a country the filter delivery_method counts beside payout_method only", by: "reference.payers.delivery-method",
			fault: reasking(list, func(r request) request {
				if q := r.URL.Query(); !q.Has("payout_method") && !q.Has("country") {
					return r.query("delivery_method", "")
				}
				return r
			}),
		},
		{
			name:  "The filter delivery_method is ignored",
			by:    "reference.payers.delivery-method",
			fault: asking(list, func(r request) request { return r.query("delivery_method", "") }),
		},
		{
			name: "The two spellings of the method are refused together", by: "reference.payers.both-spellings",
			fault: answering(list, 200, func(r request, a answer) answer {
				if q := r.URL.Query(); q.Has("payout_method") && q.Has("delivery_method") {
					return a.failure(400, "BAD_REQUEST")
				}
				return a
			}),
		},
		{
			name: "Of two different methods the first is taken", by: "reference.payers.contradiction",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				if q := r.URL.Query(); op != list || a.status != 400 || !q.Has("payout_method") || next(r.query("payout_method", "")).status != 200 {
					return a
				}
				return next(r.query("delivery_method", ""))
			}),
		},
		{
			name: "Of two different methods the first is taken in the list of a country", by: "reference.payers.contradiction",
			fault: stateless(func(op string, r request, next func(request) answer) answer {
				a := next(r)
				q := r.URL.Query()
				if op != list || a.status != 400 || !q.Has("country") || !q.Has("payout_method") || next(r.query("payout_method", "")).status != 200 {
					return a
				}
				return next(r.query("delivery_method", ""))
			}),
		},
		{
			name: "The method is ignored in the payer list of a country", by: "reference.payers.country-and-method",
			fault: reasking(list, func(r request) request {
				if r.URL.Query().Has("country") {
					return r.query("payout_method", "")
				}
				return r
			}),
		},
		{
			name: "The filter delivery_method is ignored in the payer list of a country", by: "reference.payers.country-and-method",
			fault: reasking(list, func(r request) request {
				if r.URL.Query().Has("country") {
					return r.query("delivery_method", "")
				}
				return r
			}),
		},
		{
			name: "The method is ignored in the payer list of a country of 3 letters", by: "reference.payers.country-and-method",
			fault: reasking(list, func(r request) request {
				if len(r.URL.Query().Get("country")) == 3 {
					return r.query("payout_method", "").query("delivery_method", "")
				}
				return r
			}),
		},
		{
			name: "The filter BANK_DEPOSIT finds nothing in a country", by: "reference.payers.country-and-method",
			fault: answering(list, 200, func(r request, a answer) answer {
				if q := r.URL.Query(); q.Has("country") && q.Get("payout_method") == "BANK_DEPOSIT" {
					a = a.list(func([]any) []any { return nil })
				}
				return a
			}),
		},
		{
			name: "The payer list without a country is in descending order", by: "reference.payers.order",
			fault: listing(list, "country", "", reversed),
		},
		{
			name: "The payer list of a country is in descending order", by: "reference.payers.order",
			fault: listingOf(list, "country", reversed),
		},
		{
			name: "A single payer has its code for a name", by: "reference.payers.single",
			fault: answering(one, 200, func(_ request, a answer) answer {
				return a.object(func(payer map[string]any) { payer["name"] = payer["code"] })
			}),
		},
		{name: "An unknown payer is a bad request", by: "reference.payers.unknown", fault: unknownIsBad(one)},
		{
			name: "The bounds of a payer are in dollars where they have cents", by: "reference.payers.network-limit",
			fault: boundsWithCents(func(bounds map[string]any) { bounds["currency"] = "USD" }),
		},
		{
			name: "The bounds of a payer are exchanged where they have cents", by: "reference.payers.network-limit",
			fault: boundsWithCents(func(bounds map[string]any) {
				bounds["min_amount"], bounds["max_amount"] = bounds["max_amount"], bounds["min_amount"]
			}),
		},
		{
			name: "All pick-up locations of a payer have the id of the first", by: "reference.payers.pickup-location",
			fault: sameIDs("pickup_location", list, one),
		},
	}
}

// enabledCountryMutants confuse which countries are enabled, and for whom.
func enabledCountryMutants() []mutant {
	const rule, disabled = "reference.enabled-countries-only", "FR"
	second := func(r request) bool { return r.Header.Get("X-Client-Id") == server.SandboxClients[1].ID }
	all := []mutant{
		{
			name: "The payer list holds a payer of a country that is not enabled", by: rule,
			fault: oneMore("listPayers", "getPayer", func(payer map[string]any) { payer["country"] = disabled }),
		},
		{
			name: "The bank list holds a bank of a country that is not enabled", by: rule,
			fault: oneMore("listBanks", "getBank", func(bank map[string]any) { bank["country"] = disabled }),
		},
		{
			name: "The second form lists a state of a country that is not enabled", by: rule,
			fault: oneMore("listStatesV2", "getStateV2", func(state map[string]any) { state["country_id"] = "250" }),
		},
	}
	for _, of := range [][2]string{{"listBanks", "country"}, {"listStatesV2", "countryCode"}, {"getTransactionLimit", "destination"}} {
		all = append(all, mutant{
			name: of[0] + " takes countries of 3 letters", by: "reference.alpha-3-elsewhere",
			fault: asking(of[0], func(r request) request {
				if r.URL.Query().Get(of[1]) == "NPL" {
					r = r.query(of[1], "NP")
				}
				return r
			}),
		})
	}
	for _, of := range []struct{ list, one string }{{"listPayers", "getPayer"}, {"listBanks", "getBank"}} {
		all = append(all, mutant{
			name: of.one + " knows what is enabled for the first client only", by: "reference.each-client-its-own",
			fault: answering(of.one, 200, func(r request, a answer) answer {
				if second(r) {
					return a.failure(404, "NOT_FOUND")
				}
				return a
			}),
		}, mutant{
			name: of.one + " gives a client what its list does not hold", by: "reference.each-client-its-own",
			fault: answering(of.list, 200, func(r request, a answer) answer {
				if second(r) {
					return a.list(func(list []any) []any { return list[:len(list)/2] })
				}
				return a
			}),
		})
	}
	return all
}

// listing changes the lists of an operation where a parameter of the query has a value.
func listing(id, parameter, value string, edit func([]any) []any) func() fault {
	return answering(id, 200, func(r request, a answer) answer {
		if r.URL.Query().Get(parameter) == value {
			return a.list(edit)
		}
		return a
	})
}

// listingOf changes the lists of an operation where a parameter of the query is sent.
func listingOf(id, parameter string, edit func([]any) []any) func() fault {
	return answering(id, 200, func(r request, a answer) answer {
		if r.URL.Query().Has(parameter) {
			return a.list(edit)
		}
		return a
	})
}

func first50(list []any) []any { return list[:min(50, len(list))] }

// whereListed asks again with another query where a list holds something, or where it holds nothing.
func whereListed(id string, something bool, edit func(request) request) func() fault {
	return stateless(func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if op == id && a.status == 200 && r.URL.RawQuery != "" && (len(each(decode(a.body))) > 0) == something {
			return next(edit(r))
		}
		return a
	})
}

// reasking asks again with another query what the real server has accepted: it still refuses what is malformed.
func reasking(id string, edit func(request) request) func() fault {
	return stateless(func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if op == id && a.status == 200 {
			return next(edit(r))
		}
		return a
	})
}

func allCountries(r request) request { return r.query("country", "") }

// unknownIsBad answers 400 to an identifier that is not found.
func unknownIsBad(id string) func() fault {
	return answering(id, 404, func(_ request, a answer) answer { return a.failure(400, "BAD_REQUEST") })
}

// sameIDs gives the elements of a member the id of the first one.
func sameIDs(member string, operations ...string) func() fault {
	return stateless(func(op string, r request, next func(request) answer) answer {
		a := next(r)
		if !slices.Contains(operations, op) || a.status != 200 {
			return a
		}
		return a.object(func(body map[string]any) { sameID(each(body[member])) })
	})
}

// boundsWithCents changes network limits whose lower bound is no whole amount.
func boundsWithCents(edit func(bounds map[string]any)) func() fault {
	return answering("getPayer", 200, func(_ request, a answer) answer {
		return a.object(func(payer map[string]any) {
			for _, limit := range each(payer["network_limit"]) {
				bounds := limit.(map[string]any)
				if least, _ := bounds["min_amount"].(json.Number); !strings.HasSuffix(least.String(), ".00") && strings.Contains(least.String(), ".") {
					edit(bounds)
				}
			}
		})
	})
}

// oneMore lists one more element without a filter, a copy of the last one with the next id and a change, and finds it by
// that id.
func oneMore(list, one string, edit func(element map[string]any)) func() fault {
	return stateless(func(op string, r request, next func(request) answer) answer {
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

func leaveOut(what func(element map[string]any) bool) func([]any) []any {
	return func(list []any) []any {
		return slices.DeleteFunc(list, func(v any) bool { return what(v.(map[string]any)) })
	}
}

func reversed(list []any) []any {
	slices.Reverse(list)
	return list
}

func capitals(object map[string]any) {
	name, _ := object["name"].(string)
	object["name"] = strings.ToUpper(name)
}

func inCapitals(_ request, a answer) answer { return a.object(capitals) }

// each gives the elements of an array, none of anything else.
func each(v any) []any {
	list, _ := v.([]any)
	return list
}
