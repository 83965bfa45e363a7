package store

import (
	"context"
	"math"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const transactionColumns = `id, user_id, created_at, status, delivery_status, from_amount, from_currency, to_amount,
	to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes,
	receive_user_id, payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver`

func scanTransaction(s scanner, t *payout.Transaction) error {
	var rate string
	err := s.Scan(&t.ID, &t.UserID, timeColumn{&t.CreatedAt}, &t.Status, &t.DeliveryStatus, &t.FromAmount,
		&t.FromCurrency, &t.ToAmount, &t.ToCurrency, &t.FeeAmount, &t.BonusAmount, &rate, &t.FromFundID, &t.FundingType,
		&t.Destination, notesOf(&t.Notes), &t.To.ReceiveUserID, &t.To.Method, &t.To.Mode, &t.To.FundID, &t.To.PayerID,
		&t.To.PickupLocation, receiverOf(&t.Receiver))
	if err != nil {
		return err
	}
	t.ExchangeRate, err = decimal.Parse(rate)
	return err
}

// InsertTransaction writes the transaction and its documents.
func (t tx) InsertTransaction(ctx context.Context, clientID payout.ClientID, v payout.Transaction) error {
	if _, err := t.exec(ctx, `insert into transactions (client_id, `+transactionColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
			$24)`,
		clientID, v.ID, v.UserID, micros(v.CreatedAt), v.Status, v.DeliveryStatus, v.FromAmount, v.FromCurrency,
		v.ToAmount, v.ToCurrency, v.FeeAmount, v.BonusAmount, v.ExchangeRate.String(), v.FromFundID, v.FundingType,
		v.Destination, jsonText(notesRow(v.Notes)), v.To.ReceiveUserID, string(v.To.Method), string(v.To.Mode), v.To.FundID,
		v.To.PayerID, v.To.PickupLocation, jsonText(receiverRow(v.Receiver))); err != nil {
		return err
	}
	return t.insertDocuments(ctx, clientID, v.UserID, &v.ID, v.Documents)
}

// Transaction reads a transaction of a user.
func (r reads) Transaction(ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.TransactionID) (payout.Transaction, bool, error) {
	return r.transaction(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and id = $3 and user_id = $2`, clientID, userID, id)
}

func (r reads) transaction(ctx context.Context, clientID payout.ClientID, query string, args ...any) (payout.Transaction, bool, error) {
	all, err := r.transactions(ctx, clientID, query, args...)
	if err != nil || len(all) == 0 {
		return payout.Transaction{}, false, err
	}
	return all[0], true, nil
}

// Transactions lists a page of the transactions of a user, newest first.
func (r reads) Transactions(
	ctx context.Context, clientID payout.ClientID, userID payout.UserID, page payout.Page,
) ([]payout.Transaction, error) {
	createdAt := int64(math.MaxInt64)
	if page.After != (payout.Position{}) {
		createdAt = micros(page.After.CreatedAt)
	}
	return r.transactions(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and user_id = $2 and (created_at, id) < ($3, $4)
		order by created_at desc, id desc limit $5`, clientID, userID, createdAt, page.After.ID, limit(page))
}

// transactions runs a query for transactions, and a second one for the documents of all of them.
func (r reads) transactions(ctx context.Context, clientID payout.ClientID, query string, args ...any) ([]payout.Transaction, error) {
	all, err := list(ctx, r, scanTransaction, query, args...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	ids := make([]payout.TransactionID, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	type row struct {
		transactionID payout.TransactionID
		document      payout.Document
	}
	in, documentArgs := inList(ids, clientID)
	rows, err := list(ctx, r, func(s scanner, v *row) error {
		return s.Scan(&v.transactionID, &v.document.ID, &v.document.Type)
	}, `select transaction_id, id, type from documents
		where client_id = $1 and transaction_id in `+in+` order by transaction_id, position`, documentArgs...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		for _, v := range rows {
			if v.transactionID == all[i].ID {
				all[i].Documents = append(all[i].Documents, v.document)
			}
		}
	}
	return all, nil
}
