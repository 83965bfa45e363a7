package store

import (
	"context"
	"maps"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const userColumns = `id, created_at, status, business, sending, country, profile`

func scanUser(s scanner, u *payout.User) error {
	return s.Scan(&u.ID, timeColumn{&u.CreatedAt}, &u.Status, &u.Business, &u.Sending, &u.Country, userOf(&u.Profile))
}

// User reads a user without its documents.
func (r reads) User(ctx context.Context, clientID payout.ClientID, id payout.UserID) (payout.User, bool, error) {
	return one(ctx, r, scanUser, `select `+userColumns+` from users
		where client_id = $1 and id = $2`, clientID, id)
}

// UserDocuments lists the documents of a user in the order sent, without their content.
func (r reads) UserDocuments(ctx context.Context, clientID payout.ClientID, userID payout.UserID) ([]payout.Document, error) {
	return list(ctx, r, scanDocument, `select `+documentColumns+` from documents
		where client_id = $1 and user_id = $2 and transaction_id is null order by position`, clientID, userID)
}

const documentColumns = `id, kind, type, value, media_type, expiry_date, issuing_authority, country, state`

func scanDocument(s scanner, d *payout.Document) error {
	return s.Scan(&d.ID, &d.Kind, &d.Type, &d.Value, &d.MediaType, &d.ExpiryDate, &d.IssuingAuthority, &d.Country,
		&d.State)
}

// InsertUser writes the user and its documents.
func (t tx) InsertUser(ctx context.Context, clientID payout.ClientID, u payout.User) error {
	if _, err := t.exec(ctx, `insert into users (client_id, `+userColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`, clientID, u.ID, micros(u.CreatedAt), string(u.Status), u.Business,
		u.Sending, u.Country, userText(u.Profile)); err != nil {
		return err
	}
	return t.insertDocuments(ctx, clientID, u.ID, nil, u.Documents)
}

// insertDocuments writes the documents of a user, or of one of the user's transactions.
func (t tx) insertDocuments(ctx context.Context, clientID payout.ClientID, userID payout.UserID, transactionID *payout.TransactionID, all []payout.Document) error {
	for i, d := range all {
		if _, err := t.exec(ctx, `insert into documents (client_id, user_id, transaction_id, position, `+documentColumns+`,
			content) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			append(slices.Clone(t.engine.binary), clientID, userID, transactionID, i, d.ID, string(d.Kind), d.Type, d.Value,
				d.MediaType, d.ExpiryDate, d.IssuingAuthority, d.Country, d.State, d.Content)...); err != nil {
			return err
		}
	}
	return nil
}

// SetUserStatus changes the overall verification status.
func (t tx) SetUserStatus(ctx context.Context, clientID payout.ClientID, userID payout.UserID, status payout.KYCStatus) error {
	_, err := t.exec(ctx, `update users set status = $3 where client_id = $1 and id = $2`, clientID, userID, string(status))
	return err
}

// CIPTags returns the tags of a user.
func (r reads) CIPTags(ctx context.Context, clientID payout.ClientID, userID payout.UserID) (map[string]payout.CIPStatus, error) {
	type row struct {
		tag    string
		status payout.CIPStatus
	}
	rows, err := list(ctx, r, func(s scanner, v *row) error { return s.Scan(&v.tag, &v.status) },
		`select tag, status from cip_tags where client_id = $1 and user_id = $2`, clientID, userID)
	tags := make(map[string]payout.CIPStatus, len(rows))
	for _, v := range rows {
		tags[v.tag] = v.status
	}
	return tags, err
}

// SetCIPTags sets the status of each given tag; others are unchanged. Here and in RequestCIPTags the tags are written in one
// order, so that concurrent writes do not deadlock.
func (t tx) SetCIPTags(ctx context.Context, clientID payout.ClientID, userID payout.UserID, tags map[string]payout.CIPStatus) error {
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		if _, err := t.exec(ctx, `insert into cip_tags (client_id, user_id, tag, status) values ($1, $2, $3, $4)
			on conflict (client_id, user_id, tag) do update set status = excluded.status`,
			clientID, userID, tag, string(tags[tag])); err != nil {
			return err
		}
	}
	return nil
}

// RequestCIPTags makes each given tag REQUESTED that is absent or FAILED.
func (t tx) RequestCIPTags(ctx context.Context, clientID payout.ClientID, userID payout.UserID, tags []string) error {
	for _, tag := range slices.Sorted(slices.Values(tags)) {
		if _, err := t.exec(ctx, `insert into cip_tags (client_id, user_id, tag, status) values ($1, $2, $3, $4)
			on conflict (client_id, user_id, tag) do update set status = excluded.status where cip_tags.status = $5`,
			clientID, userID, tag, string(payout.CIPRequested), string(payout.CIPFailed)); err != nil {
			return err
		}
	}
	return nil
}

// Usage returns the counters of the day, month and year of the key.
func (r reads) Usage(ctx context.Context, clientID payout.ClientID, key payout.UsageKey) (payout.Usage, error) {
	day, month, year := key.Periods()
	rows, err := list(ctx, r, scanCounter, `select period, used from limit_usage
		where client_id = $1 and user_id = $2 and destination = $3 and currency = $4 and period in ($5, $6, $7)`,
		clientID, key.UserID, key.Destination, key.Currency, day, month, year)
	return usage(rows, key), err
}

// AddUsage adds an amount to the three counters and returns their new values, or CodeLimitExceeded if one would overflow.
func (t tx) AddUsage(ctx context.Context, clientID payout.ClientID, key payout.UsageKey, amount int64) (payout.Usage, error) {
	day, month, year := key.Periods()
	rows, err := list(ctx, t.reads, scanCounter, `insert into limit_usage
		(client_id, user_id, destination, currency, period, used)
		values ($1, $2, $3, $4, $5, $8), ($1, $2, $3, $4, $6, $8), ($1, $2, $3, $4, $7, $8)
		on conflict (client_id, user_id, destination, currency, period) do update set used = limit_usage.used + excluded.used
		returning period, used`,
		clientID, key.UserID, key.Destination, key.Currency, year, month, day, amount)
	if t.engine.outOfRange(err) {
		err = payout.NewError(payout.CodeLimitExceeded).Because(err)
	}
	return usage(rows, key), err
}

type counter struct {
	period string
	used   int64
}

func scanCounter(s scanner, c *counter) error { return s.Scan(&c.period, &c.used) }

func usage(rows []counter, key payout.UsageKey) payout.Usage {
	day, month, year := key.Periods()
	var u payout.Usage
	for _, c := range rows {
		switch c.period {
		case day:
			u.Daily = c.used
		case month:
			u.Monthly = c.used
		case year:
			u.Annual = c.used
		}
	}
	return u
}
