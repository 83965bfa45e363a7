package server

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/crossborder-payouts/payouts/server/httpapi"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Info identifies the program and what it runs on.
type Info struct {
	Version  string // of the program, as stamped by the go command
	Contract string // info.version of the contract
	Engine   string // of the database: sqlite or postgres
}

func newInfo(contract string, db *store.Store) Info {
	return Info{Version: Version(), Contract: contract, Engine: db.Engine()}
}

// Version returns the version of the program, as stamped by the go command.
func Version() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		return cmp.Or(build.Main.Version, "unknown")
	}
	return "unknown"
}

// Info identifies the program and what it runs on.
func (s *Server) Info() Info { return s.info }

// MetricsHandler serves GET /metrics for Prometheus. Handler does not, because it is public.
func (s *Server) MetricsHandler() http.Handler { return s.metrics.Handler(s.log) }

// ServeMetrics serves GET /metrics on the listener until ctx ends.
func (s *Server) ServeMetrics(ctx context.Context, listener net.Listener) error {
	return s.serve(ctx, listener, s.MetricsHandler(), func() {})
}

func newMetrics(info Info, db *store.Store, others ...prometheus.Collector) *httpapi.Metrics {
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "payoutd_build_info", Help: "1, with the version of the program, that of the contract and the database engine.",
		ConstLabels: prometheus.Labels{"version": info.Version, "contract": info.Contract, "engine": info.Engine},
	})
	build.Set(1)
	return httpapi.NewMetrics(append(others, build, storeMetrics{db},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))...)
}

// storeMetrics reads the statistics of a store at each scrape.
type storeMetrics struct{ db *store.Store }

var (
	poolMax         = poolFigure("connections_max", "Most connections that the pool opens.")
	poolOpen        = poolFigure("connections_open", "Connections of the pool, in use and idle.")
	poolInUse       = poolFigure("connections_in_use", "Connections that are in use.")
	poolIdle        = poolFigure("connections_idle", "Connections that are idle.")
	poolWaits       = poolFigure("connection_waits_total", "Times that a call waited for a connection.")
	poolWaitSeconds = poolFigure("connection_wait_seconds_total", "Time that calls waited for a connection.")

	storeFailures = prometheus.NewDesc("payoutd_store_failures_total",
		"Calls of the database that failed, by kind: unavailable (away, overloaded or too slow), conflict (of transactions; repeated) or other.", []string{"kind"}, nil)
)

func poolFigure(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("payoutd_store_"+name, help+" Pools are writer and reader, or shared.", []string{"pool"}, nil)
}

// Describe implements prometheus.Collector.
func (m storeMetrics) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, to) }

// Collect implements prometheus.Collector.
func (m storeMetrics) Collect(to chan<- prometheus.Metric) {
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, label string) {
		to <- prometheus.MustNewConstMetric(desc, kind, value, label)
	}
	for name, pool := range m.db.Pools() {
		send(poolMax, prometheus.GaugeValue, float64(pool.MaxOpenConnections), name)
		send(poolOpen, prometheus.GaugeValue, float64(pool.OpenConnections), name)
		send(poolInUse, prometheus.GaugeValue, float64(pool.InUse), name)
		send(poolIdle, prometheus.GaugeValue, float64(pool.Idle), name)
		send(poolWaits, prometheus.CounterValue, float64(pool.WaitCount), name)
		send(poolWaitSeconds, prometheus.CounterValue, pool.WaitDuration.Seconds(), name)
	}
	unavailable, conflict, other := m.db.Failures()
	send(storeFailures, prometheus.CounterValue, float64(unavailable), "unavailable")
	send(storeFailures, prometheus.CounterValue, float64(conflict), "conflict")
	send(storeFailures, prometheus.CounterValue, float64(other), "other")
}
