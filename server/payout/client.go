package payout

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/govalues/decimal"
)

// Client is a client organisation, the tenant, with everything that is enabled for it (D-18).
type Client struct {
	ID           ClientID
	Name         string
	Disabled     bool
	Corridors    []Corridor
	Destinations []Destination
	RateBounds   []RateBounds // at most one for each pair of currencies
}

// RateBounds bounds the exchange rate of a pair of currencies, both ends included (D-62).
type RateBounds struct {
	From, To string // sending and receiving currency, ISO 4217
	Min, Max decimal.Decimal
}

// rateBounds returns the bounds of a pair of currencies. A pair without bounds allows any rate.
func (c Client) rateBounds(from, to string) (RateBounds, bool) {
	i := slices.IndexFunc(c.RateBounds, func(b RateBounds) bool { return b.From == from && b.To == to })
	if i < 0 {
		return RateBounds{}, false
	}
	return c.RateBounds[i], true
}

// allow reports whether a rate is within the bounds.
func (b RateBounds) allow(rate decimal.Decimal) bool {
	return rate.Cmp(b.Min) >= 0 && rate.Cmp(b.Max) <= 0
}

// Corridor is an originating country and its sending currency.
type Corridor struct {
	Country  string `json:"country"`
	Currency string `json:"currency"`
}

// Destination is an enabled destination country with its tiers, lowest first.
type Destination struct {
	Country string
	Tiers   []Tier
}

// Tier limits what a user may send. A user reaches it when all its required tags are VERIFIED (D-17).
type Tier struct {
	Limits       []TierLimit
	RequiredTags RequiredTags
}

// TierLimit holds the limits of a tier for one sending currency, in minor units.
type TierLimit struct {
	Currency string
	Daily    int64
	Monthly  int64
	Annual   int64
}

// RequiredTags lists CIP tags for each kind of user.
type RequiredTags struct {
	Individual []string `json:"individual"`
	Business   []string `json:"business"`
}

func (r RequiredTags) of(u User) []string {
	if u.Business {
		return r.Business
	}
	return r.Individual
}

// Corridor returns the corridor that originates in a country.
func (c Client) Corridor(country string) (Corridor, bool) {
	i := slices.IndexFunc(c.Corridors, func(x Corridor) bool { return x.Country == country })
	if i < 0 {
		return Corridor{}, false
	}
	return c.Corridors[i], true
}

// Destination returns an enabled destination.
func (c Client) Destination(country string) (Destination, bool) {
	i := slices.IndexFunc(c.Destinations, func(x Destination) bool { return x.Country == country })
	if i < 0 {
		return Destination{}, false
	}
	return c.Destinations[i], true
}

// originCountries are the countries from which users of the client send.
func (c Client) originCountries() []string {
	countries := make([]string, 0, len(c.Corridors))
	for _, o := range c.Corridors {
		countries = append(countries, o.Country)
	}
	return countries
}

// notEnabled returns CodeCorridorNotEnabled with the countries that are enabled.
func notEnabled(enabled []string, details ...Violation) error {
	return NewError(CodeCorridorNotEnabled, details...).saying(
		"The country is not enabled for this client. Use one that is (" + listed(slices.Sorted(slices.Values(enabled))) +
			"), or ask the operator to enable it.")
}

// destinationCountries are the countries whose payers and banks the client sees.
func (c Client) destinationCountries() []string {
	countries := make([]string, 0, len(c.Destinations))
	for _, d := range c.Destinations {
		countries = append(countries, d.Country)
	}
	return countries
}

// enabledCountries are the countries whose states the client sees: both ends of its corridors.
func (c Client) enabledCountries() []string {
	countries := c.destinationCountries()
	for _, o := range c.Corridors {
		if !slices.Contains(countries, o.Country) {
			countries = append(countries, o.Country)
		}
	}
	return countries
}

// Secret is one of the secrets of a client, as stored (D-19).
type Secret struct {
	Hash    string
	Expires time.Time // zero: does not expire
}

// ClientSecrets are a client and the secrets that prove who it is.
type ClientSecrets struct {
	Client  Client
	Secrets []Secret
}

// HashSecret returns the form in which a secret is stored. Secrets are long and random, so a fast hash is enough.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
