package client

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Position is where an iteration ended, for another one that goes on from there.
type Position struct {
	Cursor *api.Cursor // for the parameters of the next iteration; nil for the first page
	Done   bool        // nothing is left; Cursor is nil
}

// CapturePosition keeps position up to date while an iterator runs, so that a later iteration, perhaps of another process, can
// go on from there. It misses nothing; entries of one page may come again.
//
// In the body of the loop, position is the page of the entry; after an error, the page that could not be read. After a break
// it is the page of the last entry, or the page that follows if that entry was the last one of its page: a loop that breaks
// after as many entries as a page has goes on with those that follow. A loop that breaks because it cannot handle an entry
// keeps a copy of the position that it sees in its body.
//
//	var shown []api.Transaction
//	var position client.Position
//	params := &api.ListTransactionsParams{Limit: new(int32(20)), Cursor: cursor}
//	for transaction, err := range c.Transactions(ctx, userID, params, client.CapturePosition(&position)) {
//		if err != nil {
//			return err
//		}
//		if shown = append(shown, transaction); len(shown) == 20 {
//			break
//		}
//	}
//	show(shown, position.Cursor) // for a link to the next page; nil after the last one
//
// A cursor may be used again, and is good for its own list only (decisions D-29 and D-59). Iterations that run at the same time need a
// Position each. In a call that is not an iteration, CapturePosition is an error before anything is sent.
func CapturePosition(position *Position) CallOption {
	return func(k *call) error {
		switch {
		case !k.paging:
			return errors.New("CapturePosition: this call is not an iterator")
		case position == nil:
			return errors.New("CapturePosition must not be nil")
		case k.position != nil:
			return errors.New("CapturePosition is given twice")
		}
		k.position = position
		return nil
	}
}

// paging returns the options of the call for a page. The header Next-Cursor is written to next, unless that is nil.
func paging(next *string, options []CallOption) []CallOption {
	return append([]CallOption{func(k *call) error {
		k.paging, k.next = true, next
		return nil
	}}, options...)
}

// positionOf returns what [CapturePosition] was given. Each call of the iterator reports what is wrong with the options.
func positionOf(o *operation, options []CallOption) *Position {
	k := &call{operation: o, paging: true}
	for _, option := range options {
		if option != nil {
			_ = option(k)
		}
	}
	return cmp.Or(k.position, &Position{})
}

// following returns the position at the end of a page, which has the cursor of the next one.
func following(next string) Position {
	if next == "" {
		return Position{Done: true}
	}
	return Position{Cursor: &next}
}

// Transactions iterates over all transactions of a user, newest first; a page is read when it is needed. Transactions
// created in the meantime do not affect the iteration (decision D-29).
//
//	for transaction, err := range c.Transactions(ctx, userID, nil) {
//		if err != nil {
//			return err
//		}
//		statuses[transaction.ID] = transaction.Status
//	}
//
// Limit of params is the length of a page, 1 to 100; Cursor is where to start. params may be nil; it is copied. An error
// comes with a zero transaction and ends the iteration. Each range starts over.
func (c *Client) Transactions(
	ctx context.Context, userID uuid.UUID, params *api.ListTransactionsParams, options ...CallOption,
) iter.Seq2[api.Transaction, error] {
	var first api.ListTransactionsParams
	if params != nil {
		first.Limit, first.Cursor = copied(params.Limit), copied(params.Cursor)
	}
	return objects(listTransactions, first.Cursor, options, func(cursor *api.Cursor, options []CallOption) ([]api.Transaction, *api.Cursor, error) {
		page, err := c.ListTransactions(ctx, userID, &api.ListTransactionsParams{Limit: first.Limit, Cursor: cursor}, options...)
		if err != nil {
			return nil, nil, err
		}
		return page.Items, page.NextCursor, nil
	})
}

// ClientTransactions iterates over the transactions of all the client's users that meet params, newest first, as
// [Client.Transactions] does over those of one user (decision D-70).
func (c *Client) ClientTransactions(
	ctx context.Context, params *api.ListClientTransactionsParams, options ...CallOption,
) iter.Seq2[api.Transaction, error] {
	var first api.ListClientTransactionsParams
	if params != nil {
		first = api.ListClientTransactionsParams{
			Status: copied(params.Status), DeliveryStatus: copied(params.DeliveryStatus), ClientReference: copied(params.ClientReference),
			CreatedFrom: copied(params.CreatedFrom), CreatedTo: copied(params.CreatedTo), Limit: copied(params.Limit), Cursor: copied(params.Cursor),
		}
	}
	return objects(listClientTransactions, first.Cursor, options, func(cursor *api.Cursor, options []CallOption) ([]api.Transaction, *api.Cursor, error) {
		at := first
		at.Cursor = cursor
		page, err := c.ListClientTransactions(ctx, &at, options...)
		if err != nil {
			return nil, nil, err
		}
		return page.Items, page.NextCursor, nil
	})
}

// Users iterates over the client's users that meet params, newest first, as [Client.Transactions] does over transactions
// (decision D-70).
func (c *Client) Users(
	ctx context.Context, params *api.ListUsersParams, options ...CallOption,
) iter.Seq2[api.User, error] {
	var first api.ListUsersParams
	if params != nil {
		first = api.ListUsersParams{
			Email: copied(params.Email), Status: copied(params.Status), ClientReference: copied(params.ClientReference),
			Limit: copied(params.Limit), Cursor: copied(params.Cursor),
		}
	}
	return objects(listUsers, first.Cursor, options, func(cursor *api.Cursor, options []CallOption) ([]api.User, *api.Cursor, error) {
		at := first
		at.Cursor = cursor
		page, err := c.ListUsers(ctx, &at, options...)
		if err != nil {
			return nil, nil, err
		}
		return page.Items, page.NextCursor, nil
	})
}

// objects iterates over a list whose pages are objects, with the cursor of the next one among their members.
func objects[T any](
	o *operation, first *api.Cursor, options []CallOption,
	read func(cursor *api.Cursor, options []CallOption) ([]T, *api.Cursor, error),
) iter.Seq2[T, error] {
	return pages(o, first, positionOf(o, options), func(cursor *api.Cursor) ([]T, string, error) {
		items, next, err := read(cursor, paging(nil, options))
		if next == nil {
			return items, "", err
		}
		return items, *next, err
	})
}

// FundingAccounts iterates over all funding accounts of a user, oldest first; a page is read when it is needed. params and
// errors are as for [Client.Transactions], but a page has 100 accounts unless Limit says otherwise. It needs a service of
// contract 1.3.0 (decision D-59).
func (c *Client) FundingAccounts(
	ctx context.Context, userID uuid.UUID, params *api.ListFundingAccountsParams, options ...CallOption,
) iter.Seq2[api.FundingAccount, error] {
	return arrays[api.FundingAccount](ctx, c, listFundingAccounts, (*arrayParams)(params), options, func(p *arrayParams) (*http.Request, error) {
		return api.NewListFundingAccountsRequest(c.base, userID, (*api.ListFundingAccountsParams)(p))
	})
}

// ReceiveUsers iterates over all receive users of a user, as [Client.FundingAccounts] does over funding accounts.
func (c *Client) ReceiveUsers(
	ctx context.Context, userID uuid.UUID, params *api.ListReceiveUsersParams, options ...CallOption,
) iter.Seq2[api.ReceiveUser, error] {
	return arrays[api.ReceiveUser](ctx, c, listReceiveUsers, (*arrayParams)(params), options, func(p *arrayParams) (*http.Request, error) {
		return api.NewListReceiveUsersRequest(c.base, userID, (*api.ListReceiveUsersParams)(p))
	})
}

// BankAccounts iterates over all bank accounts of a receive user, as [Client.FundingAccounts] does over funding accounts.
func (c *Client) BankAccounts(
	ctx context.Context, userID, receiveUserID uuid.UUID, params *api.ListBankAccountsParams, options ...CallOption,
) iter.Seq2[api.BankAccount, error] {
	return arrays[api.BankAccount](ctx, c, listBankAccounts, (*arrayParams)(params), options, func(p *arrayParams) (*http.Request, error) {
		return api.NewListBankAccountsRequest(c.base, userID, receiveUserID, (*api.ListBankAccountsParams)(p))
	})
}

// WalletAccounts iterates over all wallet accounts of a receive user, as [Client.FundingAccounts] does over funding accounts.
func (c *Client) WalletAccounts(
	ctx context.Context, userID, receiveUserID uuid.UUID, params *api.ListWalletAccountsParams, options ...CallOption,
) iter.Seq2[api.WalletAccount, error] {
	return arrays[api.WalletAccount](ctx, c, listWalletAccounts, (*arrayParams)(params), options, func(p *arrayParams) (*http.Request, error) {
		return api.NewListWalletAccountsRequest(c.base, userID, receiveUserID, (*api.ListWalletAccountsParams)(p))
	})
}

// arrayParams are the parameters of each list whose pages are arrays.
type arrayParams api.ListFundingAccountsParams

// arrays iterates over a list whose pages are arrays, with the cursor of the next one in a header.
func arrays[T any](
	ctx context.Context, c *Client, o *operation, params *arrayParams, options []CallOption,
	request func(*arrayParams) (*http.Request, error),
) iter.Seq2[T, error] {
	first := arrayParams{Limit: new(int32(100))} // without a limit, the service answers with the whole list
	if params != nil {
		first.Limit, first.Cursor = cmp.Or(copied(params.Limit), first.Limit), copied(params.Cursor)
	}
	return pages(o, first.Cursor, positionOf(o, options), func(cursor *api.Cursor) (page []T, next string, err error) {
		r, err := request(&arrayParams{Limit: first.Limit, Cursor: cursor})
		page, err = list[T](ctx, c, o, r, err, paging(&next, options))
		return page, next, err
	})
}

// pages iterates over all entries from a cursor on. read returns the page at a cursor, and the cursor of the next one.
func pages[T any](
	o *operation, first *api.Cursor, position *Position, read func(cursor *api.Cursor) ([]T, string, error),
) iter.Seq2[T, error] {
	*position = Position{Cursor: copied(first)}
	return func(yield func(T, error) bool) {
		var none T
		seen := map[string]bool{}
		for at := first; ; {
			*position = Position{Cursor: copied(at)}
			page, next, err := read(at)
			if err != nil {
				yield(none, err)
				return
			}
			for i, entry := range page {
				if !yield(entry, nil) {
					if i == len(page)-1 {
						*position = following(next)
					}
					return
				}
			}
			*position = following(next)
			if at != nil {
				seen[*at] = true
			}
			switch {
			case next == "":
				return
			case seen[next]:
				yield(none, &Error{Operation: o.id, Message: "the service repeats a page"})
				return
			}
			at = &next
		}
	}
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
