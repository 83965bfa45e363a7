package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/conformance/report"
)

// exitBroken is the exit code for a server that breaks a rule.
const exitBroken = 1

// soon is the time after which a run counts as endless: far more than a busy machine needs.
const soon = 3 * time.Minute

// conform runs the program and returns its exit code and output.
func conform(ctx context.Context, env map[string]string, args ...string) (code int, out, errs string) {
	var o, e strings.Builder
	code = run(ctx, args, func(name string) string { return env[name] }, &o, &e)
	return code, o.String(), e.String()
}

var credentials = map[string]string{
	"CONFORM_CLIENT_ID": "acme", "CONFORM_CLIENT_SECRET": "of-acme", "CONFORM_OTHER_CLIENT_ID": "other", "CONFORM_OTHER_CLIENT_SECRET": "of-other",
}

// serve returns the URL of a server.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handle)
	s.Config.ErrorLog = nil
	s.Start()
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s.URL
}

// listen returns the URL of a listener and calls handle with its connections.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			handle(c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	return "http://" + l.Addr().String()
}

func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	chunk := []byte(strings.Repeat(`{"a":`, 4096))
	for {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
	<-r.Context().Done()
}

func TestEveryKindOfServerGivesAReadableReport(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, url string
		code      int
		says      string
	}{
		{"a port that cannot be", listen(t, func(c net.Conn) { _ = c.Close() }) + "0", exitUnable, "cannot be tested"},
		{"a port that nobody listens on", "http://127.0.0.1:1", exitUnable, "cannot be tested: connection refused."},
		{"a server that closes connections", listen(t, func(c net.Conn) { _ = c.Close() }), exitUnable, "closed the connection"},
		{"a server that never answers", listen(t, func(c net.Conn) { go io.Copy(io.Discard, c) }), exitUnable, "cannot be tested: no answer in time."},
		{"a server that does not speak HTTP", listen(t, func(c net.Conn) {
			_, _ = c.Write([]byte("220 mail ready\r\n"))
			_, _ = io.Copy(io.Discard, c) // a connection that is closed before the request is read may be reset instead
			_ = c.Close()
		}), exitUnable, "the answer is not HTTP"},
		{"a server whose answers do not end", serve(t, endless), exitUnable, "cannot be tested: "},
		{"a server that hangs at every operation", serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				http.NotFound(w, r)
				return
			}
			hang(w, r)
		}), exitUnable, "stopped answering during the run"},
		{"a server of files", serve(t, http.FileServer(http.Dir(t.TempDir())).ServeHTTP), exitUnable, "the base URL is wrong"},
		{"a server that answers {} to everything", serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{}"))
		}), exitBroken, "NOT CONFORMANT"},
		{"a server that answers null to everything", serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("null"))
		}), exitBroken, "NOT CONFORMANT"},
		{"a server that knows no client", serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Request-Id", "1")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"status":401,"code":"UNAUTHORIZED","message":"no","request_id":"1","details":[]}`))
		}), exitUnable, "does not know the client id or the secret"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), soon)
			defer cancel()
			dir := filepath.Join(t.TempDir(), "reports", "new")
			timeout := "1m"
			if strings.Contains(tc.name, "never answers") || strings.Contains(tc.name, "hangs") {
				timeout = "2s"
			}
			args := []string{"--url", tc.url, "--timeout", timeout, "--report", dir}
			if tc.code == exitUnable { // a few checks are enough
				args = append(args, "--only", "users,authentication,contract")
			}
			code, out, errs := conform(ctx, credentials, args...)
			if ctx.Err() != nil {
				t.Error("it took too long")
			}
			if code != tc.code || !strings.Contains(out, tc.says) {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tc.code, tc.says, clip(out), errs)
			}
			for _, name := range []string{report.HTMLFile, report.JSONFile, report.JUnitFile} {
				if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || len(text) == 0 {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func clip(text string) string { return text[:min(len(text), 4000)] }

func TestAnInterruptedRunReportsWhatItKnows(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	var asked atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 3 {
			interrupt()
			hang(w, r)
			return
		}
		http.NotFound(w, r)
	})
	code, out, _ := conform(ctx, credentials, "--url", url, "--parallel", "1")
	if code != exitUnable || !strings.Contains(out, "The run was interrupted") {
		t.Errorf("exit %d:\n%s", code, clip(out))
	}
}
