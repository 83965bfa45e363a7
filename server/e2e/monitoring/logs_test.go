package monitoring_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// requestLine has the fields of a log line that are tested.
type requestLine struct {
	Message   string `json:"msg"`
	RequestID string `json:"request_id"`
	Operation string `json:"operation"`
	Status    int    `json:"status"`
	Client    string `json:"client"`
}

// newLogged starts a server that logs into a buffer, which may be read once the server is stopped.
func newLogged(t testing.TB) (*servertest.Server, *bytes.Buffer) {
	t.Helper()
	var text bytes.Buffer
	handler := slog.NewJSONHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})
	return servertest.New(t, func(c *server.Config) { c.Logger = slog.New(handler) }), &text
}

// requestLines returns the log lines of requests.
func requestLines(t testing.TB, text []byte) []requestLine {
	t.Helper()
	var lines []requestLine
	for line := range bytes.Lines(text) {
		var l requestLine
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatalf("line %s: %v", line, err)
		}
		if l.Message == "request" {
			lines = append(lines, l)
		}
	}
	return lines
}

// Each request, rejected or not, has one log line, with the request id of its response.
func TestLogHasOneLineForEachRequest(t *testing.T) {
	t.Parallel()
	s, text := newLogged(t)
	w := servertest.NewWorld(t, s.Client)
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	var want []requestLine
	add := func(operation, client string, a servertest.Answer) {
		want = append(want, requestLine{"request", a.Header.Get("X-Request-Id"), operation, a.Status, client})
	}
	for _, op := range s.Contract.Operations() {
		add(op.ID, first.ID, w.Send(t, s, op))
		add(op.ID, second.ID, w.Send(t, s, op, servertest.AsOther...))
		add(op.ID, "", w.Send(t, s, op, "X-Client-Secret", "wrong"))
		add(op.ID, first.ID, servertest.Call(t, s, op.Method, w.Path(t, op)+"?&%zz", w.Body(t, op)))
	}
	add("", "", servertest.Call(t, s, http.MethodGet, "/nowhere", nil))
	add("", "", servertest.Call(t, s, http.MethodDelete, "/payers", nil))
	for _, path := range []string{"/healthz", "/readyz", "/docs", "/openapi.yaml"} {
		add("", "", servertest.Call(t, s, http.MethodGet, path, nil, servertest.WithoutCredentials...))
	}
	add("listPayers", first.ID, servertest.Call(t, s, http.MethodHead, "/payers", nil))
	restore := servertest.Lose(t, s, "clients")
	add("listPayers", "", servertest.Call(t, s, http.MethodGet, "/payers", nil))
	restore()
	s.Stop()
	lines := map[string][]requestLine{}
	for _, l := range requestLines(t, text.Bytes()) {
		lines[l.RequestID] = append(lines[l.RequestID], l)
	}
	for _, l := range want {
		if got := lines[l.RequestID]; l.RequestID == "" || !reflect.DeepEqual(got, []requestLine{l}) {
			t.Errorf("lines %+v, want the one %+v", got, l)
		}
	}
}

// recorder records the request id of every response, and the body of errors.
type recorder struct {
	next   http.RoundTripper
	mu     sync.Mutex
	ids    []string
	errors []string
}

// RoundTrip implements http.RoundTripper.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(text))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids = append(r.ids, resp.Header.Get("X-Request-Id"))
	if resp.StatusCode >= http.StatusBadRequest {
		r.errors = append(r.errors, string(text))
	}
	return resp, nil
}

// D-08: neither the log nor an error response repeats a value of the request: no name, address, number, document, secret or
// note, whatever goes wrong.
func TestLogAndRefusalsHoldNoPersonalData(t *testing.T) {
	t.Parallel()
	s, text := newLogged(t)
	seen := &recorder{next: s.HTTP.Transport}
	s.HTTP.Transport = seen
	payOutCanaries(t, s)
	accepted := len(seen.errors)
	if accepted != 0 {
		t.Fatalf("the payout was refused: %s", seen.errors)
	}
	refuseCanaries(t, s)
	for _, table := range []string{"users", "clients"} {
		restore := servertest.Lose(t, s, table)
		refuseCanaries(t, s)
		restore()
	}
	s.Stop()
	if len(seen.errors) < 100 {
		t.Fatalf("%d requests were refused, 100 were meant to be", len(seen.errors))
	}
	where := slices.Concat(seen.errors, []string{text.String()})
	for _, canary := range []string{canaryWord, canaryMail, canaryNumber, canaryAddress, canaryDate, canaryContent, "Canary document content"} {
		for _, found := range where {
			if i := strings.Index(strings.ToLower(found), strings.ToLower(canary)); i >= 0 {
				t.Errorf("%q turns up in %.300s", canary, found[max(0, i-150):])
			}
		}
	}
	var logged []string
	for _, l := range requestLines(t, text.Bytes()) {
		logged = append(logged, l.RequestID)
	}
	slices.Sort(logged)
	slices.Sort(seen.ids)
	if !slices.Equal(logged, seen.ids) {
		t.Errorf("%d lines for %d requests, want one of each", len(logged), len(seen.ids))
	}
}
