package payout

import (
	"context"
	"time"
)

// UserFilter narrows the users of a client to those that meet all of it; empty fields are ignored.
type UserFilter struct {
	Email           string // exactly
	Status          KYCStatus
	ClientReference string
}

// TransactionFilter narrows the transactions of a client to those that meet all of it; empty fields are ignored.
type TransactionFilter struct {
	UserID          UserID
	Status          TransactionStatus
	DeliveryStatus  DeliveryStatus
	ClientReference string
	From, To        time.Time // created at From or later, and before To
}

// Users lists a page of the users of a client with their documents, newest first, and returns the position after which the
// next page begins, zero if there is none. With several filters, a page may be shorter than its limit and still be followed
// by another (D-70).
func (s *Service) Users(ctx context.Context, c Client, f UserFilter, page Page) ([]User, Position, error) {
	return s.store.Users(ctx, c.ID, f, page)
}

// ClientTransactions lists a page of the transactions of all users of a client, as Users does. It returns CodeBadRequest if
// the filter ends before it begins.
func (s *Service) ClientTransactions(
	ctx context.Context, c Client, f TransactionFilter, page Page,
) ([]Transaction, Position, error) {
	if !f.To.IsZero() && f.To.Before(f.From) {
		return nil, Position{}, NewError(CodeBadRequest, Violation{"query", "created_to", "must not be before created_from"})
	}
	return s.store.ClientTransactions(ctx, c.ID, f, page)
}
