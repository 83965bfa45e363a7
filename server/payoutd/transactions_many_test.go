//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// manyLines is how many lines TestMemoryOfFiles has; PAYOUTD_TEST_LINES changes it, for a measurement.
func manyLines(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("PAYOUTD_TEST_LINES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	return 2000
}

// maxResident bounds the memory of a command, in KiB, whatever the number of lines.
const maxResident = 80 << 10

// An export, a release and a settlement need as little memory for many lines as for few.
func TestMemoryOfFiles(t *testing.T) {
	t.Parallel()
	lines := manyLines(t)
	binaries := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binaries, ".", "./testdata/peak")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		first := d.pay(t, "0.01")
		d.copies(t, first, lines-1)
		export, settlement := filepath.Join(t.TempDir(), "payouts.csv"), filepath.Join(t.TempDir(), "settlement.csv")
		for _, args := range [][]string{
			{"transactions", "export", export, "--ready"}, {"transactions", "release", export}, {"transactions", "settle", settlement},
		} {
			if args[1] == "settle" {
				var rows strings.Builder
				rows.WriteString("client_id,transaction_id,status,status_reason\n")
				for i := range lines {
					rows.WriteString("wide," + string(copyOf(first, i).ID) + ",FAILED,OTHER\n")
				}
				if err := os.WriteFile(settlement, []byte(rows.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), filepath.Join(binaries, "peak"), append([]string{filepath.Join(binaries, "payoutd")}, args...)...)
			began := time.Now()
			command.Env = append(os.Environ(), "PAYOUTD_DATABASE="+o.url)
			var figure strings.Builder
			command.Stderr = &figure
			out, err := command.Output()
			if err != nil || !strings.Contains(string(out), fmt.Sprintf(": %d transactions, ", lines)) {
				t.Fatalf("%q: %v, %s", args, err, out)
			}
			peak, err := strconv.Atoi(figure.String())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%q: %d lines, %d MiB, %v, of which %v on the processor", args, lines, peak>>10, time.Since(began), command.ProcessState.UserTime()+command.ProcessState.SystemTime())
			if peak > maxResident {
				t.Errorf("%q: %d lines need %d KiB", args, lines, peak)
			}
		}
		d.done(t, "check")
	})
}

// copyOf returns a copy of a transaction with an id of its own.
func copyOf(t payout.Transaction, i int) payout.Transaction {
	if i > 0 {
		t.ID = payout.TransactionID(fmt.Sprintf("01990000-0000-7000-8000-%012d", i))
	}
	return t
}

// copies writes copies of a transaction, and counts them.
func (d *desk) copies(t *testing.T, first payout.Transaction, n int) {
	t.Helper()
	err := d.db.Write(t.Context(), func(tx payout.Tx) error {
		for i := range n {
			if err := tx.InsertTransaction(t.Context(), d.client.ID, copyOf(first, i+1)); err != nil {
				return err
			}
		}
		_, err := tx.AddUsage(t.Context(), d.client.ID, payout.UsageKey{
			UserID: first.UserID, Destination: first.Destination, Currency: first.FromCurrency, At: first.CreatedAt,
		}, first.FromAmount*int64(n))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
