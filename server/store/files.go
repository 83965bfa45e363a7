package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"math/big"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const fileColumns = `f.id, f.direction, f.sha256, f.name, f.actor, f.at, f.lines, f.totals`

func scanFile(s scanner, f *payout.File, more ...any) error {
	return s.Scan(append([]any{
		&f.ID, &f.Direction, &f.SHA256, &f.Name, &f.Actor, timeColumn{&f.At}, &f.Lines, totalsOf(&f.Totals),
	}, more...)...)
}

// totalsOf scans payout_files.totals: numbers in minor units by currency, of any size.
func totalsOf(into *payout.Totals) sql.Scanner {
	return jsonColumn[map[string]json.Number, payout.Totals]{into, func(row map[string]json.Number) payout.Totals {
		totals := payout.Totals{}
		for currency, text := range row {
			totals[currency], _ = new(big.Int).SetString(text.String(), 10)
		}
		return totals
	}}
}

// TakeFileTurn waits for other writes that took a turn.
func (t tx) TakeFileTurn(ctx context.Context) error {
	// An update that changes nothing locks the row on both engines.
	_, err := t.exec(ctx, `update payout_file_turn set id = id`)
	return err
}

// File reads a file by its content.
func (r reads) File(ctx context.Context, direction payout.FileDirection, sha256 string) (payout.File, bool, error) {
	return one(ctx, r, func(s scanner, f *payout.File) error { return scanFile(s, f) },
		`select `+fileColumns+` from payout_files f where f.direction = $1 and f.sha256 = $2`, string(direction), sha256)
}

// InsertFile writes a file.
func (t tx) InsertFile(ctx context.Context, f payout.File) error {
	_, err := t.exec(ctx, `insert into payout_files (id, direction, sha256, name, actor, at, lines, totals)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		f.ID, string(f.Direction), f.SHA256, f.Name, f.Actor, micros(f.At), f.Lines, jsonText(f.Totals))
	return err
}

// SetFileTotals writes the number of lines and the totals of a file.
func (t tx) SetFileTotals(ctx context.Context, f payout.File) error {
	_, err := t.exec(ctx, `update payout_files set lines = $2, totals = $3 where id = $1`, f.ID, f.Lines, jsonText(f.Totals))
	return err
}

// InsertFileLine notes the line of a transaction and returns true, or false without writing if the file has another one.
func (t tx) InsertFileLine(
	ctx context.Context, clientID payout.ClientID, transactionID payout.TransactionID, fileID payout.FileID, line int,
) (bool, error) {
	n, err := t.exec(ctx, `insert into payout_file_lines (client_id, transaction_id, file_id, line) values ($1, $2, $3, $4)
		on conflict do nothing`, clientID, transactionID, fileID, line)
	return n == 1, err
}

// FileUse returns the last line of another file of a direction that names a transaction.
func (r reads) FileUse(
	ctx context.Context, clientID payout.ClientID, id payout.TransactionID, direction payout.FileDirection, except payout.FileID,
) (payout.FileUse, bool, error) {
	uses, err := r.TransactionFiles(ctx, clientID, id)
	uses = slices.DeleteFunc(uses, func(u payout.FileUse) bool { return u.Direction != direction || u.ID == except })
	if err != nil || len(uses) == 0 {
		return payout.FileUse{}, false, err
	}
	return uses[len(uses)-1], true, nil
}

// TransactionFiles lists the lines of files that name a transaction, oldest first.
func (r reads) TransactionFiles(ctx context.Context, clientID payout.ClientID, id payout.TransactionID) ([]payout.FileUse, error) {
	return list(ctx, r, func(s scanner, u *payout.FileUse) error { return scanFile(s, &u.File, &u.Line) },
		`select `+fileColumns+`, l.line from payout_file_lines l join payout_files f on f.id = l.file_id
		where l.client_id = $1 and l.transaction_id = $2 order by f.at, f.id`, clientID, id)
}

// LockTransactions reads those of the transactions that exist, and locks them against other writes until this one ends.
func (t tx) LockTransactions(
	ctx context.Context, clientID payout.ClientID, ids []payout.TransactionID,
) ([]payout.Transaction, error) {
	in, args := inList(ids, clientID)
	return t.transactions(ctx, clientID, `select `+transactionColumns+` from transactions
		where client_id = $1 and id in `+in+` order by id`+t.engine.locked, args...)
}
