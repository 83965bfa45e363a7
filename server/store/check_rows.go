package store

import (
	"context"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Checks of single rows.

func (c *checking) clients(ctx context.Context) (err error) {
	c.done.Clients, err = c.rows(ctx, "clients", func(s scanner, v *rowCheck) error {
		err := s.Scan(&v.clientID, v.parses("profile", profileOf(&payout.Client{})))
		v.id = string(v.clientID)
		return err
	}, `select id, profile from clients order by id`)
	return err
}

func (c *checking) reference(ctx context.Context) error {
	states, err := c.rows(ctx, "states", func(s scanner, v *rowCheck) error { return s.Scan(&v.id) },
		`select id from states`)
	if err != nil {
		return err
	}
	payers, err := c.rows(ctx, "payers", func(s scanner, v *rowCheck) error {
		var p payout.Payer
		err := s.Scan(&v.id, &p.Method, &p.Currency, v.parses("network_limits", networkLimitsOf(&p.NetworkLimits)),
			v.parses("pickup_locations", pickupLocationsOf(&p.PickupLocations)))
		v.when(!slices.Contains(payout.PayoutMethods(), p.Method), "method is unknown")
		v.currency("currency", p.Currency)
		return err
	}, `select id, method, currency, network_limits, pickup_locations from payers order by id`)
	if err != nil {
		return err
	}
	banks, err := c.rows(ctx, "banks", func(s scanner, v *rowCheck) error {
		var b payout.Bank
		err := s.Scan(&v.id, v.parses("branches", branchesOf(&b.Branches)), v.parses("txn_supported_types", textsColumn(&b.TxnSupportedTypes)),
			v.parses("currencies", textsColumn(&b.Currencies)))
		for _, currency := range b.Currencies {
			v.currency("one of currencies", currency)
		}
		return err
	}, `select id, branches, txn_supported_types, currencies from banks order by id`)
	c.done.Reference = states + payers + banks
	return err
}

func (c *checking) users(ctx context.Context) (err error) {
	c.done.Users, err = c.rows(ctx, "users", func(s scanner, v *rowCheck) error {
		var status payout.KYCStatus
		var email string
		var profile payout.UserProfile
		err := s.Scan(&v.clientID, &v.id, &status, &email, v.parses("profile", userOf(&profile)))
		v.when(len(v.problems) == 0 && email != profile.Email, "email is not that of profile")
		v.when(!slices.Contains(payout.KYCStatuses(), status), "status is not a KYC status")
		return err
	}, `select client_id, id, status, email, profile from users order by client_id, id`)
	return err
}

func (c *checking) tags(ctx context.Context) error {
	known := map[bool][]string{true: payout.CIPTags(true), false: payout.CIPTags(false)}
	_, err := c.rows(ctx, "cip_tags", func(s scanner, v *rowCheck) error {
		var business bool
		var tag string
		var status payout.CIPStatus
		err := s.Scan(&v.clientID, &v.id, &business, &tag, &status)
		v.when(!slices.Contains(known[business], tag), "a user of this kind has no tag "+quoted(tag))
		v.when(!slices.Contains(payout.CIPStatuses(), status), "the status of tag "+quoted(tag)+" is not a CIP status")
		return err
	}, `select g.client_id, g.user_id, u.business, g.tag, g.status from cip_tags g
		join users u on u.client_id = g.client_id and u.id = g.user_id order by g.client_id, g.user_id, g.tag`)
	return err
}

func (c *checking) accounts(ctx context.Context) error {
	funding, err := c.rows(ctx, "funding_accounts", func(s scanner, v *rowCheck) error {
		var status payout.FundingAccountStatus
		err := s.Scan(&v.clientID, &v.id, &status)
		v.when(!slices.Contains(payout.FundingAccountStatuses(), status), "status is unknown")
		return err
	}, `select client_id, id, status from funding_accounts order by client_id, id`)
	if err != nil {
		return err
	}
	currency := func(s scanner, v *rowCheck) error {
		var code string
		err := s.Scan(&v.clientID, &v.id, &code)
		v.currency("currency", code)
		return err
	}
	bank, err := c.rows(ctx, "bank_accounts", currency, `select client_id, id, currency from bank_accounts order by client_id, id`)
	if err != nil {
		return err
	}
	wallet, err := c.rows(ctx, "wallet_accounts", currency,
		`select client_id, id, currency from wallet_accounts order by client_id, id`)
	c.done.Accounts = funding + bank + wallet
	return err
}

func (c *checking) documents(ctx context.Context) (err error) {
	c.done.Documents, err = c.rows(ctx, "documents", func(s scanner, v *rowCheck) error {
		var kind payout.DocumentKind
		var hasContent bool
		err := s.Scan(&v.clientID, &v.id, &kind, &hasContent)
		v.when(!slices.Contains(payout.DocumentKinds(), kind), "kind is unknown")
		v.when(kind == payout.PhysicalDocument && !hasContent, "a physical document has no content")
		return err
	}, `select client_id, id, kind, content is not null from documents order by client_id, id`)
	return err
}

// keys names a key by the id of its resource, because a key is text of the caller and may contain anything.
func (c *checking) keys(ctx context.Context) (err error) {
	c.done.Keys, err = c.rows(ctx, "idempotency_keys", func(s scanner, v *rowCheck) error {
		var empty, noFingerprint bool
		err := s.Scan(&v.clientID, &v.id, &empty, &noFingerprint)
		v.when(empty, "the key is empty")
		v.when(noFingerprint, "it has no fingerprint")
		return err
	}, `select client_id, resource_id, idempotency_key = '', fingerprint = '' from idempotency_keys order by client_id, resource_id`)
	return err
}

// quoted returns a text that should be a known word. Any other text is withheld, because it may contain anything.
func quoted(word string) string {
	if len(word) > 40 {
		return "(a long text)"
	}
	for _, r := range word {
		if (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' {
			return "(not a word of capital letters)"
		}
	}
	return word
}
