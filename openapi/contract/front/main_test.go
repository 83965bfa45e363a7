package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defaults are the options without a command line.
func defaults(upstream string) options {
	return options{
		Upstream: upstream, Requests: "refuse", Responses: "refuse", Probe: "/payers?country=AQ",
		BodyLimit: 20 << 20, ResponseLimit: 4 << 20, MemoryLimit: 256 << 20, Timeout: time.Minute, BodyTime: time.Minute,
		ShutdownPatience: time.Second,
	}
}

// running is a front before a service.
type running struct {
	*front
	URL string
	log *lockedBuffer
}

// before starts a front before a service, and stops it when the test ends.
func before(t testing.TB, upstream string, configure ...func(*options)) *running {
	t.Helper()
	o := defaults(upstream)
	for _, c := range configure {
		c(&o)
	}
	log := &lockedBuffer{}
	f, err := newFront(o, slog.New(slog.NewJSONHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f)
	t.Cleanup(func() {
		server.Close()
		f.transport.CloseIdleConnections()
	})
	return &running{f, server.URL, log}
}

func testLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// service starts a service, and stops it when the test ends.
func service(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// lines returns the lines of the log about requests, once there are n.
func (r *running) lines(t *testing.T, n int) (requests []map[string]any) {
	t.Helper()
	for {
		text, changed := r.log.read()
		requests = nil
		for line := range strings.Lines(text) {
			var parsed map[string]any
			if err := json.Unmarshal([]byte(line), &parsed); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if parsed["msg"] == "request" {
				requests = append(requests, parsed)
			}
		}
		if len(requests) >= n {
			return requests
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("the log has %s", text)
		}
	}
}

// lockedBuffer is a log.
type lockedBuffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{}
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
	return b.text.Write(p)
}

func (b *lockedBuffer) read() (string, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return b.text.String(), b.changed
}

// send sends a request, and returns the response with its body.
func send(t *testing.T, url, method, target, body string, header ...string) (*http.Response, string) {
	t.Helper()
	connections := &http.Transport{DisableCompression: true}
	t.Cleanup(connections.CloseIdleConnections)
	res, err := connections.RoundTrip(request(t, url, method, target, body, header...))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

// request makes a request; headers are lines "Name: value".
func request(t *testing.T, url, method, target, body string, header ...string) *http.Request {
	t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url+target, content)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}
