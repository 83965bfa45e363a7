package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
)

// Do sends a request with exactly these headers, which may be repeated or empty, and a body with or without a length.
func Do(t testing.TB, s *Server, method, path string, header http.Header, body io.Reader, length int64) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // so that a server that waits for the body does not block the test
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		t.Fatalf("make request: %v", err)
	}
	r.Header, r.ContentLength = header, length
	resp, err := s.HTTP.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read body: %v", method, path, err)
	}
	return Answer{resp.StatusCode, resp.Header, text}
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

const IdempotencyKey = "X-Idempotency-Key"

// First returns the body of a 200 that is not a replay.
func (a Answer) First(t testing.TB) []byte {
	t.Helper()
	if replayed := a.Header.Values("Idempotent-Replayed"); len(replayed) != 0 {
		t.Errorf("the first answer says Idempotent-Replayed: %v", replayed)
	}
	return OKBody(t, a)
}

// Replays fails the test unless the response is a replay of first.
func (a Answer) Replays(t testing.TB, first []byte) {
	t.Helper()
	body := OKBody(t, a)
	if a.Header.Get("Idempotent-Replayed") != "true" || !bytes.Equal(body, first) {
		t.Errorf("Idempotent-Replayed %q with %s, want a replay of %s", a.Header.Get("Idempotent-Replayed"), body, first)
	}
}

// Reused fails the test unless the response is 409 IDEMPOTENCY_KEY_REUSED.
func (a Answer) Reused(t testing.TB) {
	t.Helper()
	if e := a.Refusal(t, 409, api.ErrorCodeIdempotencyKeyReused); !Names(e, api.ErrorDetailInHeader, IdempotencyKey) {
		t.Errorf("details %v do not name the header", e.Details)
	}
}

// AsOther are the headers of the second client.
var AsOther = []string{"X-Client-Id", server.SandboxClients[1].ID, "X-Client-Secret", server.SandboxClients[1].Secret}

// WithoutCredentials removes the headers that Call adds.
var WithoutCredentials = []string{"X-Client-Id", "", "X-Client-Secret", "", "Content-Type", ""}

// Answer is a response as it was received.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

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
	resp, err := s.HTTP.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read body: %v", method, path, err)
	}
	return Answer{resp.StatusCode, resp.Header, text}
}

// Refusal returns the error body, and fails the test unless it has this status and code.
func (a Answer) Refusal(t testing.TB, status int, code api.ErrorCode) api.Error {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	return Refusal(t, a.Body, code)
}

func Refusal(t testing.TB, body []byte, code api.ErrorCode) api.Error {
	t.Helper()
	var e api.Error
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("error body %s: %v", body, err)
	}
	if e.Code != code {
		t.Fatalf("code %s, want %s: %s", e.Code, code, body)
	}
	return e
}

// Names reports whether an error has a detail for a field.
func Names(e api.Error, in api.ErrorDetailIn, field string) bool {
	for _, d := range e.Details {
		if d.In == in && d.Field == field && d.Reason != "" {
			return true
		}
	}
	return false
}

func Parse[T any](t testing.TB, text []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("read %s: %v", text, err)
	}
	return v
}

// OKBody returns the body of a 200.
func OKBody(t testing.TB, a Answer) []byte {
	t.Helper()
	if a.Status != 200 {
		t.Fatalf("status %d, want 200: %s", a.Status, a.Body)
	}
	return bytes.TrimSpace(a.Body)
}

func Get(t testing.TB, s *Server, path string) []byte {
	t.Helper()
	return OKBody(t, Call(t, s, "GET", path, nil))
}

// WantRefused fails the test unless the response is 422 with this code and a detail for this field only, or none for "".
func WantRefused(t testing.TB, r *api.CreateTransactionResponse, code api.ErrorCode, field string) {
	t.Helper()
	if r.StatusCode() != 422 {
		t.Fatalf("status %d, want 422 %s: %s", r.StatusCode(), code, r.Body)
	}
	WantDetail(t, Refusal(t, r.Body, code), field)
}

func WantDetail(t testing.TB, e api.Error, field string) {
	t.Helper()
	if field == "" && len(e.Details) == 0 {
		return
	}
	if len(e.Details) != 1 || !Names(e, api.ErrorDetailInBody, field) {
		t.Errorf("%s has details %v, want %q alone", e.Code, e.Details, field)
	}
}
