package payout_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// D-29: transactions come newest first, in pages that follow each other without a gap, and that new ones do not disturb.
func TestTransactionsComeInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, neighbour := w.newSender(t, individual("US")), w.newSender(t, individual("US"))
	var want []string
	for i := range 7 {
		neighbour.sent(t, neighbour.deposit("1"))
		want = slices.Insert(want, 0, string(s.sent(t, s.deposit("1")).ID))
		if i%3 == 2 { // some at the same time
			w.clock.set(w.clock.Now().Add(time.Microsecond))
		}
	}
	for limit := 1; limit <= 8; limit++ {
		var got []string
		for after := (payout.Position{}); ; {
			page, next, err := w.Transactions(t.Context(), w.acme, s.user.ID, payout.Page{After: after, Limit: limit})
			if ok(t, page, err); len(page) > limit || len(page) == 0 {
				t.Fatalf("a page of %d has %d", limit, len(page))
			}
			for _, v := range page {
				got = append(got, string(v.ID))
			}
			if after = next; next == (payout.Position{}) {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d have %q, want %q", limit, got, want)
		}
	}
	page, next, err := w.Transactions(t.Context(), w.acme, s.user.ID, payout.Page{Limit: 3})
	ok(t, page, err)
	s.sent(t, s.deposit("1")) // comes before the first page
	page, _, err = w.Transactions(t.Context(), w.acme, s.user.ID, payout.Page{After: next, Limit: 1})
	if ok(t, page, err); string(page[0].ID) != want[3] {
		t.Errorf("after the third comes %s, want %s", page[0].ID, want[3])
	}
}

func TestAPageThatIsFullAndTheLastHasNoNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	if page, next, err := w.Transactions(t.Context(), w.acme, s.user.ID, payout.Page{Limit: 2}); err != nil || len(page) != 0 || next != (payout.Position{}) {
		t.Errorf("of none: %d, %+v, %v", len(page), next, err)
	}
	s.sent(t, s.deposit("1"))
	s.sent(t, s.deposit("1"))
	page, next, err := w.Transactions(t.Context(), w.acme, s.user.ID, payout.Page{Limit: 2})
	if err != nil || len(page) != 2 || next != (payout.Position{}) {
		t.Errorf("of two: %d, %+v, %v", len(page), next, err)
	}
	_, err = w.Transaction(t.Context(), w.acme, s.user.ID, "nothing")
	refused(t, err, payout.CodeNotFound, "")
}

// D-29: accounts come oldest first.
func TestAccountsComeOldestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	fund, nepal := w.fund(t, s.user, payout.FundingActive), w.receive(t, s.user, receiver("IN"))
	bank, wallet := w.bank(t, s.nepal, otherBankNP, "NPR"), w.wallet(t, s.nepal, walletLimited, "NPR")
	funds, _, err := w.FundingAccounts(t.Context(), w.acme, s.user.ID, payout.Page{})
	if ok(t, funds, err); !reflect.DeepEqual(funds, []payout.FundingAccount{s.fund, fund}) {
		t.Errorf("%+v", funds)
	}
	receivers, _, err := w.ReceiveUsers(t.Context(), w.acme, s.user.ID, payout.Page{})
	if ok(t, receivers, err); !reflect.DeepEqual(receivers, []payout.ReceiveUser{s.nepal, nepal}) {
		t.Errorf("%+v", receivers)
	}
	banks, _, err := w.BankAccounts(t.Context(), w.acme, s.user.ID, s.nepal.ID, payout.Page{})
	if ok(t, banks, err); !reflect.DeepEqual(banks, []payout.BankAccount{s.bank, bank}) {
		t.Errorf("%+v", banks)
	}
	wallets, _, err := w.WalletAccounts(t.Context(), w.acme, s.user.ID, s.nepal.ID, payout.Page{})
	if ok(t, wallets, err); !reflect.DeepEqual(wallets, []payout.WalletAccount{s.wallet, wallet}) {
		t.Errorf("%+v", wallets)
	}
}

// D-59: a page of accounts names the position after which the next one begins, and the last page none.
func TestAccountsComeInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	w.fund(t, s.user, payout.FundingActive)
	w.receive(t, s.user, receiver("IN"))
	w.bank(t, s.nepal, otherBankNP, "NPR")
	w.wallet(t, s.nepal, walletLimited, "NPR")
	ctx := t.Context()
	for name, read := range map[string]func(payout.Page) (string, int, payout.Position, error){
		"funding accounts": func(p payout.Page) (string, int, payout.Position, error) {
			all, next, err := w.FundingAccounts(ctx, w.acme, s.user.ID, p)
			return string(all[0].ID), len(all), next, err
		},
		"receive users": func(p payout.Page) (string, int, payout.Position, error) {
			all, next, err := w.ReceiveUsers(ctx, w.acme, s.user.ID, p)
			return string(all[0].ID), len(all), next, err
		},
		"bank accounts": func(p payout.Page) (string, int, payout.Position, error) {
			all, next, err := w.BankAccounts(ctx, w.acme, s.user.ID, s.nepal.ID, p)
			return string(all[0].ID), len(all), next, err
		},
		"wallet accounts": func(p payout.Page) (string, int, payout.Position, error) {
			all, next, err := w.WalletAccounts(ctx, w.acme, s.user.ID, s.nepal.ID, p)
			return string(all[0].ID), len(all), next, err
		},
	} {
		first, n, next, err := read(payout.Page{Limit: 1})
		if ok(t, first, err); n != 1 || next.ID != first || next.CreatedAt.IsZero() {
			t.Errorf("%s: %d on the first page, after which comes %+v", name, n, next)
		}
		second, n, end, err := read(payout.Page{After: next, Limit: 1})
		if ok(t, second, err); n != 1 || second == first || end != (payout.Position{}) {
			t.Errorf("%s: %d on the second page, after which comes %+v", name, n, end)
		}
		for _, limit := range []int{0, 2, 3} {
			if _, n, end, err := read(payout.Page{Limit: limit}); err != nil || n != 2 || end != (payout.Position{}) {
				t.Errorf("%s: %d with limit %d, after which comes %+v, %v", name, n, limit, end, err)
			}
		}
	}
}

// Section 1, rule 2: reference data is that of the countries enabled for the client, and a filter narrows it (D-02, D-18).
func TestReferenceDataOfAClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.acme.Corridors = w.acme.Corridors[:1] // US
	w.acme.Destinations = []payout.Destination{{Country: "NP"}, {Country: "IN"}}
	for _, c := range []struct {
		filter payout.PayerFilter
		want   []int64
	}{
		{payout.PayerFilter{}, []int64{cashNP, limitedNP, walletNP, walletLimited, homeNP, depositNP, walletIN, homeIN}},
		{payout.PayerFilter{Country: "IN"}, []int64{walletIN, homeIN}},
		{payout.PayerFilter{Country: "IND"}, []int64{walletIN, homeIN}},
		{payout.PayerFilter{Country: "JP"}, nil}, {payout.PayerFilter{Country: "US"}, nil}, {payout.PayerFilter{Country: "XX"}, nil},
		{payout.PayerFilter{PayoutMethod: payout.Wallet}, []int64{walletNP, walletLimited, walletIN}},
		{payout.PayerFilter{DeliveryMethod: payout.HomeDelivery}, []int64{homeNP, homeIN}},
		{payout.PayerFilter{PayoutMethod: payout.BankDeposit, DeliveryMethod: payout.BankDeposit, Country: "NPL"}, []int64{depositNP}},
	} {
		all, err := w.Payers(t.Context(), w.acme, c.filter)
		var got []int64
		for _, p := range ok(t, all, err) {
			got = append(got, p.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: payers %d, want %d", c.filter, got, c.want)
		}
	}
	_, err := w.Payers(t.Context(), w.acme, payout.PayerFilter{PayoutMethod: payout.Wallet, DeliveryMethod: payout.CashPickup})
	refused(t, err, payout.CodeBadRequest, "delivery_method")

	for country, want := range map[string][]int64{"": {bankNP, otherBankNP, bankIN}, "IN": {bankIN}, "JP": nil, "US": nil, "XX": nil} {
		all, err := w.Banks(t.Context(), w.acme, country)
		var got []int64
		for _, b := range ok(t, all, err) {
			got = append(got, b.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: banks %d, want %d", country, got, want)
		}
	}
	for country, want := range map[string][]int64{"": {1, 2, 3}, "NP": {1, 2}, "US": {3}, "DE": nil, "XX": nil} {
		all, err := w.States(t.Context(), w.acme, country)
		var got []int64
		for _, v := range ok(t, all, err) {
			got = append(got, v.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: states %d, want %d", country, got, want)
		}
	}
}

// D-18: reference data of a country that is not enabled does not exist.
func TestOnePieceOfReferenceData(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.acme.Corridors = w.acme.Corridors[:1] // US
	w.acme.Destinations = []payout.Destination{{Country: "NP"}}
	payer, err := w.Payer(t.Context(), w.acme, limitedNP)
	if ok(t, payer, err); !reflect.DeepEqual(payer, referenceRows.Payers[1]) {
		t.Errorf("%+v", payer)
	}
	bank, err := w.Bank(t.Context(), w.acme, bankNP)
	if ok(t, bank, err); !reflect.DeepEqual(bank, referenceRows.Banks[0]) {
		t.Errorf("%+v", bank)
	}
	koshi := referenceRows.States[0]
	state, err := w.State(t.Context(), w.acme, "NP", "P1")
	if ok(t, state, err); state != koshi {
		t.Errorf("%+v", state)
	}
	state, err = w.StateByID(t.Context(), w.acme, 3)
	if ok(t, state, err); state != referenceRows.States[2] {
		t.Errorf("%+v", state)
	}
	states, err := w.CountryStates(t.Context(), w.acme, "NP")
	if ok(t, states, err); !slices.Equal(states, referenceRows.States[:2]) {
		t.Errorf("%+v", states)
	}
	if id, none := w.CountryID("NP"), w.CountryID("XX"); id != "524" || none != "" {
		t.Errorf("the ids of countries are %q and %q", id, none)
	}

	for _, id := range []int64{unknownID, cashJP, homeIN, cashUS} {
		_, err := w.Payer(t.Context(), w.acme, id)
		refused(t, err, payout.CodeNotFound, "")
	}
	for _, id := range []int64{unknownID, bankIN, bankUS} {
		_, err := w.Bank(t.Context(), w.acme, id)
		refused(t, err, payout.CodeNotFound, "")
	}
	for _, id := range []int64{unknownID, 4} {
		_, err := w.StateByID(t.Context(), w.acme, id)
		refused(t, err, payout.CodeNotFound, "")
	}
	for _, c := range [][2]string{{"DE", "BE"}, {"NP", "CA"}, {"XX", "P1"}} {
		_, err := w.State(t.Context(), w.acme, c[0], c[1])
		refused(t, err, payout.CodeNotFound, "")
	}
	for _, country := range []string{"DE", "XX", "NPL"} {
		_, err := w.CountryStates(t.Context(), w.acme, country)
		refused(t, err, payout.CodeNotFound, "")
	}
}
