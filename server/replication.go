package server

import (
	"context"
	"log/slog"

	"github.com/crossborder-payouts/payouts/server/store"
)

// warnOfLoss logs a warning if a failover of the database may lose acknowledged transactions. The service starts nevertheless:
// the setting can change at any time, and just after a failover there may be no other standby.
func warnOfLoss(ctx context.Context, db *store.Store, log *slog.Logger) {
	r, err := db.Replication(ctx)
	switch {
	case err != nil:
		log.Warn("whether the database waits for a standby is unknown", slog.Any("error", err))
	case r.AtRisk():
		log.Warn("a failover can lose acknowledged transactions, and their repeats would then create others: PostgreSQL does not wait"+
			" for a standby (synchronous_standby_names is empty, or synchronous_commit is off or local); see server/FAILOVER.md",
			slog.Int("hosts", r.Hosts), slog.Int("standbys", r.Standbys))
	}
}
