package payout

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"
)

// Client is a client organisation, our tenant, with what is enabled for it (D-18).
type Client struct {
	ID           ClientID
	Name         string
	Disabled     bool
	Corridors    []Corridor
	Destinations []Destination
}

// Corridor is an originating country and the currency that is sent from there.
type Corridor struct {
	Country  string `json:"country"`
	Currency string `json:"currency"`
}

// Destination is an enabled destination country with its tiers, lowest first.
type Destination struct {
	Country string
	Tiers   []Tier
}

// Tier bounds what a user may send, and names the tags that must be VERIFIED to be in it (D-17).
type Tier struct {
	Limits       []TierLimit
	RequiredTags RequiredTags
}

// TierLimit has the limits of a tier for one sending currency, in its minor units.
type TierLimit struct {
	Currency string
	Daily    int64
	Monthly  int64
	Annual   int64
}

// RequiredTags names CIP tags for each kind of user.
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

// Corridor gives the corridor that originates in a country.
func (c Client) Corridor(country string) (Corridor, bool) {
	i := slices.IndexFunc(c.Corridors, func(x Corridor) bool { return x.Country == country })
	if i < 0 {
		return Corridor{}, false
	}
	return c.Corridors[i], true
}

// Destination gives an enabled destination.
func (c Client) Destination(country string) (Destination, bool) {
	i := slices.IndexFunc(c.Destinations, func(x Destination) bool { return x.Country == country })
	if i < 0 {
		return Destination{}, false
	}
	return c.Destinations[i], true
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

// HashSecret is what is stored of a secret. Secrets are random and long, so that a fast hash is enough.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
