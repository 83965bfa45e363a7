package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// SandboxClients are the clients of the sandbox with their secrets, which are public.
var SandboxClients = []struct{ ID, Name, Secret string }{
	{"sandbox", "Sandbox", "sandbox-secret"},
	{"sandbox-2", "Second sandbox", "sandbox-2-secret"},
}

// Errors of New for a database of the other mode.
var (
	ErrNotSandbox = errors.New("the database holds clients that are not of the sandbox; start without --sandbox, or with another database")
	ErrIsSandbox  = errors.New("the database holds sandbox clients, whose secrets everybody knows; start with --sandbox, or with another database")
)

// seed writes the states if there are none, and in sandbox mode the sample payers and banks and the sandbox clients.
// It can be repeated: states that an operator imported stay as they are.
func seed(ctx context.Context, db *store.Store, c Config) error {
	clients, err := db.ClientIDs(ctx)
	if err != nil {
		return err
	}
	switch {
	case c.Sandbox && !allOf(clients, isSandbox):
		return ErrNotSandbox
	case !c.Sandbox && slices.ContainsFunc(clients, isSandbox):
		return ErrIsSandbox
	}
	data := store.Reference{States: reference.States()}
	for _, err := range db.AllStates(ctx) {
		if err != nil {
			return fmt.Errorf("seed reference data: %w", err)
		}
		data.States = nil
		break
	}
	if c.Sandbox {
		data.Payers, data.Banks = reference.SamplePayers(), reference.SampleBanks()
	}
	if err := db.PutReference(ctx, data); err != nil {
		return fmt.Errorf("seed reference data: %w", err)
	}
	if !c.Sandbox {
		if len(clients) == 0 {
			c.Logger.Warn("the database has no client, so that every request is answered with 401; create one with payoutd clients apply -f FILE")
		}
		return nil
	}
	for i, s := range SandboxClients {
		client := sandboxProfiles[i]
		client.ID, client.Name = payout.ClientID(s.ID), s.Name
		if err := db.PutClient(ctx, client, payout.HashSecret(s.Secret), c.Now()); err != nil {
			return fmt.Errorf("seed sandbox clients: %w", err)
		}
	}
	return nil
}

// isSandbox reports whether a client is one of [SandboxClients].
func isSandbox(id payout.ClientID) bool {
	return slices.ContainsFunc(SandboxClients, func(s struct{ ID, Name, Secret string }) bool { return payout.ClientID(s.ID) == id })
}

// RemoveSandbox deletes the SQLite database of a sandbox, and returns the name of the file, empty if there is none. It returns
// an error for a database that holds other clients or is in use.
func RemoveSandbox(ctx context.Context, databaseURL string) (removed string, err error) {
	return store.Remove(ctx, databaseURL, func(clients []payout.ClientID) error {
		if !allOf(clients, isSandbox) {
			return errors.New("the database holds clients that are not of the sandbox, and is not removed")
		}
		return nil
	})
}

func allOf[T any](values []T, test func(T) bool) bool {
	return !slices.ContainsFunc(values, func(v T) bool { return !test(v) })
}

// sandboxProfiles are those of [SandboxClients], in three tiers: the first sends from the US and the UK to seven countries, the
// second from the US to five of them.
var sandboxProfiles = []payout.Client{
	{
		Corridors:    []payout.Corridor{{Country: "US", Currency: "USD"}, {Country: "GB", Currency: "GBP"}},
		Destinations: sandboxDestinations("NP", "IN", "MX", "PH", "NG", "JP", "KW"),
		RateBounds:   sandboxRates,
	},
	{
		Corridors:    []payout.Corridor{{Country: "US", Currency: "USD"}},
		Destinations: sandboxDestinations("NP", "IN", "MX", "NG", "JP"),
		RateBounds:   sandboxRates,
	},
}

// sandboxRates are of one pair, so that partners can meet EXCHANGE_RATE_NOT_ALLOWED, and rates to all others are free.
var sandboxRates = []payout.RateBounds{
	{From: "USD", To: "MXN", Min: decimal.MustNew(5, 0), Max: decimal.MustNew(50, 0)},
}

func sandboxDestinations(countries ...string) []payout.Destination {
	all := make([]payout.Destination, len(countries))
	for i, country := range countries {
		all[i] = payout.Destination{Country: country, Tiers: sandboxTiers}
	}
	return all
}

var sandboxTiers = []payout.Tier{
	sandboxTier(1_000_00, 3_000_00, 10_000_00, payout.RequiredTags{}),
	sandboxTier(5_000_00, 15_000_00, 60_000_00, payout.RequiredTags{
		Individual: []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1"},
		Business:   []string{"EIN_DOC", "EIN_NUMBER", "COMPANY_TYPE"},
	}),
	sandboxTier(20_000_00, 60_000_00, 250_000_00, payout.RequiredTags{
		Individual: []string{"ID_DOC", "DATE_OF_BIRTH", "ADDRESS_LINE1", "OCCUPATION"},
		Business:   []string{"EIN_DOC", "EIN_NUMBER", "COMPANY_TYPE", "CERTIFICATE_OF_INCORPORATION", "SOURCE_OF_FUND"},
	}),
}

// sandboxTier has the same limits in both sending currencies, in minor units.
func sandboxTier(daily, monthly, annual int64, tags payout.RequiredTags) payout.Tier {
	return payout.Tier{
		Limits: []payout.TierLimit{
			{Currency: "USD", Daily: daily, Monthly: monthly, Annual: annual},
			{Currency: "GBP", Daily: daily, Monthly: monthly, Annual: annual},
		},
		RequiredTags: tags,
	}
}
