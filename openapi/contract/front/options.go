package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// options are the flags. Each has an environment variable: --upstream is PAYOUT_FRONT_UPSTREAM.
type options struct {
	Listen           string        `help:"Address to listen on." default:"127.0.0.1:8090"`
	Upstream         string        `help:"Base URL of the service, such as http://127.0.0.1:5000 or https://payouts.internal/api." placeholder:"URL" required:""`
	Contract         string        `help:"OpenAPI 3.0 document; by default the contract of this project." placeholder:"FILE"`
	Requests         string        `help:"What happens to requests that break the contract: refuse, log (and forward) or off." enum:"refuse,log,off" default:"refuse"`
	Responses        string        `help:"What happens to responses that break it: refuse (502 instead), header (adds X-Contract-Violations), log or off." enum:"refuse,header,log,off" default:"log"`
	Probe            string        `help:"Path of a GET operation without effect. Before a request is refused, the service is asked for it with the caller's headers, to learn whether it accepts the credentials." default:"/payers?country=AQ" placeholder:"PATH"`
	BodyLimit        int64         `help:"Largest request body, in bytes." default:"20971520"`
	ResponseLimit    int           `help:"Largest response that is judged, in bytes; larger ones are streamed." default:"4194304"`
	MemoryLimit      int64         `help:"Bytes of bodies held in memory at a time; beyond it bodies wait for two minutes, then their requests are answered 503." default:"268435456"`
	Timeout          time.Duration `help:"Time for the service to begin its response." default:"30s"`
	BodyTime         time.Duration `help:"Time for each 240 KiB of a request to arrive, and of a response to be read." default:"15s"`
	UpstreamCA       string        `name:"upstream-ca" help:"PEM file with CA certificates of the service, in addition to those of the system." placeholder:"FILE"`
	TLSCertificate   string        `name:"tls-certificate" help:"PEM file with a certificate: serve https. It is read again when it changes." placeholder:"FILE"`
	TLSKey           string        `name:"tls-key" help:"PEM file with its key." placeholder:"FILE"`
	Insecure         bool          `help:"Serve clear text at an address that others can reach, because TLS ends in front of it."`
	TrustForwarded   bool          `help:"Keep the X-Forwarded headers of requests. Only behind a proxy of your own, which sets them."`
	MetricsListen    string        `help:"Address of the listener for /metrics, /healthz and /readyz; none if empty." placeholder:"ADDRESS"`
	ShutdownDelay    time.Duration `help:"Time to accept connections after SIGTERM, while /readyz answers 503." default:"0s"`
	ShutdownPatience time.Duration `help:"Time for requests in flight to finish after that." default:"20s"`
	LogLevel         string        `help:"Minimum log level: debug, info, warn or error." default:"info" enum:"debug,info,warn,error"`
	LogFormat        string        `help:"Log format: json or text." default:"json" enum:"json,text"`
}

// check rejects invalid values that the types of the flags allow.
func (o options) check() error {
	for _, flag := range []struct {
		name  string
		wrong bool
		want  string
	}{
		{"body-limit", o.BodyLimit <= 0, "must be more than 0"},
		{"response-limit", o.ResponseLimit <= 0, "must be more than 0"},
		{"memory-limit", o.MemoryLimit < o.BodyLimit, "must not be less than --body-limit"},
		{"timeout", o.Timeout <= 0, "must be more than 0"},
		{"body-time", o.BodyTime <= 0, "must be more than 0"},
		{"shutdown-delay", o.ShutdownDelay < 0, "must not be negative"},
		{"shutdown-patience", o.ShutdownPatience <= 0, "must be more than 0"},
	} {
		if flag.wrong {
			return usageError{flag.name, errors.New(flag.want)}
		}
	}
	return nil
}

// modes translates the words of flags.
var modes = map[string]contract.Mode{
	"off": contract.Ignore, "log": contract.Report, "header": contract.Mark, "refuse": contract.Refuse,
}

// upstream returns the base URL of the service, without a slash at its end.
func (o options) upstream() (*url.URL, error) {
	u, err := url.Parse(o.Upstream)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, usageError{"upstream", errors.New("must be an http or https URL")}
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, usageError{"upstream", errors.New("must not have credentials, a query or a fragment")}
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	return u, nil
}

// rules returns the document and the compiled contract.
func (o options) rules() (*openapi3.T, *contract.Contract, error) {
	if o.Contract == "" {
		doc, err := openapi.Document()
		if err != nil {
			return nil, nil, err
		}
		rules, err := contract.Published()
		return doc, rules, err
	}
	doc, err := openapi3.NewLoader().LoadFromFile(o.Contract)
	if err != nil {
		return nil, nil, usageError{"contract", err}
	}
	rules, err := contract.New(doc)
	if err != nil {
		return nil, nil, usageError{"contract", err}
	}
	return doc, rules, nil
}

// probe returns the target of the question for credentials; nil if the contract requires none, or nothing is refused.
func (o options) probe(rules *contract.Contract) (*url.URL, error) {
	secured := false
	for _, op := range rules.Operations() {
		secured = secured || op.Secured
	}
	if !secured || o.Requests != "refuse" {
		return nil, nil
	}
	target, err := url.ParseRequestURI(o.Probe)
	if err != nil || target.Host != "" {
		return nil, usageError{"probe", errors.New("must be a path, with a query if it needs one")}
	}
	op, params := rules.Match(http.MethodGet, target)
	if op == nil || !op.Secured {
		return nil, usageError{"probe", errors.New("must be the path of a GET operation that requires credentials")}
	}
	r := &http.Request{Method: http.MethodGet, URL: target, Header: http.Header{}}
	if _, err := op.CheckRequest(r, params, o.BodyLimit); err != nil {
		return nil, usageError{"probe", fmt.Errorf("must be a valid request: %w", err)}
	}
	return target, nil
}

// upstreamTLS returns the certificates that the service may have; nil is those of the system.
func (o options) upstreamTLS() (*tls.Config, error) {
	if o.UpstreamCA == "" {
		return nil, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(o.UpstreamCA)
	if err != nil {
		return nil, usageError{"upstream-ca", err}
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, usageError{"upstream-ca", errors.New("has no certificate")}
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}
