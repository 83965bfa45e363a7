package story

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// profile is a client whose users may send 1000 USD a day, and more with an ID document.
const profile = `id: wide
name: Wide Remit
corridors:
  - {country: US, currency: USD}
destinations:
  - country: NP
    tiers:
      - limits: [{currency: USD, daily: 1000, monthly: 1000, annual: 1000}]
      - limits: [{currency: USD, daily: 100000, monthly: 100000, annual: 100000}]
        required_tags: {individual: [ID_DOC], business: [EIN_DOC]}
`

// service is payoutd in production with a client.
type service struct {
	*place
	*serving
	*client.Client
	seen    *seen         // by clients
	logged  <-chan string // the lines of the log
	metrics string        // the address of the metrics
	secret  string        // of the client
	keyset  string        // the file of the key of webhook secrets
}

// serve makes all that production needs with commands, and starts it.
func (p *place) serve(t *testing.T) *service {
	t.Helper()
	s := &service{place: p, keyset: filepath.Join(p.dir, "secrets-key.json")}
	data := filepath.Join("..", "..", "reference", "data")
	p.payoutd(t, "migrate", "up")
	p.payoutd(t, "reference", "import", "payers", filepath.Join(data, "sample_payers.csv"))
	p.payoutd(t, "reference", "import", "banks", filepath.Join(data, "sample_banks.csv"))
	p.payoutd(t, "secrets-key", "create", s.keyset)
	s.secret = p.secretOf(p.payoutd(t, "clients", "apply", "-f", p.file(t, "wide.yaml", profile)))
	s.run(t)
	return s
}

// run starts the program, and ends the one that runs.
func (s *service) run(t *testing.T) {
	t.Helper()
	if s.serving != nil {
		s.end()
	}
	type listening struct{ Msg, Address, Metrics string }
	s.serving = start(t, (*exec.Cmd).StderrPipe, []string{"PAYOUTD_DATABASE=" + s.database, "SSL_CERT_FILE=" + s.certificate},
		filepath.Join(s.programs, "payoutd"), "serve", "--listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--secrets-key="+s.keyset, "--log-level=debug")
	at := within(t, "payoutd listens", s.lines, func(line string) (at listening, ok bool) {
		s.log(line)
		return at, json.Unmarshal([]byte(line), &at) == nil && at.Msg == "listening"
	})
	s.metrics = at.Metrics
	lines := s.lines
	logged := make(chan string, cap(lines))
	s.logged = logged
	go func() {
		defer close(logged)
		for line := range lines {
			s.log(line)
			select {
			case logged <- line:
			default: // nobody waits for so many
			}
		}
	}()
	s.seen = &seen{}
	var err error
	if s.Client, err = client.New(at.Address, "wide", s.secret, client.WithHTTPClient(&http.Client{Transport: s.seen})); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.CloseIdleConnections)
}

func (p *place) log(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.logs.WriteString(line + "\n")
}

func (p *place) wholeLog() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.logs.String()
}

// secretOf returns the secret of a new client, the last line of what the command prints.
func (p *place) secretOf(out string) string {
	out = strings.TrimSpace(out)
	secret := out[strings.LastIndex(out, "\n")+1:]
	p.forget(secret)
	return secret
}

// forget forgets that commands have printed a text, because they are there to print it.
func (p *place) forget(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	others := strings.ReplaceAll(p.output.String(), text, "")
	p.output.Reset()
	p.output.WriteString(others)
}

// readLines sends each line, and closes lines at the end.
func readLines(from io.Reader, lines chan<- string) {
	defer close(lines)
	for scan := bufio.NewScanner(from); scan.Scan(); {
		lines <- scan.Text()
	}
}

// received is a line that the receiver prints.
type received struct {
	Ready                      bool
	Refused                    string
	ID, Type, Resource, Status string
	Tags                       []string
}

// String is the event, with the tag on which the story turns.
func (r received) String() string {
	s := r.Type + " " + r.Resource + " " + r.Status
	for _, tag := range r.Tags {
		if strings.HasPrefix(tag, "ID_DOC=") {
			s += " " + tag
		}
	}
	return s
}

// receive starts the program of the client that receives webhooks, and waits until it listens.
func (p *place) receive(t *testing.T, secret string) *serving {
	t.Helper()
	s := start(t, (*exec.Cmd).StdoutPipe, []string{"WEBHOOK_SECRET=" + secret},
		filepath.Join(p.programs, "receiver"), public+":443", p.certificate, p.key)
	within(t, "the receiver listens", s.lines, func(line string) (r received, ok bool) {
		return r, json.Unmarshal([]byte(line), &r) == nil && r.Ready
	})
	return s
}

// In production there is no sandbox: a client, its payouts and their outcome need nothing but commands, the API and, to receive
// webhooks, the SDK.
func TestTheStoryOfAPayoutInProduction(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, p *place) {
		ctx := t.Context()
		s := p.serve(t)
		p.names.set("hooks.example.com", public)
		endpoint := got(s.CreateWebhookEndpoint(ctx, api.WebhookEndpointRequest{URL: "https://hooks.example.com/payouts?token=" + canaryQuery}))(t)
		receiver := p.receive(t, *endpoint.Secret)

		user := got(s.CreateUser(ctx, api.UserRequest{
			FirstName: canaryName, LastName: new(canaryName), Email: canaryMail, Country: "US", Type: new(api.UserTypeSend),
		}))(t)
		s.payoutd(t, "users", "verify", user.ID.String(), "--kyc-status=VERIFIED")
		fund := got(s.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}))(t)
		s.payoutd(t, "funding-accounts", "set-status", "--client=wide", "--user="+user.ID.String(), fund.ID.String(), "ACTIVE")
		receiveUser := got(s.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: canaryName, Country: "NP"}))(t)
		account := got(s.CreateBankAccount(ctx, user.ID, receiveUser.ID, api.BankAccountRequest{BankID: 2001, AccountNumber: canaryAccount, Currency: "NPR"}))(t)
		pay := func(usd string) *api.Transaction {
			t.Helper()
			return got(s.CreateTransaction(ctx, user.ID, api.TransactionRequest{
				FromAmount: client.MustAmount(usd), ExchangeRate: client.MustAmount("132.25"), FromCurrency: "USD", ToCurrency: "NPR",
				FromFundID: fund.ID, To: client.BankDeposit(receiveUser.ID, account.ID),
			}))(t)
		}
		is := func(id uuid.UUID, want string) {
			t.Helper()
			v := got(s.GetTransaction(ctx, user.ID, id))(t)
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
			return got(s.GetTransactionLimit(ctx, user.ID, "NP"))(t).RemainingLimit.DailyLimit.String()
		}
		export := func(name string, want ...uuid.UUID) string {
			t.Helper()
			file := filepath.Join(p.dir, name)
			s.payoutd(t, "transactions", "export", file, "--ready")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var ids []uuid.UUID
			for line := range strings.Lines(string(text)) {
				var v struct {
					ID uuid.UUID `json:"transaction_id"`
				}
				if err := json.Unmarshal([]byte(line), &v); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, v.ID)
			}
			if !slices.Equal(ids, want) {
				t.Errorf("the export has %v, want %v", ids, want)
			}
			return file
		}

		// A payout above the limits of the tier waits for information, which the user then sends.
		held := pay("1500")
		is(held.ID, "INITIATED NONE ID_DOC")
		export("none.jsonl")
		got(s.CreateDocuments(ctx, user.ID, api.UserDocumentsRequest{
			VirtualDocuments:  []api.VirtualDocumentRequest{{DocumentType: "PASSPORT", DocumentValue: canaryNumber}},
			PhysicalDocuments: []api.PhysicalDocumentRequest{{DocumentType: "STATE_ID", DocumentValue: "data:image/png;base64," + canaryContent}},
		}))(t)
		s.payoutd(t, "users", "verify", user.ID.String(), "--tag=ID_DOC=VERIFIED")
		is(held.ID, "INITIATED NONE")

		// It is paid. A second one fails, and no longer counts against the limit.
		before := remaining()
		failing := pay("200")
		if remaining() == before {
			t.Error("the second payout does not count against the limit")
		}
		s.payoutd(t, "transactions", "release", export("batch.jsonl", held.ID, failing.ID))
		is(held.ID, "PROCESSING PENDING")
		var e *client.Error
		if _, err := s.CancelTransaction(ctx, user.ID, held.ID); !errors.As(err, &e) || e.Code != client.TransactionNotCancelable {
			t.Errorf("a released payout is canceled: %v", err)
		}
		s.payoutd(t, "transactions", "settle", "--client=wide", p.file(t, "settlement.csv", "transaction_id,status,status_reason\n"+
			held.ID.String()+",COMPLETED,\n"+failing.ID.String()+",FAILED,ACCOUNT_CANNOT_RECEIVE\n"))
		is(held.ID, "COMPLETED DELIVERED")
		is(failing.ID, "FAILED FAILED ACCOUNT_CANNOT_RECEIVE") //nolint:dupword // two statuses
		if got := remaining(); got != before {
			t.Errorf("%s remain, and %s before the payout that failed", got, before)
		}

		// The receiver has every event of it, each with its data.
		want := []string{
			"user.status_changed " + user.ID.String() + " VERIFIED",
			"funding_account.status_changed " + fund.ID.String() + " ACTIVE",
			"transaction.created " + held.ID.String() + " INITIATED",
			"user.information_requested " + user.ID.String() + " VERIFIED ID_DOC=REQUESTED",
			"user.information_changed " + user.ID.String() + " VERIFIED ID_DOC=SUBMIT",
			"user.information_changed " + user.ID.String() + " VERIFIED ID_DOC=VERIFIED",
			"transaction.created " + failing.ID.String() + " INITIATED",
		}
		for _, id := range []uuid.UUID{held.ID, failing.ID} {
			want = append(want, "transaction.status_changed "+id.String()+" PROCESSING", "transaction.delivery_status_changed "+id.String()+" PROCESSING")
		}
		for _, end := range []string{held.ID.String() + " COMPLETED", failing.ID.String() + " FAILED"} {
			want = append(want, "transaction.status_changed "+end, "transaction.delivery_status_changed "+end)
		}
		feed := map[string]bool{}
		for event, err := range s.Events(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			feed[event.ID.String()] = true
		}
		arrived := map[string]string{}
		within(t, "a webhook of each event", receiver.lines, func(line string) (none struct{}, ok bool) {
			var r received
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.Refused != "" || !feed[r.ID] {
				t.Errorf("the receiver says %s", line)
				return none, false
			}
			arrived[r.ID] = r.String()
			return none, len(arrived) == len(feed)
		})
		have := make([]string, 0, len(arrived))
		for _, each := range arrived {
			have = append(have, each)
		}
		if slices.Sort(have); !slices.Equal(have, slices.Sorted(slices.Values(want))) {
			t.Errorf("the receiver has\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
		s.payoutd(t, "check")
		s.keepsWhatIsSecret(t, told{*endpoint.Secret, endpoint.ID, user.ID, failing.ID})
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

// The receiver needs nothing but the SDK: of this repository it imports nothing else.
func TestTheReceiverUsesOnlyTheSDK(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{range .Imports}}{{println .}}{{end}}`, "./receiver").Output()
	if err != nil {
		t.Fatal(err)
	}
	var beyond []string
	for path := range strings.FieldsSeq(string(out)) {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			beyond = append(beyond, path)
		}
	}
	if want := []string{"github.com/crossborder-payouts/payouts/client"}; !slices.Equal(beyond, want) {
		t.Errorf("it imports %q, want %q", beyond, want)
	}
}
