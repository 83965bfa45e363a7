package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
)

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// serve sends a request without credentials, unless headers have them.
func serve(h http.Handler, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// D-19: no operation of the contract, and no HEAD of one, answers a caller without credentials.
func TestEveryOperationIsGuarded(t *testing.T) {
	t.Parallel()
	rules, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(t, func(c *Config) { c.Sandbox = true })
	for _, op := range rules.Operations() {
		methods := []string{op.Method}
		if op.Method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
		for _, method := range methods {
			if w := serve(h, method, pathParameter.ReplaceAllString(op.Path, "1"), ""); w.Code != http.StatusUnauthorized {
				t.Errorf("%s %s answers %d without credentials", method, op.Path, w.Code)
			}
		}
	}
}

// withOperation is the contract with one more operation.
func withOperation(t *testing.T, method, path string) *contract.Contract {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}
	op := *document.Paths.Value("/banks/{bankId}").Get
	op.OperationID = "invented"
	document.AddOperation(path, method, &op)
	c, err := contract.New(document)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An operation of any method is guarded once the contract has it and the generated code registers it.
func TestOperationsOfEveryMethodAreGuarded(t *testing.T) {
	t.Parallel()
	for method, register := range map[string]func(router, string, echo.HandlerFunc, ...echo.MiddlewareFunc) *echo.Route{
		http.MethodConnect: router.CONNECT, http.MethodDelete: router.DELETE, http.MethodGet: router.GET, http.MethodHead: router.HEAD,
		http.MethodOptions: router.OPTIONS, http.MethodPatch: router.PATCH, http.MethodPost: router.POST, http.MethodPut: router.PUT,
		http.MethodTrace: router.TRACE,
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			declared := method
			if method == http.MethodHead {
				declared = http.MethodGet // HEAD is part of GET
			}
			e := echo.New()
			e.HTTPErrorHandler = fail
			e.Use(observe(requestLog{slog.New(slog.DiscardHandler), true}, func() string { return "request-1" }, nil, watch{}))
			reached := 0
			register(router{
				echo: e, contract: withOperation(t, declared, "/invented/{bankId}"),
				guard: guard{limits: newRateLimits(0), authenticate: func(_ context.Context, id payout.ClientID, _ string) (payout.Client, error) {
					if id != "acme" {
						return payout.Client{}, payout.NewError(payout.CodeUnauthorized)
					}
					return payout.Client{ID: id}, nil
				}},
			}, "/invented/:bankId", func(c echo.Context) error {
				reached++
				return c.NoContent(http.StatusOK)
			})
			if w := serve(e, method, "/invented/1", ""); w.Code != http.StatusUnauthorized || reached != 0 {
				t.Errorf("answers %d without credentials, handler reached %d times", w.Code, reached)
			}
			if w := serve(e, method, "/invented/x", "", "X-Client-Id", "acme"); w.Code != http.StatusBadRequest || reached != 0 {
				t.Errorf("answers %d to a malformed id, handler reached %d times", w.Code, reached)
			}
			if w := serve(e, method, "/invented/1", "", "X-Client-Id", "acme"); w.Code != http.StatusOK || reached != 1 {
				t.Errorf("answers %d with credentials, handler reached %d times", w.Code, reached)
			}
		})
	}
}

// What the contract does not have cannot be registered.
func TestOperationsOutsideOfTheContractPanic(t *testing.T) {
	t.Parallel()
	rules, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("DELETE /payers/:payerId was registered")
		}
	}()
	router{echo: echo.New(), contract: rules}.DELETE("/payers/:payerId", func(echo.Context) error { return nil })
}

// D-20: outside of the sandbox its operations do not exist.
func TestSandboxOperationsNeedTheSandbox(t *testing.T) {
	t.Parallel()
	rules, err := contract.Published()
	if err != nil {
		t.Fatal(err)
	}
	h, tried := newHandler(t), 0
	for _, op := range rules.Operations() {
		if strings.HasPrefix(op.Path, "/sandbox/") {
			tried++
			if w := serve(h, op.Method, pathParameter.ReplaceAllString(op.Path, "1"), ""); w.Code != http.StatusNotFound {
				t.Errorf("%s answers %d", op.ID, w.Code)
			}
		}
	}
	if tried == 0 {
		t.Error("the contract has no sandbox operation")
	}
}
