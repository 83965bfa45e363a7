package contract

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

// Request is a request that follows the contract.
type Request struct {
	Operation *Operation
	Body      []byte // as sent; nil if the operation takes none, none was sent, or it was forgotten. Read-only.

	path     map[string]string
	received *bodies.Body
	decoded  reflect.Value // a pointer, if the body was decoded while it was checked
}

type contextKey struct{}

// WithContext returns a copy of ctx with the request, for [FromContext].
func (r *Request) WithContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// FromContext returns the checked request of ctx.
func FromContext(ctx context.Context) (*Request, bool) {
	r, ok := ctx.Value(contextKey{}).(*Request)
	return r, ok
}

// Forget drops the body, so that its memory can be used for something else before the request is answered. What needs the
// body, such as Fingerprint, must not be called afterwards.
func (r *Request) Forget() {
	r.Body, r.decoded = nil, reflect.Value{}
	if r.received != nil {
		r.received.Text = nil
	}
}

// Decode stores the body in the value that into points to, as encoding/json would, with exact member names. Long strings are
// parts of the body and not copied. It returns an error if the body does not fit, which may hold a value of the caller.
func (r *Request) Decode(into any) error {
	to := reflect.ValueOf(into)
	if !r.decoded.IsValid() || r.decoded.Type() != to.Type() {
		return decodeText(r.Body, into)
	}
	to.Elem().Set(r.decoded.Elem())
	r.decoded = reflect.Value{} // two values that share parts would change each other
	return nil
}

// CheckRequest receives the body of r and checks the request, with no limit on the memory for all bodies together; see
// [Operation.ReceiveBody] and [Operation.Check].
func (op *Operation) CheckRequest(r *http.Request, pathParams map[string]string, limit int64) (*Request, error) {
	body, err := op.ReceiveBody(r, bodies.Receiver{Limit: limit})
	if err != nil {
		return nil, err
	}
	return op.Check(r, pathParams, body)
}

// ReceiveBody reads the body of r, and replaces r.Body by a reader of the same bytes. It returns nil for an operation without
// a request body, whose r.Body is not touched, and if there is none. The caller releases the body, also if there is an error.
//
// It returns an [*Error] with status 413, 415, or 503 if there is no room for the body, and any other error if the body could
// not be read. After 413 and 415 r.Body can still be read.
func (op *Operation) ReceiveBody(r *http.Request, from bodies.Receiver) (*bodies.Body, error) {
	if op.body == nil || r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if !isJSON(r.Header) {
		return nil, &Error{
			Status: http.StatusUnsupportedMediaType, Violations: []Violation{{"header", "Content-Type", "must be application/json"}},
		}
	}
	body, err := from.Receive(r)
	_, above := errors.AsType[*http.MaxBytesError](err) // of a handler before this one
	switch {
	case above, errors.Is(err, bodies.ErrTooLarge):
		err = &Error{
			Status:     http.StatusRequestEntityTooLarge,
			Violations: []Violation{{"body", "", fmt.Sprintf("must have at most %d bytes", from.Limit)}},
		}
	case errors.Is(err, bodies.ErrNoRoom):
		err = fmt.Errorf("%w: %w", &Error{Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"1"}}}, err)
	case err != nil:
		err = fmt.Errorf("contract: read the body: %w", err)
	}
	return body, err
}

// Check checks the parameters and the body of r, and reports all violations at once, as an [*Error]. pathParams has the
// decoded path parameters by name, and is kept. Unknown query parameters and body members are rejected, unknown headers are ignored.
func (op *Operation) Check(r *http.Request, pathParams map[string]string, body *bodies.Body) (*Request, error) {
	checked := &Request{Operation: op, path: pathParams, received: body}
	found := op.checkParameters(r, pathParams)
	switch {
	case body != nil && len(body.Text) > 0:
		checked.Body = body.Text
		if checked.decoded = op.decoding.decode(checked.Body, op.asRequest.maxValues); !checked.decoded.IsValid() {
			found = append(found, op.judge.body(checked.Body, op.body, op.asRequest)...)
		}
	case op.body != nil && op.bodyRequired:
		found = append(found, Violation{"body", "", "must not be empty"})
	}
	if len(found) > 0 {
		return nil, &Error{Status: http.StatusBadRequest, Violations: tidy(found)}
	}
	return checked, nil
}

func (op *Operation) checkParameters(r *http.Request, pathParams map[string]string) []Violation {
	var found []Violation
	for _, p := range op.path {
		var values []string
		if value, ok := pathParams[p.name]; ok {
			values = []string{value}
		}
		found = append(found, p.check(values, op.judge, asRequest)...)
	}
	for _, p := range op.headers {
		found = append(found, p.check(r.Header.Values(p.name), op.judge, asRequest)...)
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		// What was parsed is incomplete.
		return append(found, Violation{"query", "", "must be a well-formed query string"})
	}
	for name := range query {
		if _, known := op.query[name]; !known {
			found = append(found, Violation{"query", name, "is not a parameter of this operation"})
		}
	}
	for name, p := range op.query {
		found = append(found, p.check(query[name], op.judge, asRequest)...)
	}
	return found
}

// isJSON accepts application/json, alone or with charset=utf-8.
func isJSON(h http.Header) bool {
	values := h.Values("Content-Type")
	switch {
	case len(values) != 1:
		return false
	case values[0] == "application/json":
		return true
	}
	mediaType, params, err := mime.ParseMediaType(values[0])
	if err != nil || mediaType != "application/json" {
		return false
	}
	charset, named := params["charset"]
	return len(params) == 0 || (len(params) == 1 && named && strings.EqualFold(charset, "utf-8"))
}
