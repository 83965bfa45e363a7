package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// All errors of a file are reported at once, with line and field.
func TestInvalidProfiles(t *testing.T) {
	t.Parallel()
	acmeWith := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(acme) }
	const limit = "destinations[0].tiers[0].limits[0]"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":       {"", []string{"the file is empty"}},
		"a comment":     {"# nothing\n", []string{"the file is empty"}},
		"a text":        {"acme", []string{"line 1: the value must be a mapping"}},
		"a list":        {"- acme", []string{"line 1: the value must be a mapping"}},
		"two documents": {acme + "---\n" + acme, []string{"the file has more than one YAML document"}},
		"rubbish after": {acme + "...\n}", []string{"the file has more than one YAML document"}},
		"not YAML":      {"a: [b", []string{"line 1: did not find expected ',' or ']'"}},
		"a tab":         {"id: acme\n\tname: a", []string{"line 2: found a tab character that violates indentation"}},
		"not UTF-8":     {"id: \xff", []string{"invalid leading UTF-8 octet"}},

		"unknown keys": {acmeWith("id: acme", "ident: acme", "daily: 0.001", "dayly: 0.001"), []string{
			"line 1: ident is not a known key", "line 11: destinations[0].tiers[0].limits[1].dayly is not a known key",
		}},
		"a Go name for a key": {acmeWith("id: acme", "ID: acme"), []string{"line 1: ID is not a known key"}},
		"repeated keys":       {"id: a\nname: a\nid: b\n", []string{"line 3: id is repeated; it is also on line 1"}},
		"a repeated nested key": {acmeWith("currency: USD, daily: 1000.00", "currency: USD, daily: 1, daily: 1"), []string{
			"line 10: " + limit + ".daily is repeated; it is also on line 10",
		}},

		"a list for a text":     {acmeWith("name: Acme Remit", "name: [a]"), []string{"line 2: name must be a text"}},
		"a mapping for a text":  {acmeWith("name: Acme Remit", "name: {a: b}"), []string{"line 2: name must be a text"}},
		"a list for a number":   {acmeWith("daily: 1000.00", "daily: [1]"), []string{"line 10: " + limit + ".daily must be a number"}},
		"a text for a list":     {acmeWith("[EMAIL, ID_DOC]", "EMAIL"), []string{"line 16: destinations[0].tiers[1].required_tags.individual must be a list"}},
		"a text for a mapping":  {acmeWith("- {country: US, currency: USD}", "- US"), []string{"line 4: corridors[0] must be a mapping"}},
		"texts in several ways": {"id: a\ncorridors: US\ndestinations: [US]\n", []string{"line 2: corridors must be a list", "line 3: destinations[0] must be a mapping"}},

		"an exponent":       {acmeWith("daily: 1000.00", "daily: 1e3"), []string{"line 10: " + limit + ".daily must be ...", "line 10: destinations[1].tiers[0].limits[0].daily must be ..."}},
		"a hexadecimal":     {acmeWith("annual: 1000000000000", "annual: 0xff"), []string{"line 13: destinations[0].tiers[1].limits[0].annual must be ...", "line 13: destinations[1].tiers[1].limits[0].annual must be ..."}},
		"an infinity":       {acmeWith("annual: 1000000000000", "annual: .inf"), []string{"line 13: destinations[0].tiers[1].limits[0].annual must be ...", "line 13: destinations[1].tiers[1].limits[0].annual must be ..."}},
		"a null":            {acmeWith("name: Acme Remit", "name: ~"), []string{"line 2: name must not be empty"}},
		"nothing for a key": {acmeWith("country: JP", "country:"), []string{"line 18: destinations[1].country must be a country of ISO 3166-1, two capital letters"}},
		"a missing key":     {acmeWith("daily: 1000.00, ", ""), []string{"line 10: " + limit + ".daily is missing", "line 10: destinations[1].tiers[0].limits[0].daily is missing"}},
		"rules of the domain, in order": {acmeWith("EIN_DOC", "ID_DOC", "country: US", "country: USA"), []string{
			"line 4: corridors[0].country must be a country of ISO 3166-1, two capital letters",
			"line 17: destinations[0].tiers[1].required_tags.business[0] must be a CIP tag of a business user",
			"line 17: destinations[1].tiers[1].required_tags.business[0] must be a CIP tag of a business user",
		}},
		"a sandbox client": {acmeWith("id: acme", "id: sandbox-2"), []string{"line 1: id must not be that of a sandbox client, whose secret everybody knows"}},

		"an anchor of itself": {"id: a\ncorridors: &a [*a]\n", []string{"line 2: the value must be a mapping"}},
		"an unknown anchor":   {"id: *a\n", []string{"unknown anchor 'a' referenced"}},
		"a bomb of anchors":   {bomb(), []string{"document contains excessive aliasing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, got := parseClient([]byte(c.text))
			if !reflect.DeepEqual(client, payout.Client{}) {
				t.Errorf("returns %+v", client)
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

// bomb is a short file with billions of tags once its aliases are expanded.
func bomb() string {
	var b strings.Builder
	b.WriteString("id: a\nname: a\ncorridors: []\ndestinations:\n")
	tier := "&t {required_tags: {individual: [" + strings.Repeat("EMAIL, ", 1000) + "]}}"
	fmt.Fprintf(&b, "- country: NP\n  tiers: &d [%s%s]\n", tier, strings.Repeat(", *t", 1000))
	for range 1000 {
		b.WriteString("- {country: NP, tiers: *d}\n")
	}
	return b.String()
}

// Amounts are exact: the text of the scalar is decoded, quoted or not, and never becomes a float.
func TestAmountsOfAProfileAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1000": 1000_00, "1000.00": 1000_00, "1000.10": 1000_10, `"1000.1"`: 1000_10, "'1000'": 1000_00, "0.29": 29, "1.10": 1_10,
		"999999999999.99": 999_999_999_999_99, "999999999999.990000000000000000000": 999_999_999_999_99, "0010": 10_00,
	} {
		profile := strings.NewReplacer("daily: 1000.00, monthly: 3000, annual: \"10000\"",
			fmt.Sprintf("daily: %[1]s, monthly: %[1]s, annual: %[1]s", text), "daily: 2000.50, monthly: 3000", "daily: 1000000000000, monthly: 1000000000000").Replace(acme)
		client, wrong := parseClient([]byte(profile))
		if len(wrong) > 0 {
			t.Errorf("%s: %q", text, wrong)
			continue
		}
		if got := client.Destinations[0].Tiers[0].Limits[0]; got.Daily != want || got.Annual != want {
			t.Errorf("%s is %+v, want %d", text, got, want)
		}
	}
}

// Scalars stay text: NO is Norway, and an id or a name may look like a number.
func TestTextsOfAProfileAreNotConverted(t *testing.T) {
	t.Parallel()
	client, wrong := parseClient([]byte(strings.NewReplacer("id: acme", "id: 007", "name: Acme Remit", "name: true").Replace(acme)))
	if len(wrong) > 0 || client.ID != "007" || client.Name != "true" || client.Corridors[1].Country != "NO" {
		t.Errorf("%+v, %q", client, wrong)
	}
}
