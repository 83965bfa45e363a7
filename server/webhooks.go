package server

import (
	"context"
	"database/sql"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// fanOut returns what the publisher of events calls: it writes the deliveries of webhooks, whoever makes them.
func fanOut(db *store.Store, now func() time.Time) func(context.Context, *sql.Tx, []payout.Published) error {
	return func(ctx context.Context, tx *sql.Tx, all []payout.Published) error {
		return db.FanOutWebhooks(ctx, tx, now(), all)
	}
}
