package contract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Contract is a compiled OpenAPI document. It is safe for concurrent use.
type Contract struct {
	judge      *judge
	operations map[string]*Operation // by method and template
	router     routers.Router        // for Middleware and Transport
	errorBody  *bodySchema
}

// New compiles doc, which it does not change. It returns an error if the document is invalid, or uses anything that
// could not be enforced: an unknown format, an open object in a request, a parameter that is not a scalar, a body that
// is not JSON, a composition other than oneOf with a mapped discriminator or allOf around one schema, a response without
// its own status, or no schema Error.
func New(doc *openapi3.T) (*Contract, error) {
	c, err := compile(doc)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	return c, nil
}

func compile(doc *openapi3.T) (*Contract, error) {
	own, err := privateCopy(doc)
	if err != nil {
		return nil, err
	}
	c := &Contract{operations: map[string]*Operation{}}
	if c.judge, err = newJudge(own); err != nil {
		return nil, err
	}
	for path, item := range own.Paths.Map() {
		for method, op := range item.Operations() {
			compiled, err := newOperation(c.judge, own, item, op)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			compiled.Method, compiled.Path = method, path
			c.operations[method+" "+path] = compiled
		}
	}
	if own.Components == nil || own.Components.Schemas["Error"] == nil {
		return nil, errors.New("the document has no schema Error")
	}
	c.errorBody = newBodySchema(own.Components.Schemas["Error"].Value, &c.judge.responses)
	own.Servers = nil // or the router would match hosts
	for _, item := range own.Paths.Map() {
		item.Servers = nil
	}
	c.router, err = gorillamux.NewRouter(own)
	return c, err
}

// Operation returns the operation of a method and a path template such as /users/{user_id}, or nil. HEAD is GET.
func (c *Contract) Operation(method, path string) *Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return c.operations[method+" "+path]
}

// Operations returns all operations, sorted by path and method.
func (c *Contract) Operations() []*Operation {
	return slices.SortedFunc(maps.Values(c.operations), func(a, b *Operation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
}

// Match returns the operation of a request and its path parameters, decoded, for [Operation.CheckRequest]; nil if the
// document has none. The base path of a server is not part of u. HEAD is GET.
func (c *Contract) Match(method string, u *url.URL) (*Operation, map[string]string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	route, params, err := c.router.FindRoute(&http.Request{Method: method, URL: u})
	if err != nil {
		return nil, nil
	}
	for name, raw := range params {
		// The router matches the escaped path, so that %2F is not a separator.
		if params[name], err = url.PathUnescape(raw); err != nil {
			return nil, nil
		}
	}
	return c.Operation(method, route.Path), params
}
