package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
)

// authority issues certificates, and is trusted by roots.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	roots       *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, roots: x509.NewCertPool()}
	if a.certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.roots.AddCert(a.certificate)
	return a
}

// issue writes a certificate for 127.0.0.1 into the files.
func (a *authority) issue(t *testing.T, cert, key string, number int64) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	public, err := x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name+".new", pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
	}
}

// The SDK works over TLS and HTTP/2 with a private authority, also over a connection that was opened before the certificate
// was renewed. Metrics stay in clear text.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir, a := t.TempDir(), newAuthority(t)
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	a.issue(t, cert, key, 2)
	p, address := startSandbox(t, "--tls-certificate="+cert, "--tls-key="+key, "--metrics-listen=127.0.0.1:0", "--omit-addresses")
	if !strings.HasPrefix(address, "https://127.0.0.1:") {
		t.Fatalf("listens at %s", address)
	}
	p.out.await(t, "curl line", func(text string) bool { return strings.Contains(text, "curl -sS "+address) })
	var proto string
	var serials []int64
	newClient := func() (*client.Client, *http.Transport) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.roots}, ForceAttemptHTTP2: true}
		t.Cleanup(transport.CloseIdleConnections)
		c, err := client.New(address, server.SandboxClients[0].ID, server.SandboxClients[0].Secret, client.WithHTTPClient(&http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				resp, err := transport.RoundTrip(r)
				if err == nil {
					proto = resp.Proto
					serials = append(serials, resp.TLS.PeerCertificates[0].SerialNumber.Int64())
				}
				return resp, err
			}),
		}))
		if err != nil {
			t.Fatal(err)
		}
		return c, transport
	}
	call := func(c *client.Client) {
		t.Helper()
		if _, err := c.ListPayers(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	first, _ := newClient()
	call(first)
	a.issue(t, cert, key, 3)
	call(first)
	second, _ := newClient()
	call(second)
	if want := []int64{2, 2, 3}; proto != "HTTP/2.0" || len(serials) != 3 || serials[0] != want[0] || serials[1] != want[1] || serials[2] != want[2] {
		t.Errorf("%s with certificates %v, want %v", proto, serials, want)
	}

	if _, err := http.Get(address + "/healthz"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the authority: %v", err)
	}
	p.errs.await(t, "failed handshake", func(text string) bool { return strings.Contains(text, `"msg":"TLS handshake failed","cause":`) })
	resp, err := http.Get(strings.Replace(address, "https", "http", 1) + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusBadRequest || !bytes.Contains(text, []byte("HTTPS")) {
		t.Errorf("clear text is answered %d %s", resp.StatusCode, text)
	}
	metrics := p.errs.awaitLog(t, "listening").Metrics
	if resp, err := http.Get(metrics); err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("metrics at %s: %v", metrics, err)
	} else {
		resp.Body.Close()
	}
	if log := p.errs.String(); strings.Contains(log, `"address":"127.0.0.1`) {
		t.Errorf("the log has addresses:\n%s", log)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
