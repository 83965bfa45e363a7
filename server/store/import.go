package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// importRows is the number of rows per statement. Beyond some hundred parameters, of which a row has at most 8, SQLite takes
// longer to look up each by name than another statement would cost.
const importRows = 40

// Import has the options of an import. By default it writes new and changed rows and leaves all others.
type Import struct {
	Replace  bool           // also remove the rows that are not in the import
	DryRun   bool           // roll everything back
	Progress func(rows int) // called with the number of rows written since the last call, negative if they are written again; may be nil
}

// Imported counts the rows of an import.
type Imported struct {
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Removed   int `json:"removed"`
}

// ImportError rejects an import that would break references of other rows. Nothing has been written.
type ImportError struct{ Reasons []string }

// Error returns a line for each reason.
func (e *ImportError) Error() string { return strings.Join(e.Reasons, "\n") }

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

// referenceTable is a table of reference data. None of its columns is nullable.
type referenceTable[T any] struct {
	name, one string
	columns   string
	scan      func(scanner, *T) error
	id        func(T) int64
	args      func(T) []any
	referred  string // selects the ids that other rows refer to; empty if none can
}

var stateTable = referenceTable[payout.State]{
	name: "states", one: "state", columns: stateColumns, scan: scanState,
	id:   func(v payout.State) int64 { return v.ID },
	args: func(v payout.State) []any { return []any{v.ID, v.Country, v.Code, v.Name} },
}

var payerTable = referenceTable[payout.Payer]{
	name: "payers", one: "payer", columns: payerColumns, scan: scanPayer,
	id: func(p payout.Payer) int64 { return p.ID },
	args: func(p payout.Payer) []any {
		return []any{
			p.ID, p.Code, p.Name, p.Country, string(p.Method), p.Currency, networkLimitsText(p.NetworkLimits),
			pickupLocationsText(p.PickupLocations),
		}
	},
	referred: `select payer_id from wallet_accounts union select payer_id from transactions where payer_id <> 0`,
}

var bankTable = referenceTable[payout.Bank]{
	name: "banks", one: "bank", columns: bankColumns, scan: scanBank,
	id: func(b payout.Bank) int64 { return b.ID },
	args: func(b payout.Bank) []any {
		return []any{
			b.ID, b.Name, b.Country, branchesText(b.Branches), jsonText(b.TxnSupportedTypes), jsonText(b.Currencies),
		}
	},
	referred: `select distinct bank_id from bank_accounts`,
}

// ImportPayers writes payers, each id once, all or nothing. It returns ImportError if Replace would remove a payer that
// wallet accounts or transactions refer to.
func (s *Store) ImportPayers(ctx context.Context, payers []payout.Payer, how Import) (Imported, error) {
	return importRowsOf(ctx, s, payerTable, payers, how, nil)
}

// ImportBanks writes banks, each id once, all or nothing. It returns ImportError if Replace would remove a bank that bank
// accounts refer to.
func (s *Store) ImportBanks(ctx context.Context, banks []payout.Bank, how Import) (Imported, error) {
	return importRowsOf(ctx, s, bankTable, banks, how, nil)
}

// ImportStates writes states, each id and each code of a country once, all or nothing. It returns ImportError if a
// state that is not in the import has the code of one that is.
func (s *Store) ImportStates(ctx context.Context, states []payout.State, how Import) (Imported, error) {
	return importRowsOf(ctx, s, stateTable, states, how, tx.freeCodes)
}

// importRowsOf removes rows if Replace is set, calls prepare, and writes the rows in the order of their ids, so that
// concurrent imports do not deadlock.
func importRowsOf[T any](
	ctx context.Context, s *Store, table referenceTable[T], rows []T, how Import,
	prepare func(tx, context.Context, []T) error,
) (Imported, error) {
	var done Imported
	reported := 0
	progress := func(rows int) {
		reported += rows
		if how.Progress != nil && rows != 0 {
			how.Progress(rows)
		}
	}
	err := s.write(ctx, func(t tx) (err error) {
		progress(-reported)
		done = Imported{}
		if how.Replace {
			if done.Removed, err = remove(ctx, t, table, rows); err != nil {
				return err
			}
		}
		before, err := count(ctx, t, table)
		if err != nil {
			return err
		}
		if prepare != nil {
			if err := prepare(t, ctx, rows); err != nil {
				return err
			}
		}
		written, err := upsert(ctx, t, table, rows, progress)
		if err != nil {
			return err
		}
		after, err := count(ctx, t, table)
		if err != nil {
			return err
		}
		done.New = after - before
		done.Changed = written - done.New
		done.Unchanged = len(rows) - written
		if how.DryRun {
			return errDryRun
		}
		if done.New+done.Changed+done.Removed == 0 {
			return nil
		}
		return t.Audit(ctx, payout.Change{Object: "reference", ID: table.name, After: done})
	})
	switch {
	case errors.Is(err, errDryRun):
		return done, nil
	case err != nil:
		return Imported{}, err
	}
	return done, nil
}

// upsert writes the rows that are new or changed, and counts them.
func upsert[T any](ctx context.Context, t tx, table referenceTable[T], rows []T, progress func(int)) (written int, err error) {
	rows = slices.SortedFunc(slices.Values(rows), func(a, b T) int { return cmp.Compare(table.id(a), table.id(b)) })
	columns := strings.Split(table.columns, ", ")
	sets, differs := make([]string, 0, len(columns)), make([]string, 0, len(columns))
	for _, c := range columns[1:] {
		sets = append(sets, c+" = excluded."+c)
		differs = append(differs, table.name+"."+c+" <> excluded."+c)
	}
	end := ` on conflict (id) do update set ` + strings.Join(sets, ", ") + ` where ` + strings.Join(differs, " or ")
	for chunk := range slices.Chunk(rows, importRows) {
		var values strings.Builder
		args := make([]any, 0, len(chunk)*len(columns))
		for i, v := range chunk {
			for j := range columns {
				fmt.Fprintf(&values, "%s$%d", separator(i, j), len(args)+j+1)
			}
			args = append(args, table.args(v)...)
		}
		n, err := t.execAny(ctx, `insert into `+table.name+` (`+table.columns+`) values `+values.String()+`)`+end, args...)
		if err != nil {
			return 0, err
		}
		written += int(n)
		if progress != nil {
			progress(len(chunk))
		}
	}
	return written, nil
}

// separator returns what precedes a placeholder of a row.
func separator(row, column int) string {
	switch {
	case column > 0:
		return ", "
	case row > 0:
		return "), ("
	}
	return "("
}

// remove deletes the rows whose ids are not in the import, unless other rows refer to them.
func remove[T any](ctx context.Context, t tx, table referenceTable[T], rows []T) (int, error) {
	stay := make(map[int64]bool, len(rows))
	for _, v := range rows {
		stay[table.id(v)] = true
	}
	scanID := func(s scanner, id *int64) error { return s.Scan(id) }
	ids, err := list(ctx, t.reads, scanID, `select id from `+table.name+` order by id`)
	if err != nil {
		return 0, err
	}
	gone := slices.DeleteFunc(ids, func(id int64) bool { return stay[id] })
	if len(gone) == 0 {
		return 0, nil
	}
	if table.referred != "" {
		referred, err := list(ctx, t.reads, scanID, table.referred)
		if err != nil {
			return 0, err
		}
		inUse := make(map[int64]bool, len(referred))
		for _, id := range referred {
			inUse[id] = true
		}
		var refused ImportError
		for _, id := range gone {
			if inUse[id] {
				refused.Reasons = append(refused.Reasons, fmt.Sprintf(
					"%s %d cannot be removed: accounts or transactions refer to it", table.one, id))
			}
		}
		if len(refused.Reasons) > 0 {
			return 0, &refused
		}
	}
	for chunk := range slices.Chunk(gone, 1000) {
		args := make([]any, len(chunk))
		marks := make([]string, len(chunk))
		for i, id := range chunk {
			args[i], marks[i] = id, fmt.Sprintf("$%d", i+1)
		}
		if _, err := t.execAny(ctx, `delete from `+table.name+` where id in (`+strings.Join(marks, ", ")+`)`, args...); err != nil {
			return 0, err
		}
	}
	return len(gone), nil
}

func count[T any](ctx context.Context, t tx, table referenceTable[T]) (int, error) {
	n, _, err := oneAny(ctx, t.reads, func(s scanner, n *int) error { return s.Scan(n) }, `select count(*) from `+table.name)
	return n, err
}

// freeCodes clears the codes of the states that change theirs: states may swap codes, and codes must be unique in between.
func (t tx) freeCodes(ctx context.Context, states []payout.State) error {
	kept, err := list(ctx, t.reads, scanState, `select `+stateColumns+` from states order by id`)
	if err != nil {
		return err
	}
	type code struct{ country, code string }
	given, codes := make(map[int64]payout.State, len(states)), make(map[code]int64, len(states))
	for _, v := range states {
		given[v.ID], codes[code{v.Country, v.Code}] = v, v.ID
	}
	var refused ImportError
	for _, v := range kept {
		next, changes := given[v.ID]
		switch id, taken := codes[code{v.Country, v.Code}]; {
		case taken && !changes:
			refused.Reasons = append(refused.Reasons, fmt.Sprintf(
				"state %d cannot have the code %s of %s: state %d has it, and is not in the file", id, v.Code, v.Country, v.ID))
		case changes && (next.Country != v.Country || next.Code != v.Code):
			if _, err := t.exec(ctx, `update states set code = $2 where id = $1`, v.ID, fmt.Sprintf("#%d", v.ID)); err != nil {
				return err
			}
		}
	}
	if len(refused.Reasons) > 0 {
		return &refused
	}
	return nil
}

// AllPayers yields all payers by id as they are read; the last element may be an error.
func (r reads) AllPayers(ctx context.Context) iter.Seq2[payout.Payer, error] {
	return every(ctx, r, payerTable)
}

// AllBanks yields all banks by id as they are read; the last element may be an error.
func (r reads) AllBanks(ctx context.Context) iter.Seq2[payout.Bank, error] {
	return every(ctx, r, bankTable)
}

// AllStates yields all states by id as they are read; the last element may be an error.
func (r reads) AllStates(ctx context.Context) iter.Seq2[payout.State, error] {
	return every(ctx, r, stateTable)
}

func every[T any](ctx context.Context, r reads, table referenceTable[T]) iter.Seq2[T, error] {
	return each(ctx, r, table.scan, `select `+table.columns+` from `+table.name+` order by id`)
}

// each runs a query and yields each row as it is read, and an error as the last element.
func each[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args ...any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		rows, err := r.db.QueryContext(ctx, query, args...)
		if err != nil {
			yield(none, r.failed(err))
			return
		}
		defer rows.Close() //nolint:errcheck // rows.Err has what matters
		for rows.Next() {
			var v T
			if err := scan(rows, &v); err != nil {
				yield(none, r.failed(err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(none, r.failed(err))
		}
	}
}
