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
			ID: "limits.tier.boundary", Title: "In a lower tier a transaction above the remaining limit is created and requests tags; one of exactly the limit requests none",
			Clauses: []string{"3-cip-requested", "8-tier-limits", "D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Create the transaction, and make those tags REQUESTED that the next tier requires and the user lacks; the remaining limit itself is within the limit.",
			Run: each(
				of("exactly the remaining limit", func(t *probe.T) {
					p := newLowPurse(t)
					r, err := p.send(smallest(p.remaining()))
					probe.OK(t, r, err)
					p.wantNoneRequested()
				}),
				of("0.01 above it", func(t *probe.T) {
					p := newLowPurse(t)
					tags := p.tags()
					r, err := p.send(plus(t, smallest(p.remaining()), cent))
					probe.OK(t, r, err)
					after := p.tags()
					t.Expect(len(requestedTags(after)) > 0, "no tag became REQUESTED")
					for _, tag := range slices.Sorted(maps.Keys(tags)) {
						t.Expect(after[tag] == tags[tag], "tag %s had %q and has %q", tag, tags[tag], after[tag])
					}
				}),
			),
		},
		{
			ID: "limits.tier.above-counts-whole", Title: "A transaction above the remaining limits counts whole in all periods, and none falls below 0",
			Clauses: []string{"2.8", "8-tier-limits", "D-17"}, Operations: climbing, Needs: probe.Extensions,
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
			ID: "limits.tier.climbs", Title: "In each tier but the highest, an amount above the limit requests tags, and the tier rises when they are VERIFIED",
			Clauses: []string{"2.7-individual", "2.7-business", "2.8", "3-cip-requested", "D-17", "D-25", "D-39"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request all tags of the user's kind that the next tier requires; a user is in the highest tier whose tags are all VERIFIED.",
			Run: each(
				of("an individual", func(t *probe.T) { climbs(t, individualTags) }),
				of("a business", func(t *probe.T) { climbs(t, businessTags, asBusiness(t)) }),
			),
		},
		{
			ID: "limits.tier.each-tag-needed", Title: "No tag is requested that the next tier can do without",
			Clauses: []string{"D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request the tags of the next tier only; a tier is reached when all its tags are VERIFIED, and no other status is enough.",
			Run: eachTagNeeded,
		},
		{
			ID: "limits.tier.requests-what-is-missing", Title: "Of the tags that the next tier requires, those that are absent or FAILED are requested, and no others",
			Clauses: []string{"D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Leave tags alone that are SUBMIT, REVIEWING or VERIFIED.",
			Run: requestsWhatIsMissing,
		},
		{
			ID: "limits.tier.requests-with-creation-only", Title: "A transaction above the limit that is refused for another rule, or repeated with its key, requests no tag",
			Clauses: []string{"3-cip-requested", "4-note-3", "D-16", "D-17", "D-25"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Request tags together with the creation of a transaction, or not at all, and not when it is answered again.",
			Run: each(
				of("refused", func(t *probe.T) {
					p := newLowPurse(t)
					p.refusedFor(plus(t, smallest(p.remaining()), cent))
					p.wantNoneRequested()
				}),
				of("repeated", func(t *probe.T) { // with the requested tags FAILED: a new transaction would request them again
					p, key := newLowPurse(t), probe.NewKey()
					body := t.Payout(p.Sender, p.receiver, plus(t, smallest(p.remaining()), cent).String(), rateOne)
					first, err := t.Create(p.UserID, key, body)
					probe.Setup(t, first, err)
					p.verify(tagsWith(requestedTags(p.tags()), api.CipStatusFailed))
					second, err := t.Create(p.UserID, key, body)
					probe.Setup(t, second, err)
					p.wantNoneRequested()
				}),
			),
		},
		{
			ID: "limits.tier.changes", Title: "The tier falls when tags are no longer VERIFIED, and what was sent counts in whatever tier the user is",
			Clauses: []string{"2.8", "D-17"}, Operations: climbing, Needs: probe.Extensions,
			Fix: "Take the tier from the tags as they are now, and count per user and period, whatever the tier was.",
			Run: each(
				of("falls", func(t *probe.T) {
					p := newLowPurse(t)
					before, own := p.limit().CurrentTier, p.tags()
					p.verify(tagsWith(individualTags, api.CipStatusVerified))
					risen := p.limit().CurrentTier
					t.Expect(risen > before, "current_tier is %d with all tags VERIFIED, and was %d", risen, before)
					p.verify(tagsWith(pick(individualTags, func(tag string) bool { return own[tag] == "" }), api.CipStatusFailed))
					after := p.limit().CurrentTier
					t.Expect(after == before, "current_tier is %d, want %d", after, before)
				}),
				of("rises after a transaction", func(t *probe.T) {
					p := newPurse(t)
					p.sent("5.67")
					p.verify(tagsWith(individualTags, api.CipStatusVerified))
					p.wantUsed(highestTier(t).RemainingLimit, "5.67")
				}),
			),
		},
		{
			ID: "limits.highest-tier.boundary", Title: "In the highest tier exactly the remaining limit can be sent, and 0.01 more is refused with LIMIT_EXCEEDED",
			Clauses: []string{"8-tier-limits", "D-09", "D-17"}, Operations: limitUsing, Needs: probe.Extensions,
			Fix: "Refuse with 422 LIMIT_EXCEEDED what is above the limit minus what was used; the remaining limit itself is within the limit.",
			Run: func(t *probe.T) {
				p := newTopPurse(t)
				p.sent("7.89")
				r, err := p.send(plus(t, smallest(p.remaining()), cent))
				t.Refused(r, err, 422, api.ErrorCodeLimitExceeded)
				r, err = p.send(smallest(p.remaining()))
				probe.OK(t, r, err)
			},
		},
		{
			ID: "limits.highest-tier.refusal-leaves-all", Title: "A transaction refused for the limit does not exist, uses nothing and requests no tag",
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

// climbs goes from tier to tier. What a tier allows is read from a new user with the same tags.
func climbs(t *probe.T, tags []string, edit ...func(*api.UserRequest)) {
	p, top := lowPurse(t, tags, edit...), highestTierOf(t, tags, edit...).CurrentTier
	var sent wire.Amount
	for l := p.limit(); l.CurrentTier < top; {
		triable(t, smallest(l.RemainingLimit))
		amount := plus(t, smallest(l.RemainingLimit), cent)
		sent = plus(t, sent, amount)
		r, err := p.send(amount)
		probe.OK(t, r, err)
		needed := requestedTags(p.tags())
		if len(needed) == 0 {
			t.Fatalf("no tag became REQUESTED in tier %d of %d", l.CurrentTier, top)
		}
		if foreign := pick(needed, func(tag string) bool { return !slices.Contains(tags, tag) }); len(foreign) > 0 {
			t.Fatalf("%s became REQUESTED, which is no tag of the user's kind", strings.Join(foreign, ", "))
		}
		p.verify(tagsWith(needed, api.CipStatusVerified))
		now := p.limit()
		if now.CurrentTier <= l.CurrentTier {
			t.Fatalf("current_tier is %d with the requested tags VERIFIED, and was %d", now.CurrentTier, l.CurrentTier)
		}
		fresh := purse{Sender: probe.Sender{UserID: t.NewUser(edit...).ID}, t: t}
		fresh.verify(tagsWith(slices.Collect(maps.Keys(p.tags())), api.CipStatusVerified))
		wantRemaining(t, now.RemainingLimit, used(t, fresh.remaining(), sent))
		l = now
	}
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

// requestsWhatIsMissing leaves at least one of the needed tags unverified in each round: the tier, of which nothing remains,
// must stay.
func requestsWhatIsMissing(t *probe.T) {
	p := newLowPurse(t)
	needed := p.overshoot()
	for _, status := range []api.CipStatus{api.CipStatusSubmit, api.CipStatusReviewing, api.CipStatusVerified, api.CipStatusFailed} {
		tags := tagsWith(needed, status)
		if status == api.CipStatusVerified {
			tags[needed[0]] = api.CipStatusReviewing
		}
		p.verify(tags)
		r, err := p.send(cent)
		probe.Setup(t, r, err)
		after := p.tags()
		for _, tag := range needed {
			want := tags[tag]
			if want == api.CipStatusFailed {
				want = api.CipStatusRequested
			}
			t.Expect(after[tag] == want, "tag %s was %s and is %q after a transaction above the remaining limit, want %s", tag, tags[tag], after[tag], want)
		}
	}
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
	t.Expect(n == 0, "the user has %d transactions", n)
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
