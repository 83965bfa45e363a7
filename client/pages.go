package client

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

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
	return pages(listTransactions, first.Cursor, func(cursor *api.Cursor) ([]api.Transaction, string, error) {
		page, err := c.ListTransactions(ctx, userID, &api.ListTransactionsParams{Limit: first.Limit, Cursor: cursor}, options...)
		if err != nil {
			return nil, "", err
		}
		var next string
		if page.NextCursor != nil {
			next = *page.NextCursor
		}
		return page.Items, next, nil
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
	return pages(o, first.Cursor, func(cursor *api.Cursor) (page []T, next string, err error) {
		r, err := request(&arrayParams{Limit: first.Limit, Cursor: cursor})
		page, err = list[T](ctx, c, o, r, err, append(slices.Clip(options), func(k *call) error {
			k.next = &next
			return nil
		}))
		return page, next, err
	})
}

// pages iterates over all entries from a cursor on. read returns the page at a cursor, and the cursor of the next one.
func pages[T any](o *operation, first *api.Cursor, read func(cursor *api.Cursor) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		seen := map[string]bool{}
		for at := first; ; {
			page, next, err := read(at)
			if err != nil {
				yield(none, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
			}
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
