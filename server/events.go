package server

import (
	"context"
	"database/sql"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

const (
	// publishBatch is how many events are published in one transaction, at most.
	publishBatch = 500
	// publishPause lets events gather between two transactions: each is a flush to the disk, and on SQLite it takes turns with
	// the writes of requests.
	publishPause = 25 * time.Millisecond
	// publishInterval is how often the queue is looked at without a signal, for the events of commands and of replicas that ended.
	publishInterval = time.Second
	// publishPatience is how long a reader of the feed waits for the events that are being published.
	publishPatience = 5 * time.Second

	// retentionInterval is how often old events are looked for, and retentionBatch how many are deleted in one transaction.
	retentionInterval = 10 * time.Minute
	retentionBatch    = 500
)

// events publishes the events that writes have queued, and deletes old ones (D-67).
type events struct {
	db        *store.Store
	log       *slog.Logger
	now       func() time.Time
	retention time.Duration
	// fanout is called with what is published, in the same transaction; nil if nobody needs it.
	fanout func(context.Context, *sql.Tx, []payout.Published) error
	// turn has room for the one publication of this process at a time: further ones would only wait in the database.
	turn chan struct{}

	published *prometheus.CounterVec
	deleted   prometheus.Counter
	failures  prometheus.Counter
	queue     queueFigures
}

func newEvents(db *store.Store, c Config) *events {
	e := &events{
		db: db, log: c.Logger, now: c.Now, retention: c.EventRetention, turn: make(chan struct{}, 1), fanout: fanOut(db, c.Now),
		published: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "payoutd_events_published_total", Help: "Events that this process has published, by type.",
		}, []string{"type"}),
		deleted: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "payoutd_events_deleted_total", Help: "Events that this process has deleted because they were older than --event-retention.",
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "payoutd_event_failures_total", Help: "Attempts to publish events, or to delete old ones, that failed. They are repeated.",
		}),
		queue: queueFigures{now: c.Now},
	}
	for _, eventType := range payout.EventTypes() {
		e.published.WithLabelValues(string(eventType)) // starts at 0, so that the first one is an increase
	}
	return e
}

// run publishes and deletes until ctx ends.
func (e *events) run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { e.publishAll(ctx) })
	both.Go(func() { e.deleteOld(ctx) })
	both.Wait()
}

// publishAll publishes events as they come.
func (e *events) publishAll(ctx context.Context) {
	interval := time.NewTicker(publishInterval)
	defer interval.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.db.Queued():
		case <-interval.C:
			e.look(ctx)
		}
		for more := true; more; {
			_, more = e.publishBatch(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(publishPause):
		}
	}
}

// look reads the length of the queue for the metrics.
func (e *events) look(ctx context.Context) {
	if waiting, oldest, err := e.db.EventQueue(ctx); err == nil {
		e.queue.set(waiting, oldest)
	}
}

// publish publishes what waits, as far as publishBatch goes. A failure is logged: its events are published later.
func (e *events) publish(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, publishPatience)
	defer cancel()
	for done, more := 0, true; more && done < publishBatch; {
		var n int
		n, more = e.publishBatch(ctx)
		done += n
	}
}

// publishBatch returns how many events it has published, and whether there may be more.
func (e *events) publishBatch(ctx context.Context) (n int, more bool) {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return 0, false
	}
	var batch []payout.Published
	n, more, err := e.db.PublishEvents(ctx, publishBatch, func(ctx context.Context, tx *sql.Tx, all []payout.Published) error {
		batch = all // anew if the transaction is repeated
		if e.fanout == nil {
			return nil
		}
		return e.fanout(ctx, tx, all)
	})
	if err != nil {
		e.failed(ctx, "events are not published yet", err)
		return 0, false
	}
	for _, v := range batch {
		e.published.WithLabelValues(string(v.Type)).Inc()
	}
	return n, more
}

// deleteOld deletes what is older than the retention, if there is one.
func (e *events) deleteOld(ctx context.Context) {
	if e.retention == 0 {
		return
	}
	interval := time.NewTicker(retentionInterval)
	defer interval.Stop()
	for {
		if err := e.deleteBefore(ctx, e.now().Add(-e.retention)); err != nil {
			e.failed(ctx, "old events are not deleted yet", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-interval.C:
		}
	}
}

// deleteBefore deletes the events of all clients from before a time, in small transactions that hold up nobody for long.
func (e *events) deleteBefore(ctx context.Context, before time.Time) error {
	clients, err := e.db.ClientIDs(ctx)
	if err != nil {
		return err
	}
	for _, clientID := range clients {
		for after := int64(0); ; {
			n, last, err := e.db.DeleteEvents(ctx, clientID, after, before, retentionBatch)
			e.deleted.Add(float64(n))
			if err != nil {
				return err
			}
			if last == after {
				break
			}
			after = last
		}
	}
	return nil
}

// failed counts and logs a failure, unless the service is ending.
func (e *events) failed(ctx context.Context, message string, err error) {
	if ctx.Err() != nil {
		return
	}
	e.failures.Inc()
	e.log.Warn(message, slog.String("cause", err.Error()))
}

// Describe implements prometheus.Collector.
func (e *events) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(e, to) }

// Collect implements prometheus.Collector.
func (e *events) Collect(to chan<- prometheus.Metric) {
	e.published.Collect(to)
	e.deleted.Collect(to)
	e.failures.Collect(to)
	e.queue.collect(to)
}

// queueFigures are what the last look at the queue showed.
type queueFigures struct {
	now     func() time.Time
	mu      sync.Mutex
	waiting int64
	oldest  time.Time
}

var (
	queueLength = prometheus.NewDesc("payoutd_event_queue_length", "Events that wait to be published, of all replicas.", nil, nil)
	queueAge    = prometheus.NewDesc("payoutd_event_queue_oldest_seconds",
		"Age of the oldest event that waits to be published; 0 if none waits. It grows while none can be published.", nil, nil)
)

func (q *queueFigures) set(waiting int64, oldest time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting, q.oldest = waiting, oldest
}

func (q *queueFigures) collect(to chan<- prometheus.Metric) {
	q.mu.Lock()
	defer q.mu.Unlock()
	age := 0.0
	if q.waiting > 0 {
		age = max(0, q.now().Sub(q.oldest).Seconds())
	}
	to <- prometheus.MustNewConstMetric(queueLength, prometheus.GaugeValue, float64(q.waiting))
	to <- prometheus.MustNewConstMetric(queueAge, prometheus.GaugeValue, age)
}
