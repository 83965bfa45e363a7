package payout

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// isoCountry knows a few countries, by both codes as the reference data does.
func isoCountry(code string) (Country, bool) {
	for _, c := range []Country{{Alpha2: "US", Alpha3: "USA"}, {Alpha2: "NP", Alpha3: "NPL"}, {Alpha2: "KW", Alpha3: "KWT"}, {Alpha2: "JP", Alpha3: "JPN"}} {
		if code == c.Alpha2 || code == c.Alpha3 {
			return c, true
		}
	}
	return Country{}, false
}

// goodProfile breaks no rule.
func goodProfile() Profile {
	tier := func(daily json.Number, individual, business []string) ProfileTier {
		return ProfileTier{
			[]ProfileLimit{{"USD", daily, "3000.5", "10000"}, {"KWD", "0", "0.001", "1"}}, RequiredTags{individual, business},
		}
	}
	return Profile{
		ID: "acme-1", Name: "Acme Rémittance",
		Corridors: []Corridor{{"US", "USD"}, {"KW", "KWD"}},
		Destinations: []ProfileDestination{
			{"NP", []ProfileTier{
				tier("1000", nil, nil), tier("1000.00", []string{"EMAIL"}, []string{"EIN_DOC"}),
				tier("2000.10", []string{"ID_DOC", "EMAIL"}, []string{"EIN_DOC"}),
			}},
			{"JP", []ProfileTier{tier("1", nil, nil)}},
		},
		Rates: []ProfileRateBounds{{"USD", "NPR", "100", "200.5000"}, {"USD", "JPY", "0.1234567890123456789", "0.1234567890123456789"}},
	}
}

// D-17, D-18: amounts are exact, in minor units of their currency, and come back in major units.
func TestAProfileIsAClient(t *testing.T) {
	t.Parallel()
	client, violations := goodProfile().Client(isoCountry)
	if len(violations) > 0 {
		t.Fatalf("%+v", violations)
	}
	want := []TierLimit{{"USD", 200010, 300050, 1000000}, {"KWD", 0, 1, 1000}}
	if got := client.Destinations[0].Tiers[2].Limits; !reflect.DeepEqual(got, want) {
		t.Errorf("limits %+v", got)
	}
	back := NewProfile(client)
	if want := []ProfileRateBounds{{"USD", "NPR", "100", "200.5"}, goodProfile().Rates[1]}; !slices.Equal(back.Rates, want) {
		t.Errorf("rates are written back as %+v, want %+v", back.Rates, want)
	}
	if got, want := back.Destinations[0].Tiers[2].Limits[1], (ProfileLimit{"KWD", "0.000", "0.001", "1.000"}); got != want {
		t.Errorf("written back as %+v", got)
	}
	for i, tier := range back.Destinations[0].Tiers {
		was := goodProfile().Destinations[0].Tiers[i].RequiredTags
		if !slices.Equal(tier.RequiredTags.Individual, was.Individual) || !slices.Equal(tier.RequiredTags.Business, was.Business) {
			t.Errorf("tier %d is written back with the tags %+v, want %+v", i, tier.RequiredTags, was)
		}
	}
	again, violations := back.Client(isoCountry)
	if len(violations) > 0 || !reflect.DeepEqual(NewProfile(again), back) {
		t.Errorf("read again: %+v, %+v", again, violations)
	}
}

func TestEveryViolationOfAProfileHasItsPath(t *testing.T) {
	t.Parallel()
	limit := func(p *Profile, tier int) *ProfileLimit { return &p.Destinations[0].Tiers[tier].Limits[0] }
	tags := func(p *Profile, tier int) *RequiredTags { return &p.Destinations[0].Tiers[tier].RequiredTags }
	rates := func(all ...ProfileRateBounds) func(*Profile) { return func(p *Profile) { p.Rates = all } }
	const plain = "must be a plain amount, such as 1000.00"
	for name, c := range map[string]struct {
		spoil func(*Profile)
		want  []string
	}{
		"no id":             {func(p *Profile) { p.ID = "" }, []string{"id must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"}},
		"hyphen first":      {func(p *Profile) { p.ID = "-a" }, []string{"id must be 1 to 63 ..."}},
		"capitals":          {func(p *Profile) { p.ID = "Acme" }, []string{"id must be 1 to 63 ..."}},
		"newline":           {func(p *Profile) { p.ID = "acme\n" }, []string{"id must be 1 to 63 ..."}},
		"long id":           {func(p *Profile) { p.ID = ClientID(strings.Repeat("a", 64)) }, []string{"id must be 1 to 63 ..."}},
		"no name":           {func(p *Profile) { p.Name = " " }, []string{"name must not be empty"}},
		"space around name": {func(p *Profile) { p.Name = "a " }, []string{"name must not begin or end with a space"}},
		"long name":         {func(p *Profile) { p.Name = strings.Repeat("é", 201) }, []string{"name must have at most 200 characters"}},
		"two lines":         {func(p *Profile) { p.Name = "a\nb" }, []string{"name must not contain control characters"}},
		"hidden in name":    {func(p *Profile) { p.Name = "a\u202eb" }, []string{"name must not contain invisible characters ..."}},
		"no corridor":       {func(p *Profile) { p.Corridors = nil }, []string{"corridors must have at least one element"}},
		"no destination":    {func(p *Profile) { p.Destinations = nil }, []string{"destinations must have at least one element"}},
		"too many tiers": {func(p *Profile) {
			p.Destinations[1].Tiers = slices.Repeat(p.Destinations[1].Tiers[:1], 101)
		}, []string{"destinations[1].tiers must have at most 100 elements"}},
		"no tier":                {func(p *Profile) { p.Destinations[1].Tiers = nil }, []string{"destinations[1].tiers must have at least one element"}},
		"alpha-3":                {func(p *Profile) { p.Corridors[0].Country = "USA" }, []string{"corridors[0].country must be a country of ISO 3166-1, two capital letters"}},
		"unknown country":        {func(p *Profile) { p.Destinations[1].Country = "XX" }, []string{"destinations[1].country must be a country ..."}},
		"no country":             {func(p *Profile) { p.Destinations[0].Country, p.Destinations[1].Country = "", "" }, []string{"destinations[0].country must be a country ...", "destinations[1].country must be a country ..."}},
		"corridor twice":         {func(p *Profile) { p.Corridors[1].Country = "US" }, []string{"corridors[1].country must not be repeated"}},
		"destination twice":      {func(p *Profile) { p.Destinations[1].Country = "NP" }, []string{"destinations[1].country must not be repeated"}},
		"no currency of a state": {func(p *Profile) { p.Corridors[1].Currency = "XXX" }, []string{"corridors[1].currency must be a currency of ISO 4217, three capital letters"}},
		"small currency":         {func(p *Profile) { limit(p, 0).Currency = "usd" }, []string{"destinations[0].tiers[0].limits[0].currency must be a currency ...", "destinations[0].tiers[0].limits must have an element for USD, the currency of a corridor"}},
		"currency without limit": {func(p *Profile) { p.Corridors[1].Currency = "JPY" }, []string{
			"destinations[0].tiers[0].limits must have an element for JPY, ...", "destinations[0].tiers[1].limits must ...",
			"destinations[0].tiers[2].limits must ...", "destinations[1].tiers[0].limits must ...",
		}},
		"limit twice": {func(p *Profile) {
			p.Destinations[1].Tiers[0].Limits = append(p.Destinations[1].Tiers[0].Limits, *limit(p, 2))
		}, []string{"destinations[1].tiers[0].limits[2].currency must not be repeated"}},
		"missing":                {func(p *Profile) { limit(p, 1).Monthly = "" }, []string{"destinations[0].tiers[1].limits[0].monthly is missing"}},
		"too many decimals":      {func(p *Profile) { limit(p, 2).Daily = "2000.001" }, []string{"destinations[0].tiers[2].limits[0].daily must have at most 2 decimals in USD"}},
		"very many decimals":     {func(p *Profile) { limit(p, 2).Daily = "2000.0000000000000000000001" }, []string{"destinations[0].tiers[2].limits[0].daily must have at most 2 decimals in USD"}},
		"too high":               {func(p *Profile) { limit(p, 2).Annual = "1000000000000.01" }, []string{"destinations[0].tiers[2].limits[0].annual must be at most 1000000000000"}},
		"much too high":          {func(p *Profile) { limit(p, 2).Annual = "100000000000000000000000000" }, []string{"destinations[0].tiers[2].limits[0].annual must be at most 1000000000000"}},
		"exponent":               {func(p *Profile) { limit(p, 2).Annual = "1e4" }, []string{"destinations[0].tiers[2].limits[0].annual " + plain}},
		"sign":                   {func(p *Profile) { limit(p, 2).Annual = "-1" }, []string{"destinations[0].tiers[2].limits[0].annual " + plain}},
		"underscore":             {func(p *Profile) { limit(p, 2).Annual = "10_000" }, []string{"destinations[0].tiers[2].limits[0].annual " + plain}},
		"no whole part":          {func(p *Profile) { limit(p, 2).Annual = ".5" }, []string{"destinations[0].tiers[2].limits[0].annual " + plain}},
		"day above month":        {func(p *Profile) { limit(p, 2).Daily = "3000.51" }, []string{"destinations[0].tiers[2].limits[0].monthly must not be below daily"}},
		"month above year":       {func(p *Profile) { limit(p, 2).Monthly = "10000.01" }, []string{"destinations[0].tiers[2].limits[0].annual must not be below monthly"}},
		"falling":                {func(p *Profile) { limit(p, 2).Daily, limit(p, 2).Annual = "999.99", "9999.99" }, []string{"destinations[0].tiers[2].limits[0].daily must not be below that of the tier before", "destinations[0].tiers[2].limits[0].annual must not be ..."}},
		"rates of no currency":   {rates(ProfileRateBounds{"usd", "XXX", "1", "2"}), []string{"exchange_rates[0].from must be a currency ...", "exchange_rates[0].to must be a currency ..."}},
		"rates of a pair twice":  {rates(ProfileRateBounds{"USD", "NPR", "1", "2"}, ProfileRateBounds{"NPR", "USD", "1", "2"}, ProfileRateBounds{"USD", "NPR", "3", "4"}), []string{"exchange_rates[2] must not be repeated"}},
		"rate upside down":       {rates(ProfileRateBounds{"USD", "NPR", "200", "100"}), []string{"exchange_rates[0].max must not be below min"}},
		"rates that are missing": {rates(ProfileRateBounds{"USD", "NPR", "", ""}), []string{"exchange_rates[0].min is missing", "exchange_rates[0].max is missing"}},
		"rate of zero":           {rates(ProfileRateBounds{"USD", "NPR", "0.000", "1"}), []string{"exchange_rates[0].min must be above 0 and at most 1000000000"}},
		"rate too high":          {rates(ProfileRateBounds{"USD", "NPR", "1", "1000000000.000000001"}), []string{"exchange_rates[0].max must be above 0 ..."}},
		"rate with an exponent":  {rates(ProfileRateBounds{"USD", "NPR", "1e2", "-1"}), []string{"exchange_rates[0].min must be a plain rate, such as 132.25", "exchange_rates[0].max must be a plain rate, ..."}},
		"rate with 20 digits":    {rates(ProfileRateBounds{"USD", "NPR", "0.12345678901234567891", "1.00000000000000000001"}), []string{"exchange_rates[0].min must have at most 19 significant digits", "exchange_rates[0].max must have at most ..."}},
		"unknown tag":            {func(p *Profile) { tags(p, 2).Individual = append(tags(p, 2).Individual, "EIN_DOC") }, []string{"destinations[0].tiers[2].required_tags.individual[2] must be a CIP tag of an individual user"}},
		"unknown business tag":   {func(p *Profile) { tags(p, 2).Business = append(tags(p, 2).Business, "ID_DOC") }, []string{"destinations[0].tiers[2].required_tags.business[1] must be a CIP tag of a business user"}},
		"tag twice":              {func(p *Profile) { tags(p, 2).Business = []string{"EIN_DOC", "EIN_DOC"} }, []string{"destinations[0].tiers[2].required_tags.business[1] must not be repeated"}},
		"tag of the tier before": {func(p *Profile) { *tags(p, 2) = RequiredTags{} }, []string{"destinations[0].tiers[2].required_tags.individual must have EMAIL, which the tier before requires", "destinations[0].tiers[2].required_tags.business must have EIN_DOC, ..."}},
		"nothing":                {func(p *Profile) { *p = Profile{} }, []string{"id ...", "name ...", "corridors ...", "destinations ..."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := goodProfile()
			c.spoil(&p)
			client, violations := p.Client(isoCountry)
			if !reflect.DeepEqual(client, Client{}) {
				t.Errorf("gave %+v", client)
			}
			var got []string
			for _, v := range violations {
				got = append(got, fmt.Sprintf("%s %s", v.Field, v.Reason))
			}
			fits := func(got, want string) bool {
				begin, more := strings.CutSuffix(want, "...")
				return got == want || more && strings.HasPrefix(got, begin)
			}
			if !slices.EqualFunc(got, c.want, fits) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
