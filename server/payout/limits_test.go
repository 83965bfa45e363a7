package payout

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

var someTags = []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1", "OCCUPATION"}

func drawTags(t *rapid.T) map[string]CIPStatus {
	tags := map[string]CIPStatus{}
	for _, tag := range someOf(t, "tags", someTags) {
		tags[tag] = oneOf(t, tag, CIPSubmit, CIPReviewing, CIPVerified, CIPVerified, CIPFailed, CIPRequested)
	}
	return tags
}

func drawTiers(t *rapid.T) []Tier {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Tier {
		return Tier{RequiredTags: RequiredTags{
			Individual: someOf(t, "individual", someTags), Business: someOf(t, "business", someTags),
		}}
	}), 0, 4).Draw(t, "tiers")
}

// required is what a tier asks of a user, said again.
func required(tier Tier, business bool) []string {
	if business {
		return tier.RequiredTags.Business
	}
	return tier.RequiredTags.Individual
}

func TestTheCurrentTierIsTheHighestWhoseTagsAreAllVerified(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tiers, tags := drawTiers(t), drawTags(t)
		u := User{Business: rapid.Bool().Draw(t, "business")}
		want := 0
		for i, tier := range tiers { // D-17: a lower tier need not be met
			met := true
			for _, tag := range required(tier, u.Business) {
				met = met && tags[tag] == CIPVerified
			}
			if met {
				want = i + 1
			}
		}
		if got := currentTier(tiers, u, tags); got != want {
			t.Fatalf("tier %d, want %d", got, want)
		}
	})
}

func TestRemainingIsTheLimitMinusTheUsageAndNeverBelowZero(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1000)
		tiers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Tier {
			var tier Tier
			for _, currency := range someOf(t, "currencies", []string{"USD", "GBP"}) {
				tier.Limits = append(tier.Limits, TierLimit{
					currency, amount.Draw(t, "daily"), amount.Draw(t, "monthly"), amount.Draw(t, "annual"),
				})
			}
			return tier
		}), 0, 3).Draw(t, "tiers")
		tier := rapid.IntRange(0, len(tiers)).Draw(t, "tier")
		currency := oneOf(t, "currency", "USD", "GBP", "EUR")
		used := Usage{amount.Draw(t, "day"), amount.Draw(t, "month"), amount.Draw(t, "year")}
		var want Usage
		if tier > 0 {
			for _, l := range tiers[tier-1].Limits {
				if l.Currency == currency {
					want = Usage{notNegative(l.Daily - used.Daily), notNegative(l.Monthly - used.Monthly), notNegative(l.Annual - used.Annual)}
				}
			}
		}
		if got := remaining(tiers, tier, currency, used); got != want {
			t.Fatalf("remaining %+v, want %+v", got, want)
		}
	})
}

func notNegative(n int64) int64 {
	if n < 0 {
		return 0
	}
	return n
}

func TestAnAmountIsCoveredByAllThreeLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Int64Range(0, 20)
		left := Usage{small.Draw(t, "daily"), small.Draw(t, "monthly"), small.Draw(t, "annual")}
		amount := small.Draw(t, "amount")
		want := true
		for _, limit := range []int64{left.Daily, left.Monthly, left.Annual} {
			if amount > limit { // the limit itself is within it
				want = false
			}
		}
		if left.covers(amount) != want {
			t.Fatalf("%d within %+v: want %t", amount, left, want)
		}
	})
}

func TestPeriodsAreDayMonthAndYearInUTC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at               time.Time
		day, month, year string
	}{
		{time.Date(2026, 3, 14, 23, 59, 59, 999999999, time.UTC), "2026-03-14", "2026-03", "2026"},
		{time.Date(2026, 1, 1, 5, 44, 59, 0, time.FixedZone("", 5*3600+45*60)), "2025-12-31", "2025-12", "2025"},
		{time.Date(2026, 12, 31, 20, 0, 0, 0, time.FixedZone("", -8*3600)), "2027-01-01", "2027-01", "2027"},
	} {
		if day, month, year := (UsageKey{At: c.at}).Periods(); day != c.day || month != c.month || year != c.year {
			t.Errorf("%s is in %s, %s, %s", c.at, day, month, year)
		}
	}
}
