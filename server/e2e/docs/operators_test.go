//go:build unix

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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

	var secret string
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
		case strings.Contains(b.code, "clients apply"):
			found := regexp.MustCompile(`cannot be shown again:\n(\S+)`).FindStringSubmatch(s.RunBlock(b))
			if found == nil {
				t.Fatalf("%s: it printed no secret", b.first())
			}
			secret = found[1]
		case strings.Contains(b.code, "USER_ID"):
			s.senderOf("acme", secret)
			s.RunBlock(b)
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

// senderOf registers a user with a funding account, whose ids replace those of the document.
func (s *shell) senderOf(id, secret string) {
	s.Helper()
	c, err := client.New("http://"+s.address, id, secret)
	if err != nil {
		s.Fatal(err)
	}
	defer c.CloseIdleConnections()
	user, err := c.CreateUser(s.Context(), api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend)})
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
