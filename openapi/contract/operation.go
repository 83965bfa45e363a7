package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Operation is one method of one path.
type Operation struct {
	ID     string // operationId
	Method string
	Path   string // the template, as in the document

	// Secured reports whether the document requires credentials. This package does not know them; see [Authenticate].
	Secured bool

	judge        *judge
	path         []parameter
	query        map[string]parameter
	headers      []parameter
	body         *bodySchema // nil: no body is expected
	bodyRequired bool
	decoding     *decoding // nil: bodies are only checked
	asRequest    direction
	responses    map[int]response
}

type response struct {
	headers  []parameter
	examples [][2]string // of the required headers, by name
	body     *bodySchema // nil: no body is allowed
}

// TakesHeader reports whether the operation has a header parameter of this name.
func (op *Operation) TakesHeader(name string) bool {
	return slices.ContainsFunc(op.headers, func(p parameter) bool { return strings.EqualFold(p.name, name) })
}

// Statuses returns the statuses that the document declares, sorted.
func (op *Operation) Statuses() []int { return slices.Sorted(maps.Keys(op.responses)) }

func newOperation(j *judge, doc *openapi3.T, item *openapi3.PathItem, spec *openapi3.Operation) (*Operation, error) {
	if spec.OperationID == "" {
		return nil, errors.New("the operation needs an operationId")
	}
	security := doc.Security
	if spec.Security != nil {
		security = *spec.Security
	}
	op := &Operation{
		ID: spec.OperationID, judge: j, query: map[string]parameter{}, responses: map[int]response{},
		// A requirement without a scheme makes credentials optional.
		Secured: len(security) > 0 && !slices.ContainsFunc(security, func(r openapi3.SecurityRequirement) bool { return len(r) == 0 }),
	}
	for _, ref := range slices.Concat(item.Parameters, spec.Parameters) {
		p, err := newParameter(ref.Value.In, ref.Value.Name, ref.Value, &j.requests)
		if err != nil {
			return nil, err
		}
		if err := closed(p.name, ref.Value.Schema); err != nil {
			return nil, err
		}
		op.add(p)
	}
	if ref := spec.RequestBody; ref != nil {
		schema, err := jsonSchema(ref.Value.Content)
		if err != nil {
			return nil, fmt.Errorf("request body: %w", err)
		}
		op.body = newBodySchema(schema, &j.requests)
		op.bodyRequired = ref.Value.Required
		op.asRequest = asRequest
		op.asRequest.maxValues = mostValues(schema)
	}
	for code, ref := range spec.Responses.Map() {
		status, err := strconv.Atoi(code)
		if err != nil {
			return nil, fmt.Errorf("response %s: must have a status of its own", code)
		}
		if op.responses[status], err = newResponse(ref.Value, j); err != nil {
			return nil, fmt.Errorf("response %s: %w", code, err)
		}
	}
	return op, nil
}

// add adds p, and replaces one of the same name that the path item declares for all its operations.
func (op *Operation) add(p parameter) {
	switch p.in {
	case openapi3.ParameterInQuery:
		op.query[p.name] = p
	case openapi3.ParameterInPath:
		op.path = replace(op.path, p)
	default:
		op.headers = replace(op.headers, p)
	}
}

func replace(list []parameter, p parameter) []parameter {
	list = slices.DeleteFunc(list, func(old parameter) bool { return old.name == p.name })
	return append(list, p)
}

func newResponse(spec *openapi3.Response, j *judge) (r response, err error) {
	for name, ref := range spec.Headers {
		p, err := newParameter(openapi3.ParameterInHeader, name, &ref.Value.Parameter, &j.responses)
		if err != nil {
			return response{}, err
		}
		r.headers = append(r.headers, p)
		if example := cmp.Or(ref.Value.Example, ref.Value.Schema.Value.Example); example != nil && p.required {
			r.examples = append(r.examples, [2]string{name, fmt.Sprint(example)})
		}
	}
	if len(spec.Content) == 0 {
		return r, nil
	}
	schema, err := jsonSchema(spec.Content)
	if err != nil {
		return response{}, err
	}
	r.body = newBodySchema(schema, &j.responses)
	return r, nil
}

func jsonSchema(content openapi3.Content) (*openapi3.Schema, error) {
	media := content["application/json"]
	if len(content) != 1 || media == nil || media.Schema == nil {
		return nil, errors.New("a body must be application/json with a schema, and nothing else")
	}
	return media.Schema.Value, nil
}
