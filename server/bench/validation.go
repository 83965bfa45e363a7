package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/labstack/echo/v4"

	"github.com/crossborder-payouts/payouts/gen/api"
	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
	"github.com/crossborder-payouts/payouts/server/bench/ogenapi"
	"github.com/crossborder-payouts/payouts/server/httpapi"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// Each contender routes, checks, and decodes a request, and answers 503 without a service behind it.

type unavailable struct{ gen.StrictServerInterface }

var refusal = gen.ServiceUnavailableJSONResponse{Body: api.Error{Status: 503, Code: "SERVICE_UNAVAILABLE", Message: "No service.", RequestID: "1"}}

func (unavailable) CreateTransaction(context.Context, gen.CreateTransactionRequestObject) (gen.CreateTransactionResponseObject, error) {
	return gen.CreateTransaction503JSONResponse{ServiceUnavailableJSONResponse: refusal}, nil
}

func (unavailable) CreateUser(context.Context, gen.CreateUserRequestObject) (gen.CreateUserResponseObject, error) {
	return gen.CreateUser503JSONResponse{ServiceUnavailableJSONResponse: refusal}, nil
}

type ogenUnavailable struct{ ogenapi.UnimplementedHandler }

func ogenRefusal() *ogenapi.ServiceUnavailableHeaders {
	return &ogenapi.ServiceUnavailableHeaders{RetryAfter: 1, XRequestID: "1",
		Response: ogenapi.Error{Status: 503, Code: "SERVICE_UNAVAILABLE", Message: "No service.", RequestID: "1", Details: []ogenapi.ErrorDetail{}}}
}

func (ogenUnavailable) CreateTransaction(context.Context, *ogenapi.TransactionRequest, ogenapi.CreateTransactionParams) (ogenapi.CreateTransactionRes, error) {
	return ogenRefusal(), nil
}

func (ogenUnavailable) CreateUser(context.Context, *ogenapi.UserRequest, ogenapi.CreateUserParams) (ogenapi.CreateUserRes, error) {
	return ogenRefusal(), nil
}

type anybody struct{}

func (anybody) HandleClientId(ctx context.Context, _ ogenapi.OperationName, _ ogenapi.ClientId) (context.Context, error) {
	return ctx, nil
}

func (anybody) HandleClientSecret(ctx context.Context, _ ogenapi.OperationName, _ ogenapi.ClientSecret) (context.Context, error) {
	return ctx, nil
}

// ours is what production runs, without credentials and service.
func ours() (http.Handler, error) {
	rules, err := contract.Published()
	if err != nil {
		return nil, err
	}
	n := 0
	return httpapi.Around(httpapi.Config{
		Contract: rules, Logger: discard, Now: time.Now, Timeout: 30 * time.Second, Bodies: bodies.Receiver{Limit: contract.DefaultBodyLimit},
		NewID: func() string { n++; return strconv.Itoa(n) },
	}, payout.Client{ID: "bench"}, unavailable{}), nil
}

// plain has the generated server alone.
func plain() http.Handler {
	e := echo.New()
	gen.RegisterHandlers(e, gen.NewStrictHandler(unavailable{}, nil))
	return e
}

// stock puts kin-openapi in front, as its documentation shows.
func stock() (http.Handler, error) {
	doc, err := openapi.Document()
	if err != nil {
		return nil, err
	}
	doc.Servers = openapi3.Servers{{URL: "/"}}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	next := plain()
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, params, err := router.FindRoute(r)
		if err == nil {
			err = openapi3filter.ValidateRequest(r.Context(), &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, Options: options})
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

func validation(_ context.Context, b *bench) error {
	mine, err := ours()
	if err != nil {
		return err
	}
	kin, err := stock()
	if err != nil {
		return err
	}
	ogen, err := ogenapi.NewServer(ogenUnavailable{}, anybody{})
	if err != nil {
		return err
	}
	names := []string{"ogen", "payoutd", "stock kin-openapi", "no checks"}
	contenders := []http.Handler{ogen, mine, kin, plain()}
	for _, body := range bodiesOf() {
		values := make([][]float64, len(contenders))
		notes := make([]string, len(contenders))
		for range b.turns {
			for i, h := range contenders {
				var failed error
				r := testing.Benchmark(func(t *testing.B) {
					t.ReportAllocs()
					for t.Loop() {
						if failed = body.send(h); failed != nil {
							t.FailNow()
						}
					}
				})
				if failed != nil {
					return fmt.Errorf("%s, %s: %w", names[i], body.name, failed)
				}
				values[i] = append(values[i], float64(r.NsPerOp())/1000)
				notes[i] = fmt.Sprintf("%d allocations, %d KiB", r.AllocsPerOp(), r.AllocedBytesPerOp()>>10)
			}
		}
		b.table.add(body.name, "us", names, values, notes...)
	}
	return nil
}

type body struct {
	name, path string
	text       []byte
}

func (v body) send(h http.Handler) error {
	r := httptest.NewRequest(http.MethodPost, v.path, bytes.NewReader(v.text))
	r.Header = http.Header{"Content-Type": {"application/json"}, "X-Client-Id": {"bench"}, "X-Client-Secret": {"secret"}, "X-Idempotency-Key": {"key"}}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusServiceUnavailable {
		return fmt.Errorf("answered %d: %.300s", w.Code, w.Body)
	}
	return nil
}

// bodiesOf returns the examples of the contract, and a user with a document of 1 MB.
func bodiesOf() []body {
	doc, err := openapi.Document()
	if err != nil {
		panic(err) // it is part of the program
	}
	example := func(path string) []byte {
		media := doc.Paths.Find(path).Post.RequestBody.Value.Content["application/json"]
		var longest []byte
		for _, e := range media.Examples {
			text, err := json.Marshal(e.Value.Value)
			if err == nil && len(text) > len(longest) {
				longest = text
			}
		}
		return longest
	}
	user := example("/users")
	var large map[string]any
	if err := json.Unmarshal(user, &large); err != nil {
		panic(err)
	}
	large["physical_documents"] = []any{map[string]any{
		"document_type": "PASSPORT", "document_value": "data:image/png;base64,iVBORw0KGgpB" + strings.Repeat("QUJD", 1<<18),
	}}
	document, err := json.Marshal(large)
	if err != nil {
		panic(err)
	}
	transaction := example("/users/{user_id}/transactions")
	const one = "/users/0b6f6f0e-7c1c-4c5e-9d7a-0a1b2c3d4e5f/transactions"
	size := func(b []byte) string { return fmt.Sprintf("%.1f KB", float64(len(b))/1000) }
	return []body{
		{"transaction of " + size(transaction), one, transaction}, {"user of " + size(user), "/users", user}, {"user with a document of 1 MB", "/users", document},
	}
}
