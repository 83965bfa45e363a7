package contract

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Exchange is one response that was checked.
type Exchange struct {
	OperationID string // "" if the request matches no operation, as is Path
	Method      string // as sent
	Path        string // the template
	Status      int
	Violations  []Violation // nil if the response follows the contract
}

// ResponseError is returned by a transport with [FailOnViolation] instead of a response that breaks the contract.
type ResponseError struct{ Exchange Exchange }

// Error lists fields and reasons.
func (e *ResponseError) Error() string {
	x := e.Exchange
	return fmt.Sprintf("contract: response %d to %s %s %s: %s", x.Status, x.Method, x.Path, x.OperationID, sentences(x.Violations))
}

// TransportOption configures [Contract.Transport].
type TransportOption func(*transport)

// BasePath sets the base path of the service, such as /api. Paths outside of it match no operation.
func BasePath(prefix string) TransportOption {
	return func(t *transport) { t.base = strings.TrimSuffix(prefix, "/") }
}

// Observe calls report for every checked exchange, from the goroutine of the request.
func Observe(report func(Exchange)) TransportOption {
	return func(t *transport) { t.report = report }
}

// FailOnViolation makes RoundTrip return a [*ResponseError] instead of a response that breaks the contract.
func FailOnViolation() TransportOption {
	return func(t *transport) { t.fail = true }
}

type transport struct {
	contract *Contract
	next     http.RoundTripper
	base     string
	report   func(Exchange)
	fail     bool
}

// Transport checks every response of next: the status is declared for the operation, declared headers are present and
// valid, and the body follows the schema without unknown members, or is empty if none is declared. Of a request that
// matches no operation only an error response is checked: its body must follow the schema Error.
//
// The response is returned unchanged, with its body in memory, unless [FailOnViolation] is used. Any other error is that
// of next, or of reading the body.
func (c *Contract) Transport(next http.RoundTripper, opts ...TransportOption) http.RoundTripper {
	t := &transport{contract: c, next: next, report: func(Exchange) {}}
	for _, opt := range opts {
		opt(t)
	}
	return t
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	op := t.operation(r) // before next, which may change the request
	res, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if op == nil && res.StatusCode < http.StatusBadRequest {
		return res, nil
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close() // it was read to its end
	if err != nil {
		return nil, fmt.Errorf("contract: read the response: %w", err)
	}
	res.Body = io.NopCloser(bytes.NewReader(text))

	exchange := Exchange{Method: r.Method, Status: res.StatusCode}
	head := r.Method == http.MethodHead
	if op == nil {
		undeclared := response{body: t.contract.errorBody}
		exchange.Violations = undeclared.check(res.Header, text, head, t.contract.judge)
	} else {
		exchange.OperationID, exchange.Path = op.ID, op.Path
		exchange.Violations = op.CheckResponse(res.StatusCode, res.Header, text, head)
	}
	t.report(exchange)
	if t.fail && exchange.Violations != nil {
		return nil, &ResponseError{exchange}
	}
	return res, nil
}

func (t *transport) operation(r *http.Request) *Operation {
	path, inside := strings.CutPrefix(r.URL.Path, t.base)
	if !inside {
		return nil
	}
	op, _ := t.contract.Match(r.Method, &url.URL{Path: path, RawPath: strings.TrimPrefix(r.URL.RawPath, t.base)})
	return op
}
