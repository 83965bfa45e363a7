package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/crossborder-payouts/payouts/client"
)

// The tracing of the example shows neither personal data nor credentials, whatever a server or a proxy sends back, and
// leaves the SDK its reasons to try again.
func TestSpansShowNothingOfARequest(t *testing.T) {
	t.Parallel()
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(c, strings.ReplaceAll(text, "SECRET", r.Header.Get("X-Client-Secret")))
			c.Close()
		}
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, test := range map[string]struct {
		answer   http.HandlerFunc
		attempts int
	}{
		"an error that echoes": {raw("HTTP/1.1 422 No\r\nConnection: close\r\n\r\n" +
			`{"status":422,"code":"BAD_REQUEST","message":"You sent SECRET","request_id":"r"}`), 1},
		"a page of a proxy":       {raw("HTTP/1.1 502 No\r\nConnection: close\r\n\r\n<html>canary SECRET"), 3},
		"a redirect":              {raw("HTTP/1.1 302 canary\r\nLocation: https://canary.example/SECRET\r\n\r\n"), 1},
		"a body of a response":    {raw(`{"first_name":"canary","x":"SECRET"}` + "\r\n\r\n"), 3},
		"a header without colon":  {raw("HTTP/1.1 200 OK\r\ncanary SECRET\r\n\r\n"), 3},
		"a chunk without length":  {raw(head + "Transfer-Encoding: chunked\r\n\r\ncanary SECRET\r\n\r\n"), 3},
		"a trailer without colon": {raw(head + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n0\r\ncanary SECRET\r\n\r\n"), 3},
		"nothing":                 {raw(""), 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, test.answer, (*httptest.Server).Start)
			exporter := tracetest.NewInMemoryExporter()
			provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			e := call(t, s.URL, tracing(provider, transport)...)
			spans := exporter.GetSpans()
			if len(spans) != 2*test.attempts || e.Attempts != test.attempts {
				t.Errorf("%d spans of %d attempts: %v", len(spans), e.Attempts, e)
			}
			for _, span := range spans {
				shown := fmt.Sprintf("%s %+v %+v %+v", span.Name, span.Attributes, span.Events, span.Status)
				if strings.Contains(shown, "canary") || strings.Contains(shown, secret) {
					t.Errorf("a span shows %s", shown)
				}
				if span.Status.Description == "" && span.Name == "POST /users" {
					t.Errorf("a span has no error: %s", shown)
				}
			}
		})
	}
}

// A connection that cannot be made remains what it is for the SDK.
func TestTracingKeepsTheKindOfErrors(t *testing.T) {
	t.Parallel()
	provider := sdktrace.NewTracerProvider()
	e := call(t, "http://127.0.0.1:1", append(tracing(provider, &http.Transport{}), client.WithRetries(0))...)
	if e.OutcomeUnknown() || !e.Temporary() || !strings.Contains(e.Message, "refused") {
		t.Errorf("outcome unknown %t, temporary %t: %v", e.OutcomeUnknown(), e.Temporary(), e)
	}
	untrusted := serve(t, func(http.ResponseWriter, *http.Request) {}, (*httptest.Server).StartTLS)
	if e := call(t, untrusted.URL, tracing(provider, &http.Transport{})...); e.Attempts != 1 || e.OutcomeUnknown() || e.Temporary() {
		t.Errorf("a certificate of nobody: %+v", *e)
	}
}
