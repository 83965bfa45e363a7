package reference_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/govalues/money"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
)

// destinations are the sample destinations with their currency.
var destinations = map[string]string{
	"NP": "NPR", "IN": "INR", "MX": "MXN", "PH": "PHP", "NG": "NGN", "JP": "JPY", "KW": "KWD",
}

func TestCountries(t *testing.T) {
	t.Parallel()
	countries := reference.Countries()
	if len(countries) != 249 {
		t.Errorf("%d countries, want the 249 of ISO 3166-1", len(countries))
	}
	alpha2, alpha3, numeric := regexp.MustCompile(`^[A-Z]{2}$`), regexp.MustCompile(`^[A-Z]{3}$`), regexp.MustCompile(`^\d{3}$`)
	seen := map[string]bool{}
	for _, c := range countries {
		if !alpha2.MatchString(c.Alpha2) || !alpha3.MatchString(c.Alpha3) || !numeric.MatchString(c.Numeric) {
			t.Errorf("malformed: %+v", c)
		}
		for _, code := range []string{c.Alpha2, c.Alpha3, c.Numeric} {
			if seen[code] {
				t.Errorf("%s occurs twice", code)
			}
			seen[code] = true
		}
	}
	countries[0].Name = "changed"
	if reference.Countries()[0].Name == "changed" {
		t.Error("callers share the list")
	}
}

func TestCountryTakesAlpha2AndAlpha3(t *testing.T) {
	t.Parallel()
	want := payout.Country{Alpha2: "NP", Alpha3: "NPL", Numeric: "524", Name: "Nepal"}
	for _, code := range []string{"NP", "NPL"} {
		if got, ok := reference.Country(code); !ok || got != want {
			t.Errorf("Country(%q) = %+v, %v", code, got, ok)
		}
	}
	if au, _ := reference.Country("AU"); au.Numeric != "036" {
		t.Errorf("numeric of AU = %q, want its leading zero", au.Numeric)
	}
	for _, code := range []string{"", "np", "npl", "524", "XX", "NP "} {
		if _, ok := reference.Country(code); ok {
			t.Errorf("Country(%q) was found", code)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	states := reference.States()
	codes := map[string][]string{}
	seen := map[int64]bool{}
	for _, s := range states {
		if seen[s.ID] {
			t.Errorf("id %d occurs twice", s.ID)
		}
		seen[s.ID] = true
		codes[s.Country] = append(codes[s.Country], s.Code)
	}
	want := map[string]int{
		"AU": 8, "CA": 13, "DE": 16, "GB": 4, "IN": 36, "JP": 47, "KW": 6, "MX": 32, "NG": 37, "NP": 7, "PH": 82, "US": 57,
	}
	if len(codes) != len(want) {
		t.Errorf("states of %d countries, want %d", len(codes), len(want))
	}
	for country, n := range want {
		if len(codes[country]) != n {
			t.Errorf("%s has %d states, want %d", country, len(codes[country]), n)
		}
	}
	for country, some := range map[string][]string{
		"US": {"CA", "DC", "NY"}, "GB": {"ENG", "NIR", "SCT", "WLS"}, "NP": {"P1", "P2", "P3", "P4", "P5", "P6", "P7"},
		"PH": {"00", "CEB"}, "IN": {"OD", "KL"}, "JP": {"13"}, "KW": {"KU"}, "NG": {"FC", "LA"}, "MX": {"CMX"},
	} {
		for _, code := range some {
			if !slices.Contains(codes[country], code) {
				t.Errorf("%s-%s is missing", country, code)
			}
		}
	}
	// Clients keep these ids.
	for _, pinned := range []payout.State{
		{ID: 840006, Country: "US", Code: "CA", Name: "California"},
		{ID: 524001, Country: "NP", Code: "P1", Name: "Koshi"},
		{ID: 414006, Country: "KW", Code: "MU", Name: "Mubārak al Kabīr"},
	} {
		if !slices.Contains(states, pinned) {
			t.Errorf("%+v is missing", pinned)
		}
	}
}

func TestSamplePayers(t *testing.T) {
	t.Parallel()
	payers := reference.SamplePayers()
	if len(payers) < 48 {
		t.Errorf("%d payers, want 48 or more", len(payers))
	}
	bare := 0                        // payers without limits and pickup locations, as in the document
	plain := map[string]bool{}       // country and method of those
	withPickup := map[string]bool{}  // countries
	limitScales := map[string]int{}  // currency of a limit to its decimals
	codes := map[string]bool{}       // the sample ones are unique
	methods := map[string]struct{}{} // country and method
	for _, p := range payers {
		checkPayer(t, p)
		if !strings.HasPrefix(p.Name, "Sample ") {
			t.Errorf("payer %d is called %q", p.ID, p.Name)
		}
		if codes[p.Code] {
			t.Errorf("code %s occurs twice", p.Code)
		}
		codes[p.Code] = true
		if p.Currency != destinations[p.Country] {
			t.Errorf("payer %d in %s pays %s", p.ID, p.Country, p.Currency)
		}
		key := p.Country + string(p.Method)
		methods[key] = struct{}{}
		if len(p.NetworkLimits)+len(p.PickupLocations) == 0 {
			bare++
			plain[key] = true
		}
		if len(p.PickupLocations) > 0 {
			withPickup[p.Country] = true
		}
		for _, limit := range p.NetworkLimits {
			limitScales[limit.Currency] = money.MustParseCurr(limit.Currency).Scale()
		}
	}
	if bare*2 <= len(payers) {
		t.Errorf("only %d of %d payers are without limits and pickup locations", bare, len(payers))
	}
	for country := range destinations {
		for _, method := range []payout.PayoutMethod{payout.CashPickup, payout.Wallet, payout.HomeDelivery, payout.BankDeposit} {
			if !plain[country+string(method)] {
				t.Errorf("%s has no plain payer for %s", country, method)
			}
		}
		if !withPickup[country] {
			t.Errorf("%s has no pickup location", country)
		}
	}
	if len(methods) != 4*len(destinations) {
		t.Errorf("%d pairs of country and method, want %d", len(methods), 4*len(destinations))
	}
	for currency, scale := range map[string]int{"JPY": 0, "KWD": 3, "MXN": 2} {
		if got, ok := limitScales[currency]; !ok || got != scale {
			t.Errorf("a limit in %s with %d decimals is missing (%d, %v)", currency, scale, got, ok)
		}
	}
}

func TestSampleLimitsAreInMinorUnits(t *testing.T) {
	t.Parallel()
	want := map[int64]payout.NetworkLimit{
		1021: {Currency: "MXN", Min: 5050, Max: 6000000},
		1048: {Currency: "JPY", Min: 1000, Max: 500000},
		1057: {Currency: "KWD", Min: 1500, Max: 2500750},
	}
	for _, p := range reference.SamplePayers() {
		if limit, ok := want[p.ID]; ok && !slices.Equal(p.NetworkLimits, []payout.NetworkLimit{limit}) {
			t.Errorf("payer %d: %+v, want %+v", p.ID, p.NetworkLimits, limit)
		}
	}
}

func TestSampleBanks(t *testing.T) {
	t.Parallel()
	perCountry := map[string]int{}
	seen := map[int64]bool{}
	dollars := 0
	for _, b := range reference.SampleBanks() {
		perCountry[b.Country]++
		if !strings.HasPrefix(b.Name, "Sample ") {
			t.Errorf("bank %d is called %q", b.ID, b.Name)
		}
		if len(b.Branches) < 2 || len(b.Branches) > 4 {
			t.Errorf("bank %d has %d branches", b.ID, len(b.Branches))
		}
		for _, branch := range b.Branches {
			if branch.ID < 20010 || seen[branch.ID] || !strings.HasPrefix(branch.Name, "Sample ") {
				t.Errorf("bank %d: bad branch %+v", b.ID, branch)
			}
			seen[branch.ID] = true
		}
		if b.ID < 2001 || seen[b.ID] {
			t.Errorf("bad bank id %d", b.ID)
		}
		seen[b.ID] = true
		if !slices.Contains(b.Currencies, destinations[b.Country]) {
			t.Errorf("bank %d in %s does not take its currency", b.ID, b.Country)
		}
		if slices.Contains(b.Currencies, "USD") {
			dollars++
		}
		if len(b.TxnSupportedTypes) == 0 {
			t.Errorf("bank %d supports nothing", b.ID)
		}
	}
	for country := range destinations {
		if perCountry[country] < 9 {
			t.Errorf("%s has %d banks, want 9 or more", country, perCountry[country])
		}
	}
	if len(perCountry) != len(destinations) || dollars == 0 {
		t.Errorf("banks in %d countries, %d of them take USD", len(perCountry), dollars)
	}
}

func TestSamplesAreFresh(t *testing.T) {
	t.Parallel()
	payers, banks, states := reference.SamplePayers(), reference.SampleBanks(), reference.States()
	payers[1].PickupLocations[0].Name = "changed"
	banks[0].Branches[0].Name = "changed"
	states[0].Name = "changed"
	if reference.SamplePayers()[1].PickupLocations[0].Name == "changed" ||
		reference.SampleBanks()[0].Branches[0].Name == "changed" || reference.States()[0].Name == "changed" {
		t.Error("callers share data")
	}
}

// checkPayer checks what ReadPayers promises of every payer that it accepts.
func checkPayer(t *testing.T, p payout.Payer) {
	t.Helper()
	country, ok := reference.Country(p.Country)
	if !ok || country.Alpha2 != p.Country || p.ID <= 0 || p.Code == "" || p.Name == "" {
		t.Errorf("bad payer %+v", p)
	}
	switch p.Method {
	case payout.CashPickup, payout.Wallet, payout.HomeDelivery, payout.BankDeposit:
	default:
		t.Errorf("payer %d: unknown method %q", p.ID, p.Method)
	}
	if currency, err := money.ParseCurr(p.Currency); err != nil || currency.Code() != p.Currency {
		t.Errorf("payer %d: unknown currency %q", p.ID, p.Currency)
	}
	for _, limit := range p.NetworkLimits {
		if limit.Currency != p.Currency || limit.Min < 0 || limit.Min > limit.Max || limit.Max == 0 {
			t.Errorf("payer %d: bad limit %+v", p.ID, limit)
		}
	}
	for _, location := range p.PickupLocations {
		if p.Method != payout.CashPickup || location.ID <= 0 || location.Name == "" || location.AddressLine1 == "" || location.City == "" {
			t.Errorf("payer %d: bad pickup location %+v", p.ID, location)
		}
	}
}
