package webhooks

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

const (
	// recordTime is how long the outcome of an attempt may take to be written.
	recordTime = 10 * time.Second
	// stopTime is how long attempts in flight may go on when the service stops. Others are made again, by another replica.
	stopTime = 5 * time.Second
	// databaseUsers is how many workers use the database at the same time, so that they never take all connections from requests.
	databaseUsers = 4
	// pollInterval is how often the queue is asked for what is due.
	pollInterval = 500 * time.Millisecond
)

// Config configures a Deliverer. Fields without a default are required.
type Config struct {
	Store *store.Store
	// Secrets opens the secrets of an endpoint that sign now, the newest first.
	Secrets func(payout.ClientID, payout.WebhookEndpoint) ([]string, error)
	// Body renders an event as GET /events/{event_id} does.
	Body    func(payout.Event) []byte
	Private bool // allow http, and addresses that are not public: for the sandbox
	Metrics *Metrics

	Workers int           // deliveries that a replica works on at the same time; 0: 400
	Timeout time.Duration // of an attempt; 0: 15 seconds
	// RescueAfter is when the attempts of a replica that was killed are made again by another; 0: two minutes. It must be
	// more than Timeout and 13 seconds.
	RescueAfter time.Duration

	Now    func() time.Time
	Logger *slog.Logger
}

// Deliverer delivers webhooks from Start to Stop.
type Deliverer struct {
	client *river.Client[*sql.Tx]
	sender *sender
}

// New returns a Deliverer that does nothing yet.
func New(c Config) (*Deliverer, error) {
	c.Workers = cmp.Or(c.Workers, 400)
	c.Timeout = cmp.Or(c.Timeout, 15*time.Second)
	c.RescueAfter = cmp.Or(c.RescueAfter, 2*time.Minute)
	w := &worker{config: c, sender: newSender(c.Timeout, c.Private, c.Now), gate: newGate[endpointKey](c.Workers)}
	w.database = make(chan struct{}, databaseUsers)
	workers := river.NewWorkers()
	if err := errors.Join(river.AddWorkerSafely(workers, w), river.AddWorkerSafely(workers, &canceler{worker: w})); err != nil {
		return nil, fmt.Errorf("webhooks: %w", err)
	}
	client, err := river.NewClient(c.Store.QueueDriver(), &river.Config{
		Queues:            map[string]river.QueueConfig{store.WebhookQueue: {MaxWorkers: c.Workers}},
		Workers:           workers,
		PollOnly:          true, // a pooler in transaction mode cannot listen
		FetchPollInterval: pollInterval,
		JobTimeout:        patience + c.Timeout + recordTime,
		// The end of a delivery is in our own tables.
		CompletedJobRetentionPeriod: 10 * time.Minute,
		RescueStuckJobsAfter:        c.RescueAfter,
		Logger:                      slog.New(warnings{c.Logger.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("webhooks: %w", err)
	}
	return &Deliverer{client, w.sender}, nil
}

// Start begins to deliver. The end of ctx does not stop it.
func (d *Deliverer) Start(ctx context.Context) error {
	if err := d.client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("webhooks: %w", err)
	}
	return nil
}

// Stop takes no more deliveries, waits some seconds for the attempts in flight, and gives the others back to the queue.
func (d *Deliverer) Stop(ctx context.Context) error {
	defer d.sender.close()
	patient, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	err := d.client.Stop(patient)
	if errors.Is(err, context.DeadlineExceeded) {
		err = d.client.StopAndCancel(ctx)
	}
	if err != nil {
		return fmt.Errorf("webhooks: %w", err)
	}
	return nil
}

// warnings drops what the queue logs about its normal work.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
