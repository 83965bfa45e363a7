package conformance_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Whatever a server answers, no check panics, the server does not pass, and messages do not mention Go types.
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
			var asked atomic.Int32
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path != "/" && asked.Add(1) <= 2 { // with the credentials of each client; otherwise no check would run
					_, _ = w.Write([]byte("[]"))
					return
				}
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
				all := strings.Join(r.Messages, "\n")
				for _, ours := range []string{"the check itself failed", "json:", "Go value", "Go struct"} {
					if strings.Contains(all, ours) {
						t.Errorf("%s: %s", r.ID, all)
					}
				}
			}
		})
	}
}

// net/http may read the greeting before or after it sends the request; the errors differ.
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

// watched is a connection with a channel that is closed with it.
type watched struct {
	net.Conn
	closed chan struct{}
	once   sync.Once
}

func (w *watched) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.Conn.Close()
}

// A wrong base URL and another service are reported once, without advice for each check.
func TestAServerOfAnotherContractIsNotJudged(t *testing.T) {
	t.Parallel()
	works := servertest.New(t).URL
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>Welcome</html>")
	}))
	defer page.Close()
	files := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	defer files.Close()
	for name, tc := range map[string]struct{ url, says string }{
		"a wrong base path":   {works + "/api", "the base URL is wrong"},
		"a server of files":   {files.URL, "the base URL is wrong"},
		"HTML for everything": {page.URL, "is another service"},
	} {
		report, err := conformance.Run(t.Context(), conformance.Target{Target: sandbox(tc.url)})
		if err != nil {
			t.Fatal(err)
		}
		if report.Verdict != conformance.NotJudged || !strings.Contains(report.Problem, tc.says) || report.Counts["failed"] > 0 {
			t.Errorf("%s: %s %v %q", name, report.Verdict, report.Counts, report.Problem)
		}
		for _, r := range report.Results {
			if r.Status > probe.Disabled && !slices.Equal(r.Messages, []string{report.Problem}) {
				t.Errorf("%s: %s says %q", name, r.ID, r.Messages)
			}
		}
	}
}

// A server may reject a request and close the connection before it has read the body: its response counts.
func TestAnAnswerBeforeTheWholeRequestIsRead(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(servertest.New(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength <= 20<<20 {
			proxy.ServeHTTP(w, r)
			return
		}
		c, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
		_, _ = in.ReadByte()
		const body = `{"status":413,"code":"PAYLOAD_TOO_LARGE","message":"too large","request_id":"1"}`
		fmt.Fprintf(c, "HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\n"+
			"X-Request-Id: 1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		_ = c.Close()
	}))
	defer web.Close()
	report, err := conformance.Run(t.Context(), conformance.Target{Target: sandbox(web.URL), Only: conformance.Filter{IDs: []string{"http.size.announced"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status > probe.Passed {
			t.Errorf("%s %s: %q", r.Status, r.ID, r.Messages)
		}
	}
	if report.Counts["passed"] == 0 {
		t.Error("nothing was asked")
	}
}
