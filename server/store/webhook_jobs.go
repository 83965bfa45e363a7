package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
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

// askedTag marks the attempts that a client asked for.
const askedTag = "asked"

// WebhookAsked reports whether a client asked for an attempt.
func WebhookAsked(job *river.Job[WebhookJob]) bool { return slices.Contains(job.Tags, askedTag) }

// insertOnce are the options of a job of which there is at most one with its arguments.
func insertOnce(at time.Time, priority int) *river.InsertOpts {
	return &river.InsertOpts{
		Queue: WebhookQueue, Priority: priority, ScheduledAt: at,
		MaxAttempts: 30_000, // deliveries count their attempts themselves
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
			rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning,
			rivertype.JobStateScheduled,
		}},
	}
}

// EnqueueWebhook makes the next attempt of a delivery due after a pause. One that waits or is being made stays as it is.
func (t tx) EnqueueWebhook(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, eventID payout.EventID, pause time.Duration,
) error {
	_, err := t.enqueueWebhook(ctx, WebhookJob{clientID, id, eventID}, insertOnce(time.Now().Add(pause), healthyPriority))
	return err
}

// EnqueueWebhookNow makes an attempt due now, as asked for by the client, in place of one that waits. One that is being made stays
// as it is.
func (t tx) EnqueueWebhookNow(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, eventID payout.EventID) error {
	job, options := WebhookJob{clientID, id, eventID}, insertOnce(time.Time{}, healthyPriority) // by the clock of the queue
	options.Tags = []string{askedTag}
	inserted, err := t.enqueueWebhook(ctx, job, options)
	if err != nil || !inserted.UniqueSkippedAsDuplicate {
		return err
	}
	// Tags cannot be changed.
	switch _, err = t.queue.JobDeleteTx(t.queueContext(ctx), t.sql, inserted.Job.ID); {
	case errors.Is(err, rivertype.ErrJobRunning):
		return nil
	case err != nil:
		return t.failed(fmt.Errorf("dequeue: %w", err))
	}
	_, err = t.enqueueWebhook(ctx, job, options)
	return err
}

func (t tx) enqueueWebhook(ctx context.Context, job WebhookJob, options *river.InsertOpts) (*rivertype.JobInsertResult, error) {
	inserted, err := t.queue.InsertTx(t.queueContext(ctx), t.sql, job, options)
	if err != nil {
		return nil, t.failed(fmt.Errorf("enqueue: %w", err))
	}
	return inserted, nil
}

// CompleteWebhookJob runs fn in one transaction in which the job is completed. The context is that of its worker. Like Write, it
// may run fn again.
func (s *Store) CompleteWebhookJob(ctx context.Context, job *river.Job[WebhookJob], fn func(payout.Tx) error) error {
	return s.write(ctx, func(t tx) error {
		// The job comes first: fn may enqueue the next attempt of the same delivery.
		if _, err := river.JobCompleteTx[riverdriver.Driver[*sql.Tx]](ctx, t.sql, job); err != nil {
			return t.failed(fmt.Errorf("complete job: %w", err))
		}
		return fn(t)
	})
}

// WebhookCancelation is the job that cancels what still waits for an endpoint that was disabled.
type WebhookCancelation struct {
	ClientID   payout.ClientID          `json:"client_id"`
	EndpointID payout.WebhookEndpointID `json:"endpoint_id"`
}

// Kind implements river.JobArgs.
func (WebhookCancelation) Kind() string { return "webhook_cancelation" }

// cancelBatch is how many deliveries are canceled in one transaction.
const cancelBatch = 1000

// CancelWebhookDeliveries makes a bounded number of the pending deliveries of an endpoint CANCELED, the oldest first. If there may
// be more, it returns true and lets a job cancel them. The jobs of the deliveries find that out.
func (t tx) CancelWebhookDeliveries(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID) (more bool, err error) {
	if more, err = t.cancelBatch(ctx, clientID, id); err != nil || !more {
		return more, err
	}
	job := WebhookCancelation{clientID, id}
	if _, err := t.queue.InsertTx(t.queueContext(ctx), t.sql, job, insertOnce(time.Time{}, healthyPriority)); err != nil {
		return false, t.failed(fmt.Errorf("enqueue: %w", err))
	}
	return true, nil
}

// cancelBatch is CancelWebhookDeliveries without the job.
func (t tx) cancelBatch(ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID) (more bool, err error) {
	type key struct {
		createdAt int64
		eventID   payout.EventID
	}
	// The last of the batch bounds a range of the index by status, so that no plan can look at more.
	last, more, err := oneAny(ctx, t.reads, func(s scanner, k *key) error { return s.Scan(&k.createdAt, &k.eventID) },
		`select created_at, event_id from webhook_deliveries where client_id = $1 and endpoint_id = $2 and status = $3
		order by created_at, event_id limit 1 offset $4`, clientID, id, string(payout.WebhookPending), int64(cancelBatch-1))
	if err != nil {
		return false, err
	}
	update := `update webhook_deliveries set status = $4, next_attempt_at = null where client_id = $1 and endpoint_id = $2 and status = $3`
	args := []any{clientID, id, string(payout.WebhookPending), string(payout.WebhookCanceled)}
	if more {
		update += ` and (created_at, event_id) <= ($5, $6)`
		args = append(args, last.createdAt, last.eventID)
	}
	_, err = t.execAny(ctx, update, args...)
	return more, err
}

// ContinueWebhookCancelation cancels a batch of what waits for the endpoint of a job, and returns whether there may be more. If
// not, or if the endpoint was enabled again, which cancels the rest before, the job is completed in the same transaction: who
// disables the endpoint later makes a new one. The context is that of its worker.
func (s *Store) ContinueWebhookCancelation(ctx context.Context, job *river.Job[WebhookCancelation]) (more bool, err error) {
	err = s.write(ctx, func(t tx) error {
		endpoint, ok, err := t.LockWebhookEndpoint(ctx, job.Args.ClientID, job.Args.EndpointID)
		if err != nil {
			return err
		}
		more = false
		if ok && endpoint.Disabled {
			if more, err = t.cancelBatch(ctx, job.Args.ClientID, job.Args.EndpointID); err != nil || more {
				return err
			}
		}
		if _, err := river.JobCompleteTx[riverdriver.Driver[*sql.Tx]](ctx, t.sql, job); err != nil {
			return t.failed(fmt.Errorf("complete job: %w", err))
		}
		return nil
	})
	return more, err
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
	all, _, err := oneAny(ctx, s.reads, func(row scanner, v *WebhookJobs) error { return row.Scan(&v.Running, &v.Due, &v.Later) },
		`select `+count("running")+`, `+count("available")+`, `+count("scheduled")+` + `+count("retryable"), WebhookQueue, int64(mostCounted))
	if err != nil {
		return WebhookJobs{}, err
	}
	for priority := healthyPriority; priority <= failingPriority; priority++ { // the index has them in this order
		at, ok, err := oneAny(ctx, s.reads, func(row scanner, v *time.Time) error { return row.Scan(v) }, `select scheduled_at from river_job
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
