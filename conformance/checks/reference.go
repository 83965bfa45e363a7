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
	return slices.Concat(referencePayers(), referenceBanks(), referenceStates(), referenceStatesV2(), []probe.Check{
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
			ID: "reference.each-client-its-own", Title: "A client reads single payers and banks exactly of those that its own lists hold",
			Clauses: []string{"1-rule-2", "D-18"}, Operations: []string{"listPayers", "getPayer", "listBanks", "getBank"},
			Needs: probe.OtherClient,
			Fix:   "Judge a single payer or bank by the same enabled countries of the asking client as the lists.",
			Run:   eachClientItsOwn,
		},
	})
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

// eachClientItsOwn asks as the second client for one payer and one bank of its own, and for some that it does not see
// although the first client does.
func eachClientItsOwn(t *probe.T) {
	payers, err := t.Other().ListPayersWithResponse(t.Context(), nil)
	own := ids(probe.OK(t, payers, err), func(p api.Payer) int64 { return p.ID })
	for _, id := range own[:min(1, len(own))] {
		r, err := t.Other().GetPayerWithResponse(t.Context(), id)
		probe.OK(t, r, err)
	}
	for _, id := range some(hidden(ids(allPayers(t), func(p api.Payer) int64 { return p.ID }), own)) {
		r, err := t.Other().GetPayerWithResponse(t.Context(), id)
		t.Refused(r, err, 404, api.ErrorCodeNotFound)
	}
	banks, err := t.Other().ListBanksWithResponse(t.Context(), nil)
	own = ids(probe.OK(t, banks, err), func(b api.Bank) int64 { return b.ID })
	for _, id := range own[:min(1, len(own))] {
		r, err := t.Other().GetBankWithResponse(t.Context(), id)
		probe.OK(t, r, err)
	}
	for _, id := range some(hidden(ids(allBanks(t), func(b api.Bank) int64 { return b.ID }), own)) {
		r, err := t.Other().GetBankWithResponse(t.Context(), id)
		t.Refused(r, err, 404, api.ErrorCodeNotFound)
	}
}

// hidden gives what all holds and own does not.
func hidden(all, own []int64) []int64 {
	return pick(all, func(id int64) bool { return !slices.Contains(own, id) })
}

// mostCountries is of how many countries the lists are compared.
const mostCountries = 20

// countriesIn gives the destination and the countries of a list, but the one that is not enabled; not all where there are many.
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
// is another rule.
func sameIDs(t *probe.T, what, country string, all, list []int64) {
	for _, id := range hidden(list, all) {
		t.Failf("%s %d is not in the list without a country", what, id)
	}
	for _, id := range hidden(all, list) {
		t.Failf("%s %d of %s is in the list without a country only", what, id, country)
	}
}

// some gives up to five elements: a list may have thousands.
func some[V any](all []V) []V { return all[:min(5, len(all))] }

// region finds a country by its alpha-2 code.
func region(t *probe.T, alpha2 string) language.Region {
	r, err := language.ParseRegion(alpha2)
	if err != nil {
		t.Brokenf("the facts name %q, which is no country", alpha2)
	}
	return r
}

// threeLetters gives the ISO 3166-1 alpha-3 code of a country. There is none for codes that are in use without ISO, as XK.
func threeLetters(alpha2 string) (alpha3 string, ok bool) {
	r, err := language.ParseRegion(alpha2)
	if err != nil || r.IsPrivateUse() {
		return "", false
	}
	return r.ISO3(), true
}

// numeric is the ISO 3166-1 numeric code of a country, three digits; M.49 uses the same numbers.
func numeric(t *probe.T, alpha2 string) string { return fmt.Sprintf("%03d", region(t, alpha2).M49()) }
