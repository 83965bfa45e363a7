package store

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const transactionColumns = `id, user_id, created_at, status, delivery_status, from_amount, from_currency, to_amount,
	to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes,
	receive_user_id, payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver, updated_at, status_reason,
	required_information, client_reference, request_id`

func scanTransaction(s scanner, t *payout.Transaction) error {
	var rate string
	var updated sql.NullInt64
	err := s.Scan(&t.ID, &t.UserID, timeColumn{&t.CreatedAt}, &t.Status, &t.DeliveryStatus, &t.FromAmount,
		&t.FromCurrency, &t.ToAmount, &t.ToCurrency, &t.FeeAmount, &t.BonusAmount, &rate, &t.FromFundID, &t.FundingType,
		&t.Destination, notesOf(&t.Notes), &t.To.ReceiveUserID, &t.To.Method, &t.To.Mode, &t.To.FundID, &t.To.PayerID,
		&t.To.PickupLocation, receiverOf(&t.Receiver), &updated, &t.StatusReason, textsColumn(&t.RequiredInformation),
		textOrNull{&t.ClientReference}, textOrNull{&t.RequestID})
	if err != nil {
		return err
	}
	t.UpdatedAt = updatedAt(*t, updated)
	t.ExchangeRate, err = decimal.Parse(rate)
	return err
}

// updatedAt returns when a transaction last changed. Before migration 5 none did.
func updatedAt(t payout.Transaction, column sql.NullInt64) time.Time {
	if !column.Valid {
		return t.CreatedAt
	}
	return fromMicros(column.Int64)
}

// InsertTransaction writes the transaction and its documents.
func (t tx) InsertTransaction(ctx context.Context, clientID payout.ClientID, v payout.Transaction) error {
	if err := t.execLater(ctx, `insert into transactions (client_id, `+transactionColumns+`)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
			$24, $25, $26, $27, $28, $29)`,
		clientID, v.ID, v.UserID, micros(v.CreatedAt), string(v.Status), string(v.DeliveryStatus), v.FromAmount, v.FromCurrency,
		v.ToAmount, v.ToCurrency, v.FeeAmount, v.BonusAmount, v.ExchangeRate.String(), v.FromFundID, v.FundingType,
		v.Destination, jsonText(notesRow(v.Notes)), v.To.ReceiveUserID, string(v.To.Method), string(v.To.Mode), v.To.FundID,
		v.To.PayerID, v.To.PickupLocation, jsonText(receiverRow(v.Receiver)), micros(v.UpdatedAt), string(v.StatusReason),
		jsonText(append([]string{}, v.RequiredInformation...)), nullIfEmpty(v.ClientReference), nullIfEmpty(v.RequestID)); err != nil {
		return err
	}
	return t.insertDocuments(ctx, clientID, v.UserID, &v.ID, 0, v.Documents)
}

// LockTransaction reads a transaction of a user and locks it against other writes until this one ends.
func (t tx) LockTransaction(
	ctx context.Context, clientID payout.ClientID, userID payout.UserID, id payout.TransactionID,
) (payout.Transaction, bool, error) {
	return t.transaction(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and id = $3 and user_id = $2`+t.engine.locked, clientID, userID, id)
}

// SetTransactionStatus writes status, delivery status, reason and time of change of a transaction.
func (t tx) SetTransactionStatus(ctx context.Context, clientID payout.ClientID, v payout.Transaction) error {
	return t.execLater(ctx, `update transactions set status = $3, delivery_status = $4, status_reason = $5, updated_at = $6
		where client_id = $1 and id = $2`,
		clientID, v.ID, string(v.Status), string(v.DeliveryStatus), string(v.StatusReason), micros(v.UpdatedAt))
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
	return r.transactions(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and user_id = $2 and (created_at, id) < ($3, $4)
		order by created_at desc, id desc limit $5`, clientID, userID, newestMicros(page.After), page.After.ID, limit(page))
}

// newestMicros returns the time of a position in a list that is newest first; it starts at the greatest.
func newestMicros(p payout.Position) int64 {
	if p == (payout.Position{}) {
		return math.MaxInt64
	}
	return micros(p.CreatedAt)
}

// transactions runs a query for transactions, and others for what belongs to all of them.
func (r reads) transactions(ctx context.Context, clientID payout.ClientID, query string, args ...any) ([]payout.Transaction, error) {
	all, err := list(ctx, r, scanTransaction, query, args...)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if err := r.addDocuments(ctx, clientID, all); err != nil {
		return nil, err
	}
	return all, r.dropVerified(ctx, clientID, all)
}

// addDocuments adds the documents of the transactions.
func (r reads) addDocuments(ctx context.Context, clientID payout.ClientID, all []payout.Transaction) error {
	ids := make([]payout.TransactionID, len(all))
	at := make(map[payout.TransactionID]*payout.Transaction, len(all))
	for i, t := range all {
		ids[i], at[t.ID] = t.ID, &all[i]
	}
	type row struct {
		transactionID payout.TransactionID
		document      payout.Document
	}
	in, args := inList(ids, clientID)
	rows, err := list(ctx, r, func(s scanner, v *row) error {
		return s.Scan(&v.transactionID, &v.document.ID, &v.document.Type)
	}, `select transaction_id, id, type from documents
		where client_id = $1 and transaction_id in `+in+` order by transaction_id, position`, args...)
	for _, v := range rows {
		t := at[v.transactionID]
		t.Documents = append(t.Documents, v.document)
	}
	return err
}

// dropVerified leaves of the required information, which is stored as it was at creation, what is not VERIFIED yet; nothing
// unless the transaction is INITIATED (D-66).
func (r reads) dropVerified(ctx context.Context, clientID payout.ClientID, all []payout.Transaction) error {
	var users []payout.UserID
	for i := range all {
		t := &all[i]
		if t.Status != payout.StatusInitiated || len(t.RequiredInformation) == 0 {
			t.RequiredInformation = nil
		} else if !slices.Contains(users, t.UserID) {
			users = append(users, t.UserID)
		}
	}
	if len(users) == 0 {
		return nil
	}
	type verified struct {
		userID payout.UserID
		tag    string
	}
	in, args := inList(users, clientID, string(payout.CIPVerified))
	rows, err := list(ctx, r, func(s scanner, v *verified) error { return s.Scan(&v.userID, &v.tag) },
		`select user_id, tag from cip_tags where client_id = $1 and status = $2 and user_id in `+in, args...)
	if err != nil {
		return err
	}
	for i := range all {
		t := &all[i]
		t.RequiredInformation = slices.DeleteFunc(t.RequiredInformation,
			func(tag string) bool { return slices.Contains(rows, verified{t.UserID, tag}) })
		if len(t.RequiredInformation) == 0 {
			t.RequiredInformation = nil
		}
	}
	return nil
}
