package store

import (
	"context"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// IdempotencyKey returns what a key was used for, once a failover cannot lose that any more.
func (r reads) IdempotencyKey(ctx context.Context, clientID payout.ClientID, key string) (payout.UsedKey, bool, error) {
	return one(ctx, r, func(s scanner, u *payout.UsedKey) error { return s.Scan(&u.Fingerprint, &u.ResourceID) },
		`select fingerprint, resource_id from idempotency_keys where client_id = $1 and idempotency_key = $2`+r.engine.kept, clientID, key)
}

// InsertIdempotencyKey takes a key for a resource that the same write creates, with the next query if the engine has round trips,
// and at the latest when what it returns is called. It waits for a concurrent write with that key, and returns false without
// writing if that one was committed.
func (t tx) InsertIdempotencyKey(
	ctx context.Context, clientID payout.ClientID, key payout.Idempotency, resourceID string,
) (free func() (bool, error)) {
	inserted := askOne(ctx, t.reads, func(s scanner, one *int) error { return s.Scan(one) },
		`insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)
		values ($1, $2, $3, $4) on conflict (client_id, idempotency_key) do nothing returning 1`,
		clientID, key.Key, key.Fingerprint, resourceID)
	return func() (bool, error) {
		_, ok, err := inserted()
		return ok, err
	}
}

// ResourceKeys returns the keys that created resources of a client, by the id of the resource.
func (r reads) ResourceKeys(ctx context.Context, clientID payout.ClientID, resourceIDs []string) (map[string]payout.Idempotency, error) {
	type row struct {
		id  string
		key payout.Idempotency
	}
	keys := make(map[string]payout.Idempotency, len(resourceIDs))
	for ids := range slices.Chunk(resourceIDs, 500) { // the parameters of a statement are limited
		in, args := inList(ids, clientID)
		rows, err := list(ctx, r, func(s scanner, v *row) error { return s.Scan(&v.id, &v.key.Key, &v.key.Fingerprint) },
			`select resource_id, idempotency_key, fingerprint from idempotency_keys
			where client_id = $1 and resource_id in `+in, args...)
		if err != nil {
			return nil, err
		}
		for _, v := range rows {
			keys[v.id] = v.key
		}
	}
	return keys, nil
}
