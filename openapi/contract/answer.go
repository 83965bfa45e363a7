package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// requestIDHeader has an id of the answer (D-08).
const requestIDHeader = "X-Request-Id"

// refusals has the code and the message of each status with which a middleware or a proxy answers by itself (D-08).
var refusals = map[int]struct{ code, message string }{
	http.StatusBadRequest:            {"BAD_REQUEST", "The request is not valid."},
	http.StatusUnauthorized:          {"UNAUTHORIZED", "The credentials are not those of an active client."},
	http.StatusRequestEntityTooLarge: {"PAYLOAD_TOO_LARGE", "The body is too large."},
	http.StatusUnsupportedMediaType:  {"UNSUPPORTED_MEDIA_TYPE", "The body must be sent as JSON."},
	http.StatusTooManyRequests:       {"RATE_LIMITED", "Too many requests."},
	http.StatusInternalServerError:   {"INTERNAL_ERROR", "Something went wrong on our side."},
	http.StatusBadGateway:            {"INTERNAL_ERROR", "The service sent a response that breaks its contract."},
	http.StatusServiceUnavailable:    {"SERVICE_UNAVAILABLE", "The service is not available at the moment."},
}

// WriteError answers a request as the schema Error of the document says: status, code, message, request_id and details,
// without those that the document does not declare. requestID is also sent as X-Request-Id. err is an [*Error]; any other
// error means that the body of the request could not be read, which is answered with 400.
//
// If r comes from a [Contract.Middleware], a header that the document requires of this answer, such as Retry-After, is
// sent with the value of its example unless the Error has another one. No cache may store the answer (D-58).
func (c *Contract) WriteError(w http.ResponseWriter, r *http.Request, err error, requestID string) {
	refused, ok := errors.AsType[*Error](err)
	if !ok {
		// The client disconnected or was too slow, and will probably not see this.
		refused = &Error{Status: http.StatusBadRequest, Violations: []Violation{{"body", "", "must be sent completely"}}}
	}
	schema := c.errorBody.Schema
	if op := OperationFromContext(r.Context()); op != nil {
		declared := op.responses[refused.Status]
		if declared.body != nil {
			schema = declared.body.Schema
		}
		for _, header := range declared.examples {
			w.Header().Set(header[0], header[1])
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	for name, values := range refused.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set(requestIDHeader, requestID)
	body := errorText(schema, refused, requestID)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(refused.Status)
	_, _ = w.Write(body) // fails if the client left
}

// errorText writes the members that the schema has; all, if it has none of them.
func errorText(schema *openapi3.Schema, refused *Error, requestID string) []byte {
	known, ok := refusals[refused.Status]
	if !ok {
		known.code, known.message = "INTERNAL_ERROR", http.StatusText(refused.Status)
	}
	members := []struct {
		name  string
		value any
	}{
		{"status", refused.Status}, {"code", known.code}, {"message", known.message}, {"request_id", requestID},
		{"details", refused.Violations},
	}
	var text bytes.Buffer
	for _, declared := range []bool{true, false} {
		for _, m := range members {
			if declared && schema.Properties[m.name] == nil || m.name == "details" && len(refused.Violations) == 0 {
				continue
			}
			value, err := json.Marshal(m.value)
			if err != nil {
				panic("contract: " + err.Error()) // there are only numbers and strings
			}
			text.WriteString(map[bool]string{true: "{", false: ","}[text.Len() == 0])
			text.WriteString(strconv.Quote(m.name) + ":")
			text.Write(value)
		}
		if text.Len() > 0 {
			break
		}
	}
	text.WriteString("}\n")
	return text.Bytes()
}

type operationKey struct{}

// OperationFromContext returns the operation of a request that a [Contract.Middleware] hands to a hook or, checked, to the
// next handler; otherwise nil.
func OperationFromContext(ctx context.Context) *Operation {
	if checked, ok := FromContext(ctx); ok {
		return checked.Operation
	}
	op, _ := ctx.Value(operationKey{}).(*Operation)
	return op
}

func withOperation(r *http.Request, op *Operation) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), operationKey{}, op))
}
