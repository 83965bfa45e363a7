package main

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// exported writes an export and returns its rows, by column.
func (d *desk) exported(t *testing.T, name string, args ...string) []map[string]string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	d.done(t, append([]string{"transactions", "export", path}, args...)...)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v", info.Mode(), err)
	}
	text := readFile(t, path)
	var rows []map[string]string
	if strings.HasSuffix(name, ".jsonl") {
		for line := range strings.Lines(text) {
			var row map[string]string
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			rows = append(rows, row)
		}
		return rows
	}
	cells, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range cells[1:] {
		row := map[string]string{}
		for i, cell := range line {
			if cell != "" {
				row[cells[0][i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// An export has everything that each payment needs, and no cell that a spreadsheet runs.
func TestAnExportHasWhatAPaymentNeeds(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		side := func(to payout.ReceiveSide) func(*payout.NewTransaction) {
			return func(n *payout.NewTransaction) {
				to.ReceiveUserID, to.Mode = d.receiver, payout.SenderAmount
				n.To = to
			}
		}
		purpose := "=FAMILY"
		d.pay(t, "100", func(n *payout.NewTransaction) { n.Notes.Purpose, n.ClientReference = &purpose, "@order-1" })
		d.pay(t, "1", side(payout.ReceiveSide{Method: payout.Wallet, FundID: d.wallet}))
		d.pay(t, "2", side(payout.ReceiveSide{Method: payout.CashPickup, PayerID: 1002, PickupLocation: 30002}))
		d.pay(t, "3", side(payout.ReceiveSide{Method: payout.HomeDelivery, PayerID: 1006}))

		common := map[string]string{
			"client_id": "wide", "status": "INITIATED", "to_currency": "NPR", "from_currency": "USD", "exchange_rate": "132.25",
			"destination": "NP", "funding_source_type": "CARD", "sender_first_name": "Asha", "sender_middle_name": "Devi", "sender_last_name": "Example",
			"sender_business":      "false",
			"sender_date_of_birth": "1990-01-31", "sender_address_line1": "1 Road", "sender_city": "Town", "sender_state": "CA", "sender_zipcode": "00001",
			"sender_country": "US", "payee_first_name": "=Bina", "payee_last_name": "@Example", "payee_email": "bina@example.com",
			"payee_mobile_phone": "+9779800000000", "payee_address_line1": "-3 Road", "payee_city": "Kathmandu", "payee_state": "P3",
			"payee_zipcode": "44600", "payee_country": "NP", "fee_amount": "0.00",
			"sender_id": string(d.user), "payee_id": string(d.receiver), "from_fund_id": string(d.fund),
		}
		want := []map[string]string{
			{
				"payout_method": "BANK_DEPOSIT", "to_amount": "13225.00", "from_amount": "100.00", "purpose": "=FAMILY", "client_reference": "@order-1",
				"fund_id": string(d.account), "account_number": "-0001234567", "bank_id": "2001", "bank_name": "Sample Amber Bank Nepal",
				"branch_id": "20011", "branch_name": "Sample Branch Pokhara",
			},
			{
				"payout_method": "WALLET", "to_amount": "132.25", "from_amount": "1.00", "fund_id": string(d.wallet), "wallet_number": "+9800000000",
				"payer_id": "1004", "payer_code": "SMPL-NP-WL1", "payer_name": "Sample Delta Wallet Nepal",
			},
			{
				"payout_method": "CASH_PICKUP", "to_amount": "264.50", "from_amount": "2.00", "payer_id": "1002", "payer_code": "SMPL-NP-CP2",
				"payer_name": "Sample Birch Cash Nepal", "pickup_location_id": "30002", "pickup_location_name": "Sample Birch Counter Pokhara 2",
				"pickup_location_address_line1": "20 Sample Street", "pickup_location_city": "Pokhara",
			},
			{
				"payout_method": "HOME_DELIVERY", "to_amount": "396.75", "from_amount": "3.00", "payer_id": "1006", "payer_code": "SMPL-NP-HD1",
				"payer_name": "Sample Fjord Delivery Nepal",
			},
		}
		for _, name := range []string{"payouts.csv", "payouts.jsonl"} {
			rows := d.exported(t, name, "--ready", "--client=wide")
			if len(rows) != len(want) {
				t.Fatalf("%s: %d rows", name, len(rows))
			}
			batch := rows[0]["batch_id"]
			for i, row := range rows {
				for _, changing := range []string{"batch_id", "transaction_id", "created_at"} {
					if row[changing] == "" || row["batch_id"] != "" && row["batch_id"] != batch {
						t.Errorf("%s: row %d has the %s %q", name, i, changing, row[changing])
					}
					delete(row, changing)
				}
				for column, value := range common {
					want[i][column] = value
				}
				for column, cell := range row {
					value := want[i][column]
					if strings.HasSuffix(name, ".csv") && value != "" && strings.ContainsRune("=+-@", rune(value[0])) {
						value = "'" + value
					}
					if cell != value {
						t.Errorf("%s: row %d has the %s %q, want %q", name, i, column, cell, value)
					}
				}
				if len(row) != len(want[i]) {
					t.Errorf("%s: row %d has %d values, want %d", name, i, len(row), len(want[i]))
				}
			}
		}
	})
}

// With --ready an export leaves out what a release would refuse; each export is a batch of its own.
func TestAnExportOfWhatIsReady(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		ready, canceled := d.pay(t, "1"), d.pay(t, "2")
		if _, err := d.CancelTransaction(t.Context(), d.client, d.user, canceled.ID); err != nil {
			t.Fatal(err)
		}
		d.done(t, "users", "verify", "--client=wide", string(d.user), "--tag=ID_DOC=FAILED")
		held := d.pay(t, "10000")
		d.newClient(t, "second")
		other := d.pay(t, "1")
		ids := func(args ...string) (all []payout.TransactionID) {
			t.Helper()
			for _, row := range d.exported(t, "payouts.csv", args...) {
				all = append(all, payout.TransactionID(row["transaction_id"]))
			}
			return all
		}
		for _, c := range []struct {
			args []string
			want []payout.TransactionID
		}{
			{[]string{"--ready"}, []payout.TransactionID{other.ID, ready.ID}}, // by client
			{[]string{"--ready", "--client=wide"}, []payout.TransactionID{ready.ID}},
			{[]string{"--client=wide"}, []payout.TransactionID{ready.ID, held.ID}},
			{[]string{"--status=CANCELED"}, []payout.TransactionID{canceled.ID}},
			{[]string{"--status=COMPLETED"}, nil},
		} {
			if got := ids(c.args...); !slices.Equal(got, c.want) {
				t.Errorf("%q exports %v, want %v", c.args, got, c.want)
			}
		}
		d.done(t, "users", "verify", "--client=second", string(d.user), "--kyc-status=SUSPENDED")
		if got := ids("--ready", "--client=second"); got != nil {
			t.Errorf("a user who may not send has %v", got)
		}
	})
}

// An export replaces no file: a second operator with the same name would swap the one that was released for another.
func TestAnExportReplacesNoFile(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		d := newDesk(t, o)
		d.pay(t, "1")
		dir := t.TempDir()
		first := filepath.Join(dir, "payouts.csv")
		d.done(t, "transactions", "export", first)
		text, log := readFile(t, first), len(d.auditLog(t))
		d.refused(t, exitUsage, "<file> "+first+" exists already, and is not overwritten", "transactions", "export", first)
		link := filepath.Join(dir, "link.csv") // not followed, not even to nowhere
		if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
			t.Fatal(err)
		}
		d.refused(t, exitUsage, "<file> "+link+" exists already, and is not overwritten", "transactions", "export", link)
		if readFile(t, first) != text || len(d.auditLog(t)) != log {
			t.Error("a refused export changed the file or the audit log")
		}
		// An export that fails leaves nothing.
		second := filepath.Join(dir, "second.csv")
		d.refused(t, exitFailure, "there is no such client", "transactions", "export", second, "--client=nobody")
		if err := newFile(second, func(io.Writer) error { return io.ErrUnexpectedEOF }); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v", err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
			t.Errorf("%v, %v", files, err)
		}
		d.done(t, "transactions", "export", os.DevNull)
	})
}
