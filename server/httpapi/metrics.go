package httpapi

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	gen "github.com/crossborder-payouts/payouts/gen/server"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// Metrics count requests in a registry of their own. Labels have only values of the contract (operations, statuses, codes,
// places, payout methods) and ids of authenticated clients, so that callers cannot add series.
type Metrics struct {
	registry     *prometheus.Registry
	inFlight     prometheus.Gauge
	requests     *prometheus.CounterVec
	durations    *prometheus.HistogramVec
	refused      *prometheus.CounterVec
	violations   *prometheus.CounterVec
	rateLimited  *prometheus.CounterVec
	failures     *prometheus.CounterVec
	transactions *prometheus.CounterVec
	replays      prometheus.Counter
}

// NewMetrics returns the metrics of the transport, and registers others with them.
func NewMetrics(others ...prometheus.Collector) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "payoutd_requests_in_flight", Help: "Requests in progress.",
		}),
		requests: counter("payoutd_requests_total",
			"Requests by operation of the contract (none: any other path), method and status.",
			"operation", "method", "status"),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "payoutd_request_duration_seconds", Help: "Time from the headers of a request to the end of its response, by operation.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"operation"}),
		refused: counter("payoutd_requests_refused_total",
			"Requests answered with an error, by operation and code.", "operation", "code"),
		violations: counter("payoutd_contract_violations_total",
			"Violations of the contract in requests, by operation and place: path, query, header or body.", "operation", "in"),
		rateLimited: counter("payoutd_rate_limited_total",
			"Requests rejected by the rate limit, by client.", "client"),
		failures: counter("payoutd_authentication_failures_total",
			"Requests whose credentials were not accepted: answered 401 (unauthorized), or refused unseen because too many failed before "+
				"(address_limited, client_limited).", "result"),
		transactions: counter("payoutd_transactions_created_total",
			"Transactions created, by payout method.", "payout_method"),
		replays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "payoutd_idempotent_replays_total", Help: "Creations answered with the result of an earlier request with the same key.",
		}),
	}
	for _, method := range payout.PayoutMethods() {
		m.transactions.WithLabelValues(string(method)) // starts at 0, so that the first one is an increase
	}
	for _, result := range []string{failureUnauthorized, failureAddressLimited, failureClientLimited} {
		m.failures.WithLabelValues(result)
	}
	m.registry.MustRegister(m.inFlight, m.requests, m.durations, m.refused, m.violations, m.rateLimited, m.failures, m.transactions, m.replays)
	m.registry.MustRegister(others...)
	return m
}

// Handler serves GET /metrics in the formats of Prometheus.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelError),
		MaxRequestsInFlight: 4, // more scrapes at a time are answered 503
	}))
	return mux
}

// noOperation is the label for paths outside of the contract.
const noOperation = "none"

// methods have labels of their own; callers can invent others.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// begun counts a request that is in flight until end is called.
func (m *Metrics) begun() (end func()) {
	if m == nil {
		return func() {}
	}
	m.inFlight.Inc()
	return m.inFlight.Dec
}

// answered counts a request that is answered.
func (m *Metrics) answered(c echo.Context, seen *observation, took time.Duration) {
	if m == nil {
		return
	}
	operation, method := seen.operation, c.Request().Method
	if operation == "" {
		operation = noOperation
	}
	if !slices.Contains(methods, method) {
		method = "other"
	}
	m.requests.WithLabelValues(operation, method, strconv.Itoa(c.Response().Status)).Inc()
	m.durations.WithLabelValues(operation).Observe(took.Seconds())
	if seen.code != "" {
		m.refused.WithLabelValues(operation, string(seen.code)).Inc()
	}
	if seen.code == payout.CodeRateLimited && seen.client != "" {
		m.rateLimited.WithLabelValues(string(seen.client)).Inc()
	}
	if seen.failure != "" {
		m.failures.WithLabelValues(seen.failure).Inc()
	}
	if c.Response().Header().Get("Idempotent-Replayed") != "" {
		m.replays.Inc()
	}
	for _, v := range seen.broken {
		m.violations.WithLabelValues(operation, v.In).Inc()
	}
}

// created counts transactions by payout method.
func (m *Metrics) created(next gen.StrictHandlerFunc, _ string) gen.StrictHandlerFunc {
	if m == nil {
		return next
	}
	return func(c echo.Context, request any) (any, error) {
		response, err := next(c, request)
		if t, ok := response.(gen.CreateTransaction200JSONResponse); ok && t.Headers.IdempotentReplayed == nil {
			m.transactions.WithLabelValues(string(t.Body.To.PayoutMethod)).Inc()
		}
		return response, err
	}
}
