package checks

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

func limitsTiers() []probe.Check {
	climbing := []string{"getTransactionLimit", "createTransaction", "getCipInfo", "setVerification"}
	return []probe.Check{
		{
			ID: "limits.tier.exactly-the-rest", Title: "A transaction of exactly the remaining limit requests no tag",
			Clauses: []string{"3-cip-requested", "D-17"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "The remaining limit itself is within the limit.",
			Run: func(t *probe.T) {
				p := newLowPurse(t)
				r, err := p.send(smallest(p.remaining()))
				probe.OK(t, r, err)
				requested := requestedTags(p.tags())
				t.Expect(len(requested) <= 0, "%s became REQUESTED", strings.Join(requested, ", "))
			},
		},
		{
			ID: "limits.tier.above-the-rest", Title: "In a lower tier a transaction above the remaining limit is created and requests tags, and nothing remains",
			Clauses: []string{"3-cip-requested", "8-tier-limits", "D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Create the transaction, count it, and make the tags REQUESTED that the next tier needs and the user lacks.",
			Run: aboveTheRest,
		},
		{
			ID: "limits.tier.above-counts-whole", Title: "A transaction above the remaining limits counts whole in all periods, and none falls below 0",
			Clauses: []string{"2.8", "D-17"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Count all of from_amount for the day, the month and the year, whichever limit it is above, and answer 0 where nothing remains.",
			Run: aboveCountsWhole,
		},
		{
			ID: "limits.tier.far-above", Title: "In a lower tier too, a transaction above the limits of the highest tier is refused with LIMIT_EXCEEDED",
			Clauses: []string{"3-cip-requested", "8-tier-limits", "D-09", "D-17"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Refuse with 422 LIMIT_EXCEEDED in every tier what no verification could release.",
			Run: farAbove,
		},
		{
			ID: "limits.tier.each", Title: "In each tier but the highest what is above the remaining limit is created and requests tags, and these lead higher",
			Clauses: []string{"3-cip-requested", "D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Treat all tiers but the last one alike.",
			Run: eachTier,
		},
		{
			ID: "limits.tier.rises", Title: "When the requested tags are VERIFIED, the tier rises, and what remains is that of its limits",
			Clauses: []string{"2.8", "D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request all that the next tier needs; a user is in the highest tier whose tags are all VERIFIED.",
			Run: tierRises,
		},
		{
			ID: "limits.tier.each-tag-needed", Title: "No tag is requested that the next tier can do without",
			Clauses: []string{"D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request the tags of the next tier only; a tier is reached when all its tags are VERIFIED, and no other status will do.",
			Run: eachTagNeeded,
		},
		{
			ID: "limits.tier.under-way", Title: "A tag that is SUBMIT, REVIEWING or VERIFIED is not requested again",
			Clauses: []string{"D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Make only those needed tags REQUESTED that are absent or FAILED.",
			Run: underWay,
		},
		{
			ID: "limits.tier.failed-again", Title: "A needed tag that is FAILED is requested again",
			Clauses: []string{"D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Make needed tags that are FAILED REQUESTED, as those that are absent.",
			Run: func(t *probe.T) {
				p := newLowPurse(t)
				needed := p.overshoot()
				p.verify(tagsWith(needed, api.CipStatusFailed))
				r, err := p.send(cent)
				probe.Setup(t, r, err)
				tags := p.tags()
				for _, tag := range needed {
					t.Expect(tags[tag] == api.CipStatusRequested, "tag %s was FAILED and has %q", tag, tags[tag])
				}
			},
		},
		{
			ID: "limits.tier.refused-requests-nothing", Title: "A transaction above the remaining limit that is refused for another rule requests no tag",
			Clauses: []string{"3-cip-requested", "D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request tags together with the creation of a transaction, or not at all.",
			Run: func(t *probe.T) {
				p := newLowPurse(t)
				p.refusedFor(plus(t, smallest(p.remaining()), cent))
				requested := requestedTags(p.tags())
				t.Expect(len(requested) <= 0, "%s became REQUESTED", strings.Join(requested, ", "))
			},
		},
		{
			ID: "limits.tier.repeat-requests-nothing", Title: "A repeat with the same idempotency key requests no tag again",
			Clauses: []string{"4-note-3", "D-16", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request tags when a transaction is created, not when it is answered again.",
			Run: repeatRequestsNothing,
		},
		{
			ID: "limits.tier.business", Title: "Above the remaining limit a business is asked for tags of a business, and the tier rises when they are VERIFIED",
			Clauses: []string{"2.7-business", "3-cip-requested", "D-17", "D-25", "D-39"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Give each tier the tags of both kinds of user, and request those of the user's kind.",
			Run: businessTier,
		},
		{
			ID: "limits.tier.falls", Title: "When tags are no longer VERIFIED, the tier falls",
			Clauses: []string{"2.8", "D-17"}, Operations: []string{"getTransactionLimit", "setVerification"}, Needs: probe.Extensions,
			Fix: "Take the tier from the tags as they are now.",
			Run: func(t *probe.T) {
				p := newLowPurse(t)
				before := p.limit()
				own := p.tags()
				p.verify(tagsWith(individualTags, api.CipStatusVerified))
				if p.limit().CurrentTier <= before.CurrentTier {
					t.Brokenf("set-up: the tier is not higher with all tags VERIFIED")
				}
				p.verify(tagsWith(pick(individualTags, func(tag string) bool { return own[tag] == "" }), api.CipStatusFailed))
				after := p.limit()
				t.Expect(after.CurrentTier == before.CurrentTier, "current_tier is %d, want %d", after.CurrentTier, before.CurrentTier)
			},
		},
		{
			ID: "limits.tier.keeps-what-was-used", Title: "What was sent in a lower tier counts in the higher one",
			Clauses: []string{"2.8", "D-17"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Count per user and period, whatever the tier was.",
			Run: func(t *probe.T) {
				p := newPurse(t)
				whole := p.remaining()
				p.sent("5.67")
				use := fell(t, whole, p.remaining())
				p.verify(tagsWith(individualTags, api.CipStatusVerified))
				p.wantFell(highestTier(t).RemainingLimit, use)
			},
		},
		{
			ID: "limits.highest-tier.exactly-the-rest", Title: "In the highest tier exactly the remaining limit can be sent",
			Clauses: []string{"8-tier-limits", "D-17"}, Operations: limitUsing, Needs: probe.Extensions,
			Fix: "The remaining limit itself is within the limit.",
			Run: func(t *probe.T) {
				p := newTopPurse(t)
				p.sent("6.78")
				r, err := p.send(smallest(p.remaining()))
				probe.OK(t, r, err)
			},
		},
		{
			ID: "limits.highest-tier.above-the-rest", Title: "In the highest tier a transaction above the remaining limit is refused with LIMIT_EXCEEDED",
			Clauses: []string{"8-tier-limits", "D-09", "D-17"}, Operations: limitUsing, Needs: probe.Extensions,
			Fix: "Refuse with 422 LIMIT_EXCEEDED what is above the limit minus what was used, by as little as 0.01.",
			Run: func(t *probe.T) {
				p := newTopPurse(t)
				p.sent("7.89")
				r, err := p.send(plus(t, smallest(p.remaining()), cent))
				t.Refused(r, err, 422, api.ErrorCodeLimitExceeded)
			},
		},
		{
			ID: "limits.highest-tier.refusal-leaves-all", Title: "A transaction refused for the limit is not there, uses nothing and requests no tag",
			Clauses: []string{"2.8", "D-17"}, Operations: append(climbing, "listTransactions"), Needs: probe.Extensions,
			Fix: "Refuse before anything is written.",
			Run: refusalLeavesAll,
		},
		{
			ID: "limits.highest-tier.at-once", Title: "Transactions sent at the same time never exceed the limit together",
			Clauses: []string{"8-tier-limits", "D-17"}, Operations: limitUsing, Needs: probe.Extensions,
			Fix: "Compare with the limit and count in one step, for example under a lock on the user's counters.",
			Run: atOnce,
		},
	}
}

func aboveTheRest(t *probe.T) {
	p := newLowPurse(t)
	tags := p.tags()
	r, err := p.send(plus(t, smallest(p.remaining()), cent))
	probe.OK(t, r, err)
	if left := smallest(p.remaining()); !left.Equal(wire.Amount{}) {
		t.Failf("%s remains", left)
	}
	after := p.tags()
	t.Expect(len(requestedTags(after)) != 0, "no tag became REQUESTED")
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		t.Expect(after[tag] == tags[tag], "tag %s had %q and has %q", tag, tags[tag], after[tag])
	}
}

// farAbove leaves no trace: a refused transaction requests no tag and uses nothing.
func farAbove(t *probe.T) {
	p, top := newLowPurse(t), smallest(highestTier(t).RemainingLimit)
	triable(t, top)
	before, tags := p.remaining(), p.tags()
	r, err := p.send(plus(t, top, cent))
	t.Refused(r, err, 422, api.ErrorCodeLimitExceeded)
	p.wantUsed(before)
	wantTags(t, p.tags(), tags)
}

// aboveCountsWhole goes a cent beyond the limit of the day, the month and the year, each with a new sender, as far as the
// highest tier allows.
func aboveCountsWhole(t *probe.T) {
	most, tried := smallest(highestTier(t).RemainingLimit), false
	for _, limit := range []func(api.RemainingLimit) wire.Amount{
		func(l api.RemainingLimit) wire.Amount { return l.DailyLimit },
		func(l api.RemainingLimit) wire.Amount { return l.MonthlyLimit },
		func(l api.RemainingLimit) wire.Amount { return l.AnnualLimit },
	} {
		p := newLowPurse(t)
		before := p.remaining()
		amount := plus(t, limit(before), cent)
		if amount.Decimal().Cmp(most.Decimal()) > 0 {
			continue
		}
		tried = true
		r, err := p.send(amount)
		probe.OK(t, r, err)
		p.wantUsed(before, amount.String())
	}
	if !tried {
		t.Skipf("the highest tier allows no more than the lower ones")
	}
}

// eachTier climbs from tier to tier.
func eachTier(t *probe.T) {
	p, top := newLowPurse(t), highestTier(t).CurrentTier
	for l := p.limit(); l.CurrentTier < top; {
		triable(t, smallest(l.RemainingLimit))
		r, err := p.send(plus(t, smallest(l.RemainingLimit), cent))
		probe.OK(t, r, err)
		requested := requestedTags(p.tags())
		if len(requested) == 0 {
			t.Fatalf("no tag became REQUESTED in tier %d of %d", l.CurrentTier, top)
		}
		p.verify(tagsWith(requested, api.CipStatusVerified))
		now := p.limit()
		if now.CurrentTier <= l.CurrentTier {
			t.Fatalf("current_tier is %d with the requested tags VERIFIED, and was %d", now.CurrentTier, l.CurrentTier)
		}
		l = now
	}
}

func tierRises(t *probe.T) {
	p := newLowPurse(t)
	sent := plus(t, smallest(p.remaining()), cent)
	needed := p.overshoot()
	before := p.limit()
	p.verify(tagsWith(needed, api.CipStatusVerified))
	after := p.limit()
	t.Expect(after.CurrentTier > before.CurrentTier,
		"current_tier is %d with the requested tags VERIFIED, and was %d", after.CurrentTier, before.CurrentTier)
	// Which limits a tier has is not known, nor whether each is above that of the tier below: a user without transactions tells.
	fresh := purse{Sender: probe.Sender{UserID: t.NewUser().ID}, t: t}
	fresh.verify(tagsWith(slices.Collect(maps.Keys(p.tags())), api.CipStatusVerified))
	whole := smallest(used(t, fresh.remaining(), sent))
	left := smallest(after.RemainingLimit)
	t.Expect(!left.Equal(wire.Amount{}) || whole.Equal(wire.Amount{}),
		"%s remains in tier %d, which leaves %s of its limits", left, after.CurrentTier, whole)
}

// businessTier climbs with a business. Only the tags that no business has can be told to be wrong.
func businessTier(t *probe.T) {
	p := lowPurse(t, businessTags, asBusiness(t))
	before := p.limit().CurrentTier
	r, err := p.send(plus(t, smallest(p.remaining()), cent))
	probe.OK(t, r, err)
	needed := requestedTags(p.tags())
	if len(needed) == 0 {
		t.Fatalf("no tag became REQUESTED")
	}
	foreign := pick(needed, func(tag string) bool {
		return slices.Contains(individualTags, tag) && !slices.Contains(businessTags, tag)
	})
	if len(foreign) > 0 {
		t.Fatalf("%s became REQUESTED", strings.Join(foreign, ", "))
	}
	p.verify(tagsWith(needed, api.CipStatusVerified))
	now := p.limit().CurrentTier
	t.Expect(now > before, "current_tier is %d with the requested tags VERIFIED, and was %d", now, before)
}

// eachTagNeeded leaves out one requested tag after the other, with each of the other statuses.
func eachTagNeeded(t *probe.T) {
	p := newLowPurse(t)
	needed, tier := p.overshoot(), p.limit().CurrentTier
	others := []api.CipStatus{api.CipStatusSubmit, api.CipStatusReviewing, api.CipStatusFailed, api.CipStatusRequested}
	for i, tag := range needed {
		tags := tagsWith(needed, api.CipStatusVerified)
		tags[tag] = others[i%len(others)]
		p.verify(tags)
		now := p.limit().CurrentTier
		t.Expect(now == tier, "current_tier is %d, and was %d, although tag %s was requested and is %s", now, tier, tag, tags[tag])
	}
}

// underWay leaves one of the needed tags unverified in each round: the tier, of which nothing remains, must stay.
func underWay(t *probe.T) {
	p := newLowPurse(t)
	needed := p.overshoot()
	for _, status := range []api.CipStatus{api.CipStatusSubmit, api.CipStatusReviewing, api.CipStatusVerified} {
		tags := tagsWith(needed, status)
		if status == api.CipStatusVerified {
			tags[needed[0]] = api.CipStatusReviewing
		}
		p.verify(tags)
		r, err := p.send(cent)
		probe.Setup(t, r, err)
		after := p.tags()
		for _, tag := range needed {
			t.Expect(after[tag] == tags[tag],
				"tag %s was %s and became %q by a transaction above the remaining limit", tag, tags[tag], after[tag])
		}
	}
}

// repeatRequestsNothing makes the requested tags FAILED in between: a new transaction would request them again.
func repeatRequestsNothing(t *probe.T) {
	p, key := newLowPurse(t), probe.NewKey()
	body := t.Payout(p.Sender, p.receiver, plus(t, smallest(p.remaining()), cent).String(), rateOne)
	first, err := t.Create(p.UserID, key, body)
	probe.Setup(t, first, err)
	p.verify(tagsWith(requestedTags(p.tags()), api.CipStatusFailed))
	second, err := t.Create(p.UserID, key, body)
	probe.Setup(t, second, err)
	requested := requestedTags(p.tags())
	t.Expect(len(requested) <= 0, "%s became REQUESTED", strings.Join(requested, ", "))
}

func refusalLeavesAll(t *probe.T) {
	p := newTopPurse(t)
	tags, before := p.tags(), p.remaining()
	r, err := p.send(plus(t, smallest(before), cent))
	if err != nil || r.StatusCode() != 422 {
		t.Brokenf("set-up: a transaction above the remaining limit of the highest tier was not refused with 422")
	}
	p.wantUsed(before)
	wantTags(t, p.tags(), tags)
	list, err := t.Client().ListTransactionsWithResponse(t.Context(), p.UserID, nil)
	n := len(probe.OK(t, list, err).Items)
	t.Expect(n <= 0, "the user has %d transactions", n)
}

// atOnce sends six times a little more than a third of what remains: two of them fit.
func atOnce(t *probe.T) {
	p := newTopPurse(t)
	before := p.remaining()
	third, err := smallest(before).Decimal().Quo(wire.MustAmount("3").Decimal())
	if err != nil {
		t.Brokenf("calculate an amount: %v", err)
	}
	amount := plus(t, wire.AmountOf(third.Trunc(2)), cent)
	statuses, client := make([]int, 6), t.Client()
	body := t.Payout(p.Sender, p.receiver, amount.String(), rateOne)
	t.Together(len(statuses), func(ctx context.Context, i int) {
		if r, err := client.CreateTransactionWithResponse(ctx, p.UserID, nil, body); err == nil {
			statuses[i] = r.StatusCode()
		}
	})
	created := len(pick(statuses, func(status int) bool { return status == 200 }))
	t.Expect(created != 0 && created <= 2, "%d of 6 transactions of %s were created, and %s remained", created, amount, smallest(before))
	want := before
	for range created {
		want = used(t, want, amount)
	}
	left := smallest(p.remaining())
	t.Expect(left.Equal(smallest(want)), "%s remains after %d transactions of %s, want %s", left, created, amount, smallest(want))
}
