package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// WebhookQueue is the name of the queue of webhooks.
const WebhookQueue = "webhooks"

// WebhookJob is an attempt of a delivery that is due, now or later. It has ids only, so that neither secrets nor personal data
// are in the queue. There is at most one for each delivery.
type WebhookJob struct {
	ClientID   payout.ClientID          `json:"client_id"`
	EndpointID payout.WebhookEndpointID `json:"endpoint_id"`
	EventID    payout.EventID           `json:"event_id"`
}

// Kind implements river.JobArgs.
func (WebhookJob) Kind() string { return "webhook" }

// Priorities of jobs: what an endpoint gets beyond burst in one publication comes after the first deliveries of all others, and
// what goes to an endpoint that fails comes last.
const (
	healthyPriority = 1
	burstPriority   = 2
	failingPriority = 3
	burst           = 16
)

func (j WebhookJob) options(at time.Time, priority int) *river.InsertOpts {
	return &river.InsertOpts{
		Queue: WebhookQueue, Priority: priority, ScheduledAt: at,
		MaxAttempts: 30_000, // deliveries count their attempts themselves
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
			rivertype.JobStateScheduled,
		}},
	}
}

// EnqueueWebhook makes the next attempt of a delivery due after a pause. If one is due already, or being made, it stays as it
// is; one that is due later is made now if there is no pause.
func (t tx) EnqueueWebhook(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, eventID payout.EventID, pause time.Duration,
) error {
	return t.enqueueWebhook(ctx, WebhookJob{clientID, id, eventID}, pause, healthyPriority)
}

func (t tx) enqueueWebhook(ctx context.Context, job WebhookJob, pause time.Duration, priority int) error {
	transaction := t.db.(*sql.Tx)
	var at time.Time // now, by the clock of the queue
	if pause > 0 {
		at = time.Now().Add(pause)
	}
	inserted, err := t.queue.InsertTx(ctx, transaction, job, job.options(at, priority))
	if err != nil {
		return t.failed(fmt.Errorf("enqueue: %w", err))
	}
	if inserted.UniqueSkippedAsDuplicate && pause == 0 {
		if _, err := t.queue.JobRetryTx(ctx, transaction, inserted.Job.ID); err != nil {
			return t.failed(fmt.Errorf("enqueue: %w", err))
		}
	}
	return nil
}

// CompleteWebhookJob runs fn in one transaction in which the job is completed. The context is that of its worker. Like Write, it
// may run fn again.
func (s *Store) CompleteWebhookJob(ctx context.Context, job *river.Job[WebhookJob], fn func(payout.Tx) error) error {
	return s.write(ctx, func(t tx) error {
		// The job comes first: fn may enqueue the next attempt of the same delivery.
		if _, err := river.JobCompleteTx[riverdriver.Driver[*sql.Tx]](ctx, t.db.(*sql.Tx), job); err != nil {
			return t.failed(fmt.Errorf("complete job: %w", err))
		}
		return fn(t)
	})
}

// CancelWebhookDeliveries makes all pending deliveries of an endpoint CANCELED. Their jobs find that out.
func (t tx) CancelWebhookDeliveries(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID) error {
	_, err := t.exec(ctx, `update webhook_deliveries set status = $4, next_attempt_at = null
		where client_id = $1 and endpoint_id = $2 and status = $3`, clientID, id, string(payout.WebhookPending), string(payout.WebhookCanceled))
	return err
}

// mostCounted is how far the rows of a queue are counted, so that the count takes no longer the more of them wait.
const mostCounted = 100_000

// WebhookJobs is what the queue of webhooks holds; numbers above mostCounted are not exact.
type WebhookJobs struct {
	Running int64     // attempts that are being made, by any replica
	Due     int64     // attempts that are due, or will be within seconds
	Later   int64     // attempts that are due later
	Oldest  time.Time // since when the oldest of Due is due; zero: there is none
}

// WebhookJobs counts the jobs.
func (s *Store) WebhookJobs(ctx context.Context) (WebhookJobs, error) {
	count := func(state string) string {
		return `(select count(*) from (select 1 from river_job where state = '` + state + `' and queue = $1 limit $2) as ` + state + `)`
	}
	all, _, err := one(ctx, s.reads, func(row scanner, v *WebhookJobs) error { return row.Scan(&v.Running, &v.Due, &v.Later) },
		`select `+count("running")+`, `+count("available")+`, `+count("scheduled")+` + `+count("retryable"), WebhookQueue, int64(mostCounted))
	if err != nil {
		return WebhookJobs{}, err
	}
	for priority := healthyPriority; priority <= failingPriority; priority++ { // the index has them in this order
		at, ok, err := one(ctx, s.reads, func(row scanner, v *time.Time) error { return row.Scan(v) }, `select scheduled_at from river_job
			where state = 'available' and queue = $1 and priority = $2 order by scheduled_at limit 1`, WebhookQueue, priority)
		if err != nil {
			return WebhookJobs{}, err
		}
		if ok && (all.Oldest.IsZero() || at.Before(all.Oldest)) {
			all.Oldest = at
		}
	}
	return all, nil
}
