package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/riverqueue/river"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// troublePause is when a delivery is tried again for which the service itself could not do its part.
const troublePause = 30 * time.Second

// endpointKey identifies an endpoint.
type endpointKey struct {
	clientID payout.ClientID
	id       payout.WebhookEndpointID
}

// worker makes one attempt of a delivery for each job.
type worker struct {
	river.WorkerDefaults[store.WebhookJob]
	config Config

	sender *sender
	gate   *gate[endpointKey]
	// database has room for those that use it.
	database chan struct{}
}

// NextRetry implements river.Worker: what a killed replica left behind is due at once.
func (w *worker) NextRetry(*river.Job[store.WebhookJob]) time.Time { return time.Now() }

// Work implements river.Worker. It never fails: a job that cannot be done now comes back later.
func (w *worker) Work(ctx context.Context, job *river.Job[store.WebhookJob]) error {
	key, asked := endpointKey{job.Args.ClientID, job.Args.EndpointID}, store.WebhookAsked(job)
	pass, snooze, err := w.gate.enter(ctx, key, asked)
	if err == nil && pass == nil && w.gate.mayLook(key) && w.restored(ctx, key) {
		w.gate.restore(key)
		pass, snooze, err = w.gate.enter(ctx, key, asked)
	}
	switch {
	case err != nil: // the service stops
		return river.JobSnooze(0)
	case pass == nil:
		w.config.Metrics.snoozed.Inc()
		return river.JobSnooze(snooze)
	}
	v := unknown
	defer func() { pass.leave(v) }()
	m, err := w.prepare(ctx, job.Args)
	var o outcome
	if err == nil && m == nil {
		err = w.complete(ctx, job, func(ctx context.Context, tx payout.Tx) error { return w.giveUp(ctx, tx, job.Args) })
		return w.comesBack(ctx, job, err)
	}
	if err == nil {
		o, err = w.sender.send(ctx, *m)
	}
	if err != nil {
		return w.comesBack(ctx, job, err)
	}
	if v = works; o.failure != "" {
		v = fails
	}
	return w.comesBack(ctx, job, w.record(ctx, job, o))
}

// useDatabase waits for room among those that use the database. The caller must call leave.
func (w *worker) useDatabase(ctx context.Context) (leave func(), err error) {
	select {
	case w.database <- struct{}{}:
		return func() { <-w.database }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// restored reports whether an endpoint that failed does not count as failing any more: its client changed or enabled it, or it
// works for another replica.
func (w *worker) restored(ctx context.Context, key endpointKey) bool {
	leave, err := w.useDatabase(ctx)
	if err != nil {
		return false
	}
	defer leave()
	endpoint, ok, err := w.config.Store.WebhookEndpoint(ctx, key.clientID, key.id)
	return err == nil && ok && endpoint.FailingSince.IsZero()
}

// comesBack returns the job to the queue if there was an error.
func (w *worker) comesBack(ctx context.Context, job *river.Job[store.WebhookJob], err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled): // the service stops; another replica may go on
		return river.JobSnooze(0)
	}
	w.config.Metrics.troubles.Inc() // before the log, whose reader may look at it
	w.config.Logger.Error("webhook: an attempt could not be made or recorded", append(about(job.Args), slog.Any("error", err))...)
	return river.JobSnooze(troublePause)
}

func about(job store.WebhookJob) []any {
	return []any{
		slog.String("client_id", string(job.ClientID)), slog.String("endpoint_id", string(job.EndpointID)),
		slog.String("event_id", string(job.EventID)),
	}
}

// giveUp ends a job whose delivery is not to be sent. One that is pending is canceled if its endpoint is disabled, before the batch
// with it was canceled; else the client asked for another attempt meanwhile, while the job still counted as one.
func (w *worker) giveUp(ctx context.Context, tx payout.Tx, job store.WebhookJob) error {
	endpoint, ok, err := tx.LockWebhookEndpoint(ctx, job.ClientID, job.EndpointID)
	if err != nil || !ok {
		return err
	}
	d, ok, err := tx.WebhookDelivery(ctx, job.ClientID, job.EndpointID, job.EventID)
	switch {
	case err != nil || !ok || d.Status != payout.WebhookPending:
		return err
	case endpoint.Disabled:
		return cancel(ctx, tx, job.ClientID, d)
	default:
		return tx.EnqueueWebhookNow(ctx, job.ClientID, job.EndpointID, job.EventID)
	}
}

func cancel(ctx context.Context, tx payout.Tx, clientID payout.ClientID, d payout.WebhookDelivery) error {
	d.Status, d.NextAttemptAt = payout.WebhookCanceled, time.Time{}
	return tx.SetWebhookDelivery(ctx, clientID, d)
}

// prepare returns what is to be sent, nil if the delivery is not pending any more, or its endpoint is disabled.
func (w *worker) prepare(ctx context.Context, job store.WebhookJob) (*message, error) {
	leave, err := w.useDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	d, ok, err := w.config.Store.WebhookDelivery(ctx, job.ClientID, job.EndpointID, job.EventID)
	if err != nil || !ok || d.Status != payout.WebhookPending {
		return nil, err
	}
	endpoint, ok, err := w.config.Store.WebhookEndpoint(ctx, job.ClientID, job.EndpointID)
	if err != nil || !ok || endpoint.Disabled {
		return nil, err
	}
	event := payout.Event{ID: d.EventID, Type: d.EventType, CreatedAt: d.CreatedAt, Data: d.Payload}
	if d.Payload == nil {
		if event, ok, err = w.config.Store.Event(ctx, job.ClientID, job.EventID); err != nil || !ok { // deleted meanwhile
			return nil, err
		}
	}
	secrets, err := w.config.Secrets(job.ClientID, endpoint)
	if err != nil {
		return nil, err
	}
	return &message{url: endpoint.URL, id: string(job.EventID), body: w.config.Body(event), secrets: secrets}, nil
}

// complete writes the end of a job together with what fn writes, even if the service stops meanwhile.
func (w *worker) complete(ctx context.Context, job *river.Job[store.WebhookJob], fn func(context.Context, payout.Tx) error) error {
	w.database <- struct{}{}
	defer func() { <-w.database }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	return w.config.Store.CompleteWebhookJob(ctx, job, func(tx payout.Tx) error { return fn(ctx, tx) })
}

// record writes an attempt and its consequence.
func (w *worker) record(ctx context.Context, job *river.Job[store.WebhookJob], o outcome) error {
	var (
		c      consequence
		number int
	)
	err := w.complete(ctx, job, func(ctx context.Context, tx payout.Tx) (err error) {
		c, number, err = w.apply(ctx, tx, job.Args, o)
		return err
	})
	if err != nil {
		return err
	}
	w.config.Metrics.attempted(o)
	w.config.Metrics.ended(c.status)
	attrs := append(about(job.Args), slog.Int("attempt", number), slog.Duration("took", o.took))
	if o.failure == "" {
		w.config.Logger.Debug("webhook delivered", attrs...)
		return nil
	}
	w.config.Logger.Info("webhook failed", append(attrs, slog.String("error", o.failure), slog.Int("status", o.status),
		slog.String("delivery", string(c.status)))...)
	if c.disabled != "" {
		w.config.Metrics.disabled.Inc()
		w.config.Logger.Warn("webhook endpoint disabled", append(about(job.Args), slog.String("reason", string(c.disabled)))...)
	}
	return nil
}

// apply writes an attempt and its consequence, and returns that and the number of the attempt.
func (w *worker) apply(ctx context.Context, tx payout.Tx, job store.WebhookJob, o outcome) (consequence, int, error) {
	endpoint, err := w.endpointFor(ctx, tx, job, o)
	if err != nil {
		return consequence{}, 0, err
	}
	d, ok, err := tx.WebhookDelivery(ctx, job.ClientID, job.EndpointID, job.EventID)
	if err != nil || !ok { // deleted with the endpoint, or with the event
		return consequence{}, 0, err
	}
	number := 1
	if n := len(d.Attempts); n > 0 {
		number = d.Attempts[n-1].Number + 1
	}
	if err := tx.AddWebhookAttempt(ctx, job.ClientID, job.EndpointID, job.EventID, payout.WebhookAttempt{
		At: o.began, Duration: o.took, HTTPStatus: o.status, Error: o.failure,
	}); err != nil {
		return consequence{}, 0, err
	}
	c := judge(o, number, endpoint, rand.Float64())
	if d.Status != payout.WebhookPending && c.status != payout.WebhookDelivered { // canceled, or delivered by another replica
		return consequence{status: d.Status}, number, nil
	}
	if endpoint.Disabled && c.status != payout.WebhookDelivered { // meanwhile; the batch with this delivery is yet to come
		return consequence{status: payout.WebhookCanceled}, number, cancel(ctx, tx, job.ClientID, d)
	}
	if c.failingSince != endpoint.FailingSince || c.disabled != "" {
		endpoint.FailingSince = c.failingSince
		if c.disabled != "" {
			endpoint.Disabled, endpoint.DisabledReason, endpoint.UpdatedAt = true, c.disabled, w.config.Now()
			if _, err := tx.CancelWebhookDeliveries(ctx, job.ClientID, job.EndpointID); err != nil {
				return consequence{}, 0, err
			}
		}
		if err := tx.UpdateWebhookEndpoint(ctx, job.ClientID, endpoint); err != nil {
			return consequence{}, 0, err
		}
	}
	d.Status, d.NextAttemptAt = c.status, time.Time{}
	if c.status == payout.WebhookPending {
		d.NextAttemptAt = w.config.Now().Add(c.pause)
		if err := tx.EnqueueWebhook(ctx, job.ClientID, job.EndpointID, job.EventID, c.pause); err != nil {
			return consequence{}, 0, err
		}
	}
	return c, number, tx.SetWebhookDelivery(ctx, job.ClientID, d)
}

// endpointFor reads the endpoint of a delivery, locked if the attempt may change it: a success does so only after a failure.
func (w *worker) endpointFor(ctx context.Context, tx payout.Tx, job store.WebhookJob, o outcome) (payout.WebhookEndpoint, error) {
	if o.failure == "" {
		endpoint, _, err := tx.WebhookEndpoint(ctx, job.ClientID, job.EndpointID)
		if err != nil || endpoint.FailingSince.IsZero() {
			return endpoint, err
		}
	}
	endpoint, _, err := tx.LockWebhookEndpoint(ctx, job.ClientID, job.EndpointID)
	return endpoint, err
}
