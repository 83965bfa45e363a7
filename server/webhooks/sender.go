package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	// answerLimit is how much of an answer is read. Nothing of it is kept.
	answerLimit = 4 << 10
	// userAgent names the program to receivers.
	userAgent = "payoutd"
)

// message is one webhook.
type message struct {
	url     string
	id      string // of the event, the same in every attempt
	body    []byte
	secrets []string // that sign, the newest first
}

// outcome is that of one attempt.
type outcome struct {
	status     int           // of the answer; 0: there was none
	failure    string        // the error of the delivery log; empty: the attempt succeeded
	retryAfter time.Duration // that the receiver asks for; 0: it does not
	began      time.Time
	took       time.Duration
}

// The errors of attempts, as in the delivery log (D-69).
const (
	failureTimeout    = "TIMEOUT"
	failureRefused    = "CONNECTION_REFUSED"
	failureConnection = "CONNECTION_FAILED" // any other failure to connect, to send or to receive
	failureDNS        = "DNS"
	failureTLS        = "TLS"
	failureAddress    = "ADDRESS_NOT_ALLOWED"
	failureRedirect   = "REDIRECT"
	failureStatus     = "HTTP_STATUS"
)

// sender sends webhooks.
type sender struct {
	client  *http.Client
	timeout time.Duration // of an attempt: for the look-up, the connection, the headers and the body of the answer together
	now     func() time.Time
}

// newSender returns a sender that connects to public addresses only, unless private is set.
func newSender(timeout time.Duration, private bool, now func() time.Time) *sender {
	dialer := &net.Dialer{KeepAlive: -1}
	if !private {
		dialer.Control = control
	}
	return &sender{timeout: timeout, now: now, client: &http.Client{
		Transport: transport(dialer),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

func transport(dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // the dialer would see the address of the proxy alone
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // an answer is not worth unpacking
		MaxResponseHeaderBytes: 16 << 10,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
	}
}

// close closes idle connections.
func (s *sender) close() { s.client.CloseIdleConnections() }

// send makes one attempt. It returns an error only if ctx ended, or if a secret cannot sign: then nothing is known about the
// receiver.
func (s *sender) send(ctx context.Context, m message) (outcome, error) {
	at := s.now()
	signature, err := sign(m, at)
	if err != nil {
		return outcome{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(attempt, http.MethodPost, m.url, bytes.NewReader(m.body))
	if err != nil {
		return outcome{}, errors.New("the URL of the endpoint is malformed") // the error would quote it
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set(standardwebhooks.HeaderWebhookID, m.id)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	began := time.Now()
	result := s.exchange(request)
	result.began, result.took = at, time.Since(began)
	return result, ctx.Err()
}

// exchange sends a request and judges the answer. Any 2xx whose body arrives in time, as far as it is read, is a success.
func (s *sender) exchange(request *http.Request) outcome {
	response, err := s.client.Do(request)
	if err != nil {
		return outcome{failure: failureOf(err)}
	}
	defer response.Body.Close() //nolint:errcheck // nothing depends on it
	result := outcome{status: response.StatusCode, retryAfter: retryAfter(response.Header, s.now())}
	if _, err := io.Copy(io.Discard, io.LimitReader(response.Body, answerLimit)); err != nil {
		result.failure = failureOf(err)
		return result
	}
	switch class := response.StatusCode / 100; class {
	case 2:
	case 3:
		result.failure = failureRedirect
	default:
		result.failure = failureStatus
	}
	return result
}

// sign returns one signature for each secret, separated by spaces.
func sign(m message, at time.Time) (string, error) {
	signatures := make([]string, len(m.secrets))
	for i, secret := range m.secrets {
		signer, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			return "", errors.New("a secret of the endpoint is malformed")
		}
		if signatures[i], err = signer.Sign(m.id, at, m.body); err != nil {
			return "", fmt.Errorf("sign: %w", err)
		}
	}
	if len(signatures) == 0 {
		return "", errors.New("the endpoint has no secret")
	}
	return strings.Join(signatures, " "), nil
}

// failureOf returns the token of an error.
func failureOf(err error) string {
	var (
		network     net.Error
		dns         *net.DNSError
		alert       tls.AlertError
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		host        x509.HostnameError
		authority   x509.UnknownAuthorityError
	)
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork):
		return failureAddress
	case errors.As(err, &dns): // even if the look-up took too long
		return failureDNS
	case errors.As(err, &network) && network.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return failureTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return failureRefused
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &alert), errors.As(err, &record), errors.As(err, &certificate), errors.As(err, &host), errors.As(err, &authority):
		return failureTLS
	}
	return failureConnection
}
