package payout

import (
	"context"
	"errors"
)

// Idempotency is the key that a caller sent and the fingerprint of the request (D-16); it is zero without a key.
type Idempotency struct{ Key, Fingerprint string }

// UsedKey is what a key was used for: the fingerprint of the request and the id of what it created.
type UsedKey struct{ Fingerprint, ResourceID string }

// errNotThere is returned for a key whose resource is missing, which `payoutd check` reports.
var errNotThere = errors.New("the resource of an idempotency key is missing")

// creation is how one resource is created.
type creation[T any, ID ~string] struct {
	// check rejects what is wrong with the request alone, before anything is written; it may be nil. Rules about what may
	// change belong in create, where a repeat waits for the first request (D-65).
	check func() error
	// read reads what create needs, and judges nothing; it may be nil. It may share the round trip that takes the key.
	read func(r Reader) error
	// create checks the rules and writes the resource with this id.
	create func(tx Tx, id ID) (T, error)
	// find reads the resource in its present state.
	find func(r Reader, id ID) (T, bool, error)
}

// once creates a resource, or returns the one that the key created before; replayed reports which (D-16, D-54). It returns
// CodeIdempotencyKeyReused for a key that was used with another fingerprint, and the errors of the creation. A rejected
// creation writes nothing and leaves the key unused. Without a key, each call creates a resource.
func once[T any, ID ~string](
	ctx context.Context, s *Service, c Client, key Idempotency, n creation[T, ID],
) (v T, replayed bool, err error) {
	if v, replayed, err = write(ctx, s, c, key, n); err == nil {
		return v, replayed, nil
	}
	// The key may be taken all the same: the database does not accept writes any more, or only the response to the commit was
	// lost, or the request would be rejected today.
	if first, again, lookup := replay(ctx, s.store, c, key, n); again || lookup != nil {
		return first, again, lookup
	}
	return v, false, err
}

// write creates the resource and takes the key, both or neither. It takes the key before it checks any rule, so that a
// concurrent repeat waits here.
func write[T any, ID ~string](
	ctx context.Context, s *Service, c Client, key Idempotency, n creation[T, ID],
) (v T, replayed bool, err error) {
	if n.check != nil {
		if err := n.check(); err != nil {
			return v, false, err
		}
	}
	err = s.store.Write(ctx, func(tx Tx) error { // which may be repeated
		replayed = false
		id := s.newID()
		free := func() (bool, error) { return true, nil }
		if key.Key != "" {
			free = tx.InsertIdempotencyKey(ctx, c.ID, key, id)
		}
		if n.read != nil {
			if err := n.read(tx); err != nil {
				return err
			}
		}
		switch ok, err := free(); {
		case err != nil:
			return err
		case !ok:
			v, replayed, err = replay(ctx, tx, c, key, n)
			return err
		}
		v, err = n.create(tx, ID(id))
		return err
	})
	return v, replayed, err
}

// replay returns what the key created, if it was used.
func replay[T any, ID ~string](
	ctx context.Context, r Reader, c Client, key Idempotency, n creation[T, ID],
) (v T, ok bool, err error) {
	if key.Key == "" {
		return v, false, nil
	}
	used, ok, err := r.IdempotencyKey(ctx, c.ID, key.Key)
	switch {
	case err != nil || !ok:
		return v, false, err
	case used.Fingerprint != key.Fingerprint: // an equal fingerprint implies the same operation and the same user
		return v, false, NewError(CodeIdempotencyKeyReused,
			Violation{"header", "X-Idempotency-Key", "must be new for a different request"})
	}
	if v, ok, err = n.find(r, ID(used.ResourceID)); err == nil && !ok {
		err = errNotThere
	}
	return v, ok, err
}
