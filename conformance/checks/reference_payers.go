package checks

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// allMethods are the four of rule 4.
var allMethods = []api.PayoutMethod{deposit, wallet, cash, home}

func referencePayers() []probe.Check {
	lists := []string{"listPayers"}
	return []probe.Check{
		{
			ID: "reference.payers.country", Title: "Country, in its form of 2 or of 3 letters, and method, in either spelling or both, list the payers that fit",
			Clauses: []string{"4-payers", "4-param-country-payers", "4-param-payout-method", "D-02", "D-18", "D-43"}, Operations: lists,
			Fix: "Apply both filters: alpha-3 names the same country as alpha-2, delivery_method is another spelling of payout_method, and all four methods are values.",
			Run: payerFilters,
		},
		{
			ID: "reference.payers.contradiction", Title: "payout_method and delivery_method with different values are refused with 400",
			Clauses: []string{"D-02"}, Operations: lists,
			Fix: "Refuse two different values instead of choosing one, with a country and without.",
			Run: func(t *probe.T) {
				for _, country := range []*string{nil, probe.Ptr(t.Target().Facts.Destination)} {
					r, err := t.Client().ListPayersWithResponse(t.Context(), &api.ListPayersParams{
						Country: country, PayoutMethod: probe.Ptr(api.PayoutMethodCashPickup), DeliveryMethod: probe.Ptr(api.PayoutMethodWallet),
					})
					t.Refused(r, err, 400, api.ErrorCodeBadRequest)
				}
			},
		},
		{
			ID: "reference.payers.network-limit", Title: "The bounds of a payer are in its receiving currency, the lower not above the upper",
			Clauses: []string{"1-rule-5", "2.1-single", "D-21"}, Operations: []string{"getPayer"},
			Fix: "A network limit bounds the receiving amount: give it in receiving_currency, with min_amount not above max_amount.",
			Run: networkLimits,
		},
		{
			ID: "reference.payers.pickup-location", Title: "The pick-up locations of a payer have different ids",
			Clauses: []string{"2.1-list", "D-21"}, Operations: []string{"getPayer"},
			Fix: "Give each pick-up location an id of its own: a transaction chooses one by it.",
			Run: func(t *probe.T) {
				p := t.Payer("with two pick-up locations", func(p api.PayerDetail) bool { return len(p.PickupLocation) > 1 })
				t.Expect(distinct(p.PickupLocation, func(l api.PickupLocation) int64 { return l.ID }),
					"payer %d has two pick-up locations with the same id", p.ID)
			},
		},
	}
}

func payerID(p api.Payer) int64 { return p.ID }

func payerCountry(p api.Payer) string { return p.Country }

// payerFilters narrows the list of all payers by countries and methods, and compares.
func payerFilters(t *probe.T) {
	all := allPayers(t)
	countries := map[string]string{"": ""} // as sent, and alpha-2
	for _, alpha2 := range countriesIn(t, all, payerCountry) {
		countries[alpha2] = alpha2
		if alpha3, ok := threeLetters(alpha2); ok {
			countries[alpha3] = alpha2
		}
	}
	for sent, alpha2 := range countries {
		var country *string
		in := all
		if alpha2 != "" {
			country, in = &sent, payersListedIn(t, alpha2)
		}
		t.Case("country "+sent, func() {
			same(t, "the payers listed and those of the country", payersOf(t, api.ListPayersParams{Country: country}), in)
			methods := allMethods
			if alpha2 != "" && alpha2 != t.Target().Facts.Destination {
				methods = nil // one country is enough
			}
			for _, m := range methods {
				for name, params := range map[string]api.ListPayersParams{
					"payout_method": {Country: country, PayoutMethod: &m}, "delivery_method": {Country: country, DeliveryMethod: &m},
					"both spellings": {Country: country, PayoutMethod: &m, DeliveryMethod: &m},
				} {
					same(t, fmt.Sprintf("the payers listed with %s %s and those with this delivery_method", name, m), payersOf(t, params), payersBy(in, m))
				}
			}
		})
	}
}

// singlePayers compares some payers of each method. The interface document has seen lists without the pick-up locations.
func singlePayers(t *probe.T) {
	all := payersIn(allPayers(t), t.Target().Facts.Destination)
	for _, m := range allMethods {
		for _, want := range some(payersBy(all, m)) {
			r, err := t.Client().GetPayerWithResponse(t.Context(), want.ID)
			p := probe.OK(t, r, err)
			got := api.Payer{Country: p.Country, DeliveryMethod: p.DeliveryMethod, ID: p.ID, Name: p.Name, PickupLocation: p.PickupLocation}
			if len(want.PickupLocation) == 0 {
				got.PickupLocation = want.PickupLocation
			}
			t.Expect(reflect.DeepEqual(got, want), "payer %d has other values than in the list", want.ID)
		}
	}
}

func networkLimits(t *probe.T) {
	t.Payer("with a network limit", func(p api.PayerDetail) bool { return len(p.NetworkLimit) > 0 })
	for _, p := range t.Payers() {
		t.Expect(distinct(p.NetworkLimit, func(l api.NetworkLimit) string { return l.Currency }), "payer %d has two bounds in one currency", p.ID)
		for _, l := range p.NetworkLimit {
			t.Expect(l.Currency == p.ReceivingCurrency, "payer %d pays out %s and has bounds in %s", p.ID, p.ReceivingCurrency, l.Currency)
			t.Expect(l.MinAmount.Decimal().Cmp(l.MaxAmount.Decimal()) <= 0, "payer %d has the bounds %s and %s", p.ID, l.MinAmount, l.MaxAmount)
		}
	}
}

// payersOf lists payers; the list is what the check is about.
func payersOf(t *probe.T, params api.ListPayersParams) []api.Payer {
	r, err := t.Client().ListPayersWithResponse(t.Context(), &params)
	return probe.OK(t, r, err)
}

// allPayers lists payers without a filter, as a set-up.
func allPayers(t *probe.T) []api.Payer {
	r, err := t.Client().ListPayersWithResponse(t.Context(), nil)
	return probe.Setup(t, r, err)
}

// payersListedIn lists the payers of a country, as a set-up.
func payersListedIn(t *probe.T, country string) []api.Payer {
	r, err := t.Client().ListPayersWithResponse(t.Context(), &api.ListPayersParams{Country: &country})
	return probe.Setup(t, r, err)
}

func payersIn(all []api.Payer, country string) []api.Payer {
	return pick(all, func(p api.Payer) bool { return p.Country == country })
}

func payersBy(all []api.Payer, m api.PayoutMethod) []api.Payer {
	return pick(all, func(p api.Payer) bool { return p.DeliveryMethod == m })
}

// unused returns an id far above all that are listed, which may not be all there are.
func unused(all []int64) int64 {
	if len(all) == 0 {
		return 1
	}
	return slices.Max(all) + 1_000_000_000
}
