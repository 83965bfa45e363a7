package client_test

import (
	"compress/gzip"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
)

// impatient returns a client with short waits, because these tests wait.
var impatient = client.WithBackoff(time.Millisecond, time.Millisecond)

// serve starts a server for one test, without a log.
func serve(t *testing.T, h http.HandlerFunc, start func(*httptest.Server)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	start(s)
	t.Cleanup(s.Close)
	return s
}

func call(t *testing.T, base string, options ...client.Option) *client.Error {
	t.Helper()
	c, err := client.New(base, clientID, secret, append(options, impatient)...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	_, err = c.CreateUser(t.Context(), asha())
	return errorOf(t, err)
}

// Temporary and final failures are distinguished as net/http actually reports them.
func TestFailuresOfConnections(t *testing.T) {
	t.Parallel()
	answer := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, theUser) }

	untrusted := serve(t, answer, (*httptest.Server).StartTLS)
	if e := call(t, untrusted.URL); e.Attempts != 1 || e.Temporary() || e.Status != 0 {
		t.Errorf("a certificate of nobody: %+v", *e)
	}
	plain := serve(t, answer, (*httptest.Server).Start)
	if e := call(t, strings.Replace(plain.URL, "http:", "https:", 1)); e.Attempts != 1 || !errors.Is(e, http.ErrSchemeMismatch) {
		t.Errorf("http where https is asked for: %+v", *e)
	}

	anonymous := serve(t, answer, func(s *httptest.Server) {
		s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}
		s.StartTLS()
	})
	if e := call(t, anonymous.URL, client.WithHTTPClient(anonymous.Client())); e.Attempts != 1 || e.Temporary() {
		t.Errorf("a server that wants a certificate: %+v", *e)
	}

	const nobody = "http://127.0.0.1:1"
	dial := &net.OpError{} // Windows has numbers of its own for why
	if e := call(t, nobody); e.Attempts != 3 || !errors.As(e, &dial) || dial.Op != "dial" || !e.Temporary() {
		t.Errorf("nobody listens: %+v", *e)
	}
	if e := call(t, nobody, client.WithRetries(0)); e.Attempts != 1 {
		t.Errorf("nobody listens, no retries: %+v", *e)
	}
}

// net/http quotes what it cannot parse, which may be the body of a response.
func TestResponsesThatAreNotHTTP(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"first_name":"canary"}`, "POST /users canary HTTP/1.1", "HTTP/1.1 canary", "HTTP/1.1 200 OK\r\ncanary",
		"HTTP/1.1 200 OK\r\n canary", "HTTP/1.1 200 OK\r\nContent-Length: canary", "HTTP/1.1 200 OK\r\nTransfer-Encoding: canary",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\ncanary", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: canary",
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, text+"\r\n\r\n")
			c.Close()
		}, (*httptest.Server).Start)
		e := call(t, s.URL)
		shown := fmt.Sprintf("%+v", *e)
		for cause := error(e); cause != nil; cause = errors.Unwrap(cause) {
			shown += cause.Error()
		}
		if strings.Contains(shown, "canary") || e.Attempts != 3 || !e.Temporary() {
			t.Errorf("%q: %s", text, shown)
		}
		if quoted := textproto.ProtocolError(""); text == "HTTP/1.1 200 OK\r\ncanary" && !errors.As(e, &quoted) {
			t.Errorf("%q: the kind of %s is lost", text, shown)
		}
	}
}

// A server may respond before it has read the request, and over any protocol of net/http.
func TestFormsOfResponses(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*httptest.Server){
		"HTTP/1.1": (*httptest.Server).Start,
		"TLS":      (*httptest.Server).StartTLS,
		"HTTP/2":   func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			zipped := gzip.NewWriter(w)
			_, _ = io.WriteString(zipped, strings.Replace(theUser, "Asha", r.Header.Get("X-Idempotency-Key"), 1))
			_ = zipped.Close()
		}, start)
		c, err := client.New(s.URL, clientID, secret, impatient, client.WithHTTPClient(s.Client()))
		if err != nil {
			t.Fatal(err)
		}
		large := asha()
		large.AddressLine1 = new(strings.Repeat("x", 4<<20))
		if user, err := c.CreateUser(t.Context(), large, client.IdempotencyKey("ключ 鍵")); err != nil || user.FirstName != "ключ 鍵" {
			t.Errorf("%s: %v, %v", name, user, err)
		}
	}
}

func TestTruncatedResponsesAreRetried(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(net.Conn){
		"without an answer": func(net.Conn) {},
		"in the head":       func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Ty") },
		"in a body of known length": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"+theUser[:50])
		},
		"in a chunk": func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n"+theUser[:50])
		},
		"by a reset": func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			var keys [3]string
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				n := requests.Add(1)
				keys[n-1] = r.Header.Get("X-Idempotency-Key")
				if n == 3 {
					w.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(w, theUser)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				cut(c)
				c.Close()
			}, (*httptest.Server).Start)
			c, err := client.New(s.URL, clientID, secret, impatient)
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdleConnections()
			if user, err := c.CreateUser(t.Context(), asha()); err != nil || user.ID != userID {
				t.Errorf("%v, %v", user, err)
			}
			if keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] {
				t.Errorf("the keys are %q", keys)
			}
		})
	}
}
