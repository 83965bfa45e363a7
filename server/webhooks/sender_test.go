package webhooks

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/crossborder-payouts/payouts/server/payout"
)

const (
	newSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

func messageTo(url string) message {
	return message{url: url, id: "event", body: []byte(`{"id":"event"}`), secrets: []string{newSecret, oldSecret}}
}

// attempt makes an attempt that must be finished.
func attempt(t *testing.T, s *sender, url string) outcome {
	t.Helper()
	t.Cleanup(s.close)
	o, err := s.send(t.Context(), messageTo(url))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func receiver(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestBothSecretsVerifyWhatIsSent(t *testing.T) {
	t.Parallel()
	var header http.Header
	var body []byte
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
	})
	if o := attempt(t, newSender(time.Minute, true, time.Now), url); o.failure != "" || o.status != 200 {
		t.Fatalf("outcome %+v", o)
	}
	for _, secret := range []string{newSecret, oldSecret} {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(body, header); err != nil {
			t.Errorf("%s: %v", secret, err)
		}
	}
	if !bytes.Equal(body, messageTo("").body) || header.Get("webhook-id") != "event" || header.Get("Content-Type") != "application/json" {
		t.Errorf("received %s with %v", body, header)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	var redirected atomic.Bool
	forbidden := receiver(t, func(http.ResponseWriter, *http.Request) { redirected.Store(true) })
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	slowly := func(w http.ResponseWriter, r *http.Request) {
		for i := 0; r.Context().Err() == nil; i++ {
			if i%100 == 0 {
				_, _ = w.Write([]byte("."))
			}
			_ = http.NewResponseController(w).Flush()
			<-time.After(time.Millisecond)
		}
	}
	for _, c := range []struct {
		name, url string
		handler   http.HandlerFunc
		status    int
		failure   string
	}{
		{name: "204", status: 204, handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }},
		{name: "500", status: 500, failure: failureStatus, handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }},
		{name: "a redirect", status: 307, failure: failureRedirect, handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, forbidden, http.StatusTemporaryRedirect)
		}},
		{name: "headers that never come", failure: failureTimeout, handler: func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice the end of the request
			<-r.Context().Done()
		}},
		{name: "a body that never ends", status: 200, failure: failureTimeout, handler: slowly},
		{name: "a large body", status: 200, handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("."), 1<<20))
		}},
		{name: "large headers", failure: failureConnection, handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Large", strings.Repeat(".", 1<<20))
		}},
		{name: "a broken connection", failure: failureConnection, handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{name: "nobody listens", url: "http://127.0.0.1:1", failure: failureRefused},
		{name: "an unknown certificate", url: secure.URL, failure: failureTLS},
		{name: "not TLS", url: "https" + strings.TrimPrefix(forbidden, "http") + "/tls", failure: failureTLS},
		{name: "an unknown name", url: "http://unknown.invalid/", failure: failureDNS},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := c.url
			if url == "" {
				url = receiver(t, c.handler)
			}
			timeout := time.Minute
			if c.failure == failureTimeout {
				timeout = 3 * time.Second
			}
			if o := attempt(t, newSender(timeout, true, time.Now), url); o.status != c.status || o.failure != c.failure {
				t.Errorf("status %d, %q, want %d, %q", o.status, o.failure, c.status, c.failure)
			}
		})
	}
	t.Cleanup(func() {
		if redirected.Load() {
			t.Error("a redirect was followed")
		}
	})
}

func TestARequestThatIsCancelledHasNoOutcome(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := receiver(t, func(http.ResponseWriter, *http.Request) { cancel() })
	s := newSender(time.Minute, true, time.Now)
	defer s.close()
	if _, err := s.send(ctx, messageTo(url)); err == nil {
		t.Error("no error")
	}
}

func TestLiteralPrivateAddressesAreNotConnectedTo(t *testing.T) {
	t.Parallel()
	called := make(chan struct{}, 1)
	url := receiver(t, func(http.ResponseWriter, *http.Request) { called <- struct{}{} })
	o := attempt(t, newSender(time.Minute, false, time.Now), url)
	if o.failure != failureAddress || o.status != 0 || len(called) != 0 {
		t.Errorf("outcome %+v, called %d times", o, len(called))
	}
}

// A name has a public address when it is looked up first, and a private one when it is looked up to connect.
func TestANameThatTurnsPrivateIsNotConnectedTo(t *testing.T) {
	t.Parallel()
	called := make(chan struct{}, 1)
	url := receiver(t, func(http.ResponseWriter, *http.Request) { called <- struct{}{} })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	var lookups atomic.Int64
	resolver := nameServer(t, func() [4]byte {
		if lookups.Add(1) == 1 {
			return [4]byte{8, 8, 8, 8}
		}
		return [4]byte{127, 0, 0, 1}
	})
	first, err := resolver.LookupNetIP(t.Context(), "ip4", "receiver.example")
	if err != nil || len(first) != 1 || payout.CheckWebhookAddress(first[0].Unmap()) != nil {
		t.Fatalf("the first look-up: %v, %v", first, err)
	}
	s := newSender(time.Minute, false, time.Now)
	s.client.Transport = transport(&net.Dialer{Control: control, Resolver: resolver})
	o := attempt(t, s, "http://receiver.example:"+port)
	if o.failure != failureAddress || lookups.Load() < 2 || len(called) != 0 {
		t.Errorf("outcome %+v after %d look-ups, called %d times", o, lookups.Load(), len(called))
	}
	s.client.Transport = transport(&net.Dialer{Resolver: resolver}) // the same name is reached where that is allowed
	if o := attempt(t, s, "http://receiver.example:"+port); o.failure != "" || len(called) != 1 {
		t.Errorf("outcome %+v without the check, called %d times", o, len(called))
	}
}

// A proxy would connect in our place, to any address.
func TestNoProxyIsUsed(t *testing.T) {
	proxy := receiver(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was used") })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("HTTPS_PROXY", proxy)
	if tr := newSender(time.Minute, false, time.Now).client.Transport.(*http.Transport); tr.Proxy != nil {
		t.Error("a proxy may be used")
	}
	if o := attempt(t, newSender(time.Minute, true, time.Now), "http://unknown.invalid/"); o.failure != failureDNS {
		t.Errorf("outcome %+v", o)
	}
}

// nameServer returns a resolver that asks a server on this machine, which answers every question for an address of IPv4.
func nameServer(t *testing.T, address func() [4]byte) *net.Resolver {
	t.Helper()
	server, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		buffer := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			var question dnsmessage.Message
			if question.Unpack(buffer[:n]) != nil || len(question.Questions) != 1 {
				continue
			}
			q := question.Questions[0]
			answer := dnsmessage.Message{
				Header:    dnsmessage.Header{ID: question.ID, Response: true, RecursionAvailable: true},
				Questions: question.Questions,
			}
			if q.Type == dnsmessage.TypeA {
				answer.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
					Body:   &dnsmessage.AResource{A: address()},
				}}
			}
			if packed, err := answer.Pack(); err == nil {
				_, _ = server.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp4", server.LocalAddr().String())
	}}
}
