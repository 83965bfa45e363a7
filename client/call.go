package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"
)

// maxAnswer is the most that is read of a successful response; the longest list of the service is far below.
const maxAnswer = 32 << 20

// maxKey is the maximum length of an idempotency key, in characters (decision D-16).
const maxKey = 255

// CallOption configures one call. Each may be used once.
type CallOption func(*call) error

// IdempotencyKey sets the key of a creating call, so that another process, or a later one, can repeat the call and create
// nothing twice. Store the key with the record that the call is made for.
//
// A key has 1 to 255 printable characters without leading or trailing space; use ASCII, which every proxy forwards. It is
// unique per client over all operations. It appears in errors and logs, so it must not contain personal data. An invalid
// key, and a key for a call that creates nothing, is an error before anything is sent.
func IdempotencyKey(key string) CallOption {
	return func(c *call) error {
		switch {
		case c.operation.kind != creates:
			return errors.New("IdempotencyKey: this operation creates nothing and takes no key")
		case c.key != "":
			return errors.New("IdempotencyKey is given twice")
		case !usable(key):
			return fmt.Errorf("IdempotencyKey must be 1 to %d printable characters, without spaces at its ends", maxKey)
		}
		c.key = key
		return nil
	}
}

func usable(key string) bool {
	return key != "" && utf8.ValidString(key) && utf8.RuneCountInString(key) <= maxKey && strings.TrimSpace(key) == key &&
		!strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) })
}

func newKey() (string, error) {
	id, err := uuid.NewV7() // its time keeps the keys of a client together in the index of the service
	return id.String(), err
}

// CaptureInfo fills info when the call returns, with or without an error.
func CaptureInfo(info *Info) CallOption {
	return func(c *call) error {
		switch {
		case info == nil:
			return errors.New("CaptureInfo must not be nil")
		case c.info != nil:
			return errors.New("CaptureInfo is given twice")
		}
		c.info = info
		return nil
	}
}

// Info describes a call that has ended.
type Info struct {
	RequestID      string // of the last response; quote it when you ask the operator about a call
	IdempotencyKey string // of a creating call
	Replayed       bool   // an earlier call with the key, or an earlier attempt of this one, had created what was returned
	Attempts       int
}

// call is one call in progress. It is used by one goroutine.
type call struct {
	operation *operation
	request   *http.Request // never sent itself: attempts are copies
	key       string        // "" for an operation without one
	attempts  int
	requestID string // of the last response
	replayed  bool
	info      *Info
	next      *string // filled with the header Next-Cursor
	last      *Error  // of the last attempt
	seen      Attempt // the last attempt
	growing   backoff.ExponentialBackOff
}

func (k *call) fail(message string, cause error) *Error {
	return &Error{
		Operation: k.operation.id, Message: message, RequestID: k.requestID, IdempotencyKey: k.key, Attempts: k.attempts,
		cause: cause,
	}
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
	k := &call{operation: o, request: r}
	var body []byte
	e := c.prepare(k, err, options)
	if e == nil {
		body, e = c.send(ctx, k)
	}
	if e == nil {
		if err := json.Unmarshal(body, into); err != nil || hollow(into) {
			e = k.fail("the answer is not what the contract says"+fieldOf(err), nil)
			e.Status = k.seen.Status
		}
	}
	if k.info != nil {
		*k.info = Info{k.requestID, k.key, k.replayed, k.attempts}
	}
	if e != nil {
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
	if k.operation.kind == creates && k.key == "" {
		key, err := c.newKey()
		if err != nil {
			return k.fail("no idempotency key could be made", err)
		}
		k.key = key
	}
	if err != nil {
		return k.fail("the request cannot be encoded", nil) // the error may show a value
	}
	if !k.operation.matches(strings.TrimPrefix(k.request.URL.Path, c.path)) {
		return k.fail("a path parameter is empty or more than one segment of a path", nil)
	}
	h, held := k.request.Header, c.credentials()
	h["X-Client-Id"], h["X-Client-Secret"] = held.id, held.secret
	h["User-Agent"], h["Accept"] = c.userAgent, acceptJSON
	if k.key != "" {
		h["X-Idempotency-Key"] = []string{k.key}
	}
	return nil
}

var acceptJSON = []string{"application/json"}

// attempt sends the request once and returns the body of a success. It records the attempt in the call.
func (c *Client) attempt(ctx context.Context, k *call) []byte {
	k.attempts++
	a := Attempt{
		Operation: k.operation.id, Method: k.request.Method, Path: k.operation.path, Number: k.attempts,
		IdempotencyKey: k.key,
	}
	c.before(ctx, a)
	started := time.Now()
	body, status, e := c.exchange(ctx, k)
	a.Duration, a.Status = time.Since(started), status
	if status != 0 {
		a.RequestID = k.requestID
	}
	if e != nil {
		a.Code, a.Reason = e.Code, e.reason()
	}
	c.after(ctx, a)
	k.seen, k.last = a, e
	return body
}

func (c *Client) exchange(ctx context.Context, k *call) (body []byte, status int, e *Error) {
	r := k.request.WithContext(ctx)
	if r.GetBody != nil {
		var err error
		if r.Body, err = r.GetBody(); err != nil {
			return nil, 0, k.fail("the request cannot be encoded", err)
		}
		r.GetBody = nil // otherwise net/http, which knows keys too, repeats it by itself, unseen and without a wait
	}
	res, err := c.http.Do(r)
	switch {
	case err != nil && strings.Contains(err.Error(), "failed to parse Location header"):
		return nil, 0, k.fail(redirected, nil) // net/http parses Location before it asks CheckRedirect
	case err != nil:
		return nil, 0, k.unanswered(ctx, err)
	}
	defer res.Body.Close() //nolint:errcheck // it was read, or is not needed
	k.requestID = identifier(c.hide(res.Header.Get("X-Request-Id")))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, res.StatusCode, k.refused(ctx, res, c.hide)
	}
	k.replayed = res.Header.Get("Idempotent-Replayed") == "true"
	if k.next != nil {
		*k.next = res.Header.Get("Next-Cursor")
	}
	if body, err = readAll(res, maxAnswer); err != nil {
		return nil, res.StatusCode, k.unanswered(ctx, err)
	}
	switch {
	case endsWithConnection(res) && isJSON(res.Header.Get("Content-Type")) && !json.Valid(body):
		return nil, res.StatusCode, k.unanswered(ctx, io.ErrUnexpectedEOF)
	case len(body) > maxAnswer:
		e = k.fail(fmt.Sprintf("the answer has more than %d MiB", maxAnswer>>20), nil)
	case !isJSON(res.Header.Get("Content-Type")):
		e = k.fail("the answer is not application/json: it comes from something else than the service", nil)
	}
	if e != nil {
		e.Status = res.StatusCode
	}
	return body, res.StatusCode, e
}

// hide removes the secret from text of a response, in case a proxy echoes the request.
func (c *Client) hide(text string) string {
	return strings.ReplaceAll(text, c.credentials().secret[0], "[secret]")
}

// hollow reports whether a decoded response is not what was asked for: null, or an object without its id. Otherwise
// anything that answers 200 with JSON would be a success.
func hollow(into any) bool {
	v := reflect.ValueOf(into).Elem()
	if v.Kind() != reflect.Struct || v.IsZero() {
		return v.IsZero()
	}
	id := v.FieldByName("ID")
	return id.IsValid() && id.IsZero()
}

// readAll reads at most limit+1 bytes of a body.
func readAll(res *http.Response, limit int64) ([]byte, error) {
	if n := res.ContentLength; n >= 0 && n <= limit {
		body := make([]byte, n)
		_, err := io.ReadFull(res.Body, body)
		return body, err
	}
	return io.ReadAll(io.LimitReader(res.Body, limit+1))
}

// endsWithConnection reports whether a response has no length, so that only its content shows whether it was truncated.
func endsWithConnection(res *http.Response) bool {
	return res.ContentLength < 0 && res.ProtoMajor == 1 && len(res.TransferEncoding) == 0
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	return (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)) && mediaType == "application/json"
}

// fieldOf names the field at which a response could not be decoded. The error itself may show a value.
func fieldOf(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Field != "" {
		return " at " + mismatch.Field
	}
	return ""
}
