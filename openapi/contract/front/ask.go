package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// maxAnswer is the largest refusal of credentials that is passed on, in bytes.
const maxAnswer = 64 << 10

// ask requests the probe with the headers of r, and reports whether the service accepts its credentials. If it does not, or
// its answer does not say so, ask has answered r.
//
// No answer is remembered: a secret may be revoked, issued or rate-limited at any time, and the next request must see it
// (D-19, D-28). The service sees one request for each that it would have seen without a front, so that it counts them right.
func (f *front) ask(w http.ResponseWriter, r *http.Request) (accepted bool) {
	question := (&http.Request{
		Method: http.MethodGet, URL: f.probed, Proto: r.Proto, ProtoMajor: r.ProtoMajor, ProtoMinor: r.ProtoMinor,
		Header: withoutBody(r.Header), Body: http.NoBody, Host: r.Host, RemoteAddr: r.RemoteAddr, TLS: r.TLS,
	}).WithContext(r.Context())
	a := &captured{header: http.Header{}}
	broken := f.capture(a, question)
	o := seen(r)
	switch {
	case broken || a.tooLong:
		f.metrics.probes.WithLabelValues("failed").Inc()
		o.own, o.failure, o.cause = true, failureBroken, "the answer to the probe is not whole"
		f.rules.WriteError(w, r, &contract.Error{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"1"}}}, f.newID())
	case a.status >= 200 && a.status < 300:
		f.metrics.probes.WithLabelValues("accepted").Inc()
		for _, name := range []string{"RateLimit", "RateLimit-Policy"} { // the refusal says what is left, too (D-28)
			if value := a.header.Get(name); value != "" {
				w.Header().Set(name, value)
			}
		}
		return true
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden, a.status == http.StatusTooManyRequests, a.status >= 500:
		f.metrics.probes.WithLabelValues("refused").Inc()
		maps.Copy(w.Header(), a.header)
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body.Bytes()) // fails if the caller left
	default:
		// It is not known whether the service accepts the credentials, so the answer must not describe the request.
		f.metrics.probes.WithLabelValues("failed").Inc()
		o.own, o.failure, o.cause = true, failureProbe, fmt.Sprintf("the probe was answered %d", a.status)
		f.rules.WriteError(w, r, &contract.Error{Status: http.StatusInternalServerError}, f.newID())
	}
	return false
}

// capture sends a request through the proxy, and reports whether the response broke off.
func (f *front) capture(a *captured, r *http.Request) (broken bool) {
	defer func() {
		ended := recover()
		if err, ok := ended.(error); ok && errors.Is(err, http.ErrAbortHandler) && seen(r).caller.Err() == nil {
			broken = true
		} else if ended != nil {
			panic(ended)
		}
	}()
	f.proxy.ServeHTTP(a, r)
	return false
}

// withoutBody returns the headers that do not describe the body of a request, and that do not make it conditional.
func withoutBody(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{
		"Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location", "Content-Range", "Digest",
		"Content-Digest", "Expect", "Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range",
		"Upgrade", "X-Idempotency-Key",
	} {
		h.Del(name)
	}
	return h
}

// captured is a response in memory; the body of a success is not kept.
type captured struct {
	header  http.Header
	status  int
	body    bytes.Buffer
	tooLong bool
}

// Header implements [http.ResponseWriter].
func (c *captured) Header() http.Header { return c.header }

// WriteHeader implements [http.ResponseWriter].
func (c *captured) WriteHeader(status int) {
	if status >= 200 && c.status == 0 {
		c.status = status
	}
}

// Write implements [http.ResponseWriter].
func (c *captured) Write(text []byte) (int, error) {
	c.WriteHeader(http.StatusOK) // unless it is known already
	switch {
	case c.status < 300:
	case c.body.Len()+len(text) > maxAnswer:
		c.tooLong = true
	default:
		c.body.Write(text)
	}
	return len(text), nil
}
