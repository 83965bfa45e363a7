package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// newSecret returns 256 random bits.
func newSecret() string {
	random := make([]byte, 32)
	rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// printSecret prints a secret on a line of its own, the last one, for scripts.
func printSecret(out io.Writer, id, secret string) {
	fmt.Fprintf(out, "The new secret of client %s (fingerprint %s). It is not stored and cannot be shown again:\n%s\n",
		id, store.Fingerprint(payout.HashSecret(secret)), secret)
}

type rotateSecret struct {
	changing
	ID    string        `arg:"" help:"Id of the client."`
	Grace time.Duration `help:"How long the old secret stays active, such as 30m or 24h." default:"24h"`
}

// Run creates a secret.
func (r rotateSecret) Run(ctx context.Context, std streams) error {
	if err := checkClient(r.ID); err != nil {
		return err
	}
	if r.Grace < 0 {
		return usageError{"grace", errors.New("must not be negative")}
	}
	return r.with(ctx, func(db *store.Store) error {
		secret, now := newSecret(), time.Now()
		err := db.RotateSecret(ctx, payout.ClientID(r.ID), payout.HashSecret(secret), now, now.Add(r.Grace))
		if errors.Is(err, store.ErrTwoSecrets) {
			return fmt.Errorf("%w; end one of them before with payoutd clients revoke-secret, "+
				"or wait until it expires (payoutd clients show %s lists them)", err, r.ID)
		}
		if err != nil {
			return err
		}
		printSecret(std.out, r.ID, secret)
		return nil
	})
}

type revokeSecret struct {
	changing
	ID          string `arg:"" help:"Id of the client."`
	Fingerprint string `arg:"" help:"Fingerprint of the secret, as printed by payoutd clients show."`
	Force       bool   `help:"Revoke even the last active secret, which locks the client out."`
}

var fingerprintPattern = regexp.MustCompile(`^[0-9a-f]{12}$`)

// Run revokes a secret.
func (r revokeSecret) Run(ctx context.Context, std streams) error {
	if err := checkClient(r.ID); err != nil {
		return err
	}
	if !fingerprintPattern.MatchString(r.Fingerprint) {
		return usageError{"<fingerprint>", errors.New("must be 12 hexadecimal digits, as printed by payoutd clients show")}
	}
	return r.with(ctx, func(db *store.Store) error {
		wasActive, err := db.RevokeSecret(ctx, payout.ClientID(r.ID), r.Fingerprint, time.Now(), r.Force)
		switch {
		case errors.Is(err, store.ErrLastSecret):
			return fmt.Errorf("%w; make another with payoutd clients rotate-secret %s, or use --force", err, r.ID)
		case err != nil:
			return err
		case wasActive:
			fmt.Fprintf(std.out, "Secret %s of client %s is revoked.\n", r.Fingerprint, r.ID)
		default:
			fmt.Fprintf(std.out, "No change: secret %s of client %s has already expired.\n", r.Fingerprint, r.ID)
		}
		return nil
	})
}

type clientsDisable struct {
	changing
	ID string `arg:"" help:"Id of the client."`
}

// Run disables a client.
func (d clientsDisable) Run(ctx context.Context, std streams) error {
	return setDisabled(ctx, std, d.changing, d.ID, true)
}

type clientsEnable struct {
	changing
	ID string `arg:"" help:"Id of the client."`
}

// Run enables a client.
func (e clientsEnable) Run(ctx context.Context, std streams) error {
	return setDisabled(ctx, std, e.changing, e.ID, false)
}

func setDisabled(ctx context.Context, std streams, c changing, id string, disabled bool) error {
	if err := checkClient(id); err != nil {
		return err
	}
	return c.with(ctx, func(db *store.Store) error {
		changed, err := db.SetClientDisabled(ctx, payout.ClientID(id), disabled)
		switch {
		case err != nil:
			return err
		case changed:
			fmt.Fprintf(std.out, "Client %s is %s.\n", id, state(disabled))
		default:
			fmt.Fprintf(std.out, "No change: client %s is already %s.\n", id, state(disabled))
		}
		return nil
	})
}
