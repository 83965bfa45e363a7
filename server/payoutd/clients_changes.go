package main

import (
	"fmt"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// profileChanges lists what differs between two clients, a line each. The order of corridors, destinations, limits,
// tags and exchange rates has no meaning; that of tiers has.
func profileChanges(from, to payout.Client) []string {
	before, after := payout.NewProfile(from), payout.NewProfile(to)
	var c changes
	c.value("name", before.Name, after.Name)
	compare(&c, func(x payout.Corridor) string { return "corridor " + x.Country + "/" + x.Currency },
		before.Corridors, after.Corridors, func(x payout.Corridor) string { return x.Country },
		func(x, y payout.Corridor) { c.value("corridors["+x.Country+"].currency", x.Currency, y.Currency) })
	compare(&c, func(x payout.ProfileDestination) string { return "destination " + x.Country },
		before.Destinations, after.Destinations, func(x payout.ProfileDestination) string { return x.Country },
		func(x, y payout.ProfileDestination) { c.tiers("destinations["+x.Country+"]", x.Tiers, y.Tiers) })
	pair := func(x payout.ProfileRateBounds) string { return x.From + "/" + x.To }
	compare(&c, func(x payout.ProfileRateBounds) string {
		return "exchange rate " + pair(x) + " from " + x.Min.String() + " to " + x.Max.String()
	},
		before.Rates, after.Rates, pair,
		func(x, y payout.ProfileRateBounds) {
			c.value("exchange_rates["+pair(x)+"].min", x.Min.String(), y.Min.String())
			c.value("exchange_rates["+pair(x)+"].max", x.Max.String(), y.Max.String())
		})
	return c
}

// changes are lines for people: + is new, - is gone, ~ is different.
type changes []string

func (c *changes) add(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

func (c *changes) value(path, from, to string) {
	if from != to {
		c.add("~ %s: %s -> %s", path, printable(from), printable(to))
	}
}

// compare pairs elements by their name; label prints one that is new or gone.
func compare[T any](c *changes, label func(T) string, from, to []T, name func(T) string, both func(x, y T)) {
	find := func(all []T, wanted string) int {
		return slices.IndexFunc(all, func(x T) bool { return name(x) == wanted })
	}
	for _, x := range from {
		if i := find(to, name(x)); i >= 0 {
			both(x, to[i])
		} else {
			c.add("- %s", label(x))
		}
	}
	for _, y := range to {
		if find(from, name(y)) < 0 {
			c.add("+ %s", label(y))
		}
	}
}

func (c *changes) tiers(path string, from, to []payout.ProfileTier) {
	for i := range max(len(from), len(to)) {
		at := fmt.Sprintf("%s.tiers[%d]", path, i)
		switch {
		case i >= len(to):
			c.add("- %s", at)
		case i >= len(from):
			c.add("+ %s", at)
		default:
			c.tags(at+".required_tags.individual", from[i].RequiredTags.Individual, to[i].RequiredTags.Individual)
			c.tags(at+".required_tags.business", from[i].RequiredTags.Business, to[i].RequiredTags.Business)
			compare(c, func(l payout.ProfileLimit) string { return at + ".limits[" + l.Currency + "]" },
				from[i].Limits, to[i].Limits, func(l payout.ProfileLimit) string { return l.Currency },
				func(x, y payout.ProfileLimit) {
					limit := at + ".limits[" + x.Currency + "]."
					c.value(limit+"daily", x.Daily.String(), y.Daily.String())
					c.value(limit+"monthly", x.Monthly.String(), y.Monthly.String())
					c.value(limit+"annual", x.Annual.String(), y.Annual.String())
				})
		}
	}
}

func (c *changes) tags(path string, from, to []string) {
	compare(c, func(tag string) string { return path + " " + tag }, from, to,
		func(tag string) string { return tag }, func(string, string) {})
}
