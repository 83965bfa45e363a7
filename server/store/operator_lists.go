package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// The listings of operators, newest first. Their order is that of an index for each filter, so that a page is read from where
// it begins.

// UserFilter narrows a list of users; empty fields are ignored.
type UserFilter struct {
	Status payout.KYCStatus
	After  payout.UserID // the last user of the page before
}

// Users lists at most limit users of a client without their documents, newest first. It returns CodeNotFound if there is no
// user to come after.
func (r reads) Users(ctx context.Context, clientID payout.ClientID, f UserFilter, limit int) ([]payout.User, error) {
	before, err := r.before(ctx, "user", `select created_at from users where client_id = $1 and id = $2`, clientID, string(f.After))
	if err != nil {
		return nil, err
	}
	where := conditions{text: `client_id = $1`, args: []any{clientID}}
	where.add(f.Status != "", `status = $%d`, string(f.Status))
	where.add(true, `(created_at, id) < ($%d, $%d)`, before.createdAt, before.id)
	return list(ctx, r, scanUser, `select `+userColumns+` from users where `+where.text+newestFirst(limit), where.args...)
}

// TransactionFilter narrows a list of transactions; empty fields are ignored.
type TransactionFilter struct {
	UserID   payout.UserID
	From, To time.Time            // created at From or later, and before To
	After    payout.TransactionID // the last transaction of the page before
}

// ClientTransactions lists at most limit transactions of a client, newest first. It returns CodeNotFound if there is no
// transaction to come after.
func (r reads) ClientTransactions(
	ctx context.Context, clientID payout.ClientID, f TransactionFilter, limit int,
) ([]payout.Transaction, error) {
	before, err := r.before(ctx, "transaction", `select created_at from transactions where client_id = $1 and id = $2`, clientID, string(f.After))
	if err != nil {
		return nil, err
	}
	// One upper bound, because SQLite seeks to one of several, which may be the one that is further away.
	if !f.To.IsZero() && micros(f.To) <= before.createdAt {
		before = bound{micros(f.To), ""}
	}
	where := conditions{text: `client_id = $1`, args: []any{clientID}}
	where.add(f.UserID != "", `user_id = $%d`, f.UserID)
	where.add(!f.From.IsZero(), `created_at >= $%d`, micros(f.From))
	where.add(true, `(created_at, id) < ($%d, $%d)`, before.createdAt, before.id)
	return r.transactions(ctx, clientID, `select `+transactionColumns+` from transactions where `+where.text+newestFirst(limit), where.args...)
}

// ClientTransaction reads a transaction of any user of a client.
func (r reads) ClientTransaction(ctx context.Context, clientID payout.ClientID, id payout.TransactionID) (payout.Transaction, bool, error) {
	return r.transaction(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and id = $2`, clientID, id)
}

// bound is an exclusive upper bound of a list.
type bound struct {
	createdAt int64
	id        string
}

// before returns the bound of what comes after the row that a query reads by its id; that of a whole list if the id is empty.
func (r reads) before(ctx context.Context, what, query string, clientID payout.ClientID, id string) (bound, error) {
	if id == "" {
		return bound{createdAt: math.MaxInt64}, nil
	}
	createdAt, ok, err := one(ctx, r, func(s scanner, v *int64) error { return s.Scan(v) }, query, clientID, id)
	if err == nil && !ok {
		err = payout.NotFound(what)
	}
	return bound{createdAt, id}, err
}

func newestFirst(limit int) string {
	return fmt.Sprintf(` order by created_at desc, id desc limit %d`, limit)
}

// conditions builds a where clause from constants of this file.
type conditions struct {
	text string
	args []any
}

// add adds a condition with a number for each argument.
func (c *conditions) add(given bool, text string, args ...any) {
	if !given {
		return
	}
	numbers := make([]any, len(args))
	for i, arg := range args {
		c.args = append(c.args, arg)
		numbers[i] = len(c.args)
	}
	c.text += fmt.Sprintf(" and "+text, numbers...)
}
