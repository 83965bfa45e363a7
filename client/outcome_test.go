package client_test

import (
	"context"
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

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// violation is a refusal that names a field.
func violation(field string) answer {
	return respond(400, fmt.Sprintf(`{"status":400,"code":"BAD_REQUEST","message":"A message.","request_id":"request-1",
		"details":[{"in":"body","field":"%s","reason":"is wrong"}]}`, field))
}

// noRoute is the answer to a path that is not in the contract, for example of a gateway that adds a prefix.
var noRoute = respond(404, `{"status":404,"code":"NOT_FOUND","message":"A message.","request_id":"request-1","details":[{"in":"path","field":"","reason":"is not of the contract"}]}`)

// html answers as a proxy does.
func html(status int) answer { return respond(status, "<html>", "Content-Type", "text/html") }

var dialed = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// D-65: only an error of the contract proves that a creation was refused.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []answer
		unknown bool
	}{
		"refused":                         {[]answer{refuse(422, client.LimitExceeded)}, false},
		"refused, with a newer code":      {[]answer{refuse(422, "FROM_THE_FUTURE")}, false},
		"a key of another request":        {[]answer{refuse(409, client.IdempotencyKeyReused)}, false},
		"a field":                         {[]answer{violation("/from_amount")}, false},
		"wrong credentials":               {[]answer{refuse(401, client.Unauthorized)}, false},
		"rate limited":                    {[]answer{refuse(429, client.RateLimited)}, false},
		"nobody listens":                  {[]answer{lose(dialed)}, false},
		"no such host":                    {[]answer{lose(&net.DNSError{Err: "no such host"})}, false},
		"lost":                            {[]answer{lose(reset)}, true},
		"cut":                             {[]answer{cut(reset)}, true},
		"too late":                        {[]answer{hang}, true},
		"500":                             {[]answer{refuse(500, client.InternalError)}, true},
		"503":                             {[]answer{refuse(503, client.ServiceUnavailable)}, true},
		"501 of a proxy":                  {[]answer{html(501)}, true},
		"101":                             {[]answer{html(101)}, true},
		"201":                             {[]answer{respond(201, theUser)}, true},
		"204":                             {[]answer{respond(204, "")}, true},
		"302":                             {[]answer{respond(302, "", "Location", "/")}, true},
		"304":                             {[]answer{respond(304, "")}, true},
		"400 of a proxy":                  {[]answer{html(400)}, true},
		"401 of a proxy":                  {[]answer{html(401)}, true},
		"404 of a proxy":                  {[]answer{html(404)}, true},
		"409 without a body":              {[]answer{respond(409, "")}, true},
		"408":                             {[]answer{html(408)}, true},
		"408 of a newer service":          {[]answer{refuse(408, "TOO_SLOW")}, true},
		"an error of a gateway":           {[]answer{respond(404, `{"code":"NOT_FOUND","message":"no route"}`)}, true},
		"an error about another status":   {[]answer{respond(404, `{"status":400,"code":"NOT_FOUND","message":"m","request_id":"r"}`)}, true},
		"a success that is HTML":          {[]answer{html(200)}, true},
		"a success that is empty":         {[]answer{respond(200, "{}")}, true},
		"a success that cannot be read":   {[]answer{respond(200, strings.Replace(theUser, "09:00", "9h", 1))}, true},
		"lost, then refused":              {[]answer{lose(reset), refuse(422, client.LimitExceeded)}, false},
		"lost, then a field":              {[]answer{lose(reset), violation("/from_amount")}, false},
		"lost, then no user":              {[]answer{lose(reset), refuse(404, client.NotFound)}, false},
		"lost, then too large":            {[]answer{lose(reset), refuse(413, client.PayloadTooLarge)}, false},
		"lost, then wrong credentials":    {[]answer{lose(reset), refuse(401, client.Unauthorized)}, true},
		"lost, then rate limited":         {[]answer{lose(reset), refuse(429, client.RateLimited)}, true},
		"lost, then nobody listens":       {[]answer{lose(reset), lose(dialed)}, true},
		"lost, then a damaged body":       {[]answer{lose(reset), violation("")}, true},
		"lost, then a 400 without fields": {[]answer{lose(reset), refuse(400, client.BadRequest)}, true},
		"no route":                        {[]answer{noRoute}, false},
		"lost, then no route":             {[]answer{lose(reset), noRoute}, true},
		"rate limited, then lost":         {[]answer{refuse(429, client.RateLimited), lose(reset)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, sdk := dialWith(t, []client.Option{client.WithRetries(len(c.answers) - 1)}, c.answers...)
				_, err := sdk.CreateUser(t.Context(), asha())
				if e := errorOf(t, err); e.OutcomeUnknown() != c.unknown || strings.Contains(e.Error(), "outcome unknown") != c.unknown {
					t.Errorf("OutcomeUnknown is %t: %v", e.OutcomeUnknown(), err)
				}
				_, err = sdk.GetUser(t.Context(), userID)
				if err != nil && errorOf(t, err).OutcomeUnknown() {
					t.Errorf("a reading call has an outcome: %v", err)
				}
			})
		})
	}
}

// An answer about the caller says nothing of what an earlier call with the key did.
func TestRepeatOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  answer
		unknown bool
	}{
		"refused":           {refuse(422, client.LimitExceeded), false},
		"a field":           {violation("/email"), false},
		"wrong credentials": {refuse(401, client.Unauthorized), true},
		"rate limited":      {refuse(429, client.RateLimited), true},
		"a newer status":    {refuse(403, "SUSPENDED"), true},
		"a damaged body":    {violation(""), true},
		"nobody listens":    {lose(dialed), true},
		"lost":              {lose(reset), true},
	} {
		n, sdk := dialWith(t, []client.Option{client.WithRetries(0)}, c.answer)
		_, err := sdk.CreateUser(t.Context(), asha(), client.RepeatOf("k-1"))
		e := errorOf(t, err)
		if e.OutcomeUnknown() != c.unknown || n.seen[0].header.Get("X-Idempotency-Key") != "k-1" || e.IdempotencyKey != "k-1" {
			t.Errorf("%s: OutcomeUnknown is %t: %v", name, e.OutcomeUnknown(), err)
		}
	}
	n, sdk := dial(t, ok)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sdk.CreateUser(ended, asha(), client.RepeatOf("k")); !errorOf(t, err).OutcomeUnknown() || errorOf(t, err).Attempts != 0 {
		t.Errorf("a repeat that was not sent: %v", err)
	}
	if _, err := sdk.CreateUser(ended, asha()); errorOf(t, err).OutcomeUnknown() {
		t.Errorf("a call that was not sent: %v", err)
	}
	for _, options := range [][]client.CallOption{{client.RepeatOf("")}, {client.RepeatOf("a"), client.IdempotencyKey("a")}} {
		if _, err := sdk.CreateUser(t.Context(), asha(), options...); !errorOf(t, err).OutcomeUnknown() {
			t.Errorf("an invalid call says nothing about an earlier one: %v", err)
		}
	}
	if _, err := sdk.GetUser(t.Context(), userID, client.RepeatOf("k")); errorOf(t, err).OutcomeUnknown() {
		t.Errorf("a reading call has an outcome: %v", err)
	}
	if len(n.seen) != 0 {
		t.Errorf("%d requests were sent", len(n.seen))
	}
}

// The sandbox operations have no key. They are not repeated, so one attempt decides.
func TestOutcomeOfSandboxOperations(t *testing.T) {
	t.Parallel()
	for unknown, failure := range map[bool]answer{true: lose(reset), false: refuse(404, client.NotFound)} {
		_, c := dial(t, failure)
		_, err := c.SetVerification(t.Context(), userID, api.VerificationRequest{})
		if e := errorOf(t, err); e.OutcomeUnknown() != unknown {
			t.Errorf("OutcomeUnknown is %t: %v", e.OutcomeUnknown(), err)
		}
	}
}

// A body that the service could not read was damaged on its way, because the SDK sends JSON.
func TestDamagedRequestsAreRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, c := dial(t, violation(""), ok)
		if _, err := c.CreateUser(t.Context(), asha()); err != nil || len(n.seen) != 2 {
			t.Errorf("%v after %d attempts", err, len(n.seen))
		}
	})
}

// A time limit of ours is not the end of the caller's context, which alone is context.DeadlineExceeded.
func TestWhoseTimeIsUp(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]answer{
		"no answer":      hang,
		"half an answer": stallWith(200),
		"half an error": func(r *http.Request) (*http.Response, error) {
			r = r.WithContext(r.Context())
			return stallWith(502)(r)
		},
		"a connection":        lose(&net.OpError{Op: "dial", Err: context.DeadlineExceeded}),
		"of the transport":    lose(fmt.Errorf("tls: %w", context.DeadlineExceeded)),
		"of another context":  lose(context.Canceled),
		"a read that is late": lose(&net.OpError{Op: "read", Err: lateReadError{}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				_, c := dialWith(t, []client.Option{client.WithRetries(0)}, failure)
				started := time.Now()
				_, err := c.CreateUser(t.Context(), asha(), client.Timeout(3*time.Second))
				if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || !errorOf(t, err).Temporary() {
					t.Errorf("got %v", err)
				}
				if took := time.Since(started); took > 3*time.Second {
					t.Errorf("took %v", took)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err = c.CreateUser(ctx, asha(), client.Timeout(3*time.Second))
				if waits := time.Since(started) > 3*time.Second; waits && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the caller's deadline: %v", err)
				}
			})
		})
	}
}

// stallWith answers with half a body.
func stallWith(status int) answer {
	return func(r *http.Request) (*http.Response, error) {
		res, err := respond(status, "")(r)
		res.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"code":`), stalls{r.Context()}))
		res.ContentLength = -1
		return res, err
	}
}

type lateReadError struct{}

func (lateReadError) Error() string        { return "i/o timeout" }
func (lateReadError) Timeout() bool        { return true }
func (lateReadError) Is(target error) bool { return target == context.DeadlineExceeded }

// What is not Refused, and is neither unknown nor temporary, is about the program: no row may be given up for it.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  answer
		refused bool
	}{
		"a limit":                 {refuse(422, client.LimitExceeded), true},
		"a field":                 {violation("/from_amount"), true},
		"no user":                 {refuse(404, client.NotFound), true},
		"too large":               {refuse(413, client.PayloadTooLarge), true},
		"a key of another":        {refuse(409, client.IdempotencyKeyReused), true},
		"wrong credentials":       {refuse(401, client.Unauthorized), false},
		"no route":                {noRoute, false},
		"a certificate of nobody": {lose(x509.UnknownAuthorityError{}), false},
		"http where https is":     {lose(http.ErrSchemeMismatch), false},
		"a newer status":          {refuse(403, "SUSPENDED"), false},
	} {
		_, sdk := dial(t, c.answer)
		_, err := sdk.CreateUser(t.Context(), asha())
		if e := errorOf(t, err); e.Refused() != c.refused || e.OutcomeUnknown() || e.Temporary() {
			t.Errorf("%s: refused %t, unknown %t, temporary %t: %v", name, e.Refused(), e.OutcomeUnknown(), e.Temporary(), err)
		}
	}
	_, sdk := dial(t, ok)
	invalid := asha()
	invalid.FirstName = "\xe9"
	for unknown, key := range map[bool]client.CallOption{false: client.IdempotencyKey("k"), true: client.RepeatOf("k")} {
		_, err := sdk.CreateUser(t.Context(), invalid, key)
		if e := errorOf(t, err); e.Refused() == unknown || e.OutcomeUnknown() != unknown || e.Temporary() || e.Attempts != 0 {
			t.Errorf("refused %t, unknown %t: %v", e.Refused(), e.OutcomeUnknown(), err)
		}
	}
	_, err := sdk.CreateUser(t.Context(), asha(), client.Retries(11))
	if e := errorOf(t, err); e.Refused() || e.OutcomeUnknown() || e.Temporary() {
		t.Errorf("an invalid option: %v", err)
	}
}
