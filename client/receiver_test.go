package client_test

import (
	"bytes"
	"database/sql"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// request is a webhook as it arrived.
type request struct {
	header http.Header
	body   []byte
}

// program is the receiver of the example of VerifyWebhook behind a network that may lose its first answer to each event.
type program struct {
	*Receiver
	url string

	mu      sync.Mutex
	secrets []string
	loses   bool
	arrived []request
	answers []int // of the receiver
}

func newProgram(t *testing.T) *program {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "program.db")+"?_txlock=immediate&_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.ExecContext(t.Context(), tables); err != nil {
		t.Fatal(err)
	}
	p := &program{}
	p.Receiver = &Receiver{DB: db, Secrets: func() []string {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.secrets
	}}
	web := httptest.NewServer(http.HandlerFunc(p.network))
	t.Cleanup(web.Close)
	p.url = web.URL
	return p
}

func (p *program) network(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	sameEvent := func(v request) bool { return v.header.Get("webhook-id") == r.Header.Get("webhook-id") }
	lost := p.loses && !slices.ContainsFunc(p.arrived, sameEvent)
	p.arrived = append(p.arrived, request{r.Header, body})
	p.mu.Unlock()
	status := p.receive(r.Header, body)
	p.mu.Lock()
	p.answers = append(p.answers, status)
	p.mu.Unlock()
	if lost {
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
}

// receive gives a request to the receiver, and returns the status of its answer.
func (p *program) receive(header http.Header, body []byte) int {
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Code
}

func (p *program) trust(secrets ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.secrets = secrets
}

// got returns the requests that arrived, and the answers of the receiver.
func (p *program) got() ([]request, []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.arrived), slices.Clone(p.answers)
}

// status returns what the program knows of a payout, and how many emails it sends about it.
func (p *program) status(t *testing.T, payout uuid.UUID) (status string, emails int) {
	t.Helper()
	if err := p.DB.QueryRowContext(t.Context(), `select coalesce((select status from payouts where id = $1), ''),
		(select count(*) from emails where payout_id = $1)`, payout.String()).Scan(&status, &emails); err != nil {
		t.Fatal(err)
	}
	return status, emails
}

// stored returns how many events the program has taken in.
func (p *program) stored(t *testing.T) (n int) {
	t.Helper()
	if err := p.DB.QueryRowContext(t.Context(), `select count(*) from webhooks`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// received is a sandbox that delivers to a program.
type received struct {
	*payouttest.Sandbox
	*program
	hook   *payouttest.Webhook
	sender payouttest.Sender
	payout api.TransactionRequest
}

func newReceived(t *testing.T) received {
	t.Helper()
	p, s := newProgram(t), payouttest.New(t, payouttest.Webhooks())
	sender := s.VerifiedSender()
	payout := s.Payout(sender, s.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "1")
	hook := s.Webhook(p.url)
	p.trust(hook.Secret)
	return received{s, p, hook, sender, payout}
}

func (r received) send(t *testing.T) uuid.UUID {
	t.Helper()
	made, err := r.Client.CreateTransaction(t.Context(), r.sender.ID, r.payout)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// want fails the test unless the program knows this status of a payout, and sends this number of emails about it.
func (r received) want(t *testing.T, payout uuid.UUID, status api.TransactionStatus, emails int) {
	t.Helper()
	if got, n := r.status(t, payout); got != string(status) || n != emails {
		t.Errorf("the program knows %q and sends %d emails, want %s and %d", got, n, status, emails)
	}
}

// An event whose answer was lost comes again, and has no second effect.
func TestTheReceiverIsSafeAgainstRepeats(t *testing.T) {
	t.Parallel()
	r := newReceived(t)
	r.loses = true
	payout := r.send(t)
	r.Settle(payout)
	events := r.hook.Delivered()
	r.want(t, payout, api.TransactionStatusCompleted, 1)
	if arrived, _ := r.got(); len(arrived) != 2*len(events) || r.stored(t) != len(events) {
		t.Errorf("%d events arrived %d times, and %d are stored", len(events), len(arrived), r.stored(t))
	}
}

// An old status that the program has not seen, or has forgotten, does not replace a newer one.
func TestTheReceiverIsSafeAgainstLateArrival(t *testing.T) {
	t.Parallel()
	r := newReceived(t)
	payout := r.send(t)
	r.Settle(payout)
	events := r.hook.Delivered()
	r.Return(payout, api.StatusReasonPayoutReturned)
	r.hook.Delivered()
	if _, err := r.DB.ExecContext(t.Context(), `delete from webhooks; delete from emails`); err != nil {
		t.Fatal(err)
	}
	for _, event := range events {
		r.hook.Again(event.ID)
	}
	r.want(t, payout, api.TransactionStatusReturned, 1)
	if n := r.stored(t); n != len(events) {
		t.Errorf("%d of %d events came late", n, len(events))
	}
}

// The same requests at the same time, in any order, to several workers: the state is that of the service.
func TestTheReceiverIsSafeAgainstItself(t *testing.T) {
	t.Parallel()
	r := newReceived(t)
	want := map[uuid.UUID]api.TransactionStatus{}
	for range 4 {
		want[r.Settle(r.send(t)).ID] = api.TransactionStatusCompleted
	}
	failed := r.Fail(r.send(t), api.StatusReasonAccountInvalid).ID
	want[failed] = api.TransactionStatusFailed
	r.hook.Delivered()
	requests, _ := r.got()
	for range 5 {
		if _, err := r.DB.ExecContext(t.Context(), `delete from webhooks; delete from payouts; delete from emails`); err != nil {
			t.Fatal(err)
		}
		repeated := slices.Concat(requests, requests, requests)
		rand.Shuffle(len(repeated), func(i, j int) { repeated[i], repeated[j] = repeated[j], repeated[i] })
		next := make(chan request, len(repeated))
		for _, v := range repeated {
			next <- v
		}
		concurrently(16, len(repeated), func() {
			v := <-next
			if status := r.receive(v.header, v.body); status != http.StatusNoContent {
				t.Errorf("answered %d", status)
			}
		})
		for payout, status := range want {
			emails := 0
			if status == api.TransactionStatusCompleted {
				emails = 1
			}
			r.want(t, payout, status, emails)
		}
	}
}

// Nothing that the service did not sign is stored, and what it signed is accepted as long as one of the secrets is known.
func TestTheReceiverChecksSignatures(t *testing.T) {
	t.Parallel()
	r := newReceived(t)
	r.send(t)
	r.hook.Delivered()
	arrived, _ := r.got()
	signed := arrived[0]
	stored := r.stored(t)
	forged := signed.header.Clone()
	forged.Set("webhook-id", uuid.NewString())
	later := signed.header.Clone()
	later.Set("webhook-timestamp", "9"+signed.header.Get("webhook-timestamp")[1:])
	for what, v := range map[string]request{
		"another body":  {signed.header, bytes.Replace(signed.body, []byte("INITIATED"), []byte("COMPLETED"), 1)},
		"another event": {forged, signed.body},
		"another time":  {later, signed.body},
		"no headers":    {http.Header{}, signed.body},
	} {
		if status := r.receive(v.header, v.body); status != http.StatusBadRequest {
			t.Errorf("%s: %d", what, status)
		}
	}
	r.trust(webhookSecret)
	if status := r.receive(signed.header, signed.body); status != http.StatusBadRequest || r.stored(t) != stored {
		t.Errorf("with another secret: %d", status)
	}
	r.trust()
	if status := r.receive(signed.header, signed.body); status != http.StatusInternalServerError {
		t.Errorf("without a secret: %d, so that the service would not repeat it", status)
	}
}

// Whichever of the two secrets a program knows during a rotation, and whenever it learns the other one, nothing is refused.
func TestTheReceiverDuringARotation(t *testing.T) {
	t.Parallel()
	r := newReceived(t)
	before := r.hook.Secret
	after := r.hook.Rotate()
	for _, secrets := range [][]string{{before}, {after, before}, {after}} {
		r.trust(secrets...)
		payout := r.send(t)
		r.hook.Delivered()
		r.want(t, payout, api.TransactionStatusInitiated, 0)
	}
	r.Advance(25 * time.Hour)
	payout := r.send(t)
	r.hook.Delivered()
	r.want(t, payout, api.TransactionStatusInitiated, 0)
	arrived, answers := r.got()
	if slices.ContainsFunc(answers, func(status int) bool { return status != http.StatusNoContent }) {
		t.Errorf("answered %v", answers)
	}
	r.trust(before)
	if last := arrived[len(arrived)-1]; r.receive(last.header, last.body) != http.StatusBadRequest {
		t.Error("the secret before signs after a day too")
	}
}

// A service whose clock is six minutes behind signs what nobody should accept: the delivery log says so.
func TestTheReceiverRefusesOldTimestamps(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	s := servertest.New(t, func(c *server.Config) {
		c.WebhooksOff, c.WebhookNow = false, func() time.Time { return time.Now().Add(-6 * time.Minute) }
	})
	c, err := client.New(s.URL, server.SandboxClients[0].ID, server.SandboxClients[0].Secret)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	endpoint, err := c.CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: p.url})
	if err != nil {
		t.Fatal(err)
	}
	p.trust(*endpoint.Secret)
	if _, err := c.TestWebhookEndpoint(t.Context(), endpoint.ID); err != nil {
		t.Fatal(err)
	}
	arrived, answers := p.got()
	for deadline := time.After(time.Minute); len(answers) == 0; arrived, answers = p.got() {
		select {
		case <-deadline:
			t.Fatal("nothing arrives")
		case <-time.After(10 * time.Millisecond):
		}
	}
	if answers[0] != http.StatusBadRequest || p.stored(t) != 0 {
		t.Errorf("answered %d", answers[0])
	}
	hook, err := standardwebhooks.NewWebhook(*endpoint.Secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := hook.VerifyIgnoringTimestamp(arrived[0].body, arrived[0].header); err != nil {
		t.Errorf("it was refused for another reason than its time: %v", err)
	}
}
