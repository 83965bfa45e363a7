package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/reference"
	"github.com/crossborder-payouts/payouts/server/store"
)

// wide is a client whose users may send 1000 USD a day, and 1,000,000,000 USD with an ID document.
const wide = `id: wide
name: Wide Remit
corridors:
  - {country: US, currency: USD}
destinations:
  - country: NP
    tiers:
      - limits: [{currency: USD, daily: 1000, monthly: 1000, annual: 1000}]
      - limits: [{currency: USD, daily: 1000000000, monthly: 1000000000, annual: 1000000000}]
        required_tags: {individual: [ID_DOC], business: [EIN_DOC]}
`

// desk is an operator with a client that sends payouts, all of one user. Its calls are those of the API.
type desk struct {
	operator
	*payout.Service
	db       *store.Store
	client   payout.Client
	user     payout.UserID
	fund     payout.FundingAccountID
	receiver payout.ReceiveUserID
	account  payout.ReceiveAccountID
	wallet   payout.ReceiveAccountID
}

// newDesk creates the client and its user with the commands and the calls that production has.
func newDesk(t *testing.T, o operator) *desk {
	t.Helper()
	o.done(t, "reference", "import", "payers", csvFile(t, reference.SamplePayers(), reference.WritePayers))
	o.done(t, "reference", "import", "banks", csvFile(t, reference.SampleBanks(), reference.WriteBanks))
	d := &desk{operator: o}
	d.newClient(t, "wide")
	return d
}

// newClient makes another client that of the desk.
func (d *desk) newClient(t *testing.T, id string) {
	t.Helper()
	d.done(t, "clients", "apply", "-f", file(t, wide, "id: wide", "id: "+id))
	db, err := store.Connect(t.Context(), d.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	d.db, d.Service = db, newService(db)
	row, _, err := db.ClientRow(t.Context(), payout.ClientID(id))
	if err != nil {
		t.Fatal(err)
	}
	d.client = row.Client
	user := created(d.CreateUser(t.Context(), d.client, payout.Idempotency{}, payout.User{
		Sending: true, Country: "US", Profile: payout.UserProfile{
			FirstName: "Asha", MiddleName: "Devi", LastName: "Example", Email: "asha@example.com", DateOfBirth: "1990-01-31",
			AddressLine1: "1 Road", City: "Town", State: "CA", Zipcode: "00001",
		},
		Documents: []payout.Document{{Kind: payout.VirtualDocument, Type: "SSN", Value: "000000000"}},
	}))(t)
	d.user = user.ID
	d.done(t, "users", "verify", "--client="+id, string(d.user), "--kyc-status=VERIFIED", "--tag=ID_DOC=VERIFIED")
	fund := created(d.CreateFundingAccount(t.Context(), d.client, payout.Idempotency{}, payout.FundingAccount{UserID: d.user, Type: "CARD", Label: "-1"}))(t)
	d.fund = fund.ID
	d.done(t, "funding-accounts", "set-status", "--client="+id, "--user="+string(d.user), string(d.fund), "ACTIVE")
	receiver := created(d.CreateReceiveUser(t.Context(), d.client, payout.Idempotency{}, payout.ReceiveUser{
		UserID: d.user, FirstName: "=Bina", LastName: "@Example", Email: "bina@example.com", MobilePhone: "+9779800000000",
		AddressLine1: "-3 Road", City: "Kathmandu", State: "P3", Zipcode: "44600", Country: "NP",
	}))(t)
	d.receiver = receiver.ID
	account := created(d.CreateBankAccount(t.Context(), d.client, payout.Idempotency{}, d.user, payout.BankAccount{
		ReceiveUserID: d.receiver, BankID: 2001, BranchID: 20011, AccountNumber: "-0001234567", Currency: "NPR",
	}))(t)
	d.account = account.ID
	wallet := created(d.CreateWalletAccount(t.Context(), d.client, payout.Idempotency{}, d.user, payout.WalletAccount{
		ReceiveUserID: d.receiver, PayerID: 1004, WalletNumber: "+9800000000", Currency: "NPR",
	}))(t)
	d.wallet = wallet.ID
}

// created returns what a call of the service created.
func created[T any](v T, _ bool, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// pay creates a payout of an amount in USD at a rate of 132.25, by bank deposit unless changed.
func (d *desk) pay(t *testing.T, usd string, change ...func(*payout.NewTransaction)) payout.Transaction {
	t.Helper()
	n := payout.NewTransaction{
		FromAmount: decimal.MustParse(usd), ExchangeRate: decimal.MustParse("132.25"), FromCurrency: "USD", ToCurrency: "NPR",
		FromFundID: d.fund, To: payout.ReceiveSide{ReceiveUserID: d.receiver, Method: payout.BankDeposit, Mode: payout.SenderAmount, FundID: d.account},
	}
	for _, c := range change {
		c(&n)
	}
	return created(d.CreateTransaction(t.Context(), d.client, payout.Idempotency{}, d.user, n))(t)
}

// status returns the status, the delivery status and the reason of a transaction.
func (d *desk) status(t *testing.T, id payout.TransactionID) string {
	t.Helper()
	v, err := d.Transaction(t.Context(), d.client, d.user, id)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(v.Status) + " " + string(v.DeliveryStatus) + " " + string(v.StatusReason))
}

// remaining returns what the user may still send today, in cents.
func (d *desk) remaining(t *testing.T) int64 {
	t.Helper()
	l, err := d.Limits(t.Context(), d.client, d.user, "NP")
	if err != nil {
		t.Fatal(err)
	}
	return l.Daily
}

// lines writes a file of a release or a settlement: a header, and lines for this client.
func (d *desk) lines(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lines.csv")
	text := "client_id,transaction_id,status,status_reason\n"
	for _, line := range lines {
		text += string(d.client.ID) + "," + line + strings.Repeat(",", 2-strings.Count(line, ",")) + "\n"
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
