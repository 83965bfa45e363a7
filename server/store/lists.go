package store

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// The lists of a client, newest first. There is an index for each filter, in the order of the list, so that a page is read
// from where it begins.

// examined is how many rows that meet the first of several filters a page looks at, to find those that meet the others
// (D-70).
const examined = 1000

// filter is a column and the value that it must have.
type filter struct {
	column string
	value  string
}

// given leaves out filters without a value.
func given(filters ...filter) []filter {
	return slices.DeleteFunc(filters, func(f filter) bool { return f.value == "" })
}

// selection is a page of a list: rows of a table that meet all filters, created from a time on and before another; both are
// microseconds. There is an index on the client, the column of any one filter or none, created_at and id.
type selection struct {
	table    string
	clientID payout.ClientID
	filters  []filter // the most selective first
	from, to int64
	page     payout.Page
}

// Users lists a page of the users of a client that meet the filter, newest first.
func (r reads) Users(
	ctx context.Context, clientID payout.ClientID, f payout.UserFilter, page payout.Page,
) ([]payout.User, payout.Position, error) {
	s := selection{
		table: "users", clientID: clientID, from: math.MinInt64, to: math.MaxInt64, page: page,
		filters: given(filter{"client_reference", f.ClientReference}, filter{"email", f.Email}, filter{"status", string(f.Status)}),
	}
	query, args, last, err := s.query(ctx, r, userColumns)
	if err != nil {
		return nil, payout.Position{}, err
	}
	all, err := list(ctx, r, scanUser, query, args...)
	if err != nil {
		return nil, payout.Position{}, err
	}
	all, next := cut(page, all, last, func(u payout.User) payout.Position {
		return payout.Position{CreatedAt: u.CreatedAt, ID: string(u.ID)}
	})
	if len(all) == 0 {
		return nil, next, nil
	}
	return all, next, r.addUserDocuments(ctx, clientID, all)
}

// ClientTransactions lists a page of the transactions of a client that meet the filter, newest first.
func (r reads) ClientTransactions(
	ctx context.Context, clientID payout.ClientID, f payout.TransactionFilter, page payout.Page,
) ([]payout.Transaction, payout.Position, error) {
	s := selection{
		table: "transactions", clientID: clientID, from: math.MinInt64, to: math.MaxInt64, page: page,
		filters: given(
			filter{"user_id", string(f.UserID)}, filter{"client_reference", f.ClientReference},
			filter{"status", string(f.Status)}, filter{"delivery_status", string(f.DeliveryStatus)},
		),
	}
	if !f.From.IsZero() {
		s.from = micros(f.From)
	}
	if !f.To.IsZero() {
		s.to = micros(f.To)
	}
	query, args, last, err := s.query(ctx, r, transactionColumns)
	if err != nil {
		return nil, payout.Position{}, err
	}
	all, err := r.transactions(ctx, clientID, query, args...)
	if err != nil {
		return nil, payout.Position{}, err
	}
	all, next := cut(page, all, last, func(t payout.Transaction) payout.Position {
		return payout.Position{CreatedAt: t.CreatedAt, ID: string(t.ID)}
	})
	return all, next, nil
}

// ClientTransaction reads a transaction of any user of a client.
func (r reads) ClientTransaction(ctx context.Context, clientID payout.ClientID, id payout.TransactionID) (payout.Transaction, bool, error) {
	return r.transaction(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and id = $2`, clientID, id)
}

// bound is a place in a list.
type bound struct {
	createdAt int64
	id        string
}

// bounds returns where the list begins, exclusively, and where it ends, inclusively.
func (s selection) bounds() (newest, oldest bound) {
	newest = bound{createdAt: s.to}
	if after := s.page.After; after != (payout.Position{}) && micros(after.CreatedAt) < s.to {
		newest = bound{micros(after.CreatedAt), after.ID}
	}
	return newest, bound{createdAt: s.from}
}

// query returns the statement for a page with one row more than its limit, and the last row that it looks at; zero if it looks
// at all that follow.
func (s selection) query(ctx context.Context, r reads, columns string) (_ string, _ []any, last payout.Position, err error) {
	newest, oldest := s.bounds()
	n := s.page
	if n.Limit > 0 {
		n.Limit++
	}
	var q statement
	if len(s.filters) < 2 {
		text := `select ` + columns + q.rows(s, newest, oldest) + ` limit ` + q.add(limit(n))
		return text, q.args, payout.Position{}, nil
	}
	var end statement
	text := `select created_at, id` + end.rows(s, newest, oldest) + fmt.Sprintf(` limit 1 offset %d`, examined-1)
	at, more, err := oneAny(ctx, r, func(row scanner, p *payout.Position) error {
		return row.Scan(timeColumn{&p.CreatedAt}, &p.ID)
	}, text, end.args...)
	if err != nil {
		return "", nil, payout.Position{}, err
	}
	if more {
		last, oldest = at, bound{micros(at.CreatedAt), at.ID}
	}
	// The inner limit keeps the planner from the index of another filter, where these bounds may leave any number of rows.
	text = `select ` + columns + ` from (select *` + q.rows(s, newest, oldest) + ` limit ` + q.add(int64(math.MaxInt64)) + `) as found where ` +
		q.equal(s.filters[1:])
	return text + ` order by created_at desc, id desc limit ` + q.add(limit(n)), q.args, last, nil
}

// statement collects the arguments of a statement.
type statement struct{ args []any }

// add adds an argument and returns its mark.
func (q *statement) add(arg any) string {
	q.args = append(q.args, arg)
	return fmt.Sprintf("$%d", len(q.args))
}

// equal returns the condition that all filters are met.
func (q *statement) equal(filters []filter) string {
	conditions := make([]string, len(filters))
	for i, f := range filters {
		conditions[i] = f.column + ` = ` + q.add(f.value)
	}
	return strings.Join(conditions, ` and `)
}

// rows returns the end of a statement for the rows between two bounds that meet the first filter, newest first.
func (q *statement) rows(s selection, newest, oldest bound) string {
	first := append([]filter{{"client_id", string(s.clientID)}}, s.filters[:min(len(s.filters), 1)]...)
	return ` from ` + s.table + ` where ` + q.equal(first) + ` and (created_at, id) < (` + q.add(newest.createdAt) + `, ` + q.add(newest.id) + `)` +
		` and (created_at, id) >= (` + q.add(oldest.createdAt) + `, ` + q.add(oldest.id) + `) order by created_at desc, id desc`
}

// cut cuts a page that was read with one row more than its limit, and returns where the next one begins; last is where
// reading ended before the list did, else zero.
func cut[T any](page payout.Page, all []T, last payout.Position, at func(T) payout.Position) ([]T, payout.Position) {
	if page.Limit == 0 || len(all) <= page.Limit {
		return all, last
	}
	return all[:page.Limit], at(all[page.Limit-1])
}

// addUserDocuments reads the documents of users.
func (r reads) addUserDocuments(ctx context.Context, clientID payout.ClientID, users []payout.User) error {
	ids := make([]payout.UserID, len(users))
	at := make(map[payout.UserID]*payout.User, len(users))
	for i, u := range users {
		ids[i], at[u.ID] = u.ID, &users[i]
	}
	type row struct {
		userID   payout.UserID
		document payout.Document
	}
	in, args := inList(ids, clientID)
	rows, err := list(ctx, r, func(s scanner, v *row) error {
		return scanDocument(prefixed{s, &v.userID}, &v.document)
	}, `select user_id, `+documentColumns+` from documents
		where client_id = $1 and user_id in `+in+` and transaction_id is null order by user_id, position`, args...)
	for _, v := range rows {
		u := at[v.userID]
		u.Documents = append(u.Documents, v.document)
	}
	return err
}

// prefixed scans one column before those of another scan.
type prefixed struct {
	row   scanner
	first any
}

// Scan implements scanner.
func (p prefixed) Scan(dest ...any) error { return p.row.Scan(append([]any{p.first}, dest...)...) }
