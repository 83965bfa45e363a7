package httpapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// router registers the operations of the contract on echo, each behind the guard. It does not embed echo, so that a
// method of gen.EchoRouter that is missing here does not compile, instead of registering an operation without the guard.
type router struct {
	echo     *echo.Echo
	contract *contract.Contract
	guard    guard
	sandbox  bool // whether /sandbox/... exists
}

var _ gen.EchoRouter = router{}

// CONNECT implements gen.EchoRouter.
func (r router) CONNECT(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodConnect, path, h, m)
}

// DELETE implements gen.EchoRouter.
func (r router) DELETE(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodDelete, path, h, m)
}

// GET implements gen.EchoRouter. It also registers HEAD.
func (r router) GET(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	r.add(http.MethodHead, path, h, m)
	return r.add(http.MethodGet, path, h, m)
}

// HEAD implements gen.EchoRouter.
func (r router) HEAD(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodHead, path, h, m)
}

// OPTIONS implements gen.EchoRouter.
func (r router) OPTIONS(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodOptions, path, h, m)
}

// PATCH implements gen.EchoRouter.
func (r router) PATCH(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodPatch, path, h, m)
}

// POST implements gen.EchoRouter.
func (r router) POST(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodPost, path, h, m)
}

// PUT implements gen.EchoRouter.
func (r router) PUT(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodPut, path, h, m)
}

// TRACE implements gen.EchoRouter.
func (r router) TRACE(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) *echo.Route {
	return r.add(http.MethodTrace, path, h, m)
}

// add registers an operation behind the guard. It panics if the contract does not have the operation.
func (r router) add(method, path string, h echo.HandlerFunc, m []echo.MiddlewareFunc) *echo.Route {
	if strings.HasPrefix(path, "/sandbox/") && !r.sandbox {
		return nil
	}
	op := r.contract.Operation(method, template(path))
	if op == nil {
		panic("httpapi: the contract has no operation " + method + " " + path)
	}
	if body := bodyType(op); body != nil {
		op = op.Decoding(body)
	}
	for _, middleware := range slices.Backward(m) {
		h = middleware(h)
	}
	return r.echo.Add(method, path, r.guard.before(op)(h)) // echo would wrap it again for each request
}

// bodyType returns the type into which the generated code binds the body of an operation; nil if it does not bind one.
func bodyType(op *contract.Operation) reflect.Type {
	method, ok := reflect.TypeFor[gen.StrictServerInterface]().MethodByName(strings.ToUpper(op.ID[:1]) + op.ID[1:])
	if !ok {
		return nil
	}
	body, ok := method.Type.In(1).FieldByName("Body")
	if !ok {
		return nil
	}
	return body.Type.Elem()
}

// template converts a path of echo to a path template of the contract: /payers/:id to /payers/{id}.
func template(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, ok := strings.CutPrefix(part, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}
