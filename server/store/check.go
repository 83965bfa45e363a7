package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Difference is one inconsistency in the database. It names rows by id and columns by name, and contains no personal data.
type Difference struct {
	Table    string          `json:"table"`
	ClientID payout.ClientID `json:"client_id,omitempty"` // empty for reference data
	ID       string          `json:"id"`                  // of the row; of a counter or tag, the id of its user; of a job, that of its event
	Problem  string          `json:"problem"`
}

// String returns one line.
func (d Difference) String() string {
	if d.ClientID == "" {
		return fmt.Sprintf("%s %s: %s", d.Table, d.ID, d.Problem)
	}
	return fmt.Sprintf("%s %s of client %s: %s", d.Table, d.ID, d.ClientID, d.Problem)
}

// Checked counts what a check has read.
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

// Check compares counters with transactions and rows with each other, in one snapshot, and reports each difference. It does
// not block writers, and has the counters of only a few hundred users in memory at a time.
//
// A distributed database has a snapshot for each node, and what is committed between them looks like a difference: those that a
// second check finds again are reported.
//
// It returns CodeServiceUnavailable while the database is unavailable, and the error of report.
func (s *Store) Check(ctx context.Context, report func(Difference) error) (Checked, error) {
	if apart, err := s.distributed(ctx); err != nil || !apart {
		if err != nil {
			return Checked{}, err
		}
		return s.check(ctx, report)
	}
	before := map[Difference]bool{}
	done, err := s.check(ctx, func(d Difference) error { before[d] = true; return nil })
	if err != nil || len(before) == 0 {
		return done, err
	}
	again := 0
	done, err = s.check(ctx, func(d Difference) error {
		if !before[d] {
			return nil
		}
		again++
		return report(d)
	})
	done.Differences = again
	return done, err
}

// check is Check without the second one.
func (s *Store) check(ctx context.Context, report func(Difference) error) (Checked, error) {
	t, err := s.snapshot(ctx)
	if err != nil {
		return Checked{}, err
	}
	defer t.Rollback() //nolint:errcheck // nothing was written
	c := checking{reads: s.reads, report: report}
	c.db = t
	for _, part := range []func(context.Context) error{
		c.clients, c.reference, c.users, c.tags, c.accounts, c.documents, c.keys, c.relations, c.events, c.webhooks, c.jobs, c.usage,
	} {
		if err := part(ctx); err != nil {
			return c.done, err
		}
	}
	return c.done, nil
}

// checking is the state of a check.
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

// rowCheck collects the problems of one row.
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

// parses is a scan destination for a JSON column that notes an error and lets the scan go on.
func (v *rowCheck) parses(column string, json sql.Scanner) sql.Scanner {
	return jsonCheck{v, column, json}
}

type jsonCheck struct {
	row    *rowCheck
	column string
	json   sql.Scanner
}

// Scan implements sql.Scanner. It does not pass on the error, which may quote the text.
func (c jsonCheck) Scan(src any) error {
	c.row.when(c.json.Scan(src) != nil, c.column+" is not the JSON that belongs there")
	return nil
}

// rows runs a query, checks each row with scan, and reports its problems. It returns the number of rows.
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
