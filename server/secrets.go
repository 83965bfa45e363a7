package server

import (
	"fmt"
	"log/slog"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/seal"
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
