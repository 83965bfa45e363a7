package client_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
)

// raw is a server that answers each request with this text, and closes the connection unless it is kept alive.
func raw(t *testing.T, text string, keep bool) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = new(atomic.Int32)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, text)
		if keep {
			t.Cleanup(func() { c.Close() })
			return
		}
		c.Close()
	}, (*httptest.Server).Start)
	return s.URL, requests
}

func TestSwitchingProtocolsIsRejected(t *testing.T) {
	t.Parallel()
	url, _ := raw(t, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", true)
	e := call(t, url)
	if e.Status != http.StatusSwitchingProtocols || e.Attempts != 1 || e.Temporary() {
		t.Errorf("got %+v", *e)
	}
}

// A truncated object must be treated as a lost response.
func TestTruncatedResponseWithoutALength(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"in the middle": theUser[:40], "before the body": "", "not at all": theUser,
	} {
		url, requests := raw(t, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"+text, false)
		c, err := client.New(url, clientID, secret, impatient)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.CreateUser(t.Context(), asha())
		c.CloseIdleConnections()
		if name == "not at all" {
			if err != nil || requests.Load() != 1 {
				t.Errorf("%s: %v after %d requests", name, err, requests.Load())
			}
			continue
		}
		if e := errorOf(t, err); !e.Temporary() || e.Attempts != 3 || requests.Load() != 3 {
			t.Errorf("%s: %+v after %d requests", name, *e, requests.Load())
		}
	}
}

func TestInvalidRedirect(t *testing.T) {
	t.Parallel()
	url, requests := raw(t, "HTTP/1.1 302 Found\r\nLocation: http://[canary\r\nContent-Length: 0\r\n\r\n", false)
	if e := call(t, url); e.Temporary() || !strings.Contains(e.Message, "not followed") || requests.Load() != 1 || strings.Contains(e.Error(), "canary") {
		t.Errorf("%+v after %d requests", *e, requests.Load())
	}
}

func TestContentTypeParameters(t *testing.T) {
	t.Parallel()
	for contentType, fits := range map[string]bool{
		"application/json": true, "application/json; charset=utf-8": true, "application/json; charset": true, "Application/JSON": true,
		"application/jsonx": false, "text/json": false, "": false,
	} {
		_, c := dial(t, respond(http.StatusOK, theUser, "Content-Type", contentType))
		if _, err := c.GetUser(t.Context(), userID); (err == nil) != fits {
			t.Errorf("%q: %v", contentType, err)
		}
	}
}

// net/http repeats requests with a key by itself, once for each reused connection that is lost.
func TestEachAttemptSendsOneRequest(t *testing.T) {
	t.Parallel()
	const kept = 8
	var requests, attempts atomic.Int32
	var arrived sync.WaitGroup
	arrived.Add(kept)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) > kept {
			panic(http.ErrAbortHandler)
		}
		arrived.Done()
		arrived.Wait() // so that each request has a connection of its own
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, theUser)
	}, (*httptest.Server).Start)
	count := client.Hooks{Request: func(context.Context, client.Attempt) { attempts.Add(1) }}
	c, err := client.New(s.URL, clientID, secret, impatient, client.WithRetries(2), client.WithTimeout(time.Minute), client.WithHooks(count))
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	var all sync.WaitGroup
	for range kept {
		all.Go(func() {
			if _, err := c.CreateUser(t.Context(), asha()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	_, err = c.CreateUser(t.Context(), asha())
	if e := errorOf(t, err); e.Attempts != 3 || requests.Load() != attempts.Load() {
		t.Errorf("%d attempts of %d requests: %v", attempts.Load(), requests.Load(), err)
	}
}
