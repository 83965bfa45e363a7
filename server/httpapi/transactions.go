package httpapi

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// CreateTransaction implements POST /users/{user_id}/transactions.
func (h handlers) CreateTransaction(
	ctx context.Context, r gen.CreateTransactionRequestObject,
) (gen.CreateTransactionResponseObject, error) {
	n, err := newTransaction(r.Body)
	if err != nil {
		return nil, err
	}
	n.RequestID = callerOf(ctx).requestID
	key := idempotency(ctx, r.Params.XIdempotencyKey)
	forget(ctx, &r.Body.PhysicalDocuments)
	t, replayed, err := h.service.CreateTransaction(ctx, clientOf(ctx), key, payout.UserID(r.UserID.String()), n)
	if err != nil {
		return nil, err
	}
	headers := gen.CreateTransaction200ResponseHeaders{IdempotentReplayed: optional(replayed)}
	return gen.CreateTransaction200JSONResponse{Body: transaction(t), Headers: headers}, nil
}

// ListTransactions implements GET /users/{user_id}/transactions.
func (h handlers) ListTransactions(
	ctx context.Context, r gen.ListTransactionsRequestObject,
) (gen.ListTransactionsResponseObject, error) {
	page, err := boundedPageOf(r.Params.Limit, r.Params.Cursor)
	if err != nil {
		return nil, err
	}
	all, next, err := h.service.Transactions(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), page)
	if err != nil {
		return nil, err
	}
	return gen.ListTransactions200JSONResponse{Body: api.TransactionPage{
		Items: each(all, transaction), NextCursor: toCursor(next),
	}}, nil
}

// GetTransaction implements GET /users/{user_id}/transactions/{transaction_id}.
func (h handlers) GetTransaction(
	ctx context.Context, r gen.GetTransactionRequestObject,
) (gen.GetTransactionResponseObject, error) {
	t, err := h.service.Transaction(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), payout.TransactionID(r.TransactionID.String()))
	if err != nil {
		return nil, err
	}
	return gen.GetTransaction200JSONResponse{Body: transaction(t)}, nil
}

// CancelTransaction implements POST /users/{user_id}/transactions/{transaction_id}/cancel.
func (h handlers) CancelTransaction(
	ctx context.Context, r gen.CancelTransactionRequestObject,
) (gen.CancelTransactionResponseObject, error) {
	t, err := h.service.CancelTransaction(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), payout.TransactionID(r.TransactionID.String()))
	if err != nil {
		return nil, err
	}
	return gen.CancelTransaction200JSONResponse{Body: transaction(t)}, nil
}

// SetTransactionStatus implements POST /sandbox/users/{user_id}/transactions/{transaction_id}/status.
func (h handlers) SetTransactionStatus(
	ctx context.Context, r gen.SetTransactionStatusRequestObject,
) (gen.SetTransactionStatusResponseObject, error) {
	move := payout.Move{Status: payout.TransactionStatus(r.Body.Status), By: payout.ActorSandbox}
	if r.Body.DeliveryStatus != nil {
		move.Delivery = payout.DeliveryStatus(*r.Body.DeliveryStatus)
	}
	if r.Body.StatusReason != nil {
		move.Reason = payout.StatusReason(*r.Body.StatusReason)
	}
	t, err := h.service.MoveTransaction(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), payout.TransactionID(r.TransactionID.String()), move)
	if err != nil {
		return nil, err
	}
	return gen.SetTransactionStatus200JSONResponse{Body: transaction(t)}, nil
}

func newTransaction(b *api.TransactionRequest) (payout.NewTransaction, error) {
	to, err := receiveSide(b.To)
	if err != nil {
		return payout.NewTransaction{}, err
	}
	n := payout.NewTransaction{
		FromAmount: b.FromAmount.Decimal(), ExchangeRate: b.ExchangeRate.Decimal(),
		FromCurrency: b.FromCurrency, ToCurrency: b.ToCurrency, FromFundID: payout.FundingAccountID(b.FromFundID.String()),
		FundingType: text(b.FundingSourceType), ClientReference: text(b.ClientReference), To: to,
		Notes: payout.Notes{
			Note: b.Note, Purpose: b.Purpose, CustomPurpose: b.CustomPurpose, RemittancePurpose: b.RemittancePurpose,
			IPAddress: b.IPAddress,
		},
	}
	if b.ToAmount != nil {
		amount := b.ToAmount.Decimal()
		n.ToAmount = &amount
	}
	if b.FeeAmount != nil {
		n.FeeAmount = b.FeeAmount.Decimal()
	}
	for _, d := range b.PhysicalDocuments {
		n.Documents = append(n.Documents, physical(d.DocumentType, d.DocumentValue))
	}
	return n, nil
}

// receiveSide converts the variant that payout_method names. The variants differ only in the members that they may have,
// which the contract has checked.
func receiveSide(side api.ReceiveSide) (payout.ReceiveSide, error) {
	var to struct {
		ID              uuid.UUID              `json:"id"`
		PayoutMethod    payout.PayoutMethod    `json:"payout_method"`
		CalculationMode payout.CalculationMode `json:"calculation_mode"`
		FundID          *uuid.UUID             `json:"fund_id"`
		PayerID         int64                  `json:"payer_id"`
		PickupLocation  int64                  `json:"pickup_location"`
	}
	text, err := side.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	if err != nil {
		return payout.ReceiveSide{}, fmt.Errorf("a checked receive side does not fit %T", to)
	}
	out := payout.ReceiveSide{
		ReceiveUserID: payout.ReceiveUserID(to.ID.String()), Method: to.PayoutMethod, Mode: to.CalculationMode, PayerID: to.PayerID,
		PickupLocation: to.PickupLocation,
	}
	if out.Mode == "" {
		out.Mode = payout.SenderAmount
	}
	if to.FundID != nil {
		out.FundID = payout.ReceiveAccountID(to.FundID.String())
	}
	return out, nil
}

func transaction(t payout.Transaction) api.Transaction {
	updated := timestamp(t.UpdatedAt)
	out := api.Transaction{
		ID: toID(t.ID), UserID: toID(t.UserID), CreatedAt: timestamp(t.CreatedAt),
		UpdatedAt: &updated, RequiredInformation: append([]api.CipTag{}, t.RequiredInformation...),
		Status: api.TransactionStatus(t.Status), DeliveryStatus: api.DeliveryStatus(t.DeliveryStatus),
		FromAmount: major(t.FromAmount, t.FromCurrency), FromCurrency: t.FromCurrency,
		ToAmount: major(t.ToAmount, t.ToCurrency), ToCurrency: t.ToCurrency,
		FeeAmount: major(t.FeeAmount, t.FromCurrency), BonusAmount: major(t.BonusAmount, t.FromCurrency),
		ExchangeRate: wire.AmountOf(t.ExchangeRate), FromFundID: toID(t.FromFundID), FundingSourceType: t.FundingType,
		Note: t.Notes.Note, Purpose: t.Notes.Purpose, CustomPurpose: t.Notes.CustomPurpose, IPAddress: t.Notes.IPAddress,
		ClientReference: optional(t.ClientReference),
		PhysicalDocuments: each(t.Documents, func(d payout.Document) api.TransactionDocument {
			return api.TransactionDocument{ID: toID(d.ID), DocumentType: d.Type}
		}),
		To: transactionReceiveSide(t),
	}
	if t.StatusReason != "" {
		reason := api.StatusReason(t.StatusReason)
		out.StatusReason = &reason
	}
	return out
}

func transactionReceiveSide(t payout.Transaction) api.TransactionReceiveSide {
	to := api.TransactionReceiveSide{
		ID: toID(t.To.ReceiveUserID), FirstName: t.Receiver.FirstName, LastName: optional(t.Receiver.LastName),
		Email: optional(t.Receiver.Email), MobilePhone: optional(t.Receiver.MobilePhone),
		AddressLine1: optional(t.Receiver.AddressLine1), CalculationMode: api.CalculationMode(t.To.Mode),
		PayoutMethod: api.PayoutMethod(t.To.Method),
	}
	if t.To.FundID != "" {
		id := toID(t.To.FundID)
		to.FundID = &id
	}
	// The payer of a wallet is that of its account; payer_id is only in responses for the other methods (D-36).
	if t.To.PayerID != 0 && t.To.Method != payout.Wallet {
		to.PayerID = &t.To.PayerID
	}
	return to
}
