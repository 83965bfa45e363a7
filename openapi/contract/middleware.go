package contract

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

// DefaultBodyLimit is the default limit of [Contract.Middleware] for a body, in bytes (D-15).
const DefaultBodyLimit = 20 << 20

// Mode is what a middleware does with a message that breaks the contract.
type Mode int

const (
	// Ignore does not check.
	Ignore Mode = iota
	// Report checks, and passes the message on unchanged; see [Watch].
	Report
	// Mark adds the header X-Contract-Violations to a response. A request cannot be marked, only reported.
	Mark
	// Refuse answers a request with 400, 413 or 415, and replaces a response by a 502.
	Refuse
)

// Finding is what a middleware found in one exchange.
type Finding struct {
	Operation *Operation
	Request   error       // of Authenticate or Operation.CheckRequest; nil if the request follows the contract or was not checked
	Response  []Violation // nil if the response follows the contract or was not checked
	NotJudged string      // why the response was not judged although responses are checked; "" if it was
}

// MiddlewareOption configures [Contract.Middleware].
type MiddlewareOption func(*middleware)

// BodyLimit sets the largest request body that is read, in bytes.
func BodyLimit(bytes int64) MiddlewareOption {
	return func(m *middleware) { m.limit = bytes }
}

// Memory sets the room for the bodies that the middleware holds; the default is no limit. A request whose body finds none is
// answered with 503, and a response that finds none is passed on without being judged. Checking a body needs little more
// than its size.
func Memory(room *bodies.Memory) MiddlewareOption {
	return func(m *middleware) { m.memory = room }
}

// Requests sets what happens to requests that break the contract; the default is [Refuse].
func Requests(mode Mode) MiddlewareOption {
	return func(m *middleware) { m.requests = mode }
}

// Responses sets what happens to responses that break the contract; the default is [Ignore]. At most limit bytes of a
// response are held in memory. A longer one is passed on and not judged, as is one with a Content-Encoding other than gzip
// and deflate. With [Mark] and [Refuse] a response is held back until it was judged, or exceeds the limit.
func Responses(mode Mode, limit int) MiddlewareOption {
	return func(m *middleware) { m.responses, m.responseLimit = mode, limit }
}

// Authenticate sets the function that checks the credentials of a request. It is called before anything else of the
// request is judged (D-19), for every operation for which the document requires credentials. An [*Error] that it returns is
// the answer; any other error is answered with 500.
func Authenticate(check func(*http.Request) error) MiddlewareOption {
	return func(m *middleware) { m.authenticate = check }
}

// OnError sets the function that answers a rejected request; the default is [Contract.WriteError]. err is an [*Error], or
// why the body could not be read. [OperationFromContext] returns the operation.
func OnError(answer func(w http.ResponseWriter, r *http.Request, err error)) MiddlewareOption {
	return func(m *middleware) { m.onError = answer }
}

// RequestID sets the function that returns a new id for each answer of the middleware, of 1 to 64 characters; the default
// returns UUIDs of version 7. The X-Request-Id of a request is never taken over, because callers may repeat it (D-08).
func RequestID(newID func() string) MiddlewareOption {
	return func(m *middleware) { m.newID = newID }
}

// Watch sets a function that receives the finding of each request of an operation, after it was answered.
func Watch(found func(*http.Request, Finding)) MiddlewareOption {
	return func(m *middleware) { m.watch = found }
}

type middleware struct {
	contract            *Contract
	next                http.Handler
	requests, responses Mode
	limit               int64
	responseLimit       int
	authenticate        func(*http.Request) error
	onError             func(http.ResponseWriter, *http.Request, error)
	newID               func() string
	watch               func(*http.Request, Finding)
	memory              *bodies.Memory
}

// Middleware forwards to next the requests that follow the contract, with the checked [Request] in their context, and
// requests for which the document has no operation, which are never judged. By default it answers other requests with
// [Contract.WriteError]: every violation, an id of the answer, and the headers that the document requires.
//
// Credentials come before all of this (D-19): a service that checks them in next answers malformed requests of unknown
// callers with 400 instead of 401, unless it uses [Authenticate].
func (c *Contract) Middleware(next http.Handler, opts ...MiddlewareOption) http.Handler {
	m := &middleware{
		contract: c, next: next, requests: Refuse, limit: DefaultBodyLimit,
		newID: func() string { return uuid.Must(uuid.NewV7()).String() },
	}
	m.onError = func(w http.ResponseWriter, r *http.Request, err error) { c.WriteError(w, r, err, m.newID()) }
	for _, opt := range opts {
		opt(m)
	}
	return m
}

func (m *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op, params := m.contract.Match(r.Method, r.URL)
	if op == nil {
		m.next.ServeHTTP(w, r)
		return
	}
	found := Finding{Operation: op}
	if m.watch != nil {
		defer func() { m.watch(r, found) }()
	}
	if m.authenticate != nil && op.Secured {
		if err := m.authenticate(r); err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				err = fmt.Errorf("%w: %w", &Error{Status: http.StatusInternalServerError}, err)
			}
			found.Request = err
			m.onError(w, withOperation(r, op), err)
			return
		}
	}
	if m.requests != Ignore {
		var checked *Request
		body, err := op.ReceiveBody(r, bodies.Receiver{Limit: m.limit, Memory: m.memory})
		defer body.Release()
		if err == nil {
			checked, err = op.Check(r, params, body)
		}
		found.Request = err
		if found.Request != nil && (m.requests == Refuse || !whole(found.Request)) {
			m.onError(w, withOperation(r, op), found.Request)
			return
		}
		if checked != nil {
			r = r.WithContext(checked.WithContext(r.Context()))
		}
	}
	if m.responses == Ignore {
		m.next.ServeHTTP(w, r)
		return
	}
	held := &heldResponse{
		ResponseWriter: w, middleware: m, request: r, operation: op, found: &found,
		released: m.responses == Report, header: w.Header().Clone(),
	}
	defer held.free()
	m.next.ServeHTTP(held, r)
	held.finish()
}

// whole reports whether a request that was rejected can still be passed on.
func whole(err error) bool {
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status < http.StatusInternalServerError
}

// idOf returns the id of an answer of the service, or a new one.
func (m *middleware) idOf(h http.Header) string {
	id := h.Get(requestIDHeader)
	if len(id) > 64 {
		id = ""
	}
	return cmp.Or(id, m.newID())
}
