package checks

import (
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// limits is about what a user may still send. Limits are not known: the checks read them, use them up, and climb to a
// higher tier by verifying what became REQUESTED.
func limits() []probe.Check { return slices.Concat(limitsRead(), limitsUsed(), limitsTiers()) }

var (
	limitReading = []string{"getTransactionLimit"}
	limitUsing   = []string{"getTransactionLimit", "createTransaction"}
)

func limitsRead() []probe.Check {
	return []probe.Check{
		{
			ID: "limits.user-and-destination", Title: "The limits name the user and the destination that were asked for",
			Clauses: []string{"2.8", "4-transaction-limit", "4-param-user-id", "D-32"}, Operations: limitReading,
			Fix: "Answer user_id from the path and country from destination.",
			Run: func(t *probe.T) {
				user, destination := t.NewUser().ID, t.Target().Facts.Destination
				r, err := t.Client().GetTransactionLimitWithResponse(t.Context(), user, to(destination))
				l := probe.OK(t, r, err)
				t.Expect(l.UserID == user && l.Country == destination,
					"answered user %s and country %q, want %s and %q", l.UserID, l.Country, user, destination)
			},
		},
		{
			ID: "limits.ascending", Title: "The daily limit is not above the monthly limit, nor the monthly above the annual limit",
			Clauses: []string{"2.8", "8-tier-limits", "D-17"}, Operations: limitReading,
			Fix: "Accept no profile in which the limit of a shorter period is above that of a longer one.",
			Run: func(t *probe.T) {
				r, err := t.Client().GetTransactionLimitWithResponse(t.Context(), t.NewUser().ID, to(t.Target().Facts.Destination))
				l := probe.OK(t, r, err).RemainingLimit // of a user without transactions
				t.Expect(l.DailyLimit.Decimal().Cmp(l.MonthlyLimit.Decimal()) <= 0 && l.MonthlyLimit.Decimal().Cmp(l.AnnualLimit.Decimal()) <= 0,
					"the limits are daily %s, monthly %s, annual %s", l.DailyLimit, l.MonthlyLimit, l.AnnualLimit)
			},
		},
		{
			ID: "limits.destination", Title: "A destination that is unknown or not enabled answers 404",
			Clauses: []string{"4-param-destination", "D-18", "D-32"}, Operations: limitReading,
			Fix: "Answer 404 NOT_FOUND for a destination that is not enabled.",
			Run: func(t *probe.T) {
				user := t.NewUser().ID
				for _, country := range []string{t.Target().Facts.DisabledCountry, nowhere} {
					r, err := t.Client().GetTransactionLimitWithResponse(t.Context(), user, to(country))
					t.Refused(r, err, 404, api.ErrorCodeNotFound)
				}
			},
		},
		{
			ID: "limits.without-sending", Title: "A user without sending capability has tier 0 and nothing to send",
			Clauses: []string{"1-rule-1", "D-32", "D-40"}, Operations: limitReading,
			Fix: "Answer 200 with current_tier 0 and three limits of 0 for a user registered without type SEND.",
			Run: func(t *probe.T) {
				user := t.NewUser(func(u *api.UserRequest) { u.Type = nil }).ID
				r, err := t.Client().GetTransactionLimitWithResponse(t.Context(), user, to(t.Target().Facts.Destination))
				l := probe.OK(t, r, err)
				t.Expect(l.CurrentTier == 0, "answered current_tier %d", l.CurrentTier)
				wantRemaining(t, l.RemainingLimit, api.RemainingLimit{})
			},
		},
	}
}

func limitsUsed() []probe.Check {
	return []probe.Check{
		{
			ID: "limits.used", Title: "A transaction lowers the daily, monthly and annual remaining limits of its user and destination by its sending amount",
			Clauses: []string{"2.6-receiver-amount", "2.8", "8-tier-limits", "D-17", "D-35", "D-37"}, Operations: limitUsing, Needs: probe.Extensions,
			Fix: "Count the stored from_amount of every created transaction, per user and destination, in the day, month and year of its creation.",
			Run: each(
				of("the sending amount counts", func(t *probe.T) {
					p := newPurse(t)
					before := p.remaining()
					p.sent("12.34")
					p.wantUsed(before, "12.34")
				}),
				of("the fee does not count", func(t *probe.T) {
					p := newPurse(t)
					before := p.remaining()
					p.sent("1.00", func(b *api.TransactionRequest) { b.FeeAmount = probe.Ptr(wire.MustAmount("5.00")) })
					p.wantUsed(before, "1.00")
				}),
				of("with RECEIVER_AMOUNT the given sending amount counts, not the calculated one", func(t *probe.T) {
					p := newPurse(t)
					before := p.remaining()
					p.sent("1.01", func(b *api.TransactionRequest) { // 100 / 100 is 1.00
						b.ExchangeRate, b.ToAmount = wire.MustAmount("100"), probe.Ptr(wire.MustAmount("100"))
						b.To = withMember(t, b.To, "calculation_mode", api.CalculationModeReceiverAmount)
					})
					p.wantUsed(before, "1.01")
				}),
				of("another user", func(t *probe.T) {
					p, other := newPurse(t), purse{t: t, Sender: t.NewSender()}
					before := other.remaining()
					p.sent("3.00")
					other.wantUsed(before)
				}),
				of("another destination", func(t *probe.T) {
					elsewhere := t.Payer("outside of "+t.Target().Facts.Destination, func(p api.PayerDetail) bool {
						return p.Country != t.Target().Facts.Destination
					}).Country
					p := newPurse(t)
					read := func() api.RemainingLimit {
						r, err := t.Client().GetTransactionLimitWithResponse(t.Context(), p.UserID, to(elsewhere))
						return probe.OK(t, r, err).RemainingLimit
					}
					before := read()
					p.sent("4.00")
					wantRemaining(t, read(), before)
				}),
			),
		},
		{
			ID: "limits.used-by-creations-only", Title: "A refused transaction and a repeat with the same idempotency key use nothing",
			Clauses: []string{"2.8", "4-note-3", "D-16", "D-17"}, Operations: limitUsing, Needs: probe.Extensions,
			Fix: "Count a transaction together with its creation, or not at all, and not when it is answered again.",
			Run: each(
				of("refused", func(t *probe.T) {
					p := newPurse(t)
					before := p.remaining()
					p.refusedFor(wire.MustAmount("1.00"))
					p.wantUsed(before)
				}),
				of("repeated", func(t *probe.T) {
					p, key := newPurse(t), probe.NewKey()
					body := t.Payout(p.Sender, p.receiver, "2.00", rateOne)
					first, err := t.Create(p.UserID, key, body)
					probe.Setup(t, first, err)
					before := p.remaining()
					second, err := t.Create(p.UserID, key, body)
					probe.Setup(t, second, err)
					p.wantUsed(before)
				}),
			),
		},
	}
}
