package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

func always(payout.Client) bool { return true }

// active returns the hashes that the service would accept at a time.
func active(t *testing.T, db Database, id payout.ClientID, at time.Time) map[string]bool {
	t.Helper()
	client, secrets, ok, err := db.Client(t.Context(), id, at)
	found(client, ok, err)(t)
	hashes := map[string]bool{}
	for _, s := range secrets {
		hashes[s.Hash] = true
	}
	return hashes
}

func clientApply(t *testing.T, db Database) {
	ctx := t.Context()
	f := filler{prefix: "client"}
	first, second := filled[payout.Client](&f), filled[payout.Client](&f)
	first.ID, first.Disabled, second.ID, second.Disabled = "a", false, "a", false
	before, existed, err := db.ApplyClient(ctx, first, "one", origin, func(payout.Client) bool {
		t.Error("a new client was compared")
		return false
	})
	if err != nil || existed {
		t.Fatalf("existed %t, %v", existed, err)
	}
	same(t, "the client before", before, payout.Client{})
	row := found(db.ClientRow(ctx, "a"))(t)
	same(t, "the new client", row, store.ClientRow{
		Client: first, CreatedAt: origin, Secrets: []store.SecretRow{{Fingerprint: "one", CreatedAt: origin}},
	})
	if _, err := db.SetClientDisabled(ctx, "a", true); err != nil {
		t.Fatal(err)
	}
	first.Disabled, second.Disabled = true, true // stays
	for _, c := range []struct {
		changed bool
		before  payout.Client
		after   payout.Client
	}{{false, first, first}, {true, first, second}, {true, second, second}} {
		before, existed, err = db.ApplyClient(ctx, second, "another", origin.Add(time.Hour), func(before payout.Client) bool {
			same(t, "what is compared", before, c.before)
			return c.changed
		})
		if err != nil || !existed {
			t.Fatalf("existed %t, %v", existed, err)
		}
		same(t, "the client before", before, c.before)
		row.Client = c.after
		same(t, "the client after, its secret and time as they were", found(db.ClientRow(ctx, "a"))(t), row)
	}
	if _, _, err := db.ApplyClient(ctx, payout.Client{ID: "b"}, "two", origin, always); err != nil {
		t.Fatal(err)
	}
	all := must(db.Clients(ctx))(t)
	if len(all) != 2 || all[0].ID != "a" || all[1].ID != "b" || len(all[0].Secrets) != 1 || len(all[1].Secrets) != 1 {
		t.Errorf("clients %+v", all)
	}
	if _, ok, err := db.ClientRow(ctx, "c"); ok || err != nil {
		t.Errorf("an unknown client: %t, %v", ok, err)
	}
}

func clientDisable(t *testing.T, db Database) {
	ctx := t.Context()
	putClient(t, db, payout.Client{ID: "a"}, "hash")
	putClient(t, db, payout.Client{ID: "b"}, "hash")
	for _, c := range []struct{ disabled, changed bool }{{false, false}, {true, true}, {true, false}, {false, true}} {
		changed, err := db.SetClientDisabled(ctx, "a", c.disabled)
		if err != nil || changed != c.changed {
			t.Errorf("disabled %t: changed %t, %v", c.disabled, changed, err)
		}
		same(t, "disabled", found(db.ClientRow(ctx, "a"))(t).Disabled, c.disabled)
		same(t, "another client", found(db.ClientRow(ctx, "b"))(t).Disabled, false)
	}
	if _, err := db.SetClientDisabled(ctx, "c", true); !errors.Is(err, store.ErrNoClient) {
		t.Errorf("an unknown client: %v", err)
	}
}

// D-19: two may be active at once.
func secretRotation(t *testing.T, db Database) {
	ctx, end := t.Context(), origin.Add(time.Hour)
	putClient(t, db, payout.Client{ID: "a"}, "one")
	putClient(t, db, payout.Client{ID: "b"}, "one")
	rotate := func(hash string, at, oldExpire time.Time, want error) {
		t.Helper()
		if err := db.RotateSecret(ctx, "a", hash, at, oldExpire); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", hash, err, want)
		}
	}
	rotate("two", origin, end, nil)
	same(t, "while both are active", active(t, db, "a", end.Add(-time.Microsecond)), map[string]bool{"one": true, "two": true})
	rotate("three", end.Add(-time.Microsecond), end, store.ErrTwoSecrets)
	same(t, "after the grace", active(t, db, "a", end), map[string]bool{"two": true})
	rotate("three", end, end.Add(24*time.Hour), nil)
	// One that has expired does not come back.
	same(t, "after the second rotation", active(t, db, "a", end), map[string]bool{"two": true, "three": true})
	same(t, "of another client", active(t, db, "b", end.AddDate(1, 0, 0)), map[string]bool{"one": true})
	if err := db.RotateSecret(ctx, "c", "hash", origin, end); !errors.Is(err, store.ErrNoClient) {
		t.Errorf("an unknown client: %v", err)
	}
}

func secretRevocation(t *testing.T, db Database) {
	ctx := t.Context()
	putClient(t, db, payout.Client{ID: "a"}, "first secret, hashed")
	putClient(t, db, payout.Client{ID: "a"}, "second secret, hashed")
	putClient(t, db, payout.Client{ID: "b"}, "first secret, hashed")
	revoke := func(fingerprint string, at time.Time, force, wasActive bool, want error) {
		t.Helper()
		got, err := db.RevokeSecret(ctx, "a", store.Fingerprint(fingerprint), at, force)
		if !errors.Is(err, want) || err == nil && got != wasActive {
			t.Errorf("%s: was active %t, %v", fingerprint, got, err)
		}
	}
	revoke("third secret", origin, false, false, store.ErrNoSecret)
	revoke("first secret", origin, false, true, nil)
	same(t, "at once", active(t, db, "a", origin), map[string]bool{"second secret, hashed": true})
	revoke("first secret", origin.Add(time.Hour), false, false, nil)
	same(t, "the expiry stays", found(db.ClientRow(ctx, "a"))(t).Secrets[0].Expires, origin)
	revoke("second secret", origin, false, true, store.ErrLastSecret)
	same(t, "the last one", active(t, db, "a", origin), map[string]bool{"second secret, hashed": true})
	revoke("second secret", origin, true, true, nil)
	same(t, "by force", active(t, db, "a", origin), map[string]bool{})
	same(t, "of another client", active(t, db, "b", origin), map[string]bool{"first secret, hashed": true})
	if _, err := db.RevokeSecret(ctx, "c", "x", origin, true); !errors.Is(err, store.ErrNoClient) {
		t.Errorf("an unknown client: %v", err)
	}
}

func rotationRace(t *testing.T, db Database) {
	putClient(t, db, payout.Client{ID: "a"}, "first")
	var done, refused atomic.Int32
	eightTimes(func(n int) {
		switch err := db.RotateSecret(t.Context(), "a", string(rune('a'+n)), origin, origin.Add(time.Hour)); {
		case err == nil:
			done.Add(1)
		case errors.Is(err, store.ErrTwoSecrets):
			refused.Add(1)
		default:
			t.Error(err)
		}
	})
	if done.Load() != 1 || refused.Load() != 7 || len(active(t, db, "a", origin)) != 2 {
		t.Errorf("%d done, %d refused, active %v", done.Load(), refused.Load(), active(t, db, "a", origin))
	}
}

func applyRace(t *testing.T, db Database) {
	var made atomic.Int32
	eightTimes(func(n int) {
		_, existed, err := db.ApplyClient(t.Context(), payout.Client{ID: "a"}, string(rune('a'+n)), origin, always)
		if err != nil {
			t.Error(err)
		}
		if !existed {
			made.Add(1)
		}
	})
	if made.Load() != 1 || len(active(t, db, "a", origin)) != 1 {
		t.Errorf("made %d times, active %v", made.Load(), active(t, db, "a", origin))
	}
}

// eightTimes calls fn eight times at the same time.
func eightTimes(fn func(n int)) {
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() { fn(n) })
	}
	all.Wait()
}
