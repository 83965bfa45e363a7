package webhooks_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// delivering starts a service that delivers webhooks, by the real clock because signatures have a time.
func delivering(t *testing.T, configure ...func(*server.Config)) *servertest.Server {
	t.Helper()
	return servertest.New(t, append([]func(*server.Config){func(c *server.Config) {
		c.WebhooksOff, c.Now = false, time.Now
	}}, configure...)...)
}

// webhook is what a receiver got.
type webhook struct {
	header http.Header
	body   []byte
}

// receiver keeps what it gets, and answers with the status of a function of how often the event has come.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []webhook
}

func newReceiver(t *testing.T, status func(times int) int) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, webhook{request.Header, body})
		if status == nil {
			return
		}
		times := 0
		for _, v := range r.got {
			if v.header.Get("webhook-id") == request.Header.Get("webhook-id") {
				times++
			}
		}
		w.WriteHeader(status(times))
	}))
	t.Cleanup(r.Close)
	return r
}

// await returns what was received once there are n.
func (r *receiver) await(t *testing.T, n int) []webhook {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		r.mu.Lock()
		got := append([]webhook(nil), r.got...)
		r.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-deadline:
			t.Fatalf("received %d webhooks, want %d", len(got), n)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func register(t *testing.T, s *servertest.Server, url string) api.WebhookEndpoint {
	t.Helper()
	r, err := s.Client.CreateWebhookEndpointWithResponse(t.Context(), nil, api.WebhookEndpointRequest{URL: url})
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

func verifies(t *testing.T, v webhook, secret string) error {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(v.body, v.header)
}

// What is sent is the event as it is read, byte for byte, signed with the secret; after a rotation with both.
func TestAnEventArrivesSigned(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	in := newReceiver(t, nil)
	endpoint := register(t, s, in.URL)
	servertest.NewWorld(t, s.Client)
	for _, v := range in.await(t, 1) {
		if err := verifies(t, v, *endpoint.Secret); err != nil {
			t.Errorf("%s: %v", v.body, err)
		}
		read := servertest.Call(t, s, http.MethodGet, "/events/"+v.header.Get("webhook-id"), nil)
		if !bytes.Equal(servertest.OKBody(t, read), v.body) {
			t.Errorf("received\n%s\nread\n%s", v.body, read.Body)
		}
	}
	rotated, err := s.Client.RotateWebhookSecretWithResponse(t.Context(), endpoint.ID, nil)
	secret := servertest.OK(t, rotated.StatusCode(), rotated.Body, rotated.JSON200, err).Secret
	before := len(in.await(t, 1))
	servertest.NewWorld(t, s.Client)
	all := in.await(t, before+1)
	last := all[len(all)-1]
	for _, each := range []string{secret, *endpoint.Secret} {
		if err := verifies(t, last, each); err != nil {
			t.Errorf("after the rotation: %v", err)
		}
	}
}
