package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// maxResponse is the maximum size of a response in bytes; a longer one counts as no response.
const maxResponse = 16 << 20

// errAnswerTooLong is returned when a response exceeds maxResponse.
var errAnswerTooLong = fmt.Errorf("the answer has more than %d bytes", maxResponse)

// giveUpAfter is the number of consecutive requests without a response after which the suite sends no more.
const giveUpAfter = 8

// ErrUnreachable is returned for every request after too many consecutive ones got no response.
var ErrUnreachable = errors.New("the server does not answer any more")

// recorder is the transport of a check: it limits, times and records every exchange and compares it with the contract.
type recorder struct {
	session *Session
	check   *T
	observe func(Exchange)
}

// Bounds of waiting for the rate limit of a server.
const (
	mostWaits   = 30               // for one request, beside others of its check that wait too
	longestWait = 10 * time.Second // of each
)

// RoundTrip implements [http.RoundTripper]. The response is in memory. Unless the run is about the rate limit, a request
// beyond it is sent again after Retry-After.
func (r recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := r.sendWithinLimit(req)
	if err != nil {
		r.check.interrupted()
	}
	return res, err
}

func (r recorder) sendWithinLimit(req *http.Request) (*http.Response, error) {
	for waits := 0; ; waits++ {
		res, err := r.send(req)
		if err != nil || res.StatusCode != http.StatusTooManyRequests || waits == mostWaits || r.session.Target.Condition == RateLimited ||
			req.Body != nil && req.GetBody == nil {
			return res, err
		}
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After")) // if it is missing, the contract check fails
		if seconds <= 0 {
			return res, nil
		}
		select {
		case <-time.After(min(time.Duration(seconds)*time.Second, longestWait)):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
		if req.Body != nil {
			req = req.Clone(req.Context())
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// send sends a request once.
func (r recorder) send(req *http.Request) (*http.Response, error) {
	if r.session.silent.Load() >= giveUpAfter {
		r.check.end(Error) // a request that is not sent says nothing about the server
		return nil, ErrUnreachable
	}
	x := Exchange{Method: req.Method, URL: strings.TrimPrefix(req.URL.RequestURI(), r.session.base), Header: req.Header.Clone()}
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		if spaced, ok := body.(spacedBody); ok {
			body = spaced.text
		}
		if x.Body, err = io.ReadAll(body); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(req.Context(), r.session.Target.Timeout)
	defer cancel() // the response is in memory by then
	checked := r.session.Contract.Transport(bounded{r.session.transport}, contract.BasePath(r.session.base),
		contract.Observe(func(e contract.Exchange) {
			x.OperationID, x.Template, x.Violations = e.OperationID, e.Path, e.Violations
		}))
	outgoing := req.Clone(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: startRequest}))
	for name, values := range r.session.Target.Header {
		if _, ok := outgoing.Header[name]; !ok { // a check may send its own value
			outgoing.Header[name] = values
		}
	}
	begun := time.Now()
	res, err := checked.RoundTrip(outgoing)
	if err == nil {
		x.ResponseBody, err = io.ReadAll(res.Body)
	}
	x.Duration = time.Since(begun)
	if err != nil {
		x.Err = err
		if req.Context().Err() == nil { // the check did not cancel it
			r.session.silent.Add(1)
		}
		r.record(x)
		return nil, err
	}
	r.session.silent.Store(0)
	res.Body = io.NopCloser(bytes.NewReader(x.ResponseBody))
	x.Status, x.ResponseHeader = res.StatusCode, res.Header
	if req.Method == http.MethodHead && res.StatusCode == http.StatusMethodNotAllowed { // HEAD is not in the contract
		x.OperationID, x.Template, x.Violations = "", "", nil
	}
	x.Violations = append(x.Violations, r.session.brokenHeaders(x)...)
	r.record(x)
	return res, nil
}

// brokenHeaders returns the violations of what the contract says of optional headers in words: an operation that takes no key
// never replays (D-55), and all answers to a client say what is left of its rate limit, or none (D-28).
func (s *Session) brokenHeaders(x Exchange) []contract.Violation {
	if x.OperationID == "" || x.Status == http.StatusUnauthorized || x.Status >= http.StatusInternalServerError ||
		x.Status == http.StatusTooManyRequests && !s.knows(x.Header) {
		return nil // it may not be known who calls
	}
	var found []contract.Violation
	op := s.Contract.Operation(x.Method, x.Template)
	if x.ResponseHeader.Get("Idempotent-Replayed") != "" && !op.TakesHeader("X-Idempotency-Key") {
		found = append(found, contract.Violation{In: "header", Field: "Idempotent-Replayed", Reason: "must not be sent by an operation that takes no key"})
	}
	expected, _ := s.limited.LoadOrStore(x.Header.Get("X-Client-Id"), x.ResponseHeader.Get("RateLimit") != "")
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		if sent := x.ResponseHeader.Get(name) != ""; sent != expected {
			found = append(found, contract.Violation{In: "header", Field: name, Reason: "must be sent with every answer to an authenticated call, or with none"})
		}
	}
	return found
}

// knows reports whether a request has the credentials of one of the two clients; with others 429 is the limit of failures,
// which has no such headers (D-58).
func (s *Session) knows(h http.Header) bool {
	id, secret := h.Get("X-Client-Id"), h.Get("X-Client-Secret")
	return id == s.Target.ClientID && secret == s.Target.ClientSecret || id == s.Target.OtherClientID && secret == s.Target.OtherClientSecret
}

func (r recorder) record(x Exchange) {
	r.observe(x)
	r.check.record(x)
}

// bounded reads no more than maxResponse of an answer.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(r)
	if err == nil {
		res.Body = &limited{ReadCloser: res.Body, left: maxResponse}
	}
	return res, err
}

type limited struct {
	io.ReadCloser
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= n; l.left < 0 {
		return 0, errAnswerTooLong
	}
	return n, err
}
