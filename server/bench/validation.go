package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

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

// ours is what production runs, without credentials and service; observed, it also writes a line of log for each request, and
// counts it.
func ours(observed bool) (http.Handler, error) {
	rules, err := contract.Published()
	if err != nil {
		return nil, err
	}
	n := 0
	config := httpapi.Config{
		Contract: rules, Logger: slog.New(slog.DiscardHandler), Now: time.Now, Timeout: 30 * time.Second,
		Bodies: bodies.Receiver{Limit: contract.DefaultBodyLimit},
		NewID:  func() string { n++; return strconv.Itoa(n) },
	}
	if observed {
		config.Logger, config.Metrics = discard, httpapi.NewMetrics()
	}
	return httpapi.Around(config, payout.Client{ID: "bench"}, unavailable{}), nil
}

// observed gives a handler a line of log and metrics like those of ours.
func observed(next http.Handler) http.Handler {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "requests"}, []string{"operation", "method", "status"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "durations"}, []string{"operation"})
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "refused"}, []string{"operation", "code"})
	n := 0
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		n++
		id := strconv.Itoa(n)
		written := &counted{ResponseWriter: w}
		next.ServeHTTP(written, r)
		took, address := time.Since(start), netip.Addr{}
		if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
			address = from.Addr()
		}
		discard.LogAttrs(r.Context(), slog.LevelError, "request",
			slog.String("request_id", id), slog.String("method", r.Method), slog.String("route", r.URL.Path), slog.String("operation", "bench"),
			slog.Int("status", written.status), slog.String("client", "bench"), slog.Int64("duration_us", took.Microseconds()),
			slog.Int64("bytes", written.bytes), slog.Any("address", address), slog.String("code", "SERVICE_UNAVAILABLE"), slog.String("cause", "none"))
		requests.WithLabelValues("bench", r.Method, strconv.Itoa(written.status)).Inc()
		durations.WithLabelValues("bench").Observe(took.Seconds())
		refused.WithLabelValues("bench", "SERVICE_UNAVAILABLE").Inc()
	})
}

// counted knows what was written.
type counted struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *counted) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *counted) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
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

// contender is a named handler.
type contender struct {
	name string
	http.Handler
}

// contenders returns those that only check and decode, and those that also observe the request. The first is the base.
func contenders() (bare, whole []contender, err error) {
	ogen, err := ogenapi.NewServer(ogenUnavailable{}, anybody{})
	if err != nil {
		return nil, nil, err
	}
	mine, err := ours(false)
	if err != nil {
		return nil, nil, err
	}
	all, err := ours(true)
	if err != nil {
		return nil, nil, err
	}
	kin, err := stock()
	if err != nil {
		return nil, nil, err
	}
	bare = []contender{{"ogen", ogen}, {"payoutd", mine}, {"stock kin-openapi", kin}, {"no checks", plain()}}
	whole = []contender{{"ogen, observed", observed(ogen)}, {"payoutd, observed", all}}
	return bare, whole, nil
}

func validation(ctx context.Context, b *bench) error {
	bare, whole, err := contenders()
	if err != nil {
		return err
	}
	for _, body := range bodiesOf() {
		if err := b.compare(ctx, body.name, body, bare); err != nil {
			return err
		}
		if err := b.compare(ctx, body.name+", with log and metrics", body, whole); err != nil {
			return err
		}
	}
	return nil
}

// compare adds the time that each contender needs for a body.
func (b *bench) compare(ctx context.Context, group string, body body, contenders []contender) error {
	g := b.table.group(group, "us")
	for range b.turns {
		for _, c := range contenders {
			var failed error
			r := testing.Benchmark(func(t *testing.B) {
				t.ReportAllocs()
				for t.Loop() {
					if failed = body.send(ctx, c); failed != nil {
						t.FailNow()
					}
				}
			})
			if failed != nil {
				return fmt.Errorf("%s, %s: %w", c.name, group, failed)
			}
			g.add(c.name, float64(r.NsPerOp())/1000)
			g.note(c.name, "%d allocations, %d KiB", r.AllocsPerOp(), r.AllocedBytesPerOp()>>10)
		}
	}
	return nil
}

type body struct {
	name, path string
	text       []byte
}

func (v body) send(ctx context.Context, h http.Handler) error {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, v.path, bytes.NewReader(v.text))
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
