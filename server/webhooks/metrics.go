package webhooks

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// scrapeTime is how long the queue may take to be counted.
const scrapeTime = 2 * time.Second

// Metrics counts what a Deliverer does, and what the queue holds. No label names a client or an endpoint.
type Metrics struct {
	store      *store.Store
	attempts   *prometheus.CounterVec
	duration   prometheus.Histogram
	deliveries *prometheus.CounterVec
	snoozed    prometheus.Counter
	troubles   prometheus.Counter
	disabled   prometheus.Counter
}

var (
	jobs = prometheus.NewDesc("payoutd_webhook_jobs",
		"Attempts of deliveries in the queue, of all replicas: running, due, or due later.", []string{"state"}, nil)
	oldest = prometheus.NewDesc("payoutd_webhook_oldest_due_seconds",
		"Time since the oldest attempt that is due was due; 0 if there is none.", nil, nil)
)

// NewMetrics returns metrics at zero.
func NewMetrics(db *store.Store) *Metrics {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "payoutd_webhook_" + name, Help: help})
	}
	return &Metrics{
		store: db,
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "payoutd_webhook_attempts_total", Help: "Attempts of deliveries by this replica, by result: OK, or the error of the delivery log.",
		}, []string{"result"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "payoutd_webhook_attempt_duration_seconds", Help: "Duration of attempts.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
		}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "payoutd_webhook_deliveries_total", Help: "Deliveries that ended in this replica, by status: DELIVERED or FAILED.",
		}, []string{"status"}),
		snoozed:  counter("snoozed_total", "Deliveries that were put off, because their endpoint was busy or failed."),
		troubles: counter("troubles_total", "Attempts that could not be made or recorded, through no fault of the receiver."),
		disabled: counter("endpoints_disabled_total", "Endpoints that were disabled because of their responses."),
	}
}

func (m *Metrics) attempted(o outcome) {
	result := "OK"
	if o.failure != "" {
		result = o.failure
	}
	m.attempts.WithLabelValues(result).Inc()
	m.duration.Observe(o.took.Seconds())
}

func (m *Metrics) ended(status payout.WebhookDeliveryStatus) {
	if status == payout.WebhookDelivered || status == payout.WebhookFailed {
		m.deliveries.WithLabelValues(string(status)).Inc()
	}
}

func (m *Metrics) own() []prometheus.Collector {
	return []prometheus.Collector{m.attempts, m.duration, m.deliveries, m.snoozed, m.troubles, m.disabled}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	to <- jobs
	to <- oldest
	for _, c := range m.own() {
		c.Describe(to)
	}
}

// Collect implements prometheus.Collector. While the database is unavailable, what the queue holds is missing.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.own() {
		c.Collect(to)
	}
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	queue, err := m.store.WebhookJobs(ctx)
	if err != nil {
		return
	}
	for state, n := range map[string]int64{"running": queue.Running, "due": queue.Due, "later": queue.Later} {
		to <- prometheus.MustNewConstMetric(jobs, prometheus.GaugeValue, float64(n), state)
	}
	age := time.Duration(0)
	if !queue.Oldest.IsZero() {
		age = max(0, time.Since(queue.Oldest))
	}
	to <- prometheus.MustNewConstMetric(oldest, prometheus.GaugeValue, age.Seconds())
}
