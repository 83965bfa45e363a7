package payouttest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// mailbox accepts webhooks that are signed with one of its secrets, and refuses the first attempts of each.
type mailbox struct {
	*httptest.Server
	refuse int // attempts of each event
	status int // of a refusal

	mu      sync.Mutex
	secrets []string
	got     []uuid.UUID // the events, in the order of their attempts
	header  http.Header // of the last attempt
	body    []byte
}

func newMailbox(t *testing.T, refuse, status int) *mailbox {
	t.Helper()
	m := &mailbox{refuse: refuse, status: status}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	event, err := client.VerifyWebhook(r.Header, body, m.secrets...)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m.header, m.body = r.Header, body
	if m.got = append(m.got, event.ID); m.times(event.ID) <= m.refuse {
		w.WriteHeader(m.status)
	}
}

func (m *mailbox) times(event uuid.UUID) (n int) {
	for _, id := range m.got {
		if id == event {
			n++
		}
	}
	return n
}

// attempts returns how many attempts of an event arrived.
func (m *mailbox) attempts(event uuid.UUID) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.times(event)
}

func (m *mailbox) trust(secrets ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.secrets = secrets
}

// types names the events.
func types(events []api.Event) string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = string(e.Type)
	}
	return strings.Join(all, " ")
}

// An endpoint gets what happens after it was registered, and Delivered returns it in the order in which it happened.
func TestWebhooksAreDelivered(t *testing.T) {
	t.Parallel()
	r := newReady(t, payouttest.Webhooks())
	box, other := newMailbox(t, 0, 0), newMailbox(t, 0, 0)
	all := r.Webhook(box.URL)
	some := r.Webhook(other.URL, api.EventTypeTransactionCreated)
	box.trust(all.Secret)
	other.trust(some.Secret)
	r.Settle(send(t, r.Client, r.sender, r.payout))
	got := all.Delivered()
	want := "transaction.created transaction.status_changed transaction.delivery_status_changed transaction.status_changed transaction.delivery_status_changed"
	if types(got) != want || types(some.Delivered()) != "transaction.created" {
		t.Errorf("delivered %s, and %s", types(got), types(some.Delivered()))
	}
	for _, e := range got {
		if box.attempts(e.ID) != 1 {
			t.Errorf("%s arrived %d times", e.Type, box.attempts(e.ID))
		}
	}
	all.Again(got[0].ID)
	if box.attempts(got[0].ID) != 2 || other.attempts(got[0].ID) != 1 {
		t.Errorf("again: %d and %d attempts", box.attempts(got[0].ID), other.attempts(got[0].ID))
	}
}

// What is refused is sent again without the pauses of the service.
func TestRefusedWebhooksAreSentAgain(t *testing.T) {
	t.Parallel()
	r := newReady(t, payouttest.Webhooks())
	box := newMailbox(t, 2, http.StatusInternalServerError)
	hook := r.Webhook(box.URL)
	box.trust(hook.Secret)
	send(t, r.Client, r.sender, r.payout)
	got := hook.Delivered()
	if len(got) != 1 || box.attempts(got[0].ID) != 3 {
		t.Errorf("delivered %v after %d attempts", got, box.attempts(got[0].ID))
	}
}

// Time decides how long the secret before signs, and has no effect on the time of a signature.
func TestBothSecretsSignForADay(t *testing.T) {
	t.Parallel()
	r := newReady(t, payouttest.Webhooks())
	box := newMailbox(t, 0, 0)
	hook := r.Webhook(box.URL)
	before := hook.Secret
	after := hook.Rotate()
	if hook.Secret != after || after == before {
		t.Fatal("the secret is not replaced")
	}
	for _, secret := range []string{before, after} {
		box.trust(secret)
		send(t, r.Client, r.sender, r.payout)
		hook.Delivered()
	}
	r.Advance(25 * time.Hour)
	send(t, r.Client, r.sender, r.payout)
	hook.Delivered()
	if _, err := client.VerifyWebhook(box.header, box.body, before); !errors.Is(err, client.ErrWebhookSignature) {
		t.Errorf("a day later the secret before still signs: %v", err)
	}
}

func TestMisuseOfWebhooksFailsTheTest(t *testing.T) {
	t.Parallel()
	gone := newMailbox(t, 1, http.StatusGone)
	for name, row := range map[string]struct {
		do   func(*payouttest.Sandbox)
		says string
	}{
		"no event of the endpoint": {
			func(s *payouttest.Sandbox) { s.Webhook(gone.URL).Again(uuid.New()) }, "NOT_FOUND",
		},
		"a handler that refuses for good": {
			func(s *payouttest.Sandbox) {
				hook := s.Webhook(gone.URL, api.EventTypeUserStatusChanged) // one event: it disables the endpoint
				gone.trust(hook.Secret)
				s.VerifiedSender()
				hook.Delivered()
			}, "after 1 attempts, the last one: HTTP_STATUS, HTTP status 410",
		},
	} {
		if got := witnessed(t, row.do, payouttest.Webhooks()); !strings.Contains(got, row.says) {
			t.Errorf("%s: the test says %q, want %q", name, got, row.says)
		}
	}
	got := witnessed(t, func(s *payouttest.Sandbox) { s.Webhook(gone.URL) })
	if want := "Webhook needs a sandbox with the option Webhooks"; got != want {
		t.Errorf("without the option the test says %q, want %q", got, want)
	}
}
