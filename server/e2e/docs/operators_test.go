//go:build unix

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// operators is the document for those who run the service.
const operators = "server/README.md"

// An operator sets the service up on PostgreSQL and runs it for a day, with the commands of the document.
func TestCommandsOfOperators(t *testing.T) {
	t.Parallel()
	needs(t, "createuser", "createdb", "psql", "pg_dump", "pg_restore", "sqlite3")
	if err := pgtest.Available(); err != nil {
		missing(t, err.Error())
	}
	cluster, err := pgtest.Start("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cluster.Stop() })
	s := newShell(t, "PGHOST="+cluster.Dir, "PGUSER=postgres")
	for _, database := range []string{"/payouts", "/restored"} {
		s.replace["127.0.0.1:5432"+database] = database + "?host=" + cluster.Dir // it has no port, only a socket
	}
	s.Run("go build -o $PROGRAMS/ ./server/payoutd && cp $REPOSITORY/server/reference/data/sample_payers.csv payers.csv && " +
		"cp $REPOSITORY/server/reference/data/sample_banks.csv banks.csv")

	var secret, told string
	blocks := documents(t)[operators]
	for _, b := range blocks { // a file is shown after the command that reads it
		if strings.HasPrefix(b.code, "id: acme\n") {
			if err := os.WriteFile(filepath.Join(s.Dir, "client.yaml"), []byte(b.code), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, b := range blocks {
		switch {
		case strings.HasPrefix(b.code, "id: acme\n"):
		case strings.HasPrefix(b.code, "client_id,transaction_id"):
			settlement := strings.ReplaceAll(b.code, "TRANSACTION_ID", s.replace["TRANSACTION_ID"])
			if err := os.WriteFile(filepath.Join(s.Dir, "settlement.csv"), []byte(settlement), 0o600); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(b.code, "payoutd find order-17"):
			cancel := s.held("acme", secret)
			told = s.RunBlock(b)
			cancel()
		case b.language == "text" && strings.HasPrefix(b.code, "PAYOUT"):
			if got, want := masked(told), masked(b.code); got != want {
				t.Errorf("payoutd find prints\n%s\nand the document has\n%s", told, b.code)
			}
		case strings.Contains(b.code, "transactions export"):
			s.payout("acme", secret)
			s.RunBlock(b)
		case strings.Contains(b.code, "clients apply"):
			secret = secretIn(s, b)
		case strings.Contains(b.code, "USER_ID"):
			s.senderOf("acme", secret)
			secret = secretIn(s, b) // the block revokes the first one
		case strings.Contains(b.code, "sqlite3"):
			s.Run("payoutd migrate up --database sqlite:payouts.db")
			s.RunBlock(b)
		default:
			s.RunBlock(b)
		}
	}
	if secret == "" {
		t.Error("no block creates a client")
	}
}

// secretIn runs a block and returns the secret that it prints.
func secretIn(s *shell, b block) string {
	s.Helper()
	found := regexp.MustCompile(`cannot be shown again:\n(\S+)`).FindStringSubmatch(s.RunBlock(b))
	if found == nil {
		s.Fatalf("%s: it printed no secret", b.first())
	}
	return found[1]
}

// senderOf registers a user with a funding account, whose ids replace those of the document.
func (s *shell) senderOf(id, secret string) {
	s.Helper()
	c, err := client.New("http://"+s.address, id, secret)
	if err != nil {
		s.Fatal(err)
	}
	defer c.CloseIdleConnections()
	user, err := c.CreateUser(s.Context(), api.UserRequest{
		FirstName: "Asha", Email: "asha@example.com", AddressLine1: new("1 Sample Street"), Country: "US", Type: new(api.UserTypeSend),
		VirtualDocuments: []api.VirtualDocumentRequest{{DocumentType: "SSN", DocumentValue: "000000000"}},
	})
	if err != nil {
		s.Fatal(err)
	}
	account, err := c.CreateFundingAccount(s.Context(), user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"})
	if err != nil {
		s.Fatal(err)
	}
	s.replace["USER_ID"], s.replace["ACCOUNT_ID"] = user.ID.String(), account.ID.String()
	shown := s.Run("payoutd clients show " + id)
	fingerprint := regexp.MustCompile(`# secret (\S+) created`).FindStringSubmatch(shown)
	if fingerprint == nil {
		s.Fatalf("clients show printed no fingerprint:\n%s", shown)
	}
	s.replace["FINGERPRINT"] = fingerprint[1]
}

// masked leaves out of an answer what differs each time: ids, times, and whether the publisher was faster.
func masked(text string) string {
	text = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllString(text, "ID")
	text = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).ReplaceAllString(text, "TIME")
	return strings.TrimSpace(strings.ReplaceAll(text, " (not published yet)", ""))
}

// payout creates a payout of 13225.00 NPR for the user of the document.
func (s *shell) payout(id, secret string) {
	s.Helper()
	s.replace["TRANSACTION_ID"] = s.pay(id, secret, "100", "order-1").ID.String()
}

// held creates a payout that waits for information, and returns what cancels it.
func (s *shell) held(id, secret string) (cancel func()) {
	s.Helper()
	created := s.pay(id, secret, "1500", "order-17", client.IdempotencyKey("pay-17"))
	return func() {
		s.Helper()
		c, err := client.New("http://"+s.address, id, secret)
		if err != nil {
			s.Fatal(err)
		}
		defer c.CloseIdleConnections()
		if _, err := c.CancelTransaction(s.Context(), created.UserID, created.ID); err != nil {
			s.Fatal(err)
		}
	}
}

// pay creates a payout for the user of the document.
func (s *shell) pay(id, secret, usd, reference string, options ...client.CallOption) *api.Transaction {
	s.Helper()
	c, err := client.New("http://"+s.address, id, secret)
	if err != nil {
		s.Fatal(err)
	}
	defer c.CloseIdleConnections()
	user, fund := uuid.MustParse(s.replace["USER_ID"]), uuid.MustParse(s.replace["ACCOUNT_ID"])
	receiver, err := c.CreateReceiveUser(s.Context(), user, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
	if err != nil {
		s.Fatal(err)
	}
	account, err := c.CreateBankAccount(s.Context(), user, receiver.ID, api.BankAccountRequest{BankID: 2001, AccountNumber: "0001234567", Currency: "NPR"})
	if err != nil {
		s.Fatal(err)
	}
	created, err := c.CreateTransaction(s.Context(), user, api.TransactionRequest{
		FromAmount: client.MustAmount(usd), ClientReference: &reference, ExchangeRate: client.MustAmount("132.25"), FromCurrency: "USD", ToCurrency: "NPR", FromFundID: fund,
		To: client.BankDeposit(receiver.ID, account.ID),
	}, options...)
	if err != nil {
		s.Fatal(err)
	}
	return created
}
