package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// Request is a request that follows the contract.
type Request struct {
	Operation *Operation
	Body      []byte // as sent; nil if the operation takes none or none was sent. Read-only.

	path  map[string]string
	value any // the decoded body
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

// CheckRequest checks the parameters, the content type and the body of r, and reports all violations at once.
// pathParams has the decoded path parameters by name. Unknown query parameters and body members are rejected, unknown
// headers are ignored. At most limit bytes of the body are held in memory, and r.Body is replaced by a reader of the same
// bytes. For an operation without a request body r.Body is not touched.
//
// It returns an [*Error] for a rejected request, and any other error if the body could not be read.
func (op *Operation) CheckRequest(r *http.Request, pathParams map[string]string, limit int64) (*Request, error) {
	checked := &Request{Operation: op, path: maps.Clone(pathParams)}
	found := op.checkParameters(r, pathParams)
	if op.body != nil {
		text, err := readBody(r, limit)
		if err != nil {
			return nil, err
		}
		switch {
		case len(text) > 0:
			var wrong []Violation
			checked.Body = text
			checked.value, wrong = op.judge.body(text, op.body, asRequest)
			found = append(found, wrong...)
		case op.bodyRequired:
			found = append(found, Violation{"body", "", "must not be empty"})
		}
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

// maxAhead is how much memory is taken for a body before it arrives.
const maxAhead = 2 << 20

// readBody returns the body as sent, which may be empty. It returns an [*Error] with status 413 or 415, or the error of
// reading the body.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if !isJSON(r.Header) {
		return nil, &Error{
			Status: http.StatusUnsupportedMediaType, Violations: []Violation{{"header", "Content-Type", "must be application/json"}},
		}
	}
	tooLarge := &Error{
		Status: http.StatusRequestEntityTooLarge, Violations: []Violation{{"body", "", fmt.Sprintf("must have at most %d bytes", limit)}},
	}
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	// A length that is merely announced takes little memory; once that much has arrived, it is believed.
	body := bytes.NewBuffer(make([]byte, 0, min(max(r.ContentLength, 0), maxAhead)+bytes.MinRead))
	bounded := io.LimitReader(r.Body, limit+1)
	_, err := body.ReadFrom(io.LimitReader(bounded, maxAhead))
	if rest := int(r.ContentLength) - body.Len(); err == nil && rest > 0 {
		body.Grow(rest + bytes.MinRead)
	}
	if err == nil {
		_, err = body.ReadFrom(bounded)
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok { // of a handler before this one
		return nil, tooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("contract: read the body: %w", err)
	}
	text := body.Bytes()
	if int64(len(text)) > limit {
		r.Body = resumed{io.MultiReader(body, r.Body), r.Body}
		return nil, tooLarge
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	r.Body, _ = r.GetBody()
	r.ContentLength, r.TransferEncoding = int64(len(text)), nil
	return text, nil
}

// resumed is a body of which the beginning was read: it is read again, then the rest.
type resumed struct {
	io.Reader
	io.Closer
}

// isJSON accepts application/json, alone or with charset=utf-8.
func isJSON(h http.Header) bool {
	values := h.Values("Content-Type")
	if len(values) != 1 {
		return false
	}
	mediaType, params, err := mime.ParseMediaType(values[0])
	if err != nil || mediaType != "application/json" {
		return false
	}
	charset, named := params["charset"]
	return len(params) == 0 || (len(params) == 1 && named && strings.EqualFold(charset, "utf-8"))
}
