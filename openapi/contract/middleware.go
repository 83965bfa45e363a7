package contract

import (
	"encoding/json"
	"errors"
	"net/http"
)

// DefaultBodyLimit is the default limit of [Contract.Middleware] for a body, in bytes (D-15).
const DefaultBodyLimit = 20 << 20

// MiddlewareOption configures [Contract.Middleware].
type MiddlewareOption func(*middleware)

// BodyLimit sets the largest body that is read, in bytes.
func BodyLimit(bytes int64) MiddlewareOption {
	return func(m *middleware) { m.limit = bytes }
}

// OnError sets the function that answers a rejected request. err is an [*Error], or why the body could not be read.
func OnError(answer func(w http.ResponseWriter, r *http.Request, err error)) MiddlewareOption {
	return func(m *middleware) { m.onError = answer }
}

type middleware struct {
	contract *Contract
	next     http.Handler
	limit    int64
	onError  func(http.ResponseWriter, *http.Request, error)
}

// Middleware forwards to next the requests that follow the contract, with the checked [Request] in their context, and
// requests for which the document has no operation. By default it answers other requests with JSON: status, code, message,
// and details with every violation.
func (c *Contract) Middleware(next http.Handler, opts ...MiddlewareOption) http.Handler {
	m := &middleware{contract: c, next: next, limit: DefaultBodyLimit, onError: answer}
	for _, opt := range opts {
		opt(m)
	}
	return m
}

func (m *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	op, params := m.contract.find(r.Method, r.URL)
	if op == nil {
		m.next.ServeHTTP(w, r)
		return
	}
	checked, err := op.CheckRequest(r, params, m.limit)
	if err != nil {
		m.onError(w, r, err)
		return
	}
	m.next.ServeHTTP(w, r.WithContext(checked.WithContext(r.Context())))
}

var codes = map[int]string{
	http.StatusBadRequest:            "BAD_REQUEST",
	http.StatusRequestEntityTooLarge: "PAYLOAD_TOO_LARGE",
	http.StatusUnsupportedMediaType:  "UNSUPPORTED_MEDIA_TYPE",
}

func answer(w http.ResponseWriter, _ *http.Request, err error) {
	refused, ok := errors.AsType[*Error](err)
	if !ok {
		// The client disconnected or was too slow, and will probably not see this.
		refused = &Error{http.StatusBadRequest, []Violation{{"body", "", "must be sent completely"}}}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(refused.Status)
	_ = json.NewEncoder(w).Encode(struct {
		Status  int         `json:"status"`
		Code    string      `json:"code"`
		Message string      `json:"message"`
		Details []Violation `json:"details"`
	}{refused.Status, codes[refused.Status], "The request does not keep the contract.", refused.Violations})
}
