package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/crossborder-payouts/payouts/server/store"
)

// canceler cancels what waits for a disabled endpoint, in small transactions that hold up nobody for long.
type canceler struct {
	river.WorkerDefaults[store.WebhookCancelation]
	worker *worker
}

// NextRetry implements river.Worker: what a killed replica left behind is due at once.
func (c *canceler) NextRetry(*river.Job[store.WebhookCancelation]) time.Time { return time.Now() }

// Work implements river.Worker. It never fails: what is not done in time, or cannot be done now, comes back.
func (c *canceler) Work(ctx context.Context, job *river.Job[store.WebhookCancelation]) error {
	for begun := time.Now(); time.Since(begun) < recordTime; {
		more, err := c.batch(ctx, job)
		switch {
		case err == nil && !more:
			return nil
		case err != nil && errors.Is(ctx.Err(), context.Canceled): // the service stops; another replica may go on
			return river.JobSnooze(0)
		case err != nil:
			c.worker.config.Logger.Error("webhook: what waits for a disabled endpoint could not be canceled",
				slog.String("client_id", string(job.Args.ClientID)), slog.String("endpoint_id", string(job.Args.EndpointID)), slog.Any("error", err))
			c.worker.config.Metrics.troubles.Inc()
			return river.JobSnooze(troublePause)
		}
	}
	return river.JobSnooze(0)
}

func (c *canceler) batch(ctx context.Context, job *river.Job[store.WebhookCancelation]) (more bool, err error) {
	leave, err := c.worker.useDatabase(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	return c.worker.config.Store.ContinueWebhookCancelation(ctx, job)
}
