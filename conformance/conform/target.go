package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"

	"github.com/crossborder-payouts/payouts/conformance"
	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// target returns the target that the options describe.
func (o options) target() (conformance.Target, error) {
	target := conformance.Target{
		Target: probe.Target{
			URL: o.URL, ClientID: o.ClientID, ClientSecret: o.ClientSecret,
			OtherClientID: o.OtherClientID, OtherClientSecret: o.OtherClientSecret,
			Profile: probe.Profile(o.Profile), Condition: probe.Condition(o.Condition), Timeout: o.Timeout,
			Receiver: o.Receiver, ReceiverURL: o.ReceiverURL,
		},
		Only:     conformance.Filter{IDs: o.Only, Operations: o.Operation, Clauses: o.Clause},
		Parallel: o.Parallel, MaxFailures: o.MaxFailures, Commit: o.Commit,
	}
	var err error
	if target.Header, err = headers(o.Header); err != nil {
		return target, fmt.Errorf("--header: %w", err)
	}
	if target.TLS, err = o.tls(); err != nil {
		return target, err
	}
	if o.Fixtures == "" {
		return target, nil
	}
	var file struct {
		Facts    probe.Facts    `yaml:"facts"`
		Fixtures probe.Fixtures `yaml:"fixtures"`
	}
	if err := readYAML(o.Fixtures, &file); err != nil {
		return target, fmt.Errorf("--fixtures: %w", err)
	}
	target.Facts, target.Fixtures = file.Facts, file.Fixtures
	return target, nil
}

// ownHeaders are headers that the checks set themselves.
var ownHeaders = []string{
	"Accept", "Content-Encoding", "Content-Length", "Content-Type", "Host", "Transfer-Encoding",
	"X-Client-Id", "X-Client-Secret", "X-Idempotency-Key", "X-Request-Id",
}

var headerLine = regexp.MustCompile(`^([A-Za-z0-9!#$%&'*+.^_|~-]+):[ \t]*([ -~]*[!-~])[ \t]*$`)

// headers parses header lines. Its errors do not contain values, which may be secrets.
func headers(lines []string) (http.Header, error) {
	all := http.Header{}
	for _, line := range lines {
		part := headerLine.FindStringSubmatch(line)
		if part == nil {
			return nil, errors.New("a header must be written as 'Name: value', in ASCII")
		}
		if slices.Contains(ownHeaders, http.CanonicalHeaderKey(part[1])) {
			return nil, fmt.Errorf("%s is a header that the suite sends itself", part[1])
		}
		all.Add(part[1], part[2])
	}
	return all, nil
}

// tls returns the TLS configuration; nil is the default.
func (o options) tls() (*tls.Config, error) {
	if o.CA == "" && o.ClientCert == "" && o.ClientKey == "" {
		return nil, nil //nolint:nilnil // there is nothing to configure
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, fmt.Errorf("--ca: %w", err)
		}
		if config.RootCAs, err = x509.SystemCertPool(); err != nil {
			config.RootCAs = x509.NewCertPool()
		}
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--ca: %s has no certificate", o.CA)
		}
	}
	if o.ClientCert != "" || o.ClientKey != "" {
		pair, err := tls.LoadX509KeyPair(o.ClientCert, o.ClientKey)
		if err != nil {
			return nil, fmt.Errorf("--client-cert and --client-key: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
