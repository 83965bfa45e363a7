package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// What only operators need, for `payoutd clients`, `payoutd users` and `payoutd transactions` (D-19, D-20). Nothing here is
// reachable from the network.

// fingerprintLength is the number of digits of the hash that identify a secret. They reveal nothing, as secrets are random.
const fingerprintLength = 12

// maxActiveSecrets is how many secrets may be active at once (D-19).
const maxActiveSecrets = 2

// Errors of changes to clients and their secrets.
var (
	ErrNoClient   = errors.New("there is no such client")
	ErrNoSecret   = errors.New("there is no such secret of this client")
	ErrTwoSecrets = errors.New("two secrets are active already")
	ErrLastSecret = errors.New("it is the last active secret of this client")
)

// ClientRow is a client with its secrets, oldest first, including expired ones.
type ClientRow struct {
	payout.Client
	CreatedAt time.Time
	Secrets   []SecretRow
}

// SecretRow identifies a secret without its hash.
type SecretRow struct {
	Fingerprint string // the first 12 hexadecimal digits of its hash
	CreatedAt   time.Time
	Expires     time.Time // zero: does not expire
}

// Active reports whether the secret is accepted at a time.
func (s SecretRow) Active(at time.Time) bool { return s.Expires.IsZero() || s.Expires.After(at) }

// Clients lists all clients by id.
func (r reads) Clients(ctx context.Context) ([]ClientRow, error) {
	return r.clients(ctx, `true`)
}

// ClientRow reads one client; it returns false if there is none.
func (r reads) ClientRow(ctx context.Context, clientID payout.ClientID) (ClientRow, bool, error) {
	all, err := r.clients(ctx, `c.id = $1`, clientID)
	if err != nil || len(all) == 0 {
		return ClientRow{}, false, err
	}
	return all[0], true, nil
}

func (r reads) clients(ctx context.Context, where string, args ...any) ([]ClientRow, error) {
	type row struct {
		client ClientRow
		secret SecretRow
	}
	rows, err := list(ctx, r, func(s scanner, v *row) error {
		var hash sql.NullString
		var created, expires sql.NullInt64
		err := s.Scan(&v.client.ID, &v.client.Name, profileOf(&v.client.Client), &v.client.Disabled,
			timeColumn{&v.client.CreatedAt}, &hash, &created, &expires)
		if hash.Valid {
			v.secret = SecretRow{Fingerprint: Fingerprint(hash.String), CreatedAt: fromMicros(created.Int64)}
		}
		if expires.Valid {
			v.secret.Expires = fromMicros(expires.Int64)
		}
		return err
	}, `select c.id, c.name, c.profile, c.disabled, c.created_at, s.hash, s.created_at, s.expires_at
		from clients c left join client_secrets s on s.client_id = c.id
		where `+where+` order by c.id, s.created_at, s.hash`, args...)
	var all []ClientRow
	for _, v := range rows {
		if len(all) == 0 || all[len(all)-1].ID != v.client.ID {
			all = append(all, v.client)
		}
		if v.secret.Fingerprint != "" {
			last := &all[len(all)-1]
			last.Secrets = append(last.Secrets, v.secret)
		}
	}
	return all, err
}

// Fingerprint returns the part of the hash that identifies a secret.
func Fingerprint(hash string) string { return hash[:min(len(hash), fingerprintLength)] }

// ApplyClient updates the name and the profile of a client if changed reports a difference, and returns the client as it was
// before. If the client does not exist, it is created with a first secret that does not expire, and existed is false. A
// disabled client remains disabled.
func (s *Store) ApplyClient(
	ctx context.Context, c payout.Client, firstSecretHash string, at time.Time, changed func(before payout.Client) bool,
) (before payout.Client, existed bool, err error) {
	profile := profileText(c)
	err = s.write(ctx, func(t tx) error {
		before, existed = payout.Client{}, false
		// The insert comes first, because it waits for a concurrent one of the same id.
		n, err := t.exec(ctx, `insert into clients (id, name, profile, disabled, created_at) values ($1, $2, $3, $4, $5)
			on conflict (id) do nothing`, c.ID, c.Name, profile, false, micros(at))
		if err != nil {
			return err
		}
		if n == 1 {
			if err := t.insertSecret(ctx, c.ID, firstSecretHash, at); err != nil {
				return err
			}
			return t.auditProfile(ctx, nil, c, secretState{Fingerprint: Fingerprint(firstSecretHash)})
		}
		row, err := t.lockClient(ctx, c.ID)
		if err != nil {
			return err
		}
		before, existed = row.Client, true
		if !changed(before) {
			return nil
		}
		if _, err := t.exec(ctx, `update clients set name = $2, profile = $3 where id = $1`, c.ID, c.Name, profile); err != nil {
			return err
		}
		return t.auditProfile(ctx, &before, c)
	})
	return before, existed, err
}

// SetClientDisabled sets whether a client may call the service, and reports whether that changed. It returns ErrNoClient.
func (s *Store) SetClientDisabled(ctx context.Context, clientID payout.ClientID, disabled bool) (changed bool, err error) {
	err = s.write(ctx, func(t tx) error {
		changed = false
		row, err := t.lockClient(ctx, clientID)
		if err != nil || row.Disabled == disabled {
			return err
		}
		changed = true
		if _, err := t.exec(ctx, `update clients set disabled = $2 where id = $1`, clientID, disabled); err != nil {
			return err
		}
		return t.auditClient(ctx, clientID, &clientState{Disabled: &row.Disabled}, &clientState{Disabled: &disabled})
	})
	return changed, err
}

// RotateSecret adds a secret that does not expire; the others expire at oldExpire at the latest. It returns ErrNoClient, and
// ErrTwoSecrets if two are active at the time (D-19).
func (s *Store) RotateSecret(ctx context.Context, clientID payout.ClientID, hash string, at, oldExpire time.Time) error {
	return s.write(ctx, func(t tx) error {
		row, err := t.lockClient(ctx, clientID)
		if err != nil {
			return err
		}
		if row.active(at) >= maxActiveSecrets {
			return ErrTwoSecrets
		}
		if _, err := t.exec(ctx, `update client_secrets set expires_at = $2
			where client_id = $1 and (expires_at is null or expires_at > $2)`, clientID, micros(oldExpire)); err != nil {
			return err
		}
		if err := t.insertSecret(ctx, clientID, hash, at); err != nil {
			return err
		}
		return t.auditSecrets(ctx, row)
	})
}

// RevokeSecret lets a secret expire at the time, and reports whether it was active until then. It returns ErrNoClient,
// ErrNoSecret, and, unless forced, ErrLastSecret if no other secret is active.
func (s *Store) RevokeSecret(
	ctx context.Context, clientID payout.ClientID, fingerprint string, at time.Time, force bool,
) (wasActive bool, err error) {
	err = s.write(ctx, func(t tx) error {
		row, err := t.lockClient(ctx, clientID)
		if err != nil {
			return err
		}
		known := false
		wasActive = false
		for _, secret := range row.Secrets {
			if secret.Fingerprint == fingerprint {
				known, wasActive = true, wasActive || secret.Active(at)
			}
		}
		switch {
		case !known:
			return ErrNoSecret
		case !wasActive:
			return nil
		case !force && row.active(at) == 1:
			return ErrLastSecret
		}
		_, err = t.exec(ctx, `update client_secrets set expires_at = $3 where client_id = $1
			and substr(hash, 1, $4) = $2 and (expires_at is null or expires_at > $3)`,
			clientID, fingerprint, micros(at), fingerprintLength)
		if err != nil {
			return err
		}
		return t.auditSecrets(ctx, row)
	})
	return wasActive, err
}

func (c ClientRow) active(at time.Time) int {
	n := 0
	for _, s := range c.Secrets {
		if s.Active(at) {
			n++
		}
	}
	return n
}

// lockClient reads a client and locks it for this write. It returns ErrNoClient.
func (t tx) lockClient(ctx context.Context, clientID payout.ClientID) (ClientRow, error) {
	// An update that changes nothing locks the row on both engines.
	n, err := t.exec(ctx, `update clients set disabled = disabled where id = $1`, clientID)
	if err != nil {
		return ClientRow{}, err
	}
	row, ok, err := t.ClientRow(ctx, clientID)
	if err == nil && (n == 0 || !ok) {
		err = ErrNoClient
	}
	return row, err
}

func (t tx) insertSecret(ctx context.Context, clientID payout.ClientID, hash string, at time.Time) error {
	_, err := t.exec(ctx, `insert into client_secrets (client_id, hash, created_at) values ($1, $2, $3)`,
		clientID, hash, micros(at))
	return err
}
