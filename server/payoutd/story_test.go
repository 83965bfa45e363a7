package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/reference"
)

// In production there is no sandbox: a client and its payouts need nothing but commands and the API.
func TestTheStoryOfAPayoutInProduction(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		ctx := t.Context()
		o.done(t, "reference", "import", "payers", csvFile(t, reference.SamplePayers(), reference.WritePayers))
		o.done(t, "reference", "import", "banks", csvFile(t, reference.SampleBanks(), reference.WriteBanks))
		out := strings.TrimSpace(o.done(t, "clients", "apply", "-f", file(t, wide)))
		secret := out[strings.LastIndex(out, "\n")+1:]
		served := start(t, variables("PAYOUTD_DATABASE", o.url), "serve", "--listen=127.0.0.1:0")
		c, err := client.New(served.errs.awaitLog(t, "listening").Address, "wide", secret)
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdleConnections()

		user := got(c.CreateUser(ctx, api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend)}))(t)
		o.done(t, "users", "verify", "--client=wide", user.ID.String(), "--kyc-status=VERIFIED")
		fund := got(c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}))(t)
		o.done(t, "funding-accounts", "set-status", "--client=wide", "--user="+user.ID.String(), fund.ID.String(), "ACTIVE")
		receiver := got(c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"}))(t)
		account := got(c.CreateBankAccount(ctx, user.ID, receiver.ID, api.BankAccountRequest{BankID: 2001, AccountNumber: "0001234567", Currency: "NPR"}))(t)
		pay := func(usd string) *api.Transaction {
			t.Helper()
			return got(c.CreateTransaction(ctx, user.ID, api.TransactionRequest{
				FromAmount: client.MustAmount(usd), ExchangeRate: client.MustAmount("132.25"), FromCurrency: "USD", ToCurrency: "NPR",
				FromFundID: fund.ID, To: client.BankDeposit(receiver.ID, account.ID),
			}))(t)
		}
		is := func(id uuid.UUID, want string) {
			t.Helper()
			v := got(c.GetTransaction(ctx, user.ID, id))(t)
			status := []string{string(v.Status), string(v.DeliveryStatus)}
			if v.StatusReason != nil {
				status = append(status, string(*v.StatusReason))
			}
			status = append(status, v.RequiredInformation...)
			if got := strings.Join(status, " "); got != want {
				t.Errorf("the payout is %s, want %s", got, want)
			}
		}
		remaining := func() string {
			t.Helper()
			return got(c.GetTransactionLimit(ctx, user.ID, "NP"))(t).RemainingLimit.DailyLimit.String()
		}
		export := func(want ...uuid.UUID) string {
			t.Helper()
			name := filepath.Join(t.TempDir(), "payouts.jsonl")
			o.done(t, "transactions", "export", name, "--ready")
			var ids []uuid.UUID
			for line := range strings.Lines(readFile(t, name)) {
				ids = append(ids, uuid.MustParse(member(t, line, "transaction_id")))
			}
			if !slices.Equal(ids, want) {
				t.Errorf("the export has %v, want %v", ids, want)
			}
			return name
		}

		// A payout above the limits of the tier waits for information, which the user then sends.
		held := pay("1500")
		is(held.ID, "INITIATED NONE ID_DOC")
		export()
		if _, err := c.CreateDocuments(ctx, user.ID, api.UserDocumentsRequest{
			VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: "A1234567"}},
		}); err != nil {
			t.Fatal(err)
		}
		o.done(t, "users", "verify", "--client=wide", user.ID.String(), "--tag=ID_DOC=VERIFIED")
		is(held.ID, "INITIATED NONE")

		// It is paid. A second one fails, and no longer counts against the limit.
		before := remaining()
		failing := pay("200")
		if remaining() == before {
			t.Error("the second payout does not count against the limit")
		}
		batch := export(held.ID, failing.ID)
		o.done(t, "transactions", "release", batch)
		is(held.ID, "PROCESSING PENDING")
		var e *client.Error
		if _, err := c.CancelTransaction(ctx, user.ID, held.ID); !errors.As(err, &e) || e.Code != client.TransactionNotCancelable {
			t.Errorf("a released payout is canceled: %v", err)
		}
		o.done(t, "transactions", "settle", file(t, "transaction_id,status,status_reason\n"+held.ID.String()+",COMPLETED,\n"+
			failing.ID.String()+",FAILED,ACCOUNT_CANNOT_RECEIVE\n"), "--client=wide")
		is(held.ID, "COMPLETED DELIVERED")
		is(failing.ID, "FAILED FAILED ACCOUNT_CANNOT_RECEIVE") //nolint:dupword // two statuses
		if got := remaining(); got != before {
			t.Errorf("%s remain, and %s before the payout that failed", got, before)
		}
		o.done(t, "check")
	})
}

// got returns what a call of the SDK returned.
func got[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// member returns a text of a JSON object.
func member(t *testing.T, line, name string) string {
	t.Helper()
	var members map[string]string
	if err := json.Unmarshal([]byte(line), &members); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return members[name]
}
