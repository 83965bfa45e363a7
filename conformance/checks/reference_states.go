package checks

import (
	"cmp"
	"maps"
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// nowhere is a code that ISO 3166-1 assigns to no country.
const nowhere = "ZZ"

func referenceStates() []probe.Check {
	lists := []string{"listCountryStates"}
	return []probe.Check{
		{
			ID: "reference.states.country", Title: "The states of an enabled country are listed, each with that country",
			Clauses: []string{"2.3", "4-country-states", "4-param-country-code"}, Operations: lists,
			Fix: "List the states of the country in the path.",
			Run: func(t *probe.T) {
				country := t.Target().Facts.OriginCountry
				r, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
				for _, s := range probe.OK(t, r, err) {
					t.Expect(s.Country == country, "state %s is of another country than %s", s.Code, country)
				}
			},
		},
		{
			ID: "reference.states.order", Title: "The states of a country are listed by ascending code, each once",
			Clauses: []string{"D-29"}, Operations: lists,
			Fix: "Order the list by code.",
			Run: func(t *probe.T) {
				_, list := states(t)
				ascending(t, list, func(s api.State) string { return s.Code })
			},
		},
		{
			ID: "reference.states.single", Title: "A single state of a country has the values that the list returns",
			Clauses: []string{"2.3", "4-country-state", "4-param-state-code"}, Operations: []string{"listCountryStates", "getCountryState"},
			Fix: "Answer the state of the country and the code in the path, with the same values as in the list.",
			Run: func(t *probe.T) {
				country, list := states(t)
				for _, want := range []api.State{list[0], list[len(list)-1]} {
					r, err := t.Client().GetCountryStateWithResponse(t.Context(), country, want.Code)
					got := probe.OK(t, r, err)
					t.Expect(got == want, "state %s of %s has other values than in the list", want.Code, country)
				}
			},
		},
		{
			ID: "reference.states.unknown", Title: "A code that no state of the country has answers 404, that of another country's state too",
			Clauses: []string{"D-10"}, Operations: []string{"getCountryState"},
			Fix: "Look for the code among the states of the country in the path only, and answer 404 NOT_FOUND where it is none of them.",
			Run: unknownState,
		},
		{
			ID: "reference.states.disabled-country", Title: "The states below a country that is unknown or not enabled answer 404",
			Clauses: []string{"1-rule-2", "D-18"}, Operations: []string{"listCountryStates", "getCountryState"},
			Fix: "Answer 404 NOT_FOUND below such a country: a path that leads nowhere is not an empty list.",
			Run: statesOfDisabledCountries,
		},
		{
			ID: "reference.states.prefix", Title: "The states of a country are below /countries only",
			Clauses: []string{"4-note-1", "D-22"},
			Fix:     "Serve the paths with the prefix /countries, and answer 404 NOT_FOUND without it.",
			Run: func(t *probe.T) {
				country, list := states(t)
				for _, path := range []string{"/" + country + "/states", "/" + country + "/states/" + list[0].Code} {
					t.Refused(t.Send(probe.Request{Method: "GET", Path: path}), nil, 404, api.ErrorCodeNotFound)
				}
			},
		},
	}
}

func referenceStatesV2() []probe.Check {
	lists := []string{"listStatesV2"}
	return []probe.Check{
		{
			ID: "reference.states-v2.country", Title: "The second form lists the states of a country, each with the ISO 3166-1 numeric code as country_id",
			Clauses: []string{"2.4", "4-v2-states-country", "4-param-country-code", "9-v2", "D-33"}, Operations: lists,
			Fix: "List the states of the country asked for; country_id is its numeric code of three digits.",
			Run: func(t *probe.T) {
				country, _ := states(t)
				list := statesV2Of(t, &country)
				t.Expect(len(list) != 0, "no state is listed in %s, which has states in the first form", country)
				for _, s := range list {
					t.Expect(s.CountryID == numeric(t, country), "state %d has country_id %q, want %q", s.ID, s.CountryID, numeric(t, country))
				}
			},
		},
		{
			ID: "reference.states-v2.all-countries", Title: "Without a country the second form lists the states of all enabled countries",
			Clauses: []string{"4-v2-states", "9-v2", "D-45"}, Operations: lists,
			Fix: "Treat a missing countryCode as no restriction.",
			Run: func(t *probe.T) {
				all := statesV2Of(t, nil)
				for _, country := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
					r, err := t.Client().ListStatesV2WithResponse(t.Context(), &api.ListStatesV2Params{CountryCode: &country})
					for _, s := range probe.Setup(t, r, err) {
						t.Expect(slices.ContainsFunc(all, func(a api.StateV2) bool { return a.ID == s.ID }),
							"state %d of %s is not in the list without a country", s.ID, country)
					}
				}
			},
		},
		{
			ID: "reference.states-v2.order", Title: "The second form lists states by ascending id, each once",
			Clauses: []string{"D-29"}, Operations: lists,
			Fix: "Order the list by id, with a country and without.",
			Run: func(t *probe.T) {
				id := func(s api.StateV2) int64 { return s.ID }
				ascending(t, statesV2Of(t, nil), id)
				for _, country := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
					if list := statesV2Of(t, &country); len(list) > 1 {
						ascending(t, list, id)
					}
				}
			},
		},
		{
			ID: "reference.states-v2.single", Title: "A single state of the second form has the values that the list returns",
			Clauses: []string{"2.4", "4-v2-state", "D-03"}, Operations: []string{"listStatesV2", "getStateV2"},
			Fix: "Answer the state of the id in the path, with the same values as in the list.",
			Run: func(t *probe.T) {
				list := allStatesV2(t)
				if len(list) == 0 {
					t.Skipf("the server has no states")
				}
				for _, want := range []api.StateV2{list[0], list[len(list)-1]} {
					r, err := t.Client().GetStateV2WithResponse(t.Context(), want.ID)
					got := probe.OK(t, r, err)
					t.Expect(got == want, "state %d has other values than in the list", want.ID)
				}
			},
		},
		{
			ID: "reference.states-v2.first-form", Title: "Both forms give a country the same states, by their codes",
			Clauses: []string{"2.3", "2.4", "D-33"}, Operations: []string{"listCountryStates", "listStatesV2"},
			Fix: "Serve both forms from the same states.",
			Run: bothForms,
		},
	}
}

// knownStates are states of ISO 3166-2 in countries that a client may not have enabled.
var knownStates = map[string]string{"FR": "IDF", "CA": "ON", "DE": "BY", "AU": "NSW", "US": "CA", "GB": "ENG", "IN": "DL", "MX": "JAL"}

// statesOfDisabledCountries asks below countries whose states a server is likely to know too.
func statesOfDisabledCountries(t *probe.T) {
	disabled := t.Target().Facts.DisabledCountry
	for _, country := range []string{disabled, nowhere} {
		list, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
		t.Refused(list, err, 404, api.ErrorCodeNotFound)
		one, err := t.Client().GetCountryStateWithResponse(t.Context(), country, cmp.Or(knownStates[country], "A"))
		t.Refused(one, err, 404, api.ErrorCodeNotFound)
	}
	for country, code := range knownStates {
		list, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
		if err == nil && list.StatusCode() == 404 {
			one, err := t.Client().GetCountryStateWithResponse(t.Context(), country, code)
			t.Refused(one, err, 404, api.ErrorCodeNotFound)
		}
	}
}

// unknownState tries a code that nobody has, and one of the other of the two countries.
func unknownState(t *probe.T) {
	country, list := states(t)
	code := func(s api.State) string { return s.Code }
	candidates := map[string][]string{"": {"ZZZ", "ZZ9", "Z99"}}
	for _, other := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
		r, err := t.Client().ListCountryStatesWithResponse(t.Context(), other)
		candidates[other] = ids(probe.Setup(t, r, err), code)
	}
	tried := false
	for other, codes := range candidates {
		unknown := pick(codes, func(c string) bool { return !slices.Contains(ids(list, code), c) })
		for _, c := range unknown[:min(1, len(unknown))] {
			tried = true
			if other != "" { // who has read it there may find it here
				r, err := t.Client().GetCountryStateWithResponse(t.Context(), other, c)
				probe.Setup(t, r, err)
			}
			r, err := t.Client().GetCountryStateWithResponse(t.Context(), country, c)
			t.Refused(r, err, 404, api.ErrorCodeNotFound)
		}
	}
	if !tried {
		t.Skipf("all codes that the check tries are states of %s", country)
	}
}

func bothForms(t *probe.T) {
	found := false
	for _, country := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
		first, second := map[string]bool{}, map[string]bool{} // their names may differ: the second form has the full ones
		r, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
		for _, s := range probe.OK(t, r, err) {
			first[s.Code] = true
		}
		for _, s := range statesV2Of(t, &country) {
			second[s.Code] = true
		}
		t.Expect(maps.Equal(first, second), "the two forms give %s different codes: %d and %d states", country, len(first), len(second))
		found = found || len(first) > 0
	}
	if !found {
		t.Skipf("the server has no states in the originating country and the destination")
	}
}

// states returns a country with states and lists them, as a set-up: the originating country or else the destination.
func states(t *probe.T) (country string, list []api.State) {
	for _, country := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
		r, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
		if list := probe.Setup(t, r, err); len(list) > 0 {
			return country, list
		}
	}
	t.Skipf("the server has no states in the originating country and the destination")
	return "", nil
}

// statesV2Of lists states of the second form; the list is what the check is about.
func statesV2Of(t *probe.T, country *string) []api.StateV2 {
	r, err := t.Client().ListStatesV2WithResponse(t.Context(), &api.ListStatesV2Params{CountryCode: country})
	return probe.OK(t, r, err)
}

// allStatesV2 lists states of the second form without a filter, as a set-up.
func allStatesV2(t *probe.T) []api.StateV2 {
	r, err := t.Client().ListStatesV2WithResponse(t.Context(), nil)
	return probe.Setup(t, r, err)
}
