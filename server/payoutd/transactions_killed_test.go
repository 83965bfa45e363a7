//go:build unix

package main

import (
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// A settlement that is interrupted or killed in its middle has changed nothing, and can be run again.
func TestAnInterruptedSettlementChangesNothing(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "payoutd")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	o := operator{pgtest.Database(t)}
	o.done(t, "migrate", "up")
	d := newDesk(t, o)
	paid, failed := d.pay(t, "1"), d.pay(t, "2")
	d.done(t, "transactions", "release", d.lines(t, string(paid.ID), string(failed.ID)))
	settlement := d.lines(t, string(paid.ID)+",COMPLETED", string(failed.ID)+",FAILED,OTHER")
	db, err := sql.Open("pgx", d.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		// The first line is settled, and the second one waits for the counters.
		counters, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := counters.ExecContext(t.Context(), `update limit_usage set used = used`); err != nil {
			t.Fatal(err)
		}
		command := exec.Command(binary, "transactions", "settle", settlement)
		command.Env = append(os.Environ(), "PAYOUTD_DATABASE="+d.url)
		var errs strings.Builder
		command.Stderr = &errs
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		awaitWaiting(t, db)
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		var ended *exec.ExitError
		if err := command.Wait(); !errors.As(err, &ended) || signal == syscall.SIGINT && (ended.ExitCode() != exitFailure ||
			errs.String() != "payoutd: interrupted: run the command again; it applies the whole file, unless that is done already\n") {
			t.Errorf("%v: %v, %q", signal, err, errs.String())
		}
		if err := counters.Rollback(); err != nil {
			t.Fatal(err)
		}
		for _, v := range []payout.Transaction{paid, failed} {
			if got := d.status(t, v.ID); got != "PROCESSING PENDING" {
				t.Errorf("%v: the transaction is %s", signal, got)
			}
		}
	}
	d.done(t, "check")
	d.done(t, "transactions", "settle", settlement)
	if a, b := d.status(t, paid.ID), d.status(t, failed.ID); a != "COMPLETED DELIVERED" || b != "FAILED FAILED OTHER" { //nolint:dupword // two statuses
		t.Errorf("then they are %s and %s", a, b)
	}
}

// awaitWaiting returns when a statement about counters waits for a lock.
func awaitWaiting(t *testing.T, db *sql.DB) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var waiting int
		if err := db.QueryRowContext(t.Context(), `select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock' and query like '%limit_usage%'`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting > 0 {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("no statement waits for the counters")
		case <-tick.C:
		}
	}
}
