package payouttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
)

// operations knows the operations of the contract and their error responses.
type operations struct {
	router *http.ServeMux    // its patterns are those of the contract
	ids    map[string]string // operationId by pattern
	byID   map[string]*openapi3.Operation
}

// contracted is read once for all sandboxes.
var contracted = sync.OnceValues(func() (*operations, error) {
	document, err := openapi.Document()
	if err != nil {
		return nil, err
	}
	all := &operations{http.NewServeMux(), map[string]string{}, map[string]*openapi3.Operation{}}
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			pattern := method + " " + path
			all.router.Handle(pattern, http.NotFoundHandler())
			all.ids[pattern], all.byID[op.OperationID] = op.OperationID, op
		}
	}
	return all, nil
})

// of returns the operationId of a request; "" if the contract has none.
func (o *operations) of(r *http.Request) string {
	_, pattern := o.router.Handler(r)
	return o.ids[pattern]
}

// refusal returns the response of an operation with an error code, from the examples of the contract. It returns an error if
// the operation does not declare it.
func (o *operations) refusal(operation string, code client.Code) (*Response, error) {
	if op := o.byID[operation]; op != nil {
		for status, response := range op.Responses.Map() {
			media := response.Value.Content["application/json"]
			if media == nil { // 304
				continue
			}
			examples := media.Examples
			for _, name := range slices.Sorted(maps.Keys(examples)) {
				if body, ok := examples[name].Value.Value.(map[string]any); ok && body["code"] == string(code) {
					return refusal(status, response.Value, body)
				}
			}
		}
	}
	return nil, fmt.Errorf("the contract has no error code %q for %s; Answer sends any response",
		string(code), cmp.Or(operation, "a path that it does not have"))
}

// declare reports whether any operation has an error code.
func (o *operations) declare(code client.Code) bool {
	for operation := range o.byID {
		if _, err := o.refusal(operation, code); err == nil {
			return true
		}
	}
	return false
}

// refusal returns the response of an example, with a request id of its own.
func refusal(status string, response *openapi3.Response, example map[string]any) (a *Response, err error) {
	a = &Response{Header: http.Header{"Content-Type": {"application/json"}}}
	if a.Status, err = strconv.Atoi(status); err != nil {
		return nil, err
	}
	for name, h := range response.Headers {
		a.Header.Set(name, fmt.Sprint(h.Value.Example))
	}
	text, err := json.Marshal(example)
	if err != nil {
		return nil, err
	}
	var body api.Error
	if err := json.Unmarshal(text, &body); err != nil {
		return nil, err
	}
	body.RequestID = uuid.NewString()
	a.Header.Set("X-Request-Id", body.RequestID)
	text, err = json.Marshal(body)
	a.Body = string(text)
	return a, err
}
