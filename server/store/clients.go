package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Client returns a client and its secrets that have not expired at the time.
func (r reads) Client(ctx context.Context, clientID payout.ClientID, at time.Time) (payout.Client, []payout.Secret, bool, error) {
	all, err := r.withSecrets(ctx, `$2`, r.keyed(micros(at), clientID)...)
	if err != nil || len(all) == 0 {
		return payout.Client{}, nil, false, err
	}
	return all[0].Client, all[0].Secrets, true, nil
}

// ClientsOf returns those of some clients that exist.
func (r reads) ClientsOf(ctx context.Context, ids []payout.ClientID, at time.Time) ([]payout.ClientSecrets, error) {
	args, marks := []any{micros(at)}, make([]string, len(ids))
	for i, id := range ids {
		args, marks[i] = append(args, id), fmt.Sprintf("$%d", i+2)
	}
	return r.withSecrets(ctx, strings.Join(marks, ", "), args...)
}

// withSecrets returns clients by their ids, with their secrets that have not expired at $1.
func (r reads) withSecrets(ctx context.Context, ids string, args ...any) ([]payout.ClientSecrets, error) {
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
		left join client_secrets s on s.client_id = c.id and (s.expires_at is null or s.expires_at > $1)
		where c.id in (`+ids+`) order by c.id`, args...)
	if err != nil {
		return nil, err
	}
	var all []payout.ClientSecrets
	for _, v := range rows {
		if len(all) == 0 || all[len(all)-1].Client.ID != v.client.ID {
			all = append(all, payout.ClientSecrets{Client: v.client})
		}
		if last := &all[len(all)-1]; v.secret.Hash != "" {
			last.Secrets = append(last.Secrets, v.secret)
		}
	}
	return all, nil
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
