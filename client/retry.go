package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// maxRetryAfter is the longest Retry-After for which a call waits; beyond it the call fails at once.
const maxRetryAfter = 30 * time.Second

// errAttempt stands for [call.last]: package backoff looks for its own error types, which a transport may return.
var errAttempt = errors.New("the attempt failed")

// send makes attempts until one succeeds or fails for good.
func (c *Client) send(ctx context.Context, k *call) ([]byte, *Error) {
	k.growing = backoff.ExponentialBackOff{
		// Full jitter: half the bound, plus or minus all of it.
		InitialInterval: c.firstWait / 2, MaxInterval: c.longestWait / 2, Multiplier: 2, RandomizationFactor: 1,
	}
	attempt := func() ([]byte, error) {
		body := c.attempt(ctx, k)
		switch {
		case k.last == nil:
			return body, nil
		case k.seen.Reason == "" || k.operation.kind == sets:
			return nil, backoff.Permanent(errAttempt)
		}
		return nil, errAttempt
	}
	wait := func() time.Duration { return pause(ctx, k.last.RetryAfter, k.growing.NextBackOff()) }
	again := func(_ error, wait time.Duration) {
		k.seen.Wait = wait
		c.again(ctx, k.seen)
	}
	body, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(waits(wait)), backoff.WithNotify(again),
		backoff.WithMaxTries(uint(c.retries)+1), backoff.WithMaxElapsedTime(0))
	if err != nil && !errors.Is(err, errAttempt) {
		// The context ended between two attempts. The error keeps the result of the last one.
		k.last.Message += "; gave up waiting: " + oneLine(ctx.Err().Error())
		k.last.cause = errors.Join(ended(ctx), k.last.cause)
	}
	return body, k.last
}

// waits makes a function a [backoff.BackOff].
type waits func() time.Duration

// NextBackOff implements [backoff.BackOff].
func (w waits) NextBackOff() time.Duration { return w() }

// Reset implements [backoff.BackOff].
func (waits) Reset() {}

// pause returns the wait before the next attempt: Retry-After plus jitter, so that callers that were rejected together do
// not come back together. It returns [backoff.Stop] if waiting is useless.
func pause(ctx context.Context, asked, jitter time.Duration) time.Duration {
	if asked > maxRetryAfter {
		return backoff.Stop
	}
	wait := asked + jitter
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return backoff.Stop
	}
	return wait
}

// reason says why the failure is temporary; "" if the same call would fail again.
func (e *Error) reason() string {
	switch {
	case e.Status == http.StatusTooManyRequests:
		return "rate limited"
	case e.Status == http.StatusServiceUnavailable:
		return "unavailable"
	case e.Status == http.StatusNotImplemented, e.Status == http.StatusHTTPVersionNotSupported,
		e.Status == http.StatusNetworkAuthenticationRequired:
		return "" // about the path to the service, which will not change
	case e.Status >= 500:
		return "server error"
	case e.Status != 0 || e.cause == nil || isContext(e.cause) || isFinal(e.cause):
		return ""
	case isTimeout(e.cause):
		return "timeout"
	}
	return "connection failed"
}

// endedError is the end of the caller's context, with its cause if it has one.
type endedError struct{ err, cause error }

func (e endedError) Error() string   { return e.err.Error() }
func (e endedError) Unwrap() []error { return []error{e.err, e.cause} }

func ended(ctx context.Context) error { return endedError{ctx.Err(), context.Cause(ctx)} }

func isContext(err error) bool {
	var e endedError
	return errors.As(err, &e)
}

// isFinal reports whether a failure is about the identity of the server, not about reaching it.
func isFinal(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
		record      tls.RecordHeaderError
		alert       tls.AlertError
		remote      *net.OpError
	)
	return errors.As(err, &certificate) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.As(err, &record) || errors.As(err, &alert) ||
		(errors.As(err, &remote) && remote.Op == "remote error") || // how crypto/tls reports an alert over TCP
		errors.Is(err, http.ErrSchemeMismatch)
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

// retryAfter parses the header: seconds or a date. Anything else is ignored.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(24*time.Hour/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, min(date.Sub(now), 24*time.Hour))
	}
	return 0
}

// unanswered is the failure of an attempt without a complete response.
func (k *call) unanswered(ctx context.Context, err error) *Error {
	err = lost(ctx, err)
	return k.fail("no answer: "+oneLine(err.Error()), err)
}

// lost is why there is no complete response: the end of the caller's context, or a failure that shows nothing of the
// request or the response.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	if err = withoutURL(err); strings.Contains(err.Error(), `"`) && !isFinal(err) {
		return quotingError{err}
	}
	return err
}

// quotingError hides what an error of net/http quotes: text that it cannot parse, which may be the body of a response, or
// the address of a proxy. It shows only what is before the quote, and supports errors.Is and errors.As.
type quotingError struct{ err error }

func (q quotingError) Error() string {
	before, _, _ := strings.Cut(q.err.Error(), `"`)
	return strings.TrimRight(before, " :[(") + " (not shown)"
}

// Is supports [errors.Is]. There is no Unwrap, because code that prints a chain of errors would show the quote.
func (q quotingError) Is(target error) bool { return errors.Is(q.err, target) }

// As supports [errors.As].
func (q quotingError) As(target any) bool { return errors.As(q.err, target) }
