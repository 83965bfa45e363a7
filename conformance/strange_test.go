package conformance_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
)

// Whatever a server answers, no check fails by itself, and the server does not pass.
func TestStrangeServersBreakNoCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
	}{
		"an empty object": {200, "{}"}, "null": {200, "null"}, "a list of nothing": {200, "[null]"}, "no JSON": {200, "<html>"}, "nothing": {204, ""},
		"an empty error": {400, "{}"}, "a list as error": {404, "[]"}, "an error without a place": {422, `{"code":"NOT_FOUND","details":[{}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer web.Close()
			report, err := conformance.Run(t.Context(), conformance.Target{Target: sandbox(web.URL)})
			if err != nil {
				t.Fatal(err)
			}
			if report.Verdict != conformance.NotConformant {
				t.Error(report.Verdict)
			}
			for _, r := range report.Results {
				if strings.Contains(strings.Join(r.Messages, " "), "the check itself failed") {
					t.Errorf("%s: %s", r.ID, strings.Join(r.Messages, "\n"))
				}
			}
		})
	}
}

// net/http may read what such a server says before or after it has sent the request, and then fails in another way.
func TestAServerThatSpeaksFirstIsToldFromHTTP(t *testing.T) {
	t.Parallel()
	server, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = c.Write([]byte("220 mail ready\r\n"))
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			}()
		}
	}()
	watch := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &watched{c, make(chan struct{}), sync.Once{}}, err
	}}
	givenUp := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		if c, ok := i.Conn.(*watched); ok {
			<-c.closed
		}
	}}
	for name, trace := range map[string]*httptrace.ClientTrace{"as it comes": {}, "before the request": givenUp} {
		target := sandbox("http://" + server.Addr().String())
		target.Transport = watch
		report, err := conformance.Run(httptrace.WithClientTrace(t.Context(), trace), conformance.Target{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(report.Problem, "the answer is not HTTP") {
			t.Errorf("%s: %q", name, report.Problem)
		}
	}
}

// watched is a connection that tells when it is closed.
type watched struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (w *watched) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.Conn.Close()
}
