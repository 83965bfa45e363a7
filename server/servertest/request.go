package servertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
)

// IdempotencyKey is the header with the idempotency key.
const IdempotencyKey = "X-Idempotency-Key"

// AsOther are the headers of the second client.
var AsOther = []string{"X-Client-Id", server.SandboxClients[1].ID, "X-Client-Secret", server.SandboxClients[1].Secret}

// WithoutCredentials removes the headers that Call adds.
var WithoutCredentials = []string{"X-Client-Id", "", "X-Client-Secret", "", "Content-Type", ""}

// Call sends any bytes, with the credentials of the first sandbox client and the media type of JSON. headers are name,
// value pairs; an empty value removes a header.
func Call(t testing.TB, s *Server, method, path string, body []byte, headers ...string) Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatalf("make request: %v", err)
	}
	r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
	r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Del(headers[i]); headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return exchange(t, s, r)
}

// Get returns the body of a GET, and fails the test unless it is a 200.
func Get(t testing.TB, s *Server, path string) []byte {
	t.Helper()
	return OKBody(t, Call(t, s, "GET", path, nil))
}

// Headers returns the headers of a valid request of the first client, changed by name, value pairs; an empty value is sent.
func Headers(pairs ...string) http.Header {
	h := http.Header{
		"X-Client-Id": {server.SandboxClients[0].ID}, "X-Client-Secret": {server.SandboxClients[0].Secret},
		"Content-Type": {"application/json"},
	}
	for i := 0; i < len(pairs); i += 2 {
		h[http.CanonicalHeaderKey(pairs[i])] = []string{pairs[i+1]}
	}
	return h
}

// Do sends a request with exactly these headers, which may be repeated or empty, and a body with or without a length.
func Do(t testing.TB, s *Server, method, path string, header http.Header, body io.Reader, length int64) Answer {
	t.Helper()
	// So that a server that waits for the body does not block the test.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		t.Fatalf("make request: %v", err)
	}
	r.Header, r.ContentLength = header, length
	return exchange(t, s, r)
}

func exchange(t testing.TB, s *Server, r *http.Request) Answer {
	t.Helper()
	resp, err := s.HTTP.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read body: %v", r.Method, r.URL.Path, err)
	}
	return Answer{resp.StatusCode, resp.Header, text}
}
