package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Difference is one thing that does not fit in the database. It names rows by their ids and columns by their names, and
// holds no personal data.
type Difference struct {
	Table    string          `json:"table"`
	ClientID payout.ClientID `json:"client_id,omitempty"` // empty for reference data
	ID       string          `json:"id"`                  // of the row; of a counter or tag, the id of its user
	Problem  string          `json:"problem"`
}

// String gives one line.
func (d Difference) String() string {
	if d.ClientID == "" {
		return fmt.Sprintf("%s %s: %s", d.Table, d.ID, d.Problem)
	}
	return fmt.Sprintf("%s %s of client %s: %s", d.Table, d.ID, d.ClientID, d.Problem)
}

// Checked counts what a check has seen.
type Checked struct {
	Clients      int `json:"clients"`
	Users        int `json:"users"`
	Accounts     int `json:"accounts"` // funding, bank and wallet accounts
	Transactions int `json:"transactions"`
	Documents    int `json:"documents"`
	Keys         int `json:"idempotency_keys"`
	Counters     int `json:"counters"`
	Reference    int `json:"reference"` // states, payers and banks
	Differences  int `json:"differences"`
}

// Check holds counters against transactions and rows against each other, as they are at one moment, and reports each
// difference. Writers are not held up. It keeps little in memory: the counters of a few hundred users at a time.
//
// It returns CodeServiceUnavailable while the database is away, and the error of report.
func (s *Store) Check(ctx context.Context, report func(Difference) error) (Checked, error) {
	// One transaction sees the database at one moment: in SQLite always, in PostgreSQL from this isolation on.
	var options *sql.TxOptions
	if s.engine.dialect == goose.DialectPostgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	t, err := s.reader.BeginTx(ctx, options)
	if err != nil {
		return Checked{}, s.failed(err)
	}
	defer t.Rollback() //nolint:errcheck // nothing was written
	c := checking{reads: s.reads, report: report}
	c.db = t
	for _, part := range []func(context.Context) error{
		c.clients, c.reference, c.users, c.tags, c.accounts, c.documents, c.keys, c.relations, c.usage,
	} {
		if err := part(ctx); err != nil {
			return c.done, err
		}
	}
	return c.done, nil
}

// checking is a check under way.
type checking struct {
	reads
	report func(Difference) error
	done   Checked
}

// differs reports a difference.
func (c *checking) differs(table string, clientID payout.ClientID, id, problem string, args ...any) error {
	c.done.Differences++
	return c.report(Difference{table, clientID, id, fmt.Sprintf(problem, args...)})
}

// rowCheck collects what is wrong with one row.
type rowCheck struct {
	clientID payout.ClientID
	id       string // of a row of any kind
	problems []string
}

func (v *rowCheck) when(wrong bool, problem string) {
	if wrong {
		v.problems = append(v.problems, problem)
	}
}

func (v *rowCheck) currency(column, code string) {
	_, known := payout.MinorDigits(code)
	v.when(!known, column+" is not a currency of ISO 4217")
}

// parses is a scan destination for a JSON column: it notes what cannot be read, and lets the row be checked further.
func (v *rowCheck) parses(column string, json sql.Scanner) sql.Scanner {
	return jsonCheck{v, column, json}
}

type jsonCheck struct {
	row    *rowCheck
	column string
	json   sql.Scanner
}

// Scan implements sql.Scanner. The error is not told: it may quote the text.
func (c jsonCheck) Scan(src any) error {
	c.row.when(c.json.Scan(src) != nil, c.column+" is not the JSON that belongs there")
	return nil
}

// rows runs a query, lets scan check each row, and reports what is wrong with it. It gives the number of rows.
func (c *checking) rows(
	ctx context.Context, table string, scan func(scanner, *rowCheck) error, query string, args ...any,
) (n int, err error) {
	for v, err := range each(ctx, c.reads, scan, query, args...) {
		if err != nil {
			return n, err
		}
		n++
		for _, problem := range v.problems {
			if err := c.differs(table, v.clientID, v.id, "%s", problem); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}
