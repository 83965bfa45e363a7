package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/seal"
	"github.com/crossborder-payouts/payouts/server/store"
)

// SecretsKeyError is returned by New for a file of Config.SecretsKey that cannot be used.
type SecretsKeyError struct{ Err error }

func (e SecretsKeyError) Error() string {
	return fmt.Sprintf("read the keyset for webhook secrets: %v", e.Err)
}

// Unwrap returns the cause.
func (e SecretsKeyError) Unwrap() error { return e.Err }

// sealer returns what encrypts webhook secrets, nil if there is no key for them (D-68).
func sealer(c Config) (payout.Sealer, error) {
	switch {
	case c.SecretsKey != "":
		keys, exposed, err := seal.Load(c.SecretsKey)
		if err != nil {
			return nil, SecretsKeyError{err}
		}
		if exposed {
			c.Logger.Warn("other users of the machine can read the key of webhook secrets; run chmod 600", slog.String("file", c.SecretsKey))
		}
		return keys, nil
	case c.Sandbox:
		return seal.Sandbox()
	}
	return nil, nil //nolint:nilnil // there is none
}

// warnOfNoKey says at the start why operations about webhooks will be answered with 503.
func warnOfNoKey(c Config) {
	if c.SecretsKey == "" && !c.Sandbox {
		c.Logger.Warn("there is no key for the secrets of webhooks, so that operations about webhooks are answered with 503; " +
			"create one with payoutd secrets-key create FILE, and set --secrets-key")
	}
}

// warnOfOtherKey says at the start that the key does not open the secrets of some webhook endpoints: it is not that of the
// replicas which sealed them, and what this one seals the others cannot open. The service starts nevertheless, because the key
// may be lost.
func warnOfOtherKey(ctx context.Context, c Config, db *store.Store, service *payout.Service) {
	closed, all, err := closedWebhooks(ctx, db, service, c.Now())
	switch {
	case err != nil:
		c.Logger.Warn("whether the key for the secrets of webhooks opens them is unknown", slog.Any("error", err))
	case closed > 0:
		c.Logger.Error("the key for the secrets of webhooks does not open those of some endpoints, whose deliveries fail; "+
			"give every replica the same file in --secrets-key", slog.Int("endpoints", closed), slog.Int("of", all))
	}
}

// closedWebhooks counts the endpoints whose secrets do not open, and all.
func closedWebhooks(ctx context.Context, db *store.Store, service *payout.Service, at time.Time) (closed, all int, err error) {
	clients, err := db.ClientIDs(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, id := range clients {
		endpoints, err := db.WebhookEndpoints(ctx, id, payout.Page{})
		if err != nil {
			return 0, 0, err
		}
		all += len(endpoints)
		for _, e := range endpoints {
			if _, err := service.WebhookSecrets(id, e, at); err != nil {
				closed++
			}
		}
	}
	return closed, all, nil
}
