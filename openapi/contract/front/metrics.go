package main

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

// metrics count requests in a registry of their own. Labels have only values of the contract and of this program, so that
// callers cannot add series.
type metrics struct {
	registry                              *prometheus.Registry
	inFlight                              prometheus.Gauge
	requests, notJudged, failures, probes *prometheus.CounterVec
	requestWrong, responseWrong           *prometheus.CounterVec
	durations                             *prometheus.HistogramVec
}

func newMetrics() *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "payout_front_" + name, Help: help}, labels)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "payout_front_requests_in_flight", Help: "Requests in progress."}),
		requests: counter("requests_total",
			"Requests by operation of the contract (none: any other path), method, status, and who answered: the service or the front.",
			"operation", "method", "status", "answered_by"),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "payout_front_request_duration_seconds",
			Help:    "Time from the headers of a request to the end of its response, by operation.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
		}, []string{"operation"}),
		requestWrong: counter("request_violations_total",
			"Violations of the contract in requests, by operation and place: path, query, header or body.", "operation", "in"),
		responseWrong: counter("response_violations_total",
			"Violations of the contract in responses, by operation and place: status, header or body.", "operation", "in"),
		notJudged: counter("responses_not_judged_total", "Responses that were passed on without being judged, by operation.", "operation"),
		failures: counter("failures_total",
			"Requests to which the service did not respond: it is unreachable, needs too long (timeout), or breaks off; or it has no answer to the probe.",
			"kind"),
		probes: counter("probes_total", "Questions whether the service accepts credentials, by answer: accepted, refused or failed.", "answer"),
	}
	for _, kind := range []string{failureUnreachable, failureTimeout, failureBroken, failureProbe} {
		m.failures.WithLabelValues(kind) // starts at 0, so that the first one is an increase
	}
	m.registry.MustRegister(m.inFlight, m.requests, m.durations, m.requestWrong, m.responseWrong, m.notJudged, m.failures, m.probes,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// counted is what is counted of one request.
type counted struct {
	operation, method, by, failure, notJudged string
	status                                    int
	duration                                  time.Duration
	request, response                         []contract.Violation
}

func (m *metrics) count(c counted) {
	m.requests.WithLabelValues(c.operation, c.method, strconv.Itoa(c.status), c.by).Inc()
	m.durations.WithLabelValues(c.operation).Observe(c.duration.Seconds())
	for _, v := range c.request {
		m.requestWrong.WithLabelValues(c.operation, v.In).Inc()
	}
	for _, v := range c.response {
		m.responseWrong.WithLabelValues(c.operation, v.In).Inc()
	}
	if c.notJudged != "" {
		m.notJudged.WithLabelValues(c.operation).Inc()
	}
	if c.failure != "" {
		m.failures.WithLabelValues(c.failure).Inc()
	}
}

func (m *metrics) handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:            slog.NewLogLogger(log.Handler(), slog.LevelError),
		MaxRequestsInFlight: 4, // more scrapes at a time are answered 503
	})
}
