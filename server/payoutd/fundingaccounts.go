package main

import (
	"context"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// fundingAccounts is `payoutd funding-accounts`.
type fundingAccounts struct {
	List      fundingAccountsList      `cmd:"" help:"List the funding accounts of a user, oldest first."`
	SetStatus fundingAccountsSetStatus `cmd:"" help:"Set the status of a funding account."`
}

// fundingAccountJSON is a funding account.
type fundingAccountJSON struct {
	ID        string                      `json:"id"`
	UserID    string                      `json:"user_id"`
	Type      string                      `json:"funding_source_type"`
	Label     string                      `json:"label,omitempty"`
	Status    payout.FundingAccountStatus `json:"status"`
	CreatedAt time.Time                   `json:"created_at"`
	keyJSON
}

// userOf is the flag of every command for one user.
type userOf struct {
	User string `help:"Id of the user." required:""`
}

type fundingAccountsList struct {
	database
	clientOfID
	userOf
	listing
}

// Run lists funding accounts.
func (l fundingAccountsList) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"user", &l.User}); err != nil {
		return err
	}
	return l.within(ctx, l.database, store.KindUser, l.User, func(o operation) error {
		all, _, err := o.service.FundingAccounts(ctx, o.client, payout.UserID(l.User), payout.Page{})
		if err != nil {
			return err
		}
		return l.printFundingAccounts(ctx, std, o, all, false)
	})
}

type fundingAccountsSetStatus struct {
	changing
	clientOfID
	userOf
	listing
	AccountID string `arg:"" help:"Id of the funding account."`
	Status    string `arg:"" help:"PENDING, ACTIVE or INACTIVE."`
}

// Run changes the status of a funding account.
func (s fundingAccountsSetStatus) Run(ctx context.Context, std streams) error {
	if err := checkIDs(named{"user", &s.User}, named{"<account-id>", &s.AccountID}); err != nil {
		return err
	}
	if err := checkOneOf("<status>", s.Status, payout.FundingAccountStatuses()...); err != nil {
		return err
	}
	return s.within(ctx, s.changing, store.KindUser, s.User, func(o operation) error {
		if _, err := o.service.User(ctx, o.client, payout.UserID(s.User)); err != nil {
			return err
		}
		a, err := o.service.SetFundingAccountStatus(ctx, o.client, payout.UserID(s.User), payout.FundingAccountID(s.AccountID), payout.FundingAccountStatus(s.Status))
		if err != nil {
			return err
		}
		return s.printFundingAccounts(ctx, std, o, []payout.FundingAccount{a}, true)
	})
}

// printFundingAccounts prints a table, or JSON: a list, or a single account.
func (l listing) printFundingAccounts(
	ctx context.Context, std streams, o operation, all []payout.FundingAccount, alone bool,
) error {
	ids := make([]string, len(all))
	for i, a := range all {
		ids[i] = string(a.ID)
	}
	keys, err := o.db.ResourceKeys(ctx, o.client.ID, ids)
	if err != nil {
		return err
	}
	rows := make([]fundingAccountJSON, len(all))
	cells := make([][]string, len(all))
	for i, a := range all {
		rows[i] = fundingAccountJSON{string(a.ID), string(a.UserID), a.Type, a.Label, a.Status, a.CreatedAt, newKeyJSON(keys[string(a.ID)])}
		cells[i] = []string{string(a.ID), utc(a.CreatedAt), string(a.Status), printable(a.Type), printable(a.Label), printable(keys[string(a.ID)].Key)}
	}
	titles := []string{"ID", "CREATED", "STATUS", "TYPE", "LABEL", "IDEMPOTENCY KEY"}
	if alone {
		return l.print(std.out, rows[0], titles, cells)
	}
	return l.print(std.out, rows, titles, cells)
}
