package client

import (
	"context"
	"iter"

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
	return func(yield func(api.Transaction, error) bool) {
		seen := map[string]bool{}
		for at := first; ; {
			page, err := c.ListTransactions(ctx, userID, &at, options...)
			if err != nil {
				yield(api.Transaction{}, err)
				return
			}
			for _, transaction := range page.Items {
				if !yield(transaction, nil) {
					return
				}
			}
			if at.Cursor != nil {
				seen[*at.Cursor] = true
			}
			switch next := page.NextCursor; {
			case next == nil || *next == "":
				return
			case seen[*next]:
				yield(api.Transaction{}, &Error{Operation: listTransactions.id, Message: "the service repeats a page"})
				return
			}
			at.Cursor = page.NextCursor
		}
	}
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
