package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server"
)

// Over HTTP/2 an upload that stalls ends alone: the other requests of its connection are answered.
func TestAnUploadThatStallsOverHTTP2(t *testing.T) {
	t.Parallel()
	srv, err := server.New(t.Context(), server.Config{
		Database: "sqlite:" + filepath.Join(t.TempDir(), "payouts.db"), Sandbox: true,
		BodyPace: bodies.Pace{Bytes: 1 << 20, Window: 2 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	other := httptest.NewTLSServer(http.NotFoundHandler()) // it has a certificate
	defer other.Close()
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := tls.NewListener(plain, &tls.Config{Certificates: other.TLS.Certificates, NextProtos: []string{"h2"}})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})

	roots := x509.NewCertPool()
	roots.AddCert(other.Certificate())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	var connections []net.Conn
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { connections = append(connections, i.Conn) }})
	send := func(method, path string, body io.Reader) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(traced, method, "https://"+plain.Addr().String()+path, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Client-Id", server.SandboxClients[0].ID)
		r.Header.Set("X-Client-Secret", server.SandboxClients[0].Secret)
		r.Header.Set("Content-Type", "application/json")
		resp, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	if resp := send(http.MethodGet, "/payers", nil); resp.StatusCode != http.StatusOK || resp.ProtoMajor != 2 {
		t.Fatalf("%s %s", resp.Proto, resp.Status)
	}
	upload, body := io.Pipe()
	defer body.Close()
	go io.Copy(body, strings.NewReader(`{"first_name":"Asha",`)) // and then nothing
	stalled := send(http.MethodPost, "/users", upload)
	text, _ := io.ReadAll(stalled.Body)
	if stalled.StatusCode != http.StatusBadRequest || !strings.Contains(string(text), "must be sent completely") {
		t.Errorf("%s %s", stalled.Status, text)
	}
	if resp := send(http.MethodGet, "/payers", nil); resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	if connections[0] != connections[1] || connections[0] != connections[2] {
		t.Error("a stalled upload takes its connection with it")
	}
}
