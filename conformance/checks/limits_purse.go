package checks

import (
	"maps"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// cent is the smallest amount of the sending currency.
var cent = wire.MustAmount("0.01")

// purse is a new sender with a receiver, whose limits a check uses up.
type purse struct {
	probe.Sender
	t        *probe.T
	receiver probe.Receiver
}

// mostSent is as much as any check sends without looking.
const mostSent = "12.34"

// freshPurse makes a sender who may be able to send nothing; edit changes the registration.
func freshPurse(t *probe.T, edit ...func(*api.UserRequest)) purse {
	p := purse{Sender: t.NewSender(edit...), t: t}
	p.receiver = t.Receiver(p.Sender, api.PayoutMethodBankDeposit)
	return p
}

// newPurse makes a sender who may send something: all tags are verified where it takes that.
func newPurse(t *probe.T) purse {
	p := freshPurse(t)
	if smallest(p.remaining()).Decimal().Cmp(wire.MustAmount(mostSent).Decimal()) < 0 {
		p.verify(tagsWith(individualTags, api.CipStatusVerified))
	}
	p.needs(mostSent)
	return p
}

// newLowPurse is that of a sender in a tier that is not the highest.
func newLowPurse(t *probe.T) purse { return lowPurse(t, individualTags) }

// lowPurse is that of a sender of a kind of user, which has these tags. What the sender has submitted is verified, so that
// only what the next tier needs beyond it is missing.
func lowPurse(t *probe.T, tags []string, edit ...func(*api.UserRequest)) purse {
	p := freshPurse(t, edit...)
	own := p.tags()
	p.verify(tagsWith(pick(tags, func(tag string) bool { return own[tag] != "" }), api.CipStatusVerified))
	if p.limit().CurrentTier >= highestTierOf(t, tags, edit...).CurrentTier {
		t.Skipf("a new sender is in the highest tier already")
	}
	p.needs(mostSent)
	return p
}

// highestTier returns the limits of a new user who is in the highest tier.
func highestTier(t *probe.T) api.TransactionLimit { return highestTierOf(t, individualTags) }

func highestTierOf(t *probe.T, tags []string, edit ...func(*api.UserRequest)) api.TransactionLimit {
	p := purse{Sender: probe.Sender{UserID: t.NewUser(edit...).ID}, t: t}
	p.verify(tagsWith(tags, api.CipStatusVerified))
	return p.limit()
}

// newTopPurse is that of a sender in the highest tier: every tag is verified (D-17).
func newTopPurse(t *probe.T) purse {
	p := freshPurse(t)
	p.verify(tagsWith(individualTags, api.CipStatusVerified))
	p.needs(mostSent)
	return p
}

// needs skips the check for a sender who may send less, or more than an amount can say.
func (p purse) needs(least string) {
	most := smallest(p.remaining())
	if most.Decimal().Cmp(wire.MustAmount(least).Decimal()) < 0 {
		p.t.Skipf("the sender may send less than %s to %s", least, p.t.Target().Facts.Destination)
	}
	triable(p.t, most)
}

// triable skips the check for a limit that is more than an amount can say.
func triable(t *probe.T, most wire.Amount) {
	if most.Decimal().Cmp(wire.MustAmount("1000000000").Decimal()) > 0 {
		t.Skipf("a sender may send more than the check can try")
	}
}

// limit reads the limits, as a set-up.
func (p purse) limit() api.TransactionLimit {
	r, err := p.t.Client().GetTransactionLimitWithResponse(p.t.Context(), p.UserID, to(p.t.Target().Facts.Destination))
	return probe.Setup(p.t, r, err)
}

func (p purse) remaining() api.RemainingLimit { return p.limit().RemainingLimit }

// send sends an amount at a rate of 1, or at one that pays out a whole unit where that is less, and returns whatever
// is answered: a currency may have no decimals.
func (p purse) send(amount wire.Amount, edit ...func(*api.TransactionRequest)) (*api.CreateTransactionResponse, error) {
	rate := rateOne
	if amount.Decimal().Cmp(wire.MustAmount("1").Decimal()) < 0 {
		rate = func(b *api.TransactionRequest) { b.ExchangeRate = wire.MustAmount("100") }
	}
	edit = append([]func(*api.TransactionRequest){rate}, edit...)
	return p.t.Create(p.UserID, "", p.t.Payout(p.Sender, p.receiver, amount.String(), edit...))
}

// sent sends an amount as a set-up.
func (p purse) sent(amount string, edit ...func(*api.TransactionRequest)) {
	r, err := p.send(wire.MustAmount(amount), edit...)
	probe.Setup(p.t, r, err)
}

// refusedFor sends an amount in a currency that the receive account does not have, and at a rate that pays out nothing, as a
// set-up: both must be refused.
func (p purse) refusedFor(amount wire.Amount) {
	for what, spoil := range map[string]func(*api.TransactionRequest){
		"in a currency that the account does not have": func(b *api.TransactionRequest) { b.ToCurrency = otherCurrency(b.ToCurrency) },
		"that pays out nothing":                        payNothing,
	} {
		if r, err := p.send(amount, spoil); err != nil || r.StatusCode() != 422 {
			p.t.Brokenf("set-up: a transaction %s was not refused with 422", what)
		}
	}
}

// tags reads the CIP tags, as a set-up.
func (p purse) tags() map[string]api.CipStatus {
	r, err := p.t.Client().GetCipInfoWithResponse(p.t.Context(), p.UserID)
	return probe.Setup(p.t, r, err).CipInfo
}

func (p purse) verify(tags map[string]api.CipStatus) { p.t.Verify(p.UserID, "", tags) }

// overshoot sends a cent more than remains in a lower tier and returns the tags that became REQUESTED, as a set-up.
func (p purse) overshoot() []string {
	r, err := p.send(plus(p.t, smallest(p.remaining()), cent))
	probe.Setup(p.t, r, err)
	requested := requestedTags(p.tags())
	if len(requested) == 0 {
		p.t.Brokenf("set-up: no tag became REQUESTED by a transaction above the remaining limit")
	}
	return requested
}

// wantNoneRequested expects no tag to be REQUESTED.
func (p purse) wantNoneRequested() {
	requested := requestedTags(p.tags())
	p.t.Expect(len(requested) == 0, "%s became REQUESTED", strings.Join(requested, ", "))
}

// wantUsed compares what remains with what remained before these amounts were sent.
func (p purse) wantUsed(before api.RemainingLimit, amounts ...string) {
	for _, amount := range amounts {
		before = used(p.t, before, wire.MustAmount(amount))
	}
	r, err := p.t.Client().GetTransactionLimitWithResponse(p.t.Context(), p.UserID, to(p.t.Target().Facts.Destination))
	wantRemaining(p.t, probe.OK(p.t, r, err).RemainingLimit, before)
}

// used returns what is left of limits after an amount; no limit is below zero.
func used(t *probe.T, l api.RemainingLimit, amount wire.Amount) api.RemainingLimit {
	after := func(limit wire.Amount) wire.Amount {
		return wire.AmountOf(minus(t, limit, amount).Decimal().Max(wire.Amount{}.Decimal()))
	}
	return api.RemainingLimit{AnnualLimit: after(l.AnnualLimit), MonthlyLimit: after(l.MonthlyLimit), DailyLimit: after(l.DailyLimit)}
}

func wantRemaining(t *probe.T, got, want api.RemainingLimit) {
	for _, l := range []struct {
		name      string
		got, want wire.Amount
	}{
		{"daily_limit", got.DailyLimit, want.DailyLimit},
		{"monthly_limit", got.MonthlyLimit, want.MonthlyLimit},
		{"annual_limit", got.AnnualLimit, want.AnnualLimit},
	} {
		t.Expect(l.got.Equal(l.want), "%s is %s, want %s", l.name, l.got, l.want)
	}
}

// smallest is what the next transaction may have at the most.
func smallest(l api.RemainingLimit) wire.Amount {
	return wire.AmountOf(l.DailyLimit.Decimal().Min(l.MonthlyLimit.Decimal()).Min(l.AnnualLimit.Decimal()))
}

func plus(t *probe.T, a, b wire.Amount) wire.Amount {
	sum, err := a.Decimal().Add(b.Decimal())
	if err != nil {
		t.Brokenf("calculate an amount: %v", err)
	}
	return wire.AmountOf(sum)
}

func minus(t *probe.T, a, b wire.Amount) wire.Amount {
	difference, err := a.Decimal().Sub(b.Decimal())
	if err != nil {
		t.Brokenf("calculate an amount: %v", err)
	}
	return wire.AmountOf(difference)
}

// requestedTags returns the tags that are REQUESTED, in the order of the alphabet.
func requestedTags(tags map[string]api.CipStatus) []string {
	return pick(slices.Sorted(maps.Keys(tags)), func(tag string) bool { return tags[tag] == api.CipStatusRequested })
}

func to(destination string) *api.GetTransactionLimitParams {
	return &api.GetTransactionLimitParams{Destination: destination}
}

// rateOne keeps the receiving amount as small as the sending amount.
func rateOne(b *api.TransactionRequest) { b.ExchangeRate = wire.MustAmount("1") }

// payNothing makes the receiving amount 0 of whatever can be sent.
func payNothing(b *api.TransactionRequest) { b.ExchangeRate = wire.MustAmount("0.000000000000000001") }
