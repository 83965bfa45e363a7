package payout_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Ids of the reference data of these tests.
const (
	bankNP, branchNP        = 10, 11
	otherBankNP, branchNP2  = 20, 21
	bankIN, bankUS          = 30, 40
	cashNP, pickupNP        = 101, 1 // no network limit
	limitedNP, pickupNP2    = 102, 2 // 100.00 to 100000.00 NPR
	walletNP, walletLimited = 103, 104
	homeNP, depositNP       = 105, 106
	walletIN, homeIN        = 107, 108
	cashJP, cashKW          = 109, 110 // 1000 to 500000 JPY; 1.500 to 2500.750 KWD
	cashDE, cashUS          = 111, 112 // Germany is not enabled, the US as an origin only
	unknownID               = 999999
)

var referenceRows = store.Reference{
	States: []payout.State{
		{ID: 1, Country: "NP", Code: "P1", Name: "Koshi"}, {ID: 2, Country: "NP", Code: "P2", Name: "Madhesh"},
		{ID: 3, Country: "US", Code: "CA", Name: "California"}, {ID: 4, Country: "DE", Code: "BE", Name: "Berlin"},
	},
	Payers: []payout.Payer{
		{
			ID: cashNP, Code: "C1", Name: "Cash", Country: "NP", Method: payout.CashPickup, Currency: "NPR",
			PickupLocations: []payout.PickupLocation{{ID: pickupNP, Name: "Counter", AddressLine1: "1 Street", City: "Kathmandu"}},
		},
		{
			ID: limitedNP, Code: "C2", Name: "Limited cash", Country: "NP", Method: payout.CashPickup, Currency: "NPR",
			NetworkLimits:   []payout.NetworkLimit{{Currency: "NPR", Min: 100_00, Max: 100_000_00}},
			PickupLocations: []payout.PickupLocation{{ID: pickupNP2, Name: "Counter", AddressLine1: "2 Street", City: "Pokhara"}},
		},
		{ID: walletNP, Code: "W1", Name: "Wallet", Country: "NP", Method: payout.Wallet, Currency: "NPR"},
		{
			ID: walletLimited, Code: "W2", Name: "Limited wallet", Country: "NP", Method: payout.Wallet, Currency: "NPR",
			NetworkLimits: []payout.NetworkLimit{{Currency: "NPR", Min: 100_00, Max: 100_000_00}},
		},
		{
			ID: homeNP, Code: "H1", Name: "Home", Country: "NP", Method: payout.HomeDelivery, Currency: "NPR",
			NetworkLimits: []payout.NetworkLimit{{Currency: "NPR", Min: 1, Max: 100_000_00}},
		},
		{
			ID: depositNP, Code: "D1", Name: "Deposits", Country: "NP", Method: payout.BankDeposit, Currency: "NPR",
			NetworkLimits: []payout.NetworkLimit{{Currency: "NPR", Min: 1, Max: 1}},
		},
		{ID: walletIN, Code: "W3", Name: "Wallet", Country: "IN", Method: payout.Wallet, Currency: "INR"},
		{ID: homeIN, Code: "H2", Name: "Home", Country: "IN", Method: payout.HomeDelivery, Currency: "INR"},
		{
			ID: cashJP, Code: "C3", Name: "Cash", Country: "JP", Method: payout.CashPickup, Currency: "JPY",
			NetworkLimits: []payout.NetworkLimit{{Currency: "JPY", Min: 1000, Max: 500_000}},
		},
		{
			ID: cashKW, Code: "C4", Name: "Cash", Country: "KW", Method: payout.CashPickup, Currency: "KWD",
			NetworkLimits: []payout.NetworkLimit{{Currency: "KWD", Min: 1_500, Max: 2_500_750}},
		},
		{ID: cashDE, Code: "C5", Name: "Cash", Country: "DE", Method: payout.CashPickup, Currency: "EUR"},
		{ID: cashUS, Code: "C6", Name: "Cash", Country: "US", Method: payout.CashPickup, Currency: "USD"},
	},
	Banks: []payout.Bank{
		{
			ID: bankNP, Name: "Bank", Country: "NP", Branches: []payout.Branch{{ID: branchNP, Name: "Branch"}},
			TxnSupportedTypes: []string{"C2C"}, Currencies: []string{"USD", "NPR"},
		},
		{
			ID: otherBankNP, Name: "Other bank", Country: "NP", Branches: []payout.Branch{{ID: branchNP2, Name: "Branch"}},
			TxnSupportedTypes: []string{"B2B"}, Currencies: []string{"NPR"},
		},
		{ID: bankIN, Name: "Bank", Country: "IN", TxnSupportedTypes: []string{"C2C"}, Currencies: []string{"INR", "NPR"}},
		{ID: bankUS, Name: "Bank", Country: "US", TxnSupportedTypes: []string{"C2C"}, Currencies: []string{"USD"}},
	},
}

// tiers are three: nothing is required in the first one, and 100.00, 250.00 and 600.00 may be sent a day.
func tiers(currencies ...string) []payout.Tier {
	tier := func(daily, monthly, annual int64, individual, business []string) payout.Tier {
		t := payout.Tier{RequiredTags: payout.RequiredTags{Individual: individual, Business: business}}
		for _, currency := range currencies {
			t.Limits = append(t.Limits, payout.TierLimit{Currency: currency, Daily: daily, Monthly: monthly, Annual: annual})
		}
		return t
	}
	return []payout.Tier{
		tier(100_00, 200_00, 300_00, nil, nil),
		tier(250_00, 500_00, 900_00, []string{"ID_DOC", "OCCUPATION"}, []string{"EIN_DOC"}),
		tier(600_00, 1_000_00, 1_500_00, []string{"ID_DOC", "OCCUPATION", "MIDDLE_NAME"}, []string{"EIN_DOC", "SOURCE_OF_FUND"}),
	}
}

// unlimited is one tier whose limits no test reaches by accident.
func unlimited(currencies ...string) []payout.Tier {
	var t payout.Tier
	for _, currency := range currencies {
		t.Limits = append(t.Limits, payout.TierLimit{Currency: currency, Daily: 1e15, Monthly: 1e15, Annual: 1e15})
	}
	return []payout.Tier{t}
}

func acme() payout.Client {
	return payout.Client{
		ID: "acme", Name: "Acme",
		Corridors: []payout.Corridor{{Country: "US", Currency: "USD"}, {Country: "JP", Currency: "JPY"}, {Country: "KW", Currency: "KWD"}},
		Destinations: []payout.Destination{
			{Country: "NP", Tiers: tiers("USD", "JPY", "KWD")}, {Country: "IN", Tiers: unlimited("USD", "JPY", "KWD")},
			{Country: "JP", Tiers: unlimited("USD", "JPY", "KWD")}, {Country: "KW", Tiers: unlimited("USD", "JPY", "KWD")},
		},
	}
}

func other() payout.Client {
	return payout.Client{
		ID: "other", Name: "Other", Corridors: []payout.Corridor{{Country: "US", Currency: "USD"}},
		Destinations: []payout.Destination{{Country: "NP", Tiers: tiers("USD")}},
	}
}

// template is a database with the reference data and both clients. It is built once, and each test works on a copy.
var template = sync.OnceValues(func() (_ []byte, err error) {
	dir, err := os.MkdirTemp("", "payout")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "payouts.db")
	s, err := store.Open(ctx, "sqlite:"+file)
	if err != nil {
		return nil, err
	}
	err = s.PutReference(ctx, referenceRows)
	for _, c := range []payout.Client{acme(), other()} {
		err = errors.Join(err, s.PutClient(ctx, c, payout.HashSecret(string(c.ID+" secret")), startOfTests))
	}
	if err := errors.Join(err, s.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// startOfTests is a Saturday in the middle of a month, and another day in Kathmandu.
var startOfTests = time.Date(2026, 3, 14, 20, 9, 26, 535897932, time.UTC)

// clock is the time of the service.
type clock struct{ now atomic.Pointer[time.Time] }

func (c *clock) set(t time.Time) { c.now.Store(&t) }

func (c *clock) Now() time.Time { return *c.now.Load() }

// world is a service on a database of its own.
type world struct {
	*payout.Service
	store *store.Store
	file  string
	clock *clock
	acme  payout.Client // a test may change what is enabled: the service gets the client with each call
	other payout.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	database, err := template()
	if err != nil {
		t.Fatalf("make the template: %v", err)
	}
	file := filepath.Join(t.TempDir(), "payouts.db")
	if err := os.WriteFile(file, database, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Connect(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatalf("open the store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	w := &world{store: s, file: file, clock: &clock{}, acme: acme(), other: other()}
	w.clock.set(startOfTests)
	w.Service = w.serviceOn(s)
	return w
}

// serviceOn returns a service on another store, with the clock of the world; configure may change anything.
func (w *world) serviceOn(s payout.Store, configure ...func(*payout.Config)) *payout.Service {
	config := payout.Config{
		Store: s, Country: reference.Country, Now: w.clock.Now, NewID: newID,
		EventData: func(d payout.EventData) ([]byte, error) { return json.Marshal(d) },
	}
	for _, c := range configure {
		c(&config)
	}
	return payout.NewService(config)
}

var ids atomic.Int64

// newID returns ids that order by age, as those of the running service do.
func newID() string { return fmt.Sprintf("id-%06d", ids.Add(1)) }

// noKey is a request without an idempotency key.
var noKey payout.Idempotency

// created returns what was created, and fails the test if it was not.
func created[T any](t *testing.T, v T, replayed bool, err error) T {
	t.Helper()
	if err != nil || replayed {
		t.Fatalf("not created: replayed %t, %v", replayed, err)
	}
	return v
}

// ok returns a result, and fails the test on an error.
func ok[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// refused fails the test unless the error has the code and one violation at the field, or none if field is empty.
func refused(t *testing.T, err error, code payout.Code, field string) {
	t.Helper()
	var want []string
	if field != "" {
		want = []string{field}
	}
	if got := fieldsOf(t, err, code); !slices.Equal(got, want) {
		t.Errorf("%s at %q, want %q", code, got, want)
	}
}

func amount(text string) decimal.Decimal { return decimal.MustParse(text) }

func ptr[T any](v T) *T { return &v }

// fieldsOf returns the fields of the violations of an error, and fails the test if it has another code.
func fieldsOf(t *testing.T, err error, code payout.Code) []string {
	t.Helper()
	e, isError := errors.AsType[*payout.Error](err)
	if !isError || e.Code != code {
		t.Fatalf("%v, want %s", err, code)
	}
	var fields []string
	for _, d := range e.Details {
		fields = append(fields, d.Field)
	}
	return fields
}
