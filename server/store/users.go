package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const userColumns = `id, created_at, status, business, sending, country, profile, client_reference`

func scanUser(s scanner, u *payout.User) error {
	return s.Scan(&u.ID, timeColumn{&u.CreatedAt}, &u.Status, &u.Business, &u.Sending, &u.Country, userOf(&u.Profile), textOrNull{&u.ClientReference})
}

// User reads a user without its documents.
func (r reads) User(ctx context.Context, clientID payout.ClientID, id payout.UserID) (payout.User, bool, error) {
	return r.user(ctx, clientID, id)()
}

func (r reads) user(ctx context.Context, clientID payout.ClientID, id payout.UserID) func() (payout.User, bool, error) {
	return askOne(ctx, r, scanUser, `select `+userColumns+` from users
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
	if err := t.execLater(ctx, `insert into users (client_id, `+userColumns+`, email)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, clientID, u.ID, micros(u.CreatedAt), string(u.Status), u.Business,
		u.Sending, u.Country, userText(u.Profile), nullIfEmpty(u.ClientReference), u.Profile.Email); err != nil {
		return err
	}
	return t.insertDocuments(ctx, clientID, u.ID, nil, 0, u.Documents)
}

// InsertUserDocuments writes documents of a user, the first one at a position from 0 on.
func (t tx) InsertUserDocuments(ctx context.Context, clientID payout.ClientID, userID payout.UserID, position int, documents []payout.Document) error {
	return t.insertDocuments(ctx, clientID, userID, nil, position, documents)
}

// insertDocuments writes the documents of a user, or of one of the user's transactions.
func (t tx) insertDocuments(ctx context.Context, clientID payout.ClientID, userID payout.UserID, transactionID *payout.TransactionID, position int, all []payout.Document) error {
	for i, d := range all {
		if _, err := t.execAny(ctx, `insert into documents (client_id, user_id, transaction_id, position, `+documentColumns+`,
			content) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			append(t.engine.binary(), clientID, userID, transactionID, position+i, d.ID, string(d.Kind), d.Type, d.Value,
				d.MediaType, d.ExpiryDate, d.IssuingAuthority, d.Country, d.State, d.Content)...); err != nil {
			return err
		}
	}
	return nil
}

// LockUser locks the row of a user until this write ends. Rows that refer to it may be written meanwhile.
func (t tx) LockUser(ctx context.Context, clientID payout.ClientID, userID payout.UserID) error {
	return t.execLater(ctx, `select 1 from users where client_id = $1 and id = $2`+t.engine.locked, clientID, userID)
}

// SetUserProfile changes the submitted information of a user.
func (t tx) SetUserProfile(ctx context.Context, clientID payout.ClientID, userID payout.UserID, profile payout.UserProfile) error {
	return t.execLater(ctx, `update users set profile = $3, email = $4 where client_id = $1 and id = $2`,
		clientID, userID, userText(profile), profile.Email)
}

// SetUserStatus changes the overall verification status.
func (t tx) SetUserStatus(ctx context.Context, clientID payout.ClientID, userID payout.UserID, status payout.KYCStatus) error {
	return t.execLater(ctx, `update users set status = $3 where client_id = $1 and id = $2`, clientID, userID, string(status))
}

// CIPTags returns the tags of a user.
func (r reads) CIPTags(ctx context.Context, clientID payout.ClientID, userID payout.UserID) (map[string]payout.CIPStatus, error) {
	return r.tags(ctx, clientID, userID)()
}

func (r reads) tags(ctx context.Context, clientID payout.ClientID, userID payout.UserID) func() (map[string]payout.CIPStatus, error) {
	type row struct {
		tag    string
		status payout.CIPStatus
	}
	asked := ask(ctx, r, func(s scanner, v *row) error { return s.Scan(&v.tag, &v.status) },
		`select tag, status from cip_tags where client_id = $1 and user_id = $2`, clientID, userID)
	return func() (map[string]payout.CIPStatus, error) {
		rows, err := asked()
		tags := make(map[string]payout.CIPStatus, len(rows))
		for _, v := range rows {
			tags[v.tag] = v.status
		}
		return tags, err
	}
}

// SetCIPTags sets the status of each given tag; others are unchanged. Here and in RequestCIPTags the tags are written in one
// order, so that concurrent writes do not deadlock.
func (t tx) SetCIPTags(ctx context.Context, clientID payout.ClientID, userID payout.UserID, tags map[string]payout.CIPStatus) error {
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		if err := t.execLater(ctx, `insert into cip_tags (client_id, user_id, tag, status) values ($1, $2, $3, $4)
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
		if err := t.execLater(ctx, `insert into cip_tags (client_id, user_id, tag, status) values ($1, $2, $3, $4)
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
	if amount < 0 {
		return t.takeBackUsage(ctx, clientID, key, -amount)
	}
	return t.addUsage(ctx, clientID, key, amount)()
}

// AddUsageWithTags is AddUsage, and reads the tags of the user after it.
func (t tx) AddUsageWithTags(
	ctx context.Context, clientID payout.ClientID, key payout.UsageKey, amount int64,
) (payout.Usage, map[string]payout.CIPStatus, error) {
	added, read := t.addUsage(ctx, clientID, key, amount), t.tags(ctx, clientID, key.UserID)
	used, err := added()
	if err != nil {
		return payout.Usage{}, nil, err
	}
	tags, err := read()
	return used, tags, err
}

func (t tx) addUsage(ctx context.Context, clientID payout.ClientID, key payout.UsageKey, amount int64) func() (payout.Usage, error) {
	day, month, year := key.Periods()
	asked := ask(ctx, t.reads, scanCounter, `insert into limit_usage
		(client_id, user_id, destination, currency, period, used)
		values ($1, $2, $3, $4, $5, $8), ($1, $2, $3, $4, $6, $8), ($1, $2, $3, $4, $7, $8)
		on conflict (client_id, user_id, destination, currency, period) do update set used = limit_usage.used + excluded.used
		returning period, used`, clientID, key.UserID, key.Destination, key.Currency, year, month, day, amount)
	return func() (payout.Usage, error) {
		rows, err := asked()
		if t.engine.outOfRange(err) {
			err = payout.NewError(payout.CodeLimitExceeded).Because(err)
		}
		return usage(rows, key), err
	}
}

// errNoUsage is returned for counters from which an amount is to be taken that was never added: the database is damaged.
var errNoUsage = errors.New("a counter of limit_usage is missing or too low")

// takeBackUsage takes an amount off the three counters, in the order in which AddUsage locks them. The insert of AddUsage
// cannot do it: the row that it proposes would violate the check constraint.
func (t tx) takeBackUsage(ctx context.Context, clientID payout.ClientID, key payout.UsageKey, amount int64) (payout.Usage, error) {
	day, month, year := key.Periods()
	var asked []func() (counter, bool, error)
	for _, period := range []string{year, month, day} {
		asked = append(asked, askOne(ctx, t.reads, scanCounter, `update limit_usage set used = used - $6
			where client_id = $1 and user_id = $2 and destination = $3 and currency = $4 and period = $5 and used >= $6
			returning period, used`, clientID, key.UserID, key.Destination, key.Currency, period, amount))
	}
	var rows []counter
	for _, changed := range asked {
		row, ok, err := changed()
		if err == nil && !ok {
			err = errNoUsage
		}
		if err != nil {
			return payout.Usage{}, err
		}
		rows = append(rows, row)
	}
	return usage(rows, key), nil
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
