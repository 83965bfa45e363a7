package listen_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/crossborder-payouts/payouts/openapi/contract/listen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Clear text is served at loopback addresses alone, unless --insecure allows more.
func TestClearTextIsForLoopback(t *testing.T) {
	t.Parallel()
	for address, loopback := range map[string]bool{
		"127.0.0.1:0": true, "127.9.8.7:0": true, "[::1]:0": true, "localhost:0": true, "[::ffff:127.0.0.1]:0": true,
		":0": false, "0.0.0.0:0": false, "[::]:0": false, "192.0.2.1:0": false, "[2001:db8::1]:0": false, "10.0.0.1:0": false, "": false,
	} {
		c := listen.Config{Address: address, Log: slog.New(slog.DiscardHandler)}
		e, err := listen.New(c)
		invalid, _ := errors.AsType[*listen.Error](err)
		switch {
		case loopback && (err != nil || !e.Loopback()):
			t.Errorf("%s: %v", address, err)
		case !loopback && (invalid == nil || invalid.Flag != "listen"):
			t.Errorf("%s: %v, want a refusal", address, err)
		case !loopback && (!strings.Contains(err.Error(), "--tls-certificate and --tls-key") || !strings.Contains(err.Error(), "--insecure")):
			t.Errorf("%s: %v does not name both ways", address, err)
		}
		c.Insecure = true
		if e, err = listen.New(c); err != nil || e.Loopback() != loopback {
			t.Errorf("%s with --insecure: %v", address, err)
		}
	}
}

// A host name stands for the address that is listened on.
func TestListenAtAHostName(t *testing.T) {
	t.Parallel()
	e, err := listen.New(listen.Config{Address: "localhost:0"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := e.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() || e.URL(l) != "http://"+l.Addr().String() {
		t.Errorf("%s at %s", e.URL(l), l.Addr())
	}
}

// An error names the flag and what is wrong with it.
func TestInvalidFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := issue(t, dir, 1)
	other, otherKey := issue(t, t.TempDir(), 2)
	broken := filepath.Join(dir, "broken.pem")
	if err := os.WriteFile(broken, []byte("no PEM"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, c := range map[string]struct {
		config     listen.Config
		flag, says string
	}{
		"no port":           {listen.Config{Address: "127.0.0.1"}, "listen", "must be HOST:PORT, such as 127.0.0.1:8080: address 127.0.0.1: missing port"},
		"an unknown host":   {listen.Config{Address: "nowhere.invalid:0"}, "listen", "nowhere.invalid"},
		"no key":            {listen.Config{Address: ":0", TLSCertificate: cert}, "tls-key", "and --tls-certificate need each other"},
		"no certificate":    {listen.Config{Address: ":0", TLSKey: key}, "tls-key", "and --tls-certificate need each other"},
		"a missing file":    {listen.Config{Address: ":0", TLSCertificate: cert, TLSKey: key + "x"}, "tls-certificate", "no such file"},
		"a file of no form": {listen.Config{Address: ":0", TLSCertificate: broken, TLSKey: key}, "tls-certificate", "failed to find any PEM data"},
		"another key":       {listen.Config{Address: ":0", TLSCertificate: cert, TLSKey: otherKey}, "tls-certificate", cert + " with the key " + otherKey + ": tls: private key does not match public key"},
		"another cert":      {listen.Config{Address: ":0", TLSCertificate: other, TLSKey: key}, "tls-certificate", "tls: private key does not match public key"},
		"a taken address":   {listen.Config{Address: taken.Addr().String()}, "listen", "address already in use"},
	} {
		c.config.Log = slog.New(slog.DiscardHandler)
		e, err := listen.New(c.config)
		if err == nil {
			_, err = e.Listen(t.Context())
		}
		if invalid, ok := errors.AsType[*listen.Error](err); !ok || invalid.Flag != c.flag || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want --%s %s", name, err, c.flag, c.says)
		}
	}
}

// Renewed files are used from the next connection on, open connections stay, and files that do not fit each other change
// nothing but the log. TLS below 1.2 is refused; HTTP/2 is offered.
func TestRenewal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := issue(t, dir, 1)
	var log bytes.Buffer
	e, err := listen.New(listen.Config{Address: "127.0.0.1:0", TLSCertificate: cert, TLSKey: key, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	l, err := e.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }), ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0),
	}
	go server.Serve(l)
	defer server.Close()
	var warnings int
	for step, c := range []struct {
		change func()
		serial int64
		warns  int
	}{
		{func() {}, 1, 0},
		{func() { os.WriteFile(key, []byte("broken"), 0o600) }, 1, 1},
		{func() {}, 1, 0}, // the same cause is logged once
		{func() { issue(t, dir, 2) }, 2, 0},
		{func() { os.Remove(cert) }, 2, 1},
		{func() { issue(t, dir, 3) }, 3, 0},
	} {
		open := dial(t, l, &tls.Config{InsecureSkipVerify: true})
		before := open.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
		c.change()
		conn := dial(t, l, &tls.Config{InsecureSkipVerify: true}) // the serial number is what counts
		state := conn.ConnectionState()
		if got := state.PeerCertificates[0].SerialNumber.Int64(); got != c.serial {
			t.Errorf("step %d: serial %d, want %d", step, got, c.serial)
		}
		io.WriteString(open, "GET / HTTP/1.0\r\n\r\n")
		if answer, err := io.ReadAll(open); err != nil || !bytes.HasSuffix(answer, []byte("HTTP/1.0")) {
			t.Errorf("step %d: a connection with certificate %d answers %q, %v", step, before, answer, err)
		}
		if got := strings.Count(log.String(), "level=WARN") - warnings; got != c.warns {
			t.Errorf("step %d: %d warnings, want %d:\n%s", step, got, c.warns, log.String())
		}
		warnings += c.warns
	}
	if conn := dial(t, l, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}); conn.ConnectionState().NegotiatedProtocol != "h2" {
		t.Error("HTTP/2 is not offered")
	}
	if conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}); err == nil {
		conn.Close()
		t.Error("TLS 1.1 is accepted")
	}
	if want := "https://" + l.Addr().String(); e.URL(l) != want {
		t.Errorf("%s, want %s", e.URL(l), want)
	}
}

// An expired certificate is warned of.
func TestAnExpiredCertificate(t *testing.T) {
	t.Parallel()
	cert, key := issue(t, t.TempDir(), -1)
	var log bytes.Buffer
	_, err := listen.New(listen.Config{Address: "127.0.0.1:0", TLSCertificate: cert, TLSKey: key, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil || !strings.Contains(log.String(), "level=WARN msg=certificate expires=") {
		t.Errorf("%v: %s", err, log.String())
	}
}

func dial(t *testing.T, l net.Listener, c *tls.Config) *tls.Conn {
	t.Helper()
	conn, err := tls.Dial("tcp", l.Addr().String(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// issue writes a certificate with a number, and its key; one with a number below 0 has expired.
func issue(t *testing.T, dir string, number int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(max(1, number)), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(time.Hour)}
	if number < 0 {
		template.NotAfter = time.Now().Add(-time.Hour)
	}
	public, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Unix(1_700_000_000+number, 0)); err != nil { // it might not change between two writes
			t.Fatal(err)
		}
	}
	return cert, key
}
