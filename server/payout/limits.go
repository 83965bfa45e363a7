package payout

import (
	"slices"
	"time"
)

// Limits is what a user may still send to one destination (section 2.8), in minor units of Currency.
type Limits struct {
	UserID                 UserID
	Destination            string
	Currency               string // sending currency of the user's corridor; empty for a user who cannot send
	CurrentTier            int    // 0: none
	Daily, Monthly, Annual int64
}

// Usage is the sum of a user's transactions in the current UTC day, month and year, in minor units.
type Usage struct{ Daily, Monthly, Annual int64 }

// UsageKey identifies three counters of a user: per destination and sending currency, those of the UTC day, month and year
// of At.
type UsageKey struct {
	UserID      UserID
	Destination string
	Currency    string
	At          time.Time
}

// Periods returns the names of the three counters.
func (k UsageKey) Periods() (day, month, year string) {
	at := k.At.UTC()
	return at.Format("2006-01-02"), at.Format("2006-01"), at.Format("2006")
}

// currentTier returns the number of the highest tier whose required tags are all VERIFIED, 0 if there is none (D-17).
func currentTier(tiers []Tier, u User, tags map[string]CIPStatus) int {
	for n := len(tiers); n > 0; n-- {
		lacks := func(tag string) bool { return tags[tag] != CIPVerified }
		if !slices.ContainsFunc(tiers[n-1].RequiredTags.of(u), lacks) {
			return n
		}
	}
	return 0
}

// remaining returns the limits of a tier minus the usage, never below zero. In tier 0 nothing remains.
func remaining(tiers []Tier, tier int, currency string, used Usage) Usage {
	if tier == 0 {
		return Usage{}
	}
	limits := tiers[tier-1].Limits
	i := slices.IndexFunc(limits, func(l TierLimit) bool { return l.Currency == currency })
	if i < 0 {
		return Usage{}
	}
	return Usage{
		Daily:   max(0, limits[i].Daily-used.Daily),
		Monthly: max(0, limits[i].Monthly-used.Monthly),
		Annual:  max(0, limits[i].Annual-used.Annual),
	}
}

// covers reports whether an amount is within all three limits.
func (u Usage) covers(amount int64) bool {
	return amount <= u.Daily && amount <= u.Monthly && amount <= u.Annual
}

// exceeded says, of what remains in the highest tier, how much may be sent.
func (u Usage) exceeded(currency string) string {
	message := "The limits of the user leave " + inMajor(u.Daily, currency) + " today, " + inMajor(u.Monthly, currency) +
		" this month and " + inMajor(u.Annual, currency) + " this year (UTC), even with every verification. "
	least := min(u.Daily, u.Monthly, u.Annual)
	if least == 0 {
		return message + "Wait until a limit is renewed."
	}
	return message + "Send at most " + inMajor(least, currency) + ", or wait until a limit is renewed."
}
