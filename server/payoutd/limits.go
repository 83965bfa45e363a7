package main

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// limits is `payoutd limits`.
type limits struct {
	Show limitsShow `cmd:"" help:"Print for each destination the tier of a user, what remains of its limits now, and what the next tier needs."`
}

// limitJSON is what a user may still send to a destination, in major units of Currency.
type limitJSON struct {
	Destination string         `json:"destination"`
	Currency    string         `json:"currency,omitempty"` // absent for a user who cannot send
	Tier        int            `json:"current_tier"`
	Remaining   *remainingJSON `json:"remaining_limit,omitempty"`
	NextTier    []string       `json:"next_tier_needs,omitempty"` // tags that are not VERIFIED
}

type remainingJSON struct {
	Daily   json.Number `json:"daily_limit"`
	Monthly json.Number `json:"monthly_limit"`
	Annual  json.Number `json:"annual_limit"`
}

type limitsShow struct {
	database
	clientOfID
	listing
	UserID string `arg:"" help:"Id of the user."`
}

// Run prints limits.
func (l limitsShow) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"<user-id>", &l.UserID}); err != nil {
		return err
	}
	return l.within(ctx, l.database, store.KindUser, l.UserID, func(o operation) error {
		u, err := o.service.User(ctx, o.client, payout.UserID(l.UserID))
		if err != nil {
			return err
		}
		info, err := o.service.CIPInfo(ctx, o.client, u.ID)
		if err != nil {
			return err
		}
		var rows []limitJSON
		var cells [][]string
		for _, d := range o.client.Destinations {
			left, err := o.service.Limits(ctx, o.client, u.ID, d.Country)
			if err != nil {
				return err
			}
			row := limitJSON{Destination: d.Country, Currency: left.Currency, Tier: left.CurrentTier}
			line := []string{d.Country, strconv.Itoa(left.CurrentTier), left.Currency, "", "", "", ""}
			if left.Currency != "" {
				major := func(minor int64) json.Number { return json.Number(payout.Major(minor, left.Currency).String()) }
				row.Remaining = &remainingJSON{major(left.Daily), major(left.Monthly), major(left.Annual)}
				row.NextTier = nextTier(d.Tiers, left.CurrentTier, u, info.Tags)
				line = append(line[:3], string(row.Remaining.Daily), string(row.Remaining.Monthly), string(row.Remaining.Annual), strings.Join(row.NextTier, " "))
			}
			rows, cells = append(rows, row), append(cells, line)
		}
		return l.print(std.out, rows, []string{"COUNTRY", "TIER", "CURRENCY", "DAILY LEFT", "MONTHLY LEFT", "ANNUAL LEFT", "NEXT TIER NEEDS"}, cells)
	})
}

// nextTier returns the tags that the tier above needs and that are not VERIFIED; none in the highest tier.
func nextTier(tiers []payout.Tier, tier int, u payout.User, tags map[string]payout.CIPStatus) []string {
	if tier >= len(tiers) {
		return nil
	}
	needed := tiers[tier].RequiredTags.Individual
	if u.Business {
		needed = tiers[tier].RequiredTags.Business
	}
	return slices.DeleteFunc(slices.Clone(needed), func(tag string) bool { return tags[tag] == payout.CIPVerified })
}
