package servertest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Answer is a response as it was received.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// First returns the body of a 200 that is not a replay.
func (a Answer) First(t testing.TB) []byte {
	t.Helper()
	if replayed := a.Header.Values("Idempotent-Replayed"); len(replayed) != 0 {
		t.Errorf("the first response has Idempotent-Replayed: %v", replayed)
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

// Refusal returns the error body, and fails the test unless it has this status and code.
func (a Answer) Refusal(t testing.TB, status int, code api.ErrorCode) api.Error {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	return Refusal(t, a.Body, code)
}

// Refusal returns the error of a body, and fails the test unless it has this code, and leads to it in the documentation (D-73).
func Refusal(t testing.TB, body []byte, code api.ErrorCode) api.Error {
	t.Helper()
	var e api.Error
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("error body %s: %v", body, err)
	}
	if e.Code != code {
		t.Fatalf("code %s, want %s: %s", e.Code, code, body)
	}
	if want := "/docs#error-" + string(code); e.DocURL == nil || *e.DocURL != want {
		t.Errorf("the doc_url is not %s: %s", want, body)
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

// Parse decodes JSON, numbers as json.Number.
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

// WantRefused fails the test unless the response is 422 with this code and a detail for this field only, or none for "".
func WantRefused(t testing.TB, r *api.CreateTransactionResponse, code api.ErrorCode, field string) {
	t.Helper()
	if r.StatusCode() != 422 {
		t.Fatalf("status %d, want 422 %s: %s", r.StatusCode(), code, r.Body)
	}
	WantDetail(t, Refusal(t, r.Body, code), field)
}

// WantDetail fails the test unless an error has a detail for this field of the body only, or none for "".
func WantDetail(t testing.TB, e api.Error, field string) {
	t.Helper()
	if field == "" && len(e.Details) == 0 {
		return
	}
	if len(e.Details) != 1 || !Names(e, api.ErrorDetailInBody, field) {
		t.Errorf("%s has details %v, want only %q", e.Code, e.Details, field)
	}
}
