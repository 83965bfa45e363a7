package httpapi

import (
	"context"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// ListUsers implements GET /users.
func (h handlers) ListUsers(ctx context.Context, r gen.ListUsersRequestObject) (gen.ListUsersResponseObject, error) {
	page, err := boundedPageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.Users(ctx, clientOf(ctx), payout.UserFilter{
		Email: text(r.Params.Email), Status: payout.KYCStatus(text(r.Params.Status)), ClientReference: text(r.Params.ClientReference),
	}, page)
	if err != nil {
		return nil, err
	}
	return gen.ListUsers200JSONResponse{Body: api.UserPage{Items: each(all, user), NextCursor: toCursor(next)}}, nil
}

// ListClientTransactions implements GET /transactions.
func (h handlers) ListClientTransactions(
	ctx context.Context, r gen.ListClientTransactionsRequestObject,
) (gen.ListClientTransactionsResponseObject, error) {
	page, err := boundedPageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	from, err := timeBound("created_from", r.Params.CreatedFrom)
	if err != nil {
		return nil, err
	}
	to, err := timeBound("created_to", r.Params.CreatedTo)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.ClientTransactions(ctx, clientOf(ctx), payout.TransactionFilter{
		Status:          payout.TransactionStatus(text(r.Params.Status)),
		DeliveryStatus:  payout.DeliveryStatus(text(r.Params.DeliveryStatus)),
		ClientReference: text(r.Params.ClientReference), From: from, To: to,
	}, page)
	if err != nil {
		return nil, err
	}
	return gen.ListClientTransactions200JSONResponse{Body: api.TransactionPage{
		Items: each(all, transaction), NextCursor: toCursor(next),
	}}, nil
}

// timeBound returns a bound of a list by time, zero if it was not sent. A date is 00:00 UTC of that day (D-70).
func timeBound(name string, b *api.TimeBound) (time.Time, error) {
	if b == nil {
		return time.Time{}, nil
	}
	layout := time.DateOnly
	if len(*b) > len(layout) {
		layout = "2006-01-02T15:04:05.000000"
	}
	t, err := time.Parse(layout, *b)
	if err != nil {
		err = payout.NewError(payout.CodeBadRequest, payout.Violation{In: "query", Field: name, Reason: "must be a time that exists"})
	}
	return t, err
}
