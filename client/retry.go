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
func (c *Client) send(ctx context.Context, k *call) *Error {
	k.growing = backoff.ExponentialBackOff{
		// Full jitter: half the bound, plus or minus all of it.
		InitialInterval: c.firstWait / 2, MaxInterval: c.longestWait / 2, Multiplier: 2, RandomizationFactor: 1,
	}
	k.context = ctx
	attempt := func() (struct{}, error) {
		c.authenticated(ctx, k)
		switch {
		case k.last == nil:
			return struct{}{}, nil
		case k.last.reason() == "" || k.operation.kind == sets:
			return struct{}{}, backoff.Permanent(errAttempt)
		}
		return struct{}{}, errAttempt
	}
	wait := func() time.Duration { return pause(ctx, k.last.RetryAfter, k.growing.NextBackOff()) }
	again := func(_ error, wait time.Duration) {
		k.seen.Wait = wait
		c.again(k.context, k.seen)
	}
	retries := c.retries
	if k.retries != nil {
		retries = *k.retries
	}
	_, err := backoff.Retry(ctx, attempt, backoff.WithBackOff(waits(wait)), backoff.WithNotify(again),
		backoff.WithMaxTries(uint(retries)+1), backoff.WithMaxElapsedTime(0))
	if err != nil && !errors.Is(err, errAttempt) {
		// The context ended between two attempts. The error keeps the result of the last one.
		k.last.Message += "; gave up waiting: " + oneLine(ctx.Err().Error())
		k.last.cause = errors.Join(ended(ctx), k.last.cause)
	}
	return k.last
}

// authenticated makes an attempt, and a second one if its credentials have been replaced in the meantime.
func (c *Client) authenticated(ctx context.Context, k *call) {
	held, err := c.credentials(ctx)
	switch {
	case ctx.Err() != nil:
		k.last = k.unanswered(ctx, ctx.Err())
	case err != nil:
		k.last = k.fail("no credentials: "+oneLine(err.Error()), err)
	default:
		c.attempt(ctx, k, held)
		c.renew(ctx, k, held)
		return
	}
	k.last.doubt = k.doubt
}

// renew repeats an attempt that was refused for its credentials, once in a call, if there are others by now.
func (c *Client) renew(ctx context.Context, k *call, held Credentials) {
	if k.last == nil || k.last.Status != http.StatusUnauthorized || k.renewed || k.operation.kind == sets && !k.last.contract {
		return
	}
	if fresh, err := c.credentials(ctx); err == nil && fresh != held && ctx.Err() == nil {
		k.renewed = true
		c.again(k.context, k.seen)
		c.attempt(ctx, k, fresh)
	}
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
	case e.Status == http.StatusRequestTimeout, e.Status == http.StatusTooEarly:
		return "not handled in time"
	case e.damaged():
		return "request damaged on its way"
	case errors.Is(e.cause, errDamaged):
		return "answer damaged on its way"
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
		record tls.RecordHeaderError
		alert  tls.AlertError
		remote *net.OpError
	)
	return isUntrusted(err) || errors.As(err, &record) || errors.As(err, &alert) ||
		(errors.As(err, &remote) && remote.Op == "remote error") // how crypto/tls reports an alert over TCP
}

// isUntrusted reports whether the server did not prove its identity, so that it was sent nothing.
func isUntrusted(err error) bool {
	var (
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
	)
	return errors.As(err, &certificate) || errors.As(err, &authority) || errors.As(err, &hostname) ||
		errors.As(err, &invalid) || errors.Is(err, http.ErrSchemeMismatch)
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
	return networkError{withoutURL(err)}
}

// networkError is a failure while the caller's context goes on: [errors.Is] does not find the end of a context in it, which
// net/http reports for time limits of its own. It hides what an error of net/http quotes: text that it cannot parse, which
// may be the body of a response, or the address of a proxy.
type networkError struct{ err error }

func (n networkError) Error() string {
	text := n.err.Error()
	if before, _, quotes := strings.Cut(text, `"`); quotes && !isFinal(n.err) {
		return strings.TrimRight(before, " :[(") + " (not shown)"
	}
	return text
}

// Is supports [errors.Is]. There is no Unwrap, because code that prints a chain of errors would show the quote.
func (n networkError) Is(target error) bool {
	return target != context.DeadlineExceeded && target != context.Canceled && errors.Is(n.err, target)
}

// As supports [errors.As].
func (n networkError) As(target any) bool { return errors.As(n.err, target) }
