package payout

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

// Profile is a Client as an operator writes it (D-17, D-18): with amounts in major units.
type Profile struct {
	ID           ClientID             `json:"id" yaml:"id"`
	Name         string               `json:"name" yaml:"name"`
	Corridors    []Corridor           `json:"corridors" yaml:"corridors"`
	Destinations []ProfileDestination `json:"destinations" yaml:"destinations"`
	Rates        []ProfileRateBounds  `json:"exchange_rates,omitempty" yaml:"exchange_rates,omitempty"`
}

// ProfileRateBounds bounds the exchange rate of a pair of currencies, both ends included and exact: 130.5 (D-62).
type ProfileRateBounds struct {
	From string      `json:"from" yaml:"from"`
	To   string      `json:"to" yaml:"to"`
	Min  json.Number `json:"min" yaml:"min"`
	Max  json.Number `json:"max" yaml:"max"`
}

// ProfileDestination is an enabled destination country with its tiers, lowest first.
type ProfileDestination struct {
	Country string        `json:"country" yaml:"country"`
	Tiers   []ProfileTier `json:"tiers" yaml:"tiers"`
}

// ProfileTier is one tier of a destination.
type ProfileTier struct {
	Limits       []ProfileLimit `json:"limits" yaml:"limits"`
	RequiredTags RequiredTags   `json:"required_tags" yaml:"required_tags"`
}

// ProfileLimit holds the limits of a tier for one sending currency, in major units and exact: 1000.00.
type ProfileLimit struct {
	Currency string      `json:"currency" yaml:"currency"`
	Daily    json.Number `json:"daily" yaml:"daily"`
	Monthly  json.Number `json:"monthly" yaml:"monthly"`
	Annual   json.Number `json:"annual" yaml:"annual"`
}

// periods lists the limits of a tier for one currency, the shortest period first.
var periods = []struct {
	name string
	text func(ProfileLimit) string
	of   func(*TierLimit) *int64
}{
	{"daily", func(l ProfileLimit) string { return string(l.Daily) }, func(l *TierLimit) *int64 { return &l.Daily }},
	{"monthly", func(l ProfileLimit) string { return string(l.Monthly) }, func(l *TierLimit) *int64 { return &l.Monthly }},
	{"annual", func(l ProfileLimit) string { return string(l.Annual) }, func(l *TierLimit) *int64 { return &l.Annual }},
}

const (
	maxProfileName = 200
	inProfile      = "profile"
)

var clientIDPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// ClientIDReason returns what is wrong with the id of a client, or "".
func ClientIDReason(id ClientID) string {
	if !clientIDPattern.MatchString(string(id)) {
		return "must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"
	}
	return ""
}

// NewProfile returns the profile of a client.
func NewProfile(c Client) Profile {
	p := Profile{ID: c.ID, Name: c.Name, Corridors: append([]Corridor{}, c.Corridors...), Destinations: []ProfileDestination{}}
	for _, d := range c.Destinations {
		tiers := make([]ProfileTier, len(d.Tiers))
		for i, tier := range d.Tiers {
			tiers[i] = ProfileTier{Limits: []ProfileLimit{}, RequiredTags: RequiredTags{
				Individual: append([]string{}, tier.RequiredTags.Individual...),
				Business:   append([]string{}, tier.RequiredTags.Business...),
			}}
			for _, l := range tier.Limits {
				major := func(minor int64) json.Number { return json.Number(Major(minor, l.Currency).String()) }
				tiers[i].Limits = append(tiers[i].Limits,
					ProfileLimit{l.Currency, major(l.Daily), major(l.Monthly), major(l.Annual)})
			}
		}
		p.Destinations = append(p.Destinations, ProfileDestination{d.Country, tiers})
	}
	for _, b := range c.RateBounds {
		p.Rates = append(p.Rates, ProfileRateBounds{b.From, b.To, json.Number(b.Min.String()), json.Number(b.Max.String())})
	}
	return p
}

// Client returns the client that a profile describes, with limits in minor units, or every violation with its path, such as
// destinations[0].tiers[1].limits[0].daily. In each tier daily <= monthly <= annual holds, and no tier is below the one
// before it (D-17). Country finds a country of ISO 3166-1 by its alpha-2 code.
func (p Profile) Client(country func(code string) (Country, bool)) (Client, []Violation) {
	v := profileCheck{country: country}
	if reason := ClientIDReason(p.ID); reason != "" {
		v.found("id", reason)
	}
	v.name(p.Name)
	c := Client{ID: p.ID, Name: p.Name, Corridors: slices.Clone(p.Corridors)}
	currencies := v.corridors(p.Corridors)
	if len(p.Destinations) == 0 {
		v.found("destinations", "must have at least one element")
	}
	seen := map[string]bool{}
	for i, d := range p.Destinations {
		at := fmt.Sprintf("destinations[%d]", i)
		v.isCountry(at+".country", d.Country)
		v.once(seen, at+".country", d.Country)
		c.Destinations = append(c.Destinations, Destination{d.Country, v.tiers(at, d.Tiers, currencies)})
	}
	c.RateBounds = v.rates(p.Rates)
	if len(v.all) > 0 {
		return Client{}, v.all
	}
	return c, nil
}

// profileCheck collects violations.
type profileCheck struct {
	country func(code string) (Country, bool)
	all     []Violation
}

func (v *profileCheck) found(path, reason string) {
	v.all = append(v.all, Violation{inProfile, path, reason})
}

func (v *profileCheck) name(name string) {
	switch {
	case strings.TrimSpace(name) == "":
		v.found("name", "must not be empty")
	case strings.TrimSpace(name) != name:
		v.found("name", "must not begin or end with a space")
	case len([]rune(name)) > maxProfileName:
		v.found("name", fmt.Sprintf("must have at most %d characters", maxProfileName))
	default:
		if reason := text.Line.Reason(name); reason != "" {
			v.found("name", reason)
		}
	}
}

func (v *profileCheck) isCountry(path, code string) {
	if c, ok := v.country(code); !ok || c.Alpha2 != code {
		v.found(path, "must be a country of ISO 3166-1, two capital letters")
	}
}

func (v *profileCheck) isCurrency(path, code string) {
	if _, ok := MinorDigits(code); !ok {
		v.found(path, "must be a currency of ISO 4217, three capital letters")
	}
}

// once rejects a value that was seen before.
func (v *profileCheck) once(seen map[string]bool, path, value string) {
	if value != "" && seen[value] {
		v.found(path, "must not be repeated")
	}
	seen[value] = true
}

// corridors returns the sending currencies, each once, without unknown ones.
func (v *profileCheck) corridors(all []Corridor) []string {
	if len(all) == 0 {
		v.found("corridors", "must have at least one element")
	}
	var currencies []string
	seen := map[string]bool{}
	for i, c := range all {
		at := fmt.Sprintf("corridors[%d]", i)
		v.isCountry(at+".country", c.Country)
		v.once(seen, at+".country", c.Country)
		v.isCurrency(at+".currency", c.Currency)
		if _, ok := MinorDigits(c.Currency); ok && !slices.Contains(currencies, c.Currency) {
			currencies = append(currencies, c.Currency)
		}
	}
	return currencies
}

const maxTiers = 100 // the greatest current_tier of the contract

func (v *profileCheck) tiers(path string, all []ProfileTier, currencies []string) []Tier {
	if len(all) == 0 {
		v.found(path+".tiers", "must have at least one element")
	}
	if len(all) > maxTiers {
		v.found(path+".tiers", "must have at most 100 elements")
	}
	tiers := make([]Tier, len(all))
	lower := map[string]TierLimit{} // by currency, of the tier before
	for i, t := range all {
		at := fmt.Sprintf("%s.tiers[%d]", path, i)
		tiers[i].Limits = v.limits(at, t.Limits, currencies, lower)
		tiers[i].RequiredTags = RequiredTags{slices.Clone(t.RequiredTags.Individual), slices.Clone(t.RequiredTags.Business)}
		var before RequiredTags
		if i > 0 {
			before = all[i-1].RequiredTags
		}
		v.tags(at+".required_tags.individual", t.RequiredTags.Individual, before.Individual, false)
		v.tags(at+".required_tags.business", t.RequiredTags.Business, before.Business, true)
	}
	return tiers
}

// limits reads the limits of one tier, which must not be below those of the tier before, and stores them in lower.
func (v *profileCheck) limits(path string, all []ProfileLimit, currencies []string, lower map[string]TierLimit) []TierLimit {
	out := make([]TierLimit, len(all))
	seen := map[string]bool{}
	for i, l := range all {
		at := fmt.Sprintf("%s.limits[%d]", path, i)
		v.isCurrency(at+".currency", l.Currency)
		v.once(seen, at+".currency", l.Currency)
		out[i].Currency = l.Currency
		if _, ok := MinorDigits(l.Currency); !ok {
			continue
		}
		if v.limit(at, l, &out[i]) {
			if before, ok := lower[l.Currency]; ok {
				for _, p := range periods {
					if *p.of(&out[i]) < *p.of(&before) {
						v.found(at+"."+p.name, "must not be below that of the tier before")
					}
				}
			}
			lower[l.Currency] = out[i]
		}
	}
	for _, currency := range currencies {
		if !seen[currency] {
			v.found(path+".limits", "must have an element for "+currency+", the currency of a corridor")
		}
	}
	return out
}

// limit converts the three amounts of a limit to minor units, and reports whether all could be read.
func (v *profileCheck) limit(path string, l ProfileLimit, into *TierLimit) bool {
	read := true
	for i, p := range periods {
		minor, err := MinorUnits(p.text(l), l.Currency)
		if err != nil {
			v.found(path+"."+p.name, err.Error())
			read = false
			continue
		}
		*p.of(into) = minor
		if i > 0 && read && minor < *periods[i-1].of(into) {
			v.found(path+"."+p.name, "must not be below "+periods[i-1].name)
		}
	}
	return read
}

func (v *profileCheck) tags(path string, all, before []string, business bool) {
	known, kind := CIPTags(business), "an individual"
	if business {
		kind = "a business"
	}
	seen := map[string]bool{}
	for i, tag := range all {
		at := fmt.Sprintf("%s[%d]", path, i)
		if !slices.Contains(known, tag) {
			v.found(at, "must be a CIP tag of "+kind+" user")
		}
		v.once(seen, at, tag)
	}
	for _, tag := range before {
		if slices.Contains(known, tag) && !seen[tag] {
			seen[tag] = true
			v.found(path, "must have "+tag+", which the tier before requires")
		}
	}
}
