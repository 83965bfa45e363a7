package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// file writes a file and returns its name.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestExitCodesAreThoseOfTheVerdicts(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Now, c.WebhooksOff = time.Now, false })
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	alone := []string{"--url", s.URL, "--client-id", first.ID, "--client-secret", first.Secret, "--timeout", "2m"} // with the race detector, too
	both := slices.Concat(alone, []string{"--other-client-id", second.ID, "--other-client-secret", second.Secret})
	for name, tc := range map[string]struct {
		code int
		says string
		args []string
	}{
		"everything":        {0, "\nCONFORMANT: ", slices.Concat(both, []string{"--receiver", "127.0.0.1:0"})},
		"no receiver":       {3, "no address that receives webhooks is given\n", slices.Concat(both, []string{"--only", "webhooks"})},
		"a filter":          {3, "\nINCOMPLETE: ", slices.Concat(both, []string{"--only", "reference"})},
		"one client":        {3, "no credentials of a second client are given\n", alone},
		"no fixtures":       {3, "the fixtures name no sender\n", slices.Concat(both, []string{"--profile", "document", "--operation", "createTransaction"})},
		"another condition": {1, "\nNOT CONFORMANT: ", slices.Concat(both, []string{"--condition", "unavailable"})},
		"the first failure": {
			1, "not run because the run stopped at 1 failure\n",
			slices.Concat(both, []string{"--condition", "rate-limited", "--parallel", "1", "--max-failures", "1"}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := conform(t.Context(), nil, tc.args...)
			if code != tc.code || !strings.Contains(out, tc.says) || strings.Contains(out+errs, first.Secret) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tc.code, tc.says, out, errs)
			}
		})
	}
}

func TestCredentialsThatTheServerDoesNotKnowExitWithTwo(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	for _, tc := range []struct{ id, secret, otherSecret, says string }{
		{first.ID, "of-nobody", second.Secret, "does not know the client id or the secret"},
		{"nobody", first.Secret, second.Secret, "does not know the client id or the secret"},
		{first.ID, first.Secret, "of-nobody", "the second client was answered with 401"},
	} {
		code, out, errs := conform(t.Context(), nil, "--url", s.URL, "--only", "users,isolation,http", "--client-id", tc.id, "--client-secret", tc.secret,
			"--other-client-id", second.ID, "--other-client-secret", tc.otherSecret)
		if code != exitUnable || !strings.Contains(out, tc.says) {
			t.Errorf("exit %d, want %q:\n%s%s", code, tc.says, clip(out), errs)
		}
	}
}

// The fixtures file of the README works.
func TestFixturesStandInForWhatCannotBeMade(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(readme), "--fixtures fixtures.yaml\n")
	example, _, _ = strings.Cut(example, "\n\n")
	s := servertest.New(t, func(c *server.Config) { c.Now = time.Now })
	sender := servertest.NewSender(t, s.Client)
	receiver := servertest.NewReceiver(t, s.Client, sender.ID)
	unverified := servertest.NewUser(t, s.Client).ID
	fund := servertest.NewFundingAccount(t, s.Client, unverified, api.FundingAccountStatusActive)
	for i, id := range []uuid.UUID{sender.ID, sender.Fund, unverified, fund, receiver.ID, receiver.Bank} {
		example = strings.ReplaceAll(example, fmt.Sprintf("01a1f8e8-0000-7000-8000-%012d", i+1), id.String())
	}
	client := server.SandboxClients[0]
	code, out, errs := conform(t.Context(), map[string]string{"CONFORM_CLIENT_SECRET": client.Secret}, "--url", s.URL, "--client-id", client.ID,
		"--profile", "document", "--operation", "createTransaction", "--fixtures", file(t, example))
	if code != 3 || strings.Contains(out, "name no sender") || !strings.Contains(out, "name no receiver for WALLET") {
		t.Errorf("exit %d:\n%s%s", code, out, errs)
	}
}

func TestWhatTheSuiteCannotDoExitsWithTwo(t *testing.T) {
	t.Parallel()
	const nowhere = "--url=http://127.0.0.1:1"
	for _, tc := range []struct {
		name string
		args []string
		says string
	}{
		{"no URL", nil, "--url (or $CONFORM_URL) is needed"},
		{"a URL of another kind", []string{"--url=ftp://host"}, "must be http or https"},
		{"an unknown flag", []string{"--verbose"}, "unknown flag --verbose"},
		{"an unknown profile", []string{nowhere, "--profile=all"}, `--profile must be one of "full","document"`},
		{"a duration without unit", []string{nowhere, "--timeout=5"}, "--timeout"},
		{"a filter that fits nothing", []string{nowhere, "--only=weather"}, "the filter matches no check"},
		{"a list that fits nothing", []string{"--list", "--only=weather"}, "the filter matches no check"},
		{"no file of that name", []string{nowhere, "--config=none.yaml"}, "none.yaml"},
		{"an unknown key", []string{"--config=" + file(t, "urls: http://127.0.0.1:1\n")}, `there is no option "urls"`},
		{"a file that is no YAML", []string{"--config=" + file(t, "url: [\n")}, "--config: "},
		{"an unknown fixture", []string{nowhere, "--fixtures=" + file(t, "fixtures: {recipient: 1}\n")}, "field recipient not found"},
		{"an origin without cents", []string{nowhere, "--fixtures=" + file(t, "facts: {origin_currency: JPY}\n")}, "with 2 decimals"},
		{"a fixture that is no id", []string{nowhere, "--fixtures=" + file(t, "fixtures: {sender: {user_id: 1}}\n")}, "--fixtures: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := conform(t.Context(), credentials, tc.args...)
			if code != exitUnable || !strings.Contains(errs, tc.says) || out != "" {
				t.Errorf("exit %d, want %q:\n%s%s", code, tc.says, out, errs)
			}
		})
	}
	code, _, errs := conform(t.Context(), nil, nowhere)
	if code != exitUnable || !strings.Contains(errs, "credentials of a client are needed") {
		t.Errorf("without credentials: exit %d:\n%s", code, errs)
	}
}

func TestAFlagCountsMoreThanAVariableAndThatMoreThanTheFile(t *testing.T) {
	t.Parallel()
	inFile := file(t, "url: http://127.0.0.1:1\nclient_id: acme\nclient_secret: of-acme\ncommit: from-file\nparallel: 2\nonly: [users, contract.errors]\n")
	for _, tc := range []struct {
		want string
		env  map[string]string
		args []string
	}{
		{"Commit of the server: from-file", nil, nil},
		{"Commit of the server: from-variable", map[string]string{"CONFORM_COMMIT": "from-variable"}, nil},
		{"Commit of the server: from-flag", map[string]string{"CONFORM_COMMIT": "from-variable"}, []string{"--commit=from-flag"}},
	} {
		code, out, errs := conform(t.Context(), tc.env, append(tc.args, "--config="+inFile)...)
		if code != exitUnable || !strings.Contains(out, tc.want) {
			t.Errorf("exit %d, want %q:\n%s%s", code, tc.want, out, errs)
		}
	}
	_, out, errs := conform(t.Context(), map[string]string{"CONFORM_CONFIG": inFile, "CONFORM_ONLY": "contract"}, "--list")
	if !strings.Contains(out, "contract.createUser") || strings.Contains(out, "\nusers") {
		t.Errorf("the variables CONFORM_CONFIG and CONFORM_ONLY:\n%s%s", out, errs)
	}
}

func TestHelpNamesTheExitCodes(t *testing.T) {
	t.Parallel()
	code, out, _ := conform(t.Context(), nil, "--help")
	if code != exitDone || !strings.Contains(out, "Exit codes: 0 CONFORMANT, ") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

func TestListReadsAsASpecification(t *testing.T) {
	t.Parallel()
	code, out, _ := conform(t.Context(), nil, "--list", "--clause", "2.5-response", "--profile", "document")
	if code != exitDone || !strings.Contains(out, "\nusers\n  users.") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}
