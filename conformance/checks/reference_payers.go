package checks

import (
	"reflect"
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// allMethods are the four of rule 4.
var allMethods = []api.PayoutMethod{
	api.PayoutMethodBankDeposit, api.PayoutMethodWallet, api.PayoutMethodCashPickup, api.PayoutMethodHomeDelivery,
}

func referencePayers() []probe.Check {
	lists := []string{"listPayers"}
	return []probe.Check{
		{
			ID: "reference.payers.country", Title: "The payer list of a country holds payers of that country",
			Clauses: []string{"4-payers", "4-param-country-payers"}, Operations: lists,
			Fix: "Narrow the list to the country that is asked for.",
			Run: func(t *probe.T) {
				country := t.Target().Facts.Destination
				list := payersOf(t, api.ListPayersParams{Country: &country})
				t.Expect(len(list) != 0, "no payer is listed in %s, an enabled destination", country)
				for _, p := range list {
					t.Expect(p.Country == country, "payer %d is in another country than %s", p.ID, country)
				}
			},
		},
		{
			ID: "reference.payers.all-countries", Title: "Without a country the payer list holds what the lists of the enabled countries hold",
			Clauses: []string{"D-38"}, Operations: lists,
			Fix: "Treat a missing country as no restriction, and list all payers, however many.",
			Run: func(t *probe.T) {
				all := payersOf(t, api.ListPayersParams{})
				for _, country := range countriesIn(t, all, payerCountry) {
					sameIDs(t, "payer", country, ids(payersIn(all, country), payerID), ids(payersIn(payersListedIn(t, country), country), payerID))
				}
			},
		},
		{
			ID: "reference.payers.alpha-3", Title: "A country of 2 letters and its form of 3 letters list the same payers",
			Clauses: []string{"4-param-country-payers", "D-18"}, Operations: lists,
			Fix: "Accept ISO 3166-1 alpha-3 in the payer list and look up the same country.",
			Run: func(t *probe.T) {
				for _, alpha2 := range countriesIn(t, allPayers(t), payerCountry) {
					if alpha3, ok := threeLetters(alpha2); ok {
						same(t, "the payers of "+alpha2+" and "+alpha3, payersOf(t, api.ListPayersParams{Country: &alpha3}), payersListedIn(t, alpha2))
					}
				}
			},
		},
		{
			ID: "reference.payers.payout-method", Title: "The filter payout_method lists the payers of that method",
			Clauses: []string{"4-param-payout-method", "D-43"}, Operations: lists,
			Fix: "Narrow the list to payers whose delivery_method is the one asked for; all four methods are values of the filter.",
			Run: func(t *probe.T) {
				all := allPayers(t)
				for _, m := range allMethods {
					same(t, "the payers with delivery_method "+string(m)+" and those listed with this filter",
						payersOf(t, api.ListPayersParams{PayoutMethod: &m}), payersBy(all, m))
				}
			},
		},
		{
			ID: "reference.payers.delivery-method", Title: "The filter delivery_method has the meaning of payout_method",
			Clauses: []string{"4-param-payout-method", "D-02"}, Operations: lists,
			Fix: "Treat delivery_method as another spelling of payout_method.",
			Run: func(t *probe.T) {
				all := allPayers(t)
				for _, m := range allMethods {
					same(t, "the payers with delivery_method "+string(m)+" and those listed with this filter",
						payersOf(t, api.ListPayersParams{DeliveryMethod: &m}), payersBy(all, m))
				}
			},
		},
		{
			ID: "reference.payers.both-spellings", Title: "payout_method and delivery_method may be sent together when they are equal",
			Clauses: []string{"D-02"}, Operations: lists,
			Fix: "Accept both spellings with the same value as one filter.",
			Run: func(t *probe.T) {
				m := api.PayoutMethodCashPickup
				same(t, "the lists with one and with both spellings",
					payersOf(t, api.ListPayersParams{PayoutMethod: &m, DeliveryMethod: &m}), payersBy(allPayers(t), m))
			},
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
			ID: "reference.payers.country-and-method", Title: "Country and method together list the payers that fit both, in either spelling of each",
			Clauses: []string{"4-payers", "4-param-country-payers", "4-param-payout-method", "D-02", "D-18"}, Operations: lists,
			Fix: "Apply both filters, whether the country has 2 or 3 letters and whether the method is payout_method or delivery_method.",
			Run: countryAndMethod,
		},
		{
			ID: "reference.payers.order", Title: "Payers are listed by ascending id, each once",
			Clauses: []string{"D-29"}, Operations: lists,
			Fix: "Order the list by id, with a country and without.",
			Run: func(t *probe.T) {
				all := payersOf(t, api.ListPayersParams{})
				ascending(t, all, payerID)
				for _, country := range countriesIn(t, all, payerCountry) {
					if list := payersOf(t, api.ListPayersParams{Country: &country}); len(list) > 1 {
						ascending(t, list, payerID)
					}
				}
			},
		},
		{
			ID: "reference.payers.single", Title: "A single payer has the values that the list returns",
			Clauses: []string{"2.1-list", "2.1-single", "4-payer"}, Operations: []string{"listPayers", "getPayer"},
			Fix: "Answer the payer of the id in the path, with the same values as in the list.",
			Run: singlePayers,
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

// countryAndMethod tries each method in both spellings with the destination in both forms.
func countryAndMethod(t *probe.T) {
	alpha2 := t.Target().Facts.Destination
	all, forms := payersListedIn(t, alpha2), []string{alpha2}
	if alpha3, ok := threeLetters(alpha2); ok {
		forms = append(forms, alpha3)
	}
	for _, country := range forms {
		for _, m := range allMethods {
			for name, params := range map[string]api.ListPayersParams{
				"payout_method": {Country: &country, PayoutMethod: &m}, "delivery_method": {Country: &country, DeliveryMethod: &m},
			} {
				same(t, "the payers of "+alpha2+" with "+string(m)+" and those listed with country "+country+" and "+name,
					payersOf(t, params), payersBy(all, m))
			}
		}
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
