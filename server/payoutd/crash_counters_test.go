package main

import (
	"database/sql"
	"maps"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// checkRemaining compares the remaining limits with what was sent on this day.
func checkRemaining(t *testing.T, d *daemon, l *ledger) {
	t.Helper()
	kept := l.kept(t, d)
	for _, p := range l.pairs {
		var limit api.TransactionLimit
		var day string
		for { // not across midnight
			day = time.Now().UTC().Format(time.DateOnly)
			r, err := d.client.GetTransactionLimitWithResponse(t.Context(), p.sender.ID,
				&api.GetTransactionLimitParams{Destination: servertest.DestinationCountry})
			limit = servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			if time.Now().UTC().Format(time.DateOnly) == day {
				break
			}
		}
		remaining := wire.MustAmount("1000.00").Decimal() // of the lowest tier of the sandbox
		for _, item := range kept {
			if item.UserID == p.sender.ID && item.CreatedAt.Format(time.DateOnly) == day {
				var err error
				if remaining, err = remaining.Sub(item.FromAmount.Decimal()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if want := wire.AmountOf(remaining); !limit.RemainingLimit.DailyLimit.Equal(want) || limit.CurrentTier != 1 {
			t.Errorf("tier %d, remaining %s, want %s", limit.CurrentTier, limit.RemainingLimit.DailyLimit, want)
		}
	}
}

// counter is a row of limit_usage without its sum.
type counter struct{ user, destination, currency, period string }

// checkFile checks the counters in the file against the transactions in it.
func checkFile(t *testing.T, file string, transactions int) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var whole string
	if err := db.QueryRowContext(t.Context(), `pragma integrity_check`).Scan(&whole); err != nil || whole != "ok" {
		t.Errorf("integrity: %s, %v", whole, err)
	}
	want, found := map[counter]int64{}, 0
	query(t, db, `select user_id, destination, from_currency, created_at, from_amount from transactions`, func(rows *sql.Rows) error {
		var c counter
		var createdAt, amount int64
		err := rows.Scan(&c.user, &c.destination, &c.currency, &createdAt, &amount)
		found++
		day, month, year := payout.UsageKey{At: time.UnixMicro(createdAt)}.Periods()
		for _, c.period = range []string{day, month, year} {
			want[c] += amount
		}
		return err
	})
	got := map[counter]int64{}
	query(t, db, `select user_id, destination, currency, period, used from limit_usage`, func(rows *sql.Rows) error {
		var c counter
		var used int64
		err := rows.Scan(&c.user, &c.destination, &c.currency, &c.period, &used)
		got[c] = used
		return err
	})
	if !maps.Equal(got, want) || len(got) < 2*3 || found != transactions {
		t.Errorf("%d transactions of %d; counters %v, want %v", found, transactions, got, want)
	}
	query(t, db, `pragma foreign_key_check`, func(*sql.Rows) error {
		t.Error("a row hangs on one that is not there")
		return nil
	})
}

func query(t *testing.T, db *sql.DB, text string, each func(*sql.Rows) error) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
