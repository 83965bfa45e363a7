package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

func pemFile(t *testing.T, kind string, der []byte) string {
	t.Helper()
	return file(t, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

// selfSigned creates a client certificate and returns it with the files of it and its key.
func selfSigned(t *testing.T) (certificate *x509.Certificate, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, &x509.Certificate{SerialNumber: big.NewInt(1)}, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if certificate, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, pemFile(t, "CERTIFICATE", der), pemFile(t, "PRIVATE KEY", keyDER)
}

// A gateway may require a client certificate and a header.
func TestAServerThatRequiresAClientCertificateAndAHeader(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(servertest.New(t, func(c *server.Config) { c.Now = time.Now }).URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	certificate, certFile, keyFile := selfSigned(t)
	gateway := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Gateway") != "let-me, in" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	gateway.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool()}
	gateway.TLS.ClientCAs.AddCert(certificate)
	gateway.Config.ErrorLog = log.New(io.Discard, "", 0)
	gateway.StartTLS()
	t.Cleanup(gateway.Close)
	ca := pemFile(t, "CERTIFICATE", gateway.Certificate().Raw)

	client := server.SandboxClients[0]
	target := []string{"--url", gateway.URL, "--client-id", client.ID, "--client-secret", client.Secret, "--only", "users.registration,http.size", "--timeout", "2m"}
	trusted := slices.Concat(target, []string{"--ca", ca})
	certified := slices.Concat(trusted, []string{"--client-cert", certFile, "--client-key", keyFile})
	for name, tc := range map[string]struct {
		code int
		says string
		args []string
	}{
		"with all of it":               {3, "\nINCOMPLETE: ", slices.Concat(certified, []string{"--header", "X-Gateway: let-me, in", "--header", "X-Other: 1"})},
		"without the header":           {2, "is another service", certified},
		"without a client certificate": {2, "the server requires a client certificate", trusted},
		"without the authority":        {2, "the certificate of the server is not accepted", target},
		"a file without certificates":  {2, "has no certificate", slices.Concat(target, []string{"--ca", keyFile})},
		"a certificate without a key":  {2, "--client-cert and --client-key: ", slices.Concat(target, []string{"--client-cert", certFile})},
		"a header without a value":     {2, "--header: a header must be written as", slices.Concat(target, []string{"--header", "X-Gateway let-me, in"})},
		"a header of the suite":        {2, "a header that the suite sends itself", slices.Concat(target, []string{"--header", "x-client-id: let-me, in"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := conform(t.Context(), nil, tc.args...)
			if code != tc.code || !strings.Contains(out+errs, tc.says) || strings.Contains(out+errs, "let-me, in") {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, tc.code, tc.says, clip(out), errs)
			}
		})
	}
}
