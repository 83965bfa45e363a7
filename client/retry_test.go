package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// reset is the error of net/http for a connection that was reset.
var reset = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

func TestTemporaryFailuresAreRetried(t *testing.T) {
	t.Parallel()
	unavailable, busy := client.ServiceUnavailable, client.RateLimited
	for name, c := range map[string]struct {
		answer   answer
		attempts int
	}{
		"connection refused":       {lose(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}), 3},
		"connection reset":         {lose(reset), 3},
		"no such host":             {lose(&net.DNSError{Err: "no such host", Name: "payouts.test", IsNotFound: true}), 3},
		"closed before the answer": {lose(io.EOF), 3},
		"reset in the body":        {cut(reset), 3},
		"end in the body":          {cut(io.ErrUnexpectedEOF), 3},
		"attempt too long":         {hang, 3},
		"429":                      {refuse(429, busy, "Retry-After", "1"), 3},
		"429, no Retry-After":      {refuse(429, busy), 3},
		"500":                      {refuse(500, client.InternalError), 3},
		"502 of a proxy":           {respond(502, "<html>", "Content-Type", "text/html"), 3},
		"503":                      {refuse(503, unavailable, "Retry-After", "1"), 3},
		"504 of a proxy":           {respond(504, "", "Content-Type", "text/plain"), 3},
		"520 of a proxy":           {respond(520, ""), 3},
		"408 of a proxy":           {respond(408, ""), 3},
		"425 of a proxy":           {respond(425, ""), 3},
		"success that is no JSON":  {respond(200, theUser[:20]), 3},
		"success without a body":   {respond(200, ""), 3},

		"Retry-After beyond bounds":     {refuse(503, unavailable, "Retry-After", "31"), 1},
		"301":                           {respond(301, "", "Location", "https://elsewhere.test/"), 1},
		"307":                           {respond(307, "", "Location", "/users"), 1},
		"400":                           {refuse(400, client.BadRequest), 1},
		"401":                           {refuse(401, client.Unauthorized), 1},
		"404":                           {refuse(404, client.NotFound), 1},
		"409":                           {refuse(409, client.IdempotencyKeyReused), 1},
		"409 with Retry-After":          {refuse(409, client.IdempotencyKeyReused, "Retry-After", "1"), 1},
		"413":                           {refuse(413, client.PayloadTooLarge), 1},
		"422":                           {refuse(422, client.CorridorNotEnabled), 1},
		"501":                           {respond(501, ""), 1},
		"505":                           {respond(505, ""), 1},
		"511":                           {respond(511, ""), 1},
		"success that is HTML":          {respond(200, "<html>", "Content-Type", "text/html"), 1},
		"success that is another thing": {respond(200, `{"id":1}`), 1},
		"202":                           {respond(202, theUser), 1},
		"204":                           {respond(204, ""), 1},
		"success that is null":          {respond(200, "null"), 1},
		"success that is empty":         {respond(200, "{}"), 1},
		"success that has no id":        {respond(200, `{"status":"ok"}`), 1},
		"certificate of nobody":         {lose(x509.UnknownAuthorityError{}), 1},
		"certificate of another host":   {lose(&tls.CertificateVerificationError{Err: x509.HostnameError{}}), 1},
		"certificate that expired":      {lose(x509.CertificateInvalidError{Reason: x509.Expired}), 1},
		"no TLS at all":                 {lose(tls.RecordHeaderError{Msg: "not TLS"}), 1},
		"refused by the other side":     {lose(&net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}), 1},
		"refused over QUIC":             {lose(tls.AlertError(40)), 1},
		"http where https is":           {lose(http.ErrSchemeMismatch), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, c2 := dial(t, c.answer)
				_, err := c2.CreateUser(t.Context(), asha())
				e := errorOf(t, err)
				if len(n.seen) != c.attempts || e.Attempts != c.attempts {
					t.Errorf("%d attempts, %d in the error, want %d: %v", len(n.seen), e.Attempts, c.attempts, err)
				}
				if passing := c.attempts > 1 || strings.HasPrefix(name, "Retry-After"); e.Temporary() != passing {
					t.Errorf("Temporary is %t: %v", e.Temporary(), err)
				}
				checkAttempts(t, n, e.IdempotencyKey)
			})
		})
	}
}

// checkAttempts checks that all attempts of a creating call are the same request, with the key of its error.
func checkAttempts(t *testing.T, n *network, key string) {
	t.Helper()
	if _, err := uuid.Parse(key); err != nil {
		t.Errorf("the key is %q", key)
	}
	for i, x := range n.seen {
		if x.header.Get("X-Idempotency-Key") != key {
			t.Errorf("attempt %d has the key %q, the error %q", i+1, x.header.Get("X-Idempotency-Key"), key)
		}
		x.at = n.seen[0].at
		if first := n.seen[0]; fmt.Sprint(x) != fmt.Sprint(first) || x.body == "" {
			t.Errorf("attempt %d differs:\n%v\n%v", i+1, first, x)
		}
	}
}

func TestSuccessAfterFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, c := dial(t, refuse(503, client.ServiceUnavailable), cut(io.ErrUnexpectedEOF),
			respond(200, theUser, "Idempotent-Replayed", "true", "X-Request-Id", "request-3"))
		var info client.Info
		user, err := c.CreateUser(t.Context(), asha(), client.CaptureInfo(&info))
		if err != nil || user.ID != userID {
			t.Fatal(user, err)
		}
		checkAttempts(t, n, info.IdempotencyKey)
		if want := (client.Info{RequestID: "request-3", IdempotencyKey: info.IdempotencyKey, Replayed: true, Attempts: 3}); withoutAnswer(info) != want || string(info.Answer.Body()) != theUser {
			t.Errorf("info is %+v, want %+v", info, want)
		}
	})
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	n, c := dial(t, ok)
	for range 2 {
		if _, err := c.CreateUser(t.Context(), asha()); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := n.seen[0].header.Get("X-Idempotency-Key"), n.seen[1].header.Get("X-Idempotency-Key"); a == b || a == "" {
		t.Errorf("the keys are %q and %q", a, b)
	}
	if _, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey("order 4711 Zürich")); err != nil {
		t.Fatal(err)
	}
	if got := n.seen[2].header.Get("X-Idempotency-Key"); got != "order 4711 Zürich" {
		t.Errorf("the key is %q", got)
	}
	if _, err := c.GetUser(t.Context(), userID); err != nil || n.seen[3].header["X-Idempotency-Key"] != nil {
		t.Errorf("a reading call has the key %q, %v", n.seen[3].header["X-Idempotency-Key"], err)
	}
}

func TestSandboxOperationsAreNotRetried(t *testing.T) {
	t.Parallel()
	for _, answer := range []answer{refuse(503, client.ServiceUnavailable, "Retry-After", "1"), lose(reset), refuse(429, client.RateLimited)} {
		n, c := dial(t, answer)
		_, err := c.SetVerification(t.Context(), userID, api.VerificationRequest{})
		if errorOf(t, err); len(n.seen) != 1 {
			t.Errorf("%d attempts", len(n.seen))
		}
		_, err = c.SetFundingAccountStatus(t.Context(), userID, accountID, api.FundingAccountStatusActive)
		if e := errorOf(t, err); len(n.seen) != 2 || e.IdempotencyKey != "" {
			t.Errorf("%d attempts, key %q", len(n.seen)-1, e.IdempotencyKey)
		}
	}
}

// A transport may return errors of the backoff package, which must not control the retries of the SDK.
func TestErrorsOfTheTransportDoNotControlRetries(t *testing.T) {
	t.Parallel()
	for _, err := range []error{backoff.Permanent(reset), &backoff.RetryAfterError{Duration: time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			n, c := dial(t, lose(err))
			_, got := c.CreateUser(t.Context(), asha())
			if e := errorOf(t, got); len(n.seen) != 3 || !errors.Is(e, err) || time.Since(started) > 2*time.Second {
				t.Errorf("%d attempts in %v: %v", len(n.seen), time.Since(started), got)
			}
		})
	}
}

func TestReadsAreRetried(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, c := dial(t, lose(reset), refuse(500, client.InternalError), respond(200, thePayer))
		if p, err := c.GetPayer(t.Context(), 1001); err != nil || p.ID != 1001 || len(n.seen) != 3 {
			t.Errorf("%v, %v after %d attempts", p, err, len(n.seen))
		}
	})
}

func TestNumberOfRetries(t *testing.T) {
	t.Parallel()
	for retries := range 5 {
		synctest.Test(t, func(t *testing.T) {
			n, c := dialWith(t, []client.Option{client.WithRetries(retries)}, refuse(500, client.InternalError))
			_, err := c.GetPayer(t.Context(), 1001)
			if e := errorOf(t, err); len(n.seen) != retries+1 || e.Attempts != retries+1 {
				t.Errorf("%d retries: %d attempts, %d in the error", retries, len(n.seen), e.Attempts)
			}
		})
	}
}

func TestWaitsAreRandomAndBounded(t *testing.T) {
	t.Parallel()
	different := map[time.Duration]bool{}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			options := []client.Option{client.WithRetries(4), client.WithBackoff(time.Second, 3*time.Second)}
			n, c := dialWith(t, options, lose(reset))
			_, err := c.GetPayer(t.Context(), 1001)
			errorOf(t, err)
			for i, most := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
				wait := n.seen[i+1].at.Sub(n.seen[i].at)
				if wait > most {
					t.Errorf("wait %d took %v, more than %v", i+1, wait, most)
				}
				different[wait] = true
			}
		})
	}
	if len(different) < 40 {
		t.Errorf("80 waits were of %d lengths", len(different))
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value string
		least time.Duration
	}{
		"seconds":      {"7", 7 * time.Second},
		"zero":         {"0", 0},
		"most":         {"30", 30 * time.Second},
		"a date":       {"date", 9 * time.Second},
		"a past date":  {"Fri, 01 Jan 1999 00:00:00 GMT", 0},
		"not a number": {"soon", 0},
		"negative":     {"-5", 0},
		"a fraction":   {"1.5", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if c.value == "date" {
					c.value = time.Now().Add(c.least).UTC().Format(http.TimeFormat)
				}
				n, sdk := dial(t, refuse(503, client.ServiceUnavailable, "Retry-After", c.value), ok)
				if _, err := sdk.CreateUser(t.Context(), asha()); err != nil {
					t.Fatal(err)
				}
				if wait := n.seen[1].at.Sub(n.seen[0].at); wait < c.least || wait > c.least+client.DefaultFirstWait {
					t.Errorf("waited %v, want %v and at most %v of jitter", wait, c.least, client.DefaultFirstWait)
				}
			})
		})
	}
}

func TestLongRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"3600": time.Hour, "31": 31 * time.Second, "99999999999999999999999": 24 * time.Hour,
		"Fri, 31 Dec 9999 23:59:59 GMT": 24 * time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			_, c := dial(t, refuse(429, client.RateLimited, "Retry-After", value))
			_, err := c.GetUser(t.Context(), userID)
			if e := errorOf(t, err); e.RetryAfter != want || !e.Temporary() || time.Since(started) != 0 {
				t.Errorf("Retry-After %s: %v after %v", value, e.RetryAfter, time.Since(started))
			}
		})
	}
}

func TestInvalidCallsAreNotSent(t *testing.T) {
	t.Parallel()
	n, c := dial(t, ok)
	var info client.Info
	for name, options := range map[string][]client.CallOption{
		"an empty key":          {client.IdempotencyKey("")},
		"a long key":            {client.IdempotencyKey(strings.Repeat("k", 256))},
		"a long key of umlauts": {client.IdempotencyKey(strings.Repeat("ü", 256))},
		"a line break":          {client.IdempotencyKey("a\r\nX-Client-Id: b")},
		"a NUL":                 {client.IdempotencyKey("a\x00")},
		"invalid UTF-8":         {client.IdempotencyKey("a\xff")},
		"a space at the end":    {client.IdempotencyKey("a ")},
		"a tab":                 {client.IdempotencyKey("a\tb")},
		"a key twice":           {client.IdempotencyKey("a"), client.IdempotencyKey("a")},
		"no info":               {client.CaptureInfo(nil)},
		"info twice":            {client.CaptureInfo(&info), client.CaptureInfo(&info)},
		"no option":             {nil},
	} {
		_, err := c.CreateUser(t.Context(), asha(), options...)
		if e := errorOf(t, err); e.Attempts != 0 || e.Status != 0 || e.Temporary() || strings.ContainsAny(err.Error(), "\r\n\x00") || !utf8.ValidString(err.Error()) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	info = client.Info{IdempotencyKey: "of the call before", Attempts: 1}
	_, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey(" a"), client.CaptureInfo(&info))
	if errorOf(t, err); info != (client.Info{}) {
		t.Errorf("the info of a call that was not made is %+v", info)
	}
	_, err = c.GetUser(t.Context(), userID, client.IdempotencyKey("a"))
	if e := errorOf(t, err); !strings.Contains(e.Message, "takes no key") {
		t.Errorf("a key for a reading call: %v", err)
	}
	for _, state := range []string{"", ".", "..", "a/b", "../../users"} {
		if _, err := c.GetCountryState(t.Context(), "US", state); err == nil {
			t.Errorf("the state %q was sent to %s", state, n.seen[len(n.seen)-1].url)
		}
		if _, err := c.GetCountryState(t.Context(), state, "CA"); err == nil {
			t.Errorf("the country %q was sent to %s", state, n.seen[len(n.seen)-1].url)
		}
	}
	if len(n.seen) != 0 {
		t.Errorf("%d requests were sent", len(n.seen))
	}
	if _, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey(strings.Repeat("ü", 255))); err != nil {
		t.Errorf("a key of 255 characters: %v", err)
	}
}
