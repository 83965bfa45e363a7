package checks

import (
	"reflect"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

func referenceBanks() []probe.Check {
	return []probe.Check{
		{
			ID: "reference.banks.receiving-currency", Title: "A single bank names the currencies that it receives; the list does not",
			Clauses: []string{"2.2", "4-bank"}, Operations: []string{"listBanks", "getBank"},
			Fix: "Send receiving_currency on the single bank only, with the currencies that it can pay out.",
			Run: receivingCurrencies,
		},
		{
			ID: "reference.banks.branches", Title: "The branches of a bank have different ids",
			Clauses: []string{"2.2"}, Operations: []string{"listBanks"},
			Fix: "Give each branch an id of its own: a bank account chooses one by it.",
			Run: branches,
		},
	}
}

func bankID(b api.Bank) int64 { return b.ID }

func banksIn(all []api.Bank, country string) []api.Bank {
	return pick(all, func(b api.Bank) bool { return b.Country == country })
}

func singleBanks(t *probe.T) {
	for _, want := range someBanks(t) {
		r, err := t.Client().GetBankWithResponse(t.Context(), want.ID)
		b := probe.OK(t, r, err)
		got := api.Bank{ID: b.ID, Name: b.Name, Country: b.Country, Branches: b.Branches, TxnSupportedTypes: b.TxnSupportedTypes}
		t.Expect(reflect.DeepEqual(got, want), "bank %d has other values than in the list", want.ID)
	}
}

func receivingCurrencies(t *probe.T) {
	named := false
	for _, b := range someBanks(t) {
		r, err := t.Client().GetBankWithResponse(t.Context(), b.ID)
		currencies := probe.OK(t, r, err).ReceivingCurrency
		t.Expect(distinct(currencies, func(c string) string { return c }), "bank %d receives a currency twice", b.ID)
		named = named || len(currencies) > 0
	}
	t.Expect(named, "no bank in %s receives any currency", t.Target().Facts.Destination)
	list := t.Send(probe.Request{Method: "GET", Path: "/banks?country=" + t.Target().Facts.Destination})
	for i, bank := range elements(t, list) {
		if _, there := bank["receiving_currency"]; there {
			t.Fatalf("element %d of the list has receiving_currency", i)
		}
	}
}

func branches(t *probe.T) {
	found := false
	for _, b := range banksOf(t, probe.Ptr(t.Target().Facts.Destination)) {
		t.Expect(distinct(b.Branches, func(b api.Branch) int64 { return b.ID }), "bank %d has two branches with the same id", b.ID)
		found = found || len(b.Branches) > 1
	}
	if !found {
		t.Skipf("the server has no bank in %s with two branches", t.Target().Facts.Destination)
	}
}

// banksOf lists banks; the list is what the check is about.
func banksOf(t *probe.T, country *string) []api.Bank {
	r, err := t.Client().ListBanksWithResponse(t.Context(), &api.ListBanksParams{Country: country})
	return probe.OK(t, r, err)
}

// allBanks lists banks without a filter, as a set-up.
func allBanks(t *probe.T) []api.Bank {
	r, err := t.Client().ListBanksWithResponse(t.Context(), nil)
	return probe.Setup(t, r, err)
}

// someBanks returns some banks of the destination, as a set-up.
func someBanks(t *probe.T) []api.Bank {
	r, err := t.Client().ListBanksWithResponse(t.Context(), &api.ListBanksParams{Country: probe.Ptr(t.Target().Facts.Destination)})
	list := probe.Setup(t, r, err)
	if len(list) == 0 {
		t.Skipf("the server has no bank in %s", t.Target().Facts.Destination)
	}
	return some(list)
}
