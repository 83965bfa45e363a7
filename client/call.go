package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// maxAnswer is the most that is read of a successful response; the longest list of the service is far below.
const maxAnswer = 32 << 20

// call is one call in progress. It is used by one goroutine.
type call struct {
	operation *operation
	request   *http.Request // never sent itself: attempts are copies
	into      any           // a pointer to the result
	key       string        // "" for an operation without one
	timeout   time.Duration // of an attempt
	retries   *int          // nil for that of the Client
	doubt     bool          // the service may have done it, as far as is known
	renewed   bool          // an attempt was repeated with new credentials
	held      Credentials   // of the last attempt
	secrets   []string      // that were sent, to be hidden in what comes back
	attempts  int
	requestID string // of the last response
	replayed  bool
	known     *remembered // what the service may confirm with 304
	confirms  bool        // it did
	answer    Answer
	info      *Info
	paging    bool            // the call reads a page for an iterator
	next      *string         // filled with the header Next-Cursor
	position  *Position       // of the iterator; for its use alone
	last      *Error          // of the last attempt
	seen      Attempt         // the last attempt
	context   context.Context //nolint:containedctx // that of the last attempt, for the hooks that follow it
	growing   backoff.ExponentialBackOff
}

func (k *call) fail(message string, cause error) *Error {
	return &Error{
		Operation: k.operation.id, Message: message, RequestID: k.requestID, IdempotencyKey: k.key, Attempts: k.attempts,
		Answer: k.answer, cause: cause,
	}
}

// invalid is the error for a request that the service would refuse, and that is not sent.
func (k *call) invalid(in api.ErrorDetailIn, field, reason string) *Error {
	e := k.fail("the request is not valid, and was not sent", nil)
	e.Code, e.Details, e.refused = BadRequest, []api.ErrorDetail{{In: in, Field: field, Reason: reason}}, true
	return e
}

// one makes a call whose response is an object.
func one[T any](
	ctx context.Context, c *Client, o *operation, r *http.Request, err error, options []CallOption,
) (*T, error) {
	into := new(T)
	if err := c.do(ctx, o, r, err, options, into); err != nil {
		return nil, err
	}
	return into, nil
}

// list makes a call whose response is an array.
func list[T any](
	ctx context.Context, c *Client, o *operation, r *http.Request, err error, options []CallOption,
) ([]T, error) {
	var into []T
	if err := c.do(ctx, o, r, err, options, &into); err != nil {
		return nil, err
	}
	return into, nil
}

// do makes a call with a request that the generated code has built, or failed to build. Every error is an [*Error].
func (c *Client) do(
	ctx context.Context, o *operation, r *http.Request, err error, options []CallOption, into any,
) error {
	k := &call{operation: o, request: r, into: into}
	e := c.prepare(k, err, options)
	if e == nil {
		e = c.send(ctx, k)
	} else {
		e.doubt = k.doubt // of an earlier call with the key
	}
	if k.info != nil {
		*k.info = Info{k.requestID, k.key, k.replayed, k.confirms, k.attempts, k.answer}
	}
	if e != nil {
		c.failed(ctx, k, e)
		return e
	}
	return nil
}

// prepare applies the options, finds the key, and completes the request.
func (c *Client) prepare(k *call, err error, options []CallOption) *Error {
	if c.credentials == nil {
		return k.fail("the Client was not made by New", nil)
	}
	var refused *Error
	for _, option := range options { // all of them, because CaptureInfo is filled even if another option is invalid
		problem := errors.New("a CallOption must not be nil")
		if option != nil {
			problem = option(k)
		}
		if problem != nil && refused == nil {
			refused = k.fail(problem.Error(), nil)
		}
	}
	if refused != nil {
		return refused
	}
	if k.timeout == 0 {
		k.timeout = c.timeout
	}
	if k.operation.kind == creates && k.key == "" {
		key, err := c.newKey()
		if err != nil {
			return k.fail("no idempotency key could be made", err)
		}
		k.key = key
	}
	if err == nil {
		err = checkParameters(k.request)
	}
	var text textError
	switch {
	case errors.As(err, &text):
		return k.invalid(text.in, text.field, mustBeUTF8)
	case err != nil:
		return k.fail("the request cannot be encoded", nil) // the error may show a value
	case !k.operation.matches(strings.TrimPrefix(k.request.URL.Path, c.path)):
		return k.invalid(api.ErrorDetailInPath, "", "must not be empty, and have one segment for each parameter")
	}
	h := k.request.Header
	h["User-Agent"], h["Accept"] = c.userAgent, acceptJSON
	if k.key != "" {
		h["X-Idempotency-Key"] = []string{k.key}
	}
	if k.known = c.memory.recall(k); k.known != nil {
		h["If-None-Match"] = []string{k.known.tag}
	}
	return nil
}

var acceptJSON = []string{"application/json"}

// attempt sends the request once, with these credentials, and records the attempt in the call.
func (c *Client) attempt(ctx context.Context, k *call, held Credentials) {
	k.attempts++
	a := Attempt{
		Operation: k.operation.id, Method: k.request.Method, Path: k.operation.path, Number: k.attempts,
		IdempotencyKey: k.key,
	}
	ctx = c.before(ctx, a)
	started := time.Now()
	status, e := c.exchange(ctx, k, held)
	k.judge(e)
	a.Duration, a.Status = time.Since(started), status
	if status != 0 {
		a.RequestID = k.requestID
	}
	if e != nil {
		a.Code, a.Reason, a.Err = e.Code, e.reason(), e
	}
	c.after(ctx, a)
	k.seen, k.last, k.context = a, e, ctx
}

func (c *Client) exchange(ctx context.Context, k *call, held Credentials) (status int, e *Error) {
	k.answer = Answer{}
	limit := limited(ctx, k.timeout)
	defer limit.stop()
	r := k.request.WithContext(limit.ctx)
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return 0, k.fail("the request cannot be encoded", err)
		}
		r.Body = limit.upload(body)
		r.GetBody = nil // otherwise net/http, which knows keys too, repeats it by itself, unseen and without a wait
	}
	k.authenticate(r, held)
	res, err := c.http.Do(r)
	switch {
	case err != nil && strings.Contains(err.Error(), "failed to parse Location header"):
		return 0, k.fail(redirected, nil) // net/http parses Location before it asks CheckRedirect
	case err != nil:
		return 0, k.unanswered(ctx, limit.explain(err))
	}
	defer res.Body.Close() //nolint:errcheck // it was read, or is not needed
	k.requestID = identifier(k.hide(res.Header.Get("X-Request-Id")))
	if k.confirms = k.confirmed(res); k.confirms {
		k.answer = answerOf(k.known.body)
		return res.StatusCode, k.decode(k.known.body)
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return res.StatusCode, k.refused(ctx, limit, res, c.base)
	}
	k.replayed = res.Header.Get("Idempotent-Replayed") == "true"
	if k.next != nil {
		*k.next = res.Header.Get("Next-Cursor")
	}
	body, err := readAll(res, maxAnswer)
	k.answer = answerOf(body)
	switch {
	case err != nil:
		return res.StatusCode, k.unanswered(ctx, limit.explain(err))
	case res.StatusCode != http.StatusOK:
		e = k.fail(http.StatusText(res.StatusCode)+", which the contract does not have", nil)
	case len(body) > maxAnswer:
		e = k.fail(fmt.Sprintf("the answer has more than %d MiB", maxAnswer>>20), nil)
	case !isJSON(res.Header.Get("Content-Type")):
		e = k.fail("the answer is not application/json: it comes from something else than the service", nil)
	default:
		if e = k.decode(body); e == nil {
			c.memory.remember(k, res.Header, body)
		}
	}
	if e != nil {
		e.Status = res.StatusCode
	}
	return res.StatusCode, e
}

// authenticate sets the credentials of an attempt.
func (k *call) authenticate(r *http.Request, held Credentials) {
	if k.held == held {
		return
	}
	if k.held != (Credentials{}) {
		r.Header = maps.Clone(r.Header) // net/http may still read that of the attempt before
		k.request.Header = r.Header
	}
	values := [...]string{held.ClientID, held.ClientSecret}
	r.Header["X-Client-Id"], r.Header["X-Client-Secret"] = values[:1:1], values[1:]
	k.held, k.secrets = held, append(k.secrets, held.ClientSecret)
}

// hide removes the secrets from text of a response, in case a proxy echoes the request.
func (k *call) hide(text string) string {
	for _, secret := range k.secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// firstRead is how much is allocated for a body before any of it has come, whatever its header announces.
const firstRead = 64 << 10

// readAll reads at most limit+1 bytes of a body. Its memory grows with what comes.
func readAll(res *http.Response, limit int64) ([]byte, error) {
	n := res.ContentLength
	if n < 0 || n > limit {
		n = limit + 1
	}
	if n <= firstRead { // the length is known, because limit is above firstRead
		body := make([]byte, n)
		got, err := io.ReadFull(res.Body, body)
		return body[:got], err
	}
	var body bytes.Buffer
	if _, err := body.ReadFrom(io.LimitReader(res.Body, n)); err != nil {
		return body.Bytes(), err
	}
	if res.ContentLength >= 0 && int64(body.Len()) < n {
		return body.Bytes(), io.ErrUnexpectedEOF
	}
	return body.Bytes(), nil
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)) && mediaType == "application/json"
}
