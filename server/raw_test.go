package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// answer is a response as it came over the wire.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call sends bytes that no typed client would send, with the credentials of the first sandbox client and the media type
// of JSON. headers are name, value pairs; an empty value takes a header away.
func call(t testing.TB, s *servertest.Server, method, path string, body []byte, headers ...string) answer {
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
	return answer{resp.StatusCode, resp.Header, text}
}

// refusal reads an error body and holds it against status and code.
func (a answer) refusal(t testing.TB, status int, code api.ErrorCode) api.Error {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return refusal(t, a.body, code)
}

func refusal(t testing.TB, body []byte, code api.ErrorCode) api.Error {
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

// names tells whether an error names a field.
func names(e api.Error, in api.ErrorDetailIn, field string) bool {
	for _, d := range e.Details {
		if d.In == in && d.Field == field && d.Reason != "" {
			return true
		}
	}
	return false
}
