package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

var updateListings = flag.Bool("update-listings", false, "write the listings in testdata as they are")

// onEachEngine runs a test on a new, migrated database of each engine.
func onEachEngine(t *testing.T, test func(t *testing.T, o operator)) {
	t.Helper()
	for name, fresh := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { t.Helper(); return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db") },
		"PostgreSQL": func(t *testing.T) string { t.Helper(); return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := operator{fresh(t)}
			o.done(t, "migrate", "up")
			test(t, o)
		})
	}
}

// operator runs commands on a database.
type operator struct{ url string }

func (o operator) run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return once(t, variables("PAYOUTD_DATABASE", o.url), args...)
}

// done runs a command that must succeed.
func (o operator) done(t *testing.T, args ...string) (out string) {
	t.Helper()
	code, out, errs := o.run(t, args...)
	if code != exitOK {
		t.Fatalf("payoutd %q: code %d, %s", args, code, errs)
	}
	return out
}

// refused runs a command that must fail with a code and a message; one that ends in "..." is a prefix.
func (o operator) refused(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	got, out, errs := o.run(t, args...)
	begin, more := strings.CutSuffix("payoutd: "+says, "...")
	said, _, _ := strings.Cut(strings.TrimSuffix(errs, "\n"), "\nTry: payoutd ")
	if got != code || out != "" || !more && said != begin || !strings.HasPrefix(said, begin) {
		t.Errorf("payoutd %q: code %d, printed %q, said %q; want %d, %q", args, got, out, errs, code, says)
	}
}

// prints runs a command that must print the content of the file.
func (o operator) prints(t *testing.T, file string, args ...string) {
	t.Helper()
	got := o.done(t, args...)
	path := filepath.Join("testdata", file)
	if *updateListings {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(got), want) {
		t.Errorf("payoutd %q prints\n%s\nand %s has\n%s", args, got, file, want)
	}
}

// Ids of what filled writes.
const (
	ashaID       = "01990000-0000-7000-8000-000000000001"
	firmID       = "01990000-0000-7000-8000-000000000002"
	thirdID      = "01990000-0000-7000-8000-000000000003"
	fundID       = "01990000-0000-7000-8000-00000000000a"
	receiverID   = "01990000-0000-7000-8000-00000000000b"
	transferID   = "01990000-0000-7000-8000-00000000000c"
	transfer2ID  = "01990000-0000-7000-8000-00000000000d"
	unknownID    = "01990000-0000-7000-8000-0000000000ff"
	transferDate = "2020-03-14"
)

var seeded = time.Date(2020, 3, 14, 15, 9, 26, 535897000, time.UTC)

// filled writes two clients, and for the first of them users, a funding account and transactions, at fixed times and
// with fixed ids.
func (o operator) filled(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	db, err := store.Connect(ctx, o.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	client, wrong := parseClient([]byte(acme))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	hash := payout.HashSecret("seeded")
	always := func(payout.Client) bool { return true }
	if _, _, err := db.ApplyClient(ctx, client, hash, seeded, always); err != nil {
		t.Fatal(err)
	}
	if err := db.RotateSecret(ctx, "acme", payout.HashSecret("seeded second"), seeded.Add(time.Hour), seeded.Add(25*time.Hour)); err != nil {
		t.Fatal(err)
	}
	client.ID, client.Name = "beta", "Beta Zahlung GmbH"
	if _, _, err := db.ApplyClient(ctx, client, hash, seeded, always); err != nil {
		t.Fatal(err)
	}
	if _, err := db.SetClientDisabled(ctx, "beta", true); err != nil {
		t.Fatal(err)
	}
	if err := db.Write(ctx, func(tx payout.Tx) error { return fill(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
}

func fill(ctx context.Context, tx payout.Tx) error {
	const client = "acme"
	asha := payout.User{
		ID: ashaID, CreatedAt: seeded, Status: payout.KYCInProgress, Sending: true, Country: "US", ClientReference: "customer-1", RequestID: "request-asha",
		Profile: payout.UserProfile{
			FirstName: "Asha", MiddleName: "Devi", LastName: "Exa\x1bmple", Email: "asha@example.com", DateOfBirth: "1990-01-02",
			MobilePhone: "+15550100", Occupation: "Nur\x1bse",
		},
		Documents: []payout.Document{{ID: unknownID, Kind: payout.VirtualDocument, Type: "SSN", Value: "123-45-6789"}},
	}
	firm := payout.User{
		ID: firmID, CreatedAt: seeded.Add(time.Minute), Status: payout.KYCVerified, Business: true, Country: "JP",
		Profile: payout.UserProfile{
			FirstName: "Firm KK", Email: "x@firm.example", SourceOfFund: "Sales", TxnFrequency: "WEEKLY", NoOfTxnPerMonth: "4 to 8",
			MailingAddress: &payout.MailingAddress{City: "Tokyo", Country: "JP"},
		},
	}
	third := payout.User{ID: thirdID, CreatedAt: seeded.Add(time.Hour), Status: payout.KYCUnverified, Country: "US", Profile: payout.UserProfile{FirstName: "Third", Email: "t@example.com"}}
	for _, u := range []payout.User{asha, firm, third} {
		if err := tx.InsertUser(ctx, client, u); err != nil {
			return err
		}
	}
	if err := tx.SetCIPTags(ctx, client, ashaID, map[string]payout.CIPStatus{"EMAIL": payout.CIPVerified, "ID_DOC": payout.CIPSubmit}); err != nil {
		return err
	}
	if err := tx.InsertFundingAccount(ctx, client, payout.FundingAccount{ID: fundID, UserID: ashaID, Type: "BANK_ACCOUNT", Label: "Main\taccount", Status: payout.FundingPending, CreatedAt: seeded}); err != nil {
		return err
	}
	if err := tx.InsertReceiveUser(ctx, client, payout.ReceiveUser{ID: receiverID, UserID: ashaID, FirstName: "Ram", Email: "ram@example.com", Country: "NP", CreatedAt: seeded}); err != nil {
		return err
	}
	purpose := "FAMILY_SUPPORT"
	t := payout.Transaction{
		ID: transferID, UserID: ashaID, CreatedAt: seeded, UpdatedAt: seeded, Status: payout.StatusInitiated,
		DeliveryStatus: payout.DeliveryNone, RequiredInformation: []string{"ID_DOC", "OCCUPATION"},
		FromAmount: 1234567890123_45, FromCurrency: "USD", ToAmount: 15000, ToCurrency: "JPY", FeeAmount: 5, ExchangeRate: decimal.MustParse("149.8200"),
		FromFundID: fundID, FundingType: "BANK_ACCOUNT", Destination: "JP", ClientReference: "order-1", Notes: payout.Notes{RemittancePurpose: &purpose},
		Documents: []payout.Document{{ID: payout.DocumentID(unknownID[:35] + "e"), Kind: payout.VirtualDocument, Type: "INVOICE", Value: "secret number"}},
		To:        payout.ReceiveSide{ReceiveUserID: receiverID, Method: payout.CashPickup, Mode: payout.SenderAmount, PayerID: 7},
		Receiver:  payout.Receiver{FirstName: "Ram", Email: "ram@example.com"},
	}
	second := t
	second.ID, second.CreatedAt, second.Documents = transfer2ID, seeded.AddDate(0, 0, 1), nil
	second.RequestID = "request-transfer"
	second.ClientReference, second.ToAmount, second.ToCurrency, second.Destination = "order-2", 12345, "KWD", "KW"
	for _, t := range []payout.Transaction{t, second} {
		if err := tx.InsertTransaction(ctx, client, t); err != nil {
			return err
		}
	}
	for id, key := range map[string]payout.Idempotency{
		transferID: {Key: "order-1", Fingerprint: "abc"}, ashaID: {Key: "sign\x1bup", Fingerprint: "def"}, fundID: {Key: "card\t1", Fingerprint: "012"},
	} {
		if _, err := tx.InsertIdempotencyKey(ctx, client, key, id)(); err != nil {
			return err
		}
	}
	return nil
}

func TestListingsOfOperators(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.prints(t, "clients_none.txt", "clients", "list")
		o.prints(t, "clients_none.json", "clients", "list", "--json")
		o.filled(t)
		for name, args := range map[string][]string{
			"clients_list":         {"clients", "list"},
			"clients_show":         {"clients", "show", "acme"},
			"clients_disabled":     {"clients", "show", "beta"},
			"users_list":           {"users", "list", "--client=acme"},
			"users_none":           {"users", "list", "--client=beta"},
			"users_show":           {"users", "show", "--client=acme", ashaID},
			"users_personal":       {"users", "show", "--client=acme", ashaID, "--personal"},
			"users_business":       {"users", "show", "--client=acme", firmID, "--personal"},
			"funding_list":         {"funding-accounts", "list", "--client=acme", "--user=" + ashaID},
			"funding_none":         {"funding-accounts", "list", "--client=acme", "--user=" + firmID},
			"transactions_list":    {"transactions", "list", "--client=acme"},
			"transactions_found":   {"transactions", "list", "--client=acme", "--user=" + ashaID, "--reference=order-1"},
			"users_found":          {"users", "list", "--client=acme", "--status=IN PROGRESS", "--reference=customer-1"},
			"transactions_none":    {"transactions", "list", "--client=beta"},
			"transactions_show":    {"transactions", "show", "--client=acme", transferID},
			"transactions_another": {"transactions", "show", "--client=acme", transfer2ID},
		} {
			o.prints(t, name+".txt", args...)
			o.prints(t, name+".json", append(args, "--json")...)
		}
	})
}

func TestErrorsOfCommands(t *testing.T) {
	t.Parallel()
	const notUUID, notID = " must be a UUID", " must be 1 to 63 lower-case letters, digits and hyphens, and not begin with a hyphen"
	onEachEngine(t, func(t *testing.T, o operator) {
		o.filled(t)
		for _, c := range []struct {
			code int
			says string
			args string
		}{
			{exitUsage, "--client (or $PAYOUTD_CLIENT)" + notID, "users list --client=Acme"},
			{exitUsage, "<id>" + notID, "clients show Acme"},
			{exitUsage, "<id>" + notID, "clients rotate-secret Acme"},
			{exitUsage, "<id>" + notID, "clients revoke-secret Acme 000000000000"},
			{exitUsage, "<id>" + notID, "clients disable Acme"},
			{exitUsage, "<id>" + notID, "clients enable Acme"},
			{exitUsage, "<fingerprint> must be 12 hexadecimal digits, ...", "clients revoke-secret acme 0"},
			{exitUsage, "--grace (or $PAYOUTD_GRACE) must not be negative", "clients rotate-secret acme --grace=-1s"},
			{exitUsage, "missing flags: --client=STRING", "users list"},
			{exitUsage, "<user-id>" + notUUID, "users show --client=acme {" + ashaID + "}"},
			{exitUsage, "<user-id>" + notUUID, "users verify --client=acme 1 --kyc-status=VERIFIED"},
			{exitUsage, "--kyc-status (or $PAYOUTD_KYC_STATUS) or --tag is needed", "users verify --client=acme " + ashaID},
			{exitUsage, "--kyc-status (or $PAYOUTD_KYC_STATUS) must be one of UNVERIFIED, IN PROGRESS, SUSPENDED, VERIFIED", "users verify --client=acme --kyc-status=DONE " + ashaID},
			{exitUsage, "--tag (or $PAYOUTD_TAG) EMAIL must be one of SUBMIT, REVIEWING, VERIFIED, FAILED, REQUESTED", "users verify --client=acme --tag=EMAIL=DONE " + ashaID},
			{exitUsage, "--tag (or $PAYOUTD_TAG): expected ...", "users verify --client=acme --tag=EMAIL " + ashaID},
			{exitUsage, "--tag (or $PAYOUTD_TAG) A is not a CIP tag of an individual user; EIN_DOC is not a CIP tag of an individual user", "users verify --client=acme --tag=EIN_DOC=FAILED --tag=A=FAILED --tag=EMAIL=FAILED " + ashaID},
			{exitUsage, "--status (or $PAYOUTD_STATUS) must be one of ...", "users list --client=acme --status=DONE"},
			{exitUsage, "--limit (or $PAYOUTD_LIMIT) must be 1 to 1000", "users list --client=acme --limit=0"},
			{exitUsage, "--limit (or $PAYOUTD_LIMIT) must be 1 to 1000", "transactions list --client=acme --limit=1001"},
			{exitUsage, "--after (or $PAYOUTD_AFTER)" + notUUID, "transactions list --client=acme --after=1"},
			{exitUsage, "--user (or $PAYOUTD_USER)" + notUUID, "transactions list --client=acme --user=1"},
			{exitUsage, "--status (or $PAYOUTD_STATUS) must be one of INITIATED, PROCESSING, COMPLETED, FAILED, CANCELED, RETURNED", "transactions list --client=acme --status=DONE"},
			{exitUsage, "--status (or $PAYOUTD_STATUS) must be one of INITIATED, PROCESSING, COMPLETED, FAILED, CANCELED, RETURNED", "transactions export --status=DONE"},
			{exitUsage, "--ready (or $PAYOUTD_READY) needs --status INITIATED", "transactions export --ready --status=FAILED"},
			{exitUsage, "--format (or $PAYOUTD_FORMAT) must be one of csv, jsonl", "transactions export --format=xml"},
			{exitFailure, "there is no such client", "transactions export --client=nobody"},
			{exitFailure, "there is no such client", "audit list --client=nobody"},
			{exitUsage, "--client (or $PAYOUTD_CLIENT)" + notID, "audit list --client=Acme"},
			{exitFailure, "there is no such client", "find --client=nobody " + ashaID},
			{exitFailure, "there is no such client", "transactions release --client=nobody " + os.DevNull},
			{exitUsage, "--since (or $PAYOUTD_SINCE) must be a day YYYY-MM-DD, a time YYYY-MM-DDTHH:MM:SSZ, or a duration such as 24h", "audit list --since=yesterday"},
			{exitFailure, "there is no such entry of the audit log", "audit list --after=" + unknownID},
			{exitUsage, "--from (or $PAYOUTD_FROM) must be a date YYYY-MM-DD", "transactions list --client=acme --from=2026-02-30"},
			{exitUsage, "--to (or $PAYOUTD_TO) must be a date YYYY-MM-DD", "transactions list --client=acme --to=today"},
			{exitUsage, "--to (or $PAYOUTD_TO) must not be before --from", "transactions list --client=acme --from=2026-03-02 --to=2026-03-01"},
			{exitUsage, "--user (or $PAYOUTD_USER)" + notUUID, "funding-accounts list --client=acme --user=1"},
			{exitUsage, "<account-id>" + notUUID, "funding-accounts set-status --client=acme --user=" + ashaID + " 1 ACTIVE"},
			{exitUsage, "<status> must be one of PENDING, ACTIVE, INACTIVE", "funding-accounts set-status --client=acme --user=" + ashaID + " " + fundID + " active"},
			{exitUsage, "<transaction-id>" + notUUID, "transactions show --client=acme 1"},
			{exitFailure, "there is no such client", "clients show nobody"},
			{exitFailure, "there is no such client", "clients rotate-secret nobody"},
			{exitFailure, "there is no such client", "clients revoke-secret nobody 000000000000"},
			{exitFailure, "there is no such secret of this client", "clients revoke-secret acme 000000000000"},
			{exitFailure, "there is no such client", "clients disable nobody"},
			{exitFailure, "there is no such client", "users list --client=nobody"},
			{exitFailure, "there is no such user", "users show --client=acme " + unknownID},
			{exitFailure, "there is no such user", "users show --client=beta " + ashaID},
			{exitFailure, "there is no such user", "users verify --client=beta --kyc-status=VERIFIED " + ashaID},
			{exitFailure, "there is no such user", "funding-accounts list --client=acme --user=" + unknownID},
			{exitFailure, "there is no such user", "funding-accounts set-status --client=beta --user=" + ashaID + " " + fundID + " ACTIVE"},
			{exitFailure, "there is no such funding account", "funding-accounts set-status --client=acme --user=" + firmID + " " + fundID + " ACTIVE"},
			{exitFailure, "there is no such user", "transactions list --client=beta --user=" + ashaID},
			{exitFailure, "there is no such transaction", "transactions show --client=beta " + transferID},
			{exitFailure, "there is no such transaction", "transactions list --client=beta --after=" + transferID},
			{exitFailure, "there is no such user", "users list --client=acme --after=" + unknownID},
		} {
			o.refused(t, c.code, c.says, strings.Fields(c.args)...)
		}
		// None of this changed anything.
		o.prints(t, "users_show.txt", "users", "show", "--client=acme", ashaID)
		o.prints(t, "funding_list.txt", "funding-accounts", "list", "--client=acme", "--user="+ashaID)
		o.prints(t, "clients_list.txt", "clients", "list")
	})
}

// withoutTables is an empty database.
func withoutTables(t *testing.T) operator {
	t.Helper()
	file := filepath.Join(t.TempDir(), "payouts.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return operator{"sqlite:" + file}
}
