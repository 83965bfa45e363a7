package checks

import (
	"fmt"
	"slices"

	"golang.org/x/text/language"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// reference is about payers, banks and states of the countries that are enabled for the client.
func reference() []probe.Check {
	lists := []string{"listPayers", "listBanks", "listStatesV2"}
	return slices.Concat([]probe.Check{
		{
			ID: "reference.lists.country", Title: "The list of a country has elements of that country only",
			Clauses: []string{
				"2.4", "4-payers", "4-param-country-payers", "4-banks", "4-param-country-banks", "4-v2-states-country", "4-param-country-code", "9-v2", "D-33",
			},
			Operations: lists, Fix: "Narrow the list to the country that is asked for; country_id of a state is its ISO 3166-1 numeric code, three digits.",
			Run: eachListing(func(t *probe.T, l listing) {
				for _, country := range []string{t.Target().Facts.Destination, t.Target().Facts.OriginCountry} {
					list := l.list(&country)
					t.Expect(len(list) > 0 || l.name == "states" || country != t.Target().Facts.Destination, "nothing is listed in %s, an enabled destination", country)
					for _, e := range list {
						t.Expect(e.country == l.code(country), "element %d of the list of %s is of country %q", e.id, country, e.country)
					}
				}
			}),
		},
		{
			ID: "reference.lists.all-countries", Title: "Without a country a list has what the lists of the enabled countries have",
			Clauses:    []string{"4-note-5", "4-param-country-banks", "4-v2-states", "9-v2", "D-38", "D-45"},
			Operations: lists, Fix: "Treat a missing country as no restriction, and list everything, however much.",
			Run: eachListing(func(t *probe.T, l listing) {
				all := l.list(nil)
				for _, country := range l.countries(t, all) {
					of := func(list []element) []int64 {
						return ids(pick(list, func(e element) bool { return e.country == l.code(country) }), element.identifier)
					}
					sameIDs(t, country, of(all), of(l.list(&country)))
				}
			}),
		},
		{
			ID: "reference.lists.order", Title: "Lists are in ascending order of id, with each element once",
			Clauses: []string{"D-29"}, Operations: lists,
			Fix: "Order the list by id, with a country and without.",
			Run: eachListing(func(t *probe.T, l listing) {
				all := l.list(nil)
				ascending(t, all, element.identifier)
				for _, country := range l.countries(t, all) {
					if list := l.list(&country); len(list) > 1 {
						ascending(t, list, element.identifier)
					}
				}
			}),
		},
		{
			ID: "reference.single", Title: "A single payer, bank or state has the values that the list returns",
			Clauses:    []string{"2.1-list", "2.1-single", "2.2", "2.3", "2.4", "4-payer", "4-bank", "4-country-state", "4-param-state-code", "4-v2-state", "D-03"},
			Operations: []string{"listPayers", "getPayer", "listBanks", "getBank", "listCountryStates", "getCountryState", "listStatesV2", "getStateV2"},
			Fix:        "Answer the element of the id or code in the path, with the same values as in the list.",
			Run:        each(of("payers", singlePayers), of("banks", singleBanks), of("states", singleStates), of("states of the second form", singleStatesV2)),
		},
		{
			ID: "reference.disabled-country", Title: "The lists of a country that is unknown or not enabled are empty",
			Clauses: []string{"1-rule-2", "D-18"}, Operations: []string{"listPayers", "listBanks", "listStatesV2"},
			Fix: "Answer 200 with an empty array: a filter that matches nothing is not an error, and no reason to ignore the filter.",
			Run: func(t *probe.T) {
				disabled := t.Target().Facts.DisabledCountry
				for _, country := range []string{disabled, region(t, disabled).ISO3(), nowhere, nowhere + "Z"} {
					payers := payersOf(t, api.ListPayersParams{Country: &country})
					t.Expect(len(payers) == 0, "%d payers are listed in %s", len(payers), country)
				}
				for _, country := range []string{disabled, nowhere} {
					banks, states := banksOf(t, &country), statesV2Of(t, &country)
					t.Expect(len(banks) == 0, "%d banks are listed in %s", len(banks), country)
					t.Expect(len(states) == 0, "%d states are listed in %s", len(states), country)
				}
			},
		},
		{
			ID: "reference.enabled-countries-only", Title: "Lists without a country hold nothing of a country that is not enabled",
			Clauses: []string{"1-rule-2", "D-18"}, Operations: []string{"listPayers", "listBanks", "listStatesV2"},
			Fix: "Leave out payers, banks and states of countries that are not enabled for the client.",
			Run: enabledCountriesOnly,
		},
		{
			ID: "reference.alpha-3-elsewhere", Title: "A country of 3 letters is refused everywhere but in the payer list",
			Clauses:    []string{"4-param-country-banks", "4-param-country-code", "4-param-destination", "D-18"},
			Operations: []string{"listBanks", "listCountryStates", "listStatesV2", "getTransactionLimit"},
			Fix:        "Answer 400 BAD_REQUEST to ISO 3166-1 alpha-3 where the contract asks for alpha-2.",
			Run: func(t *probe.T) {
				alpha3 := region(t, t.Target().Facts.Destination).ISO3()
				banks, err := t.Client().ListBanksWithResponse(t.Context(), &api.ListBanksParams{Country: &alpha3})
				t.Refused(banks, err, 400, badRequest, "query country")
				first, err := t.Client().ListCountryStatesWithResponse(t.Context(), alpha3)
				t.Refused(first, err, 400, badRequest, "path countryCode")
				second, err := t.Client().ListStatesV2WithResponse(t.Context(), &api.ListStatesV2Params{CountryCode: &alpha3})
				t.Refused(second, err, 400, badRequest, "query countryCode")
				limits, err := t.Client().GetTransactionLimitWithResponse(t.Context(), t.NewUser().ID, to(alpha3))
				t.Refused(limits, err, 400, badRequest, "query destination")
			},
		},
		{
			ID: "reference.each-client-its-own", Title: "Each client has its own reference data: what its lists do not hold does not exist for it",
			Clauses:    []string{"1-rule-2", "D-18"},
			Operations: []string{"listPayers", "getPayer", "listBanks", "getBank", "listStatesV2", "getStateV2", "listCountryStates", "getTransactionLimit"},
			Needs:      probe.OtherClient,
			Fix:        "Judge lists, single elements and countries by what is enabled for the client that asks.",
			Run:        eachClientItsOwn,
		},
	}, referencePayers(), referenceBanks(), referenceStates(), referenceTags())
}

// element is what lists of payers, banks and states have in common.
type element struct {
	id      int64
	country string // as the list writes it
}

func (e element) identifier() int64 { return e.id }

// listing is a list that can be narrowed to a country.
type listing struct {
	name string
	list func(country *string) []element
	code func(country string) string // how elements write a country
}

// eachListing makes a check with a case for each of the three lists.
func eachListing(run func(*probe.T, listing)) func(*probe.T) {
	return func(t *probe.T) {
		alpha2 := func(country string) string { return country }
		for _, l := range []listing{
			{"payers", func(country *string) []element {
				return ids(payersOf(t, api.ListPayersParams{Country: country}), func(p api.Payer) element { return element{p.ID, p.Country} })
			}, alpha2},
			{"banks", func(country *string) []element {
				return ids(banksOf(t, country), func(b api.Bank) element { return element{b.ID, b.Country} })
			}, alpha2},
			{"states", func(country *string) []element {
				return ids(statesV2Of(t, country), func(s api.StateV2) element { return element{s.ID, s.CountryID} })
			}, func(country string) string { return numeric(t, country) }},
		} {
			t.Case(l.name, func() { run(t, l) })
		}
	}
}

// countries returns the countries of a list, as far as their alpha-2 codes are known.
func (l listing) countries(t *probe.T, all []element) []string {
	if l.name == "states" {
		return []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination}
	}
	return countriesIn(t, all, func(e element) string { return e.country })
}

func enabledCountriesOnly(t *probe.T) {
	disabled := t.Target().Facts.DisabledCountry
	for _, p := range allPayers(t) {
		t.Expect(p.Country != disabled, "payer %d is in %s, which is not enabled", p.ID, disabled)
	}
	for _, b := range allBanks(t) {
		t.Expect(b.Country != disabled, "bank %d is in %s, which is not enabled", b.ID, disabled)
	}
	for _, s := range allStatesV2(t) {
		t.Expect(s.CountryID != numeric(t, disabled), "state %d is in %s, which is not enabled", s.ID, disabled)
	}
}

// eachClientItsOwn asks as the second client for a payer, a bank and a state of its own, and for some that only the first
// client sees, one by one and by their countries.
func eachClientItsOwn(t *probe.T) {
	other, ctx := t.Other(), t.Context()
	payers, err := other.ListPayersWithResponse(ctx, nil)
	ownPayers := probe.OK(t, payers, err)
	banks, err := other.ListBanksWithResponse(ctx, nil)
	ownBanks := probe.OK(t, banks, err)
	states, err := other.ListStatesV2WithResponse(ctx, nil)
	ownStates := probe.OK(t, states, err)
	read := map[string]func(id int64) (probe.Answer, error){
		"payer": func(id int64) (probe.Answer, error) { return other.GetPayerWithResponse(ctx, id) },
		"bank":  func(id int64) (probe.Answer, error) { return other.GetBankWithResponse(ctx, id) },
		"state": func(id int64) (probe.Answer, error) { return other.GetStateV2WithResponse(ctx, id) },
	}
	for what, of := range map[string]struct{ own, all []int64 }{
		"payer": {ids(ownPayers, payerID), ids(allPayers(t), payerID)}, "bank": {ids(ownBanks, bankID), ids(allBanks(t), bankID)},
		"state": {ids(ownStates, stateID), ids(allStatesV2(t), stateID)},
	} {
		for _, id := range of.own[:min(1, len(of.own))] {
			r, err := read[what](id)
			t.Expect(err == nil && r.StatusCode() == 200, "%s %d is in the list of the second client, which cannot read it", what, id)
		}
		for _, id := range some(hidden(of.all, of.own)) {
			r, err := read[what](id)
			t.Refused(r, err, 404, api.ErrorCodeNotFound)
		}
	}
	lacks := pick(countriesIn(t, allPayers(t), payerCountry), func(country string) bool {
		return len(payersIn(ownPayers, country)) == 0 && len(banksIn(ownBanks, country)) == 0 &&
			!slices.ContainsFunc(ownStates, func(s api.StateV2) bool { return s.CountryID == numeric(t, country) })
	})
	if len(lacks) == 0 {
		t.Skipf("the second client has every country of the first")
	}
	for _, country := range lacks {
		notEnabledForOther(t, country)
	}
}

// notEnabledForOther expects that a country does not exist for the second client.
func notEnabledForOther(t *probe.T, country string) {
	other, ctx := t.Other(), t.Context()
	payers, err := other.ListPayersWithResponse(ctx, &api.ListPayersParams{Country: &country})
	t.Expect(len(probe.OK(t, payers, err)) == 0, "payers in %s are listed for the second client", country)
	banks, err := other.ListBanksWithResponse(ctx, &api.ListBanksParams{Country: &country})
	t.Expect(len(probe.OK(t, banks, err)) == 0, "banks in %s are listed for the second client", country)
	states, err := other.ListStatesV2WithResponse(ctx, &api.ListStatesV2Params{CountryCode: &country})
	t.Expect(len(probe.OK(t, states, err)) == 0, "states of %s are listed for the second client", country)
	below, err := other.ListCountryStatesWithResponse(ctx, country)
	t.Refused(below, err, 404, api.ErrorCodeNotFound)
	created, err := other.CreateUserWithResponse(ctx, nil, t.UserRequest(func(u *api.UserRequest) { u.Type = nil }))
	user := probe.Setup(t, created, err).ID
	limits, err := other.GetTransactionLimitWithResponse(ctx, user, to(country))
	t.Refused(limits, err, 404, api.ErrorCodeNotFound)
	if t.Full() {
		added, err := other.CreateReceiveUserWithResponse(ctx, user, nil, probe.ReceiveUserRequest(country))
		t.Refused(added, err, 422, api.ErrorCodeCorridorNotEnabled)
	}
}

// hidden returns what all holds and own does not.
func hidden(all, own []int64) []int64 {
	return pick(all, func(id int64) bool { return !slices.Contains(own, id) })
}

// mostCountries is of how many countries the lists are compared.
const mostCountries = 20

// countriesIn returns the destination and the countries of a list, but the one that is not enabled; not all where there are many.
func countriesIn[V any](t *probe.T, list []V, of func(V) string) []string {
	countries := []string{t.Target().Facts.Destination}
	for _, v := range list {
		if c := of(v); c != t.Target().Facts.DisabledCountry && !slices.Contains(countries, c) {
			countries = append(countries, c)
		}
	}
	return countries[:min(mostCountries, len(countries))]
}

// sameIDs compares a list without a country with the list of a country, as far as both are about the country. Their order
// is checked elsewhere.
func sameIDs(t *probe.T, country string, all, list []int64) {
	for _, id := range hidden(list, all) {
		t.Failf("element %d of %s is not in the list without a country", id, country)
	}
	for _, id := range hidden(all, list) {
		t.Failf("element %d of %s is only in the list without a country", id, country)
	}
}

// some returns up to five elements: a list may have thousands.
func some[V any](all []V) []V { return all[:min(5, len(all))] }

// region finds a country by its alpha-2 code.
func region(t *probe.T, alpha2 string) language.Region {
	r, err := language.ParseRegion(alpha2)
	if err != nil {
		t.Brokenf("the facts name %q, which is no country", alpha2)
	}
	return r
}

// threeLetters returns the ISO 3166-1 alpha-3 code of a country. There is none for codes that are in use without ISO, as XK.
func threeLetters(alpha2 string) (alpha3 string, ok bool) {
	r, err := language.ParseRegion(alpha2)
	if err != nil || r.IsPrivateUse() {
		return "", false
	}
	return r.ISO3(), true
}

// numeric is the ISO 3166-1 numeric code of a country, three digits; M.49 uses the same numbers.
func numeric(t *probe.T, alpha2 string) string { return fmt.Sprintf("%03d", region(t, alpha2).M49()) }
