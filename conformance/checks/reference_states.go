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
	return []probe.Check{
		{
			ID: "reference.states.forms", Title: "The states of a country are listed by ascending code, each with that country, and the second form has the same",
			Clauses: []string{"2.3", "2.4", "4-country-states", "4-param-country-code", "D-29", "D-33"}, Operations: []string{"listCountryStates", "listStatesV2"},
			Fix: "List the states of the country in the path, ordered by code, and serve both forms from the same states.",
			Run: bothForms,
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

func singleStates(t *probe.T) {
	country, list := states(t)
	for _, want := range []api.State{list[0], list[len(list)-1]} {
		r, err := t.Client().GetCountryStateWithResponse(t.Context(), country, want.Code)
		t.Expect(probe.OK(t, r, err) == want, "state %s of %s has other values than in the list", want.Code, country)
	}
}

func singleStatesV2(t *probe.T) {
	list := allStatesV2(t)
	for _, want := range []api.StateV2{firstOf(t, "state", list), list[len(list)-1]} {
		r, err := t.Client().GetStateV2WithResponse(t.Context(), want.ID)
		t.Expect(probe.OK(t, r, err) == want, "state %d has other values than in the list", want.ID)
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
	some := false
	for _, country := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
		first, second := map[string]bool{}, map[string]bool{} // their names may differ: the second form has the full ones
		r, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
		list := probe.OK(t, r, err)
		for _, s := range list {
			first[s.Code] = true
			t.Expect(s.Country == country, "state %s is of another country than %s", s.Code, country)
		}
		if len(list) > 1 {
			ascending(t, list, func(s api.State) string { return s.Code })
		}
		for _, s := range statesV2Of(t, &country) {
			second[s.Code] = true
		}
		t.Expect(maps.Equal(first, second), "the two forms list different codes of %s: %d and %d states", country, len(first), len(second))
		some = some || len(first)+len(second) > 0
	}
	if !some {
		t.Skipf(noStates)
	}
}

const noStates = "the server has no states in the originating country and the destination"

// states returns a country with states and lists them, as a set-up: the originating country or else the destination.
func states(t *probe.T) (country string, list []api.State) {
	for _, country := range []string{t.Target().Facts.OriginCountry, t.Target().Facts.Destination} {
		r, err := t.Client().ListCountryStatesWithResponse(t.Context(), country)
		if list := probe.Setup(t, r, err); len(list) > 0 {
			return country, list
		}
	}
	t.Skipf(noStates)
	return "", nil
}

func stateID(s api.StateV2) int64 { return s.ID }

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
