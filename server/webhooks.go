package server

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/crossborder-payouts/payouts/server/httpapi"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
	"github.com/crossborder-payouts/payouts/server/webhooks"
)

// webhooksEnd is how long webhooks may take to stop.
const webhooksEnd = 15 * time.Second

// fanOut returns what the publisher of events calls: it writes the deliveries of webhooks, whoever makes them.
func fanOut(db *store.Store, now func() time.Time) func(context.Context, *sql.Tx, []payout.Published) error {
	return func(ctx context.Context, tx *sql.Tx, all []payout.Published) error {
		return db.FanOutWebhooks(ctx, tx, now(), all)
	}
}

// deliver starts to deliver webhooks, unless that is off or there is no key for their secrets, and returns what stops it.
func deliver(ctx context.Context, c Config, db *store.Store, service *payout.Service, metrics *webhooks.Metrics) (stop func() error, err error) {
	if c.WebhooksOff || c.SecretsKey == "" && !c.Sandbox {
		return func() error { return nil }, nil
	}
	config := webhooks.Config{
		Store: db,
		Secrets: func(id payout.ClientID, e payout.WebhookEndpoint) ([]string, error) {
			return service.WebhookSecrets(id, e, c.Now())
		},
		Body: httpapi.EventBody, Private: c.Sandbox, Metrics: metrics,
		RescueAfter: c.WebhookRescue, Now: c.WebhookNow, Logger: c.Logger,
	}
	var d *webhooks.Deliverer
	err = db.Retry(ctx, func() (err error) { // replicas that start together write the same row of the queue
		if d, err = webhooks.New(config); err != nil {
			return err
		}
		return d.Start(ctx)
	})
	if err != nil {
		return nil, err
	}
	return sync.OnceValue(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), webhooksEnd)
		defer cancel()
		if err := d.Stop(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) { // others deliver what is left
			return err
		}
		return nil
	}), nil
}
