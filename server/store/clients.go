package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Client returns a client and its secrets that have not expired at the time.
func (r reads) Client(ctx context.Context, clientID payout.ClientID, at time.Time) (payout.Client, []payout.Secret, bool, error) {
	type row struct {
		client payout.Client
		secret payout.Secret
	}
	rows, err := list(ctx, r, func(s scanner, v *row) error {
		var hash sql.NullString
		var expires sql.NullInt64
		err := s.Scan(&v.client.ID, &v.client.Name, profileOf(&v.client), &v.client.Disabled, &hash, &expires)
		v.secret.Hash = hash.String
		if expires.Valid {
			v.secret.Expires = fromMicros(expires.Int64)
		}
		return err
	}, `select c.id, c.name, c.profile, c.disabled, s.hash, s.expires_at
		from clients c
		left join client_secrets s on s.client_id = c.id and (s.expires_at is null or s.expires_at > $2)
		where c.id = $1`, r.keyed(clientID, micros(at))...)
	if err != nil || len(rows) == 0 {
		return payout.Client{}, nil, false, err
	}
	var secrets []payout.Secret
	for _, v := range rows {
		if v.secret.Hash != "" {
			secrets = append(secrets, v.secret)
		}
	}
	return rows[0].client, secrets, true, nil
}

// ClientIDs lists the ids of all clients.
func (s *Store) ClientIDs(ctx context.Context) ([]payout.ClientID, error) {
	return list(ctx, s.reads, func(s scanner, id *payout.ClientID) error { return s.Scan(id) }, `select id from clients order by id`)
}

// PutClient inserts or replaces a client, and adds a secret that does not expire.
func (s *Store) PutClient(ctx context.Context, c payout.Client, secretHash string, at time.Time) error {
	return s.write(ctx, func(t tx) error {
		profile := profileText(c)
		if _, err := t.exec(ctx, `insert into clients (id, name, profile, disabled, created_at) values ($1, $2, $3, $4, $5)
			on conflict (id) do update set name = excluded.name, profile = excluded.profile, disabled = excluded.disabled`,
			c.ID, c.Name, profile, c.Disabled, micros(at)); err != nil {
			return err
		}
		_, err := t.exec(ctx, `insert into client_secrets (client_id, hash, created_at) values ($1, $2, $3)
			on conflict (client_id, hash) do nothing`, c.ID, secretHash, micros(at))
		return err
	})
}
