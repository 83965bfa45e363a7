package httpapi

import (
	"context"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// PreviewTransaction implements POST /users/{user_id}/transactions/preview.
func (h handlers) PreviewTransaction(
	ctx context.Context, r gen.PreviewTransactionRequestObject,
) (gen.PreviewTransactionResponseObject, error) {
	n, err := newTransaction(r.Body)
	if err != nil {
		return nil, err
	}
	forget(ctx, &r.Body.PhysicalDocuments)
	v, err := h.service.PreviewTransaction(ctx, clientOf(ctx), payout.UserID(r.UserID.String()), n)
	if err != nil {
		return nil, err
	}
	return gen.PreviewTransaction200JSONResponse{Body: preview(v)}, nil
}

func preview(v payout.Preview) api.TransactionPreview {
	t := v.Transaction
	return api.TransactionPreview{
		UserID: toID(t.UserID), Status: api.TransactionStatus(t.Status), DeliveryStatus: api.DeliveryStatus(t.DeliveryStatus),
		FromAmount: major(t.FromAmount, t.FromCurrency), FromCurrency: t.FromCurrency,
		ToAmount: major(t.ToAmount, t.ToCurrency), ToCurrency: t.ToCurrency,
		FeeAmount: major(t.FeeAmount, t.FromCurrency), BonusAmount: major(t.BonusAmount, t.FromCurrency),
		ExchangeRate: wire.AmountOf(t.ExchangeRate), FromFundID: toID(t.FromFundID), FundingSourceType: t.FundingType,
		Note: t.Notes.Note, Purpose: t.Notes.Purpose, CustomPurpose: t.Notes.CustomPurpose, IPAddress: t.Notes.IPAddress,
		ClientReference: optional(t.ClientReference),
		PhysicalDocuments: each(t.Documents, func(d payout.Document) api.TransactionPreviewDocument {
			return api.TransactionPreviewDocument{DocumentType: d.Type}
		}),
		To: transactionReceiveSide(t), RequiredInformation: append([]api.CipTag{}, t.RequiredInformation...),
		RemainingLimit: api.RemainingLimit{
			AnnualLimit:  major(v.Remaining.Annual, t.FromCurrency),
			MonthlyLimit: major(v.Remaining.Monthly, t.FromCurrency),
			DailyLimit:   major(v.Remaining.Daily, t.FromCurrency),
		},
	}
}
