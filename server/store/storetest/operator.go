package storetest

import (
	"context"
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

func operatorLists(t *testing.T, db Database) {
	mine, other := newWorld("mine"), newWorld("other")
	mine.user.Documents, mine.transfer.Documents = nil, nil
	mine.transfer.CreatedAt = origin.AddDate(-1, 0, 0) // out of the days below
	mine.put(t, db)
	other.put(t, db)
	ctx, id := t.Context(), mine.client.ID
	users := []payout.User{mine.user}
	transfers := []payout.Transaction{mine.transfer}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		for i, n := range []string{"3", "2", "1"} { // ids are in the reverse order of time
			u := mine.user
			u.ID, u.Status, u.CreatedAt = mine.user.ID+payout.UserID(n), payout.KYCStatus("status "+n), origin.AddDate(1, 0, i/2)
			if err := tx.InsertUser(ctx, id, u); err != nil {
				return err
			}
			v := mine.another(mine.transfer.ID + payout.TransactionID(n))
			v.UserID, v.CreatedAt = u.ID, origin.AddDate(0, 0, i)
			if err := tx.InsertTransaction(ctx, id, v); err != nil {
				return err
			}
			users, transfers = append(users, u), append(transfers, v)
		}
		return nil
	})
	newest := func(of ...int) (some []payout.User) {
		for _, n := range of {
			some = append(some, users[n])
		}
		return some
	}
	for _, c := range []struct {
		filter store.UserFilter
		limit  int
		want   []payout.User
	}{
		{store.UserFilter{}, 10, newest(3, 1, 2, 0)}, // 1 and 2 at the same time
		{store.UserFilter{}, 2, newest(3, 1)},
		{store.UserFilter{After: users[1].ID}, 2, newest(2, 0)},
		{store.UserFilter{Status: users[2].Status}, 2, newest(2)},
		{store.UserFilter{Status: users[2].Status, After: users[2].ID}, 2, nil},
	} {
		same(t, "users", must(db.Users(ctx, id, c.filter, c.limit))(t), c.want)
	}
	for _, gone := range []payout.UserID{"nobody", other.user.ID} {
		if _, err := db.Users(ctx, id, store.UserFilter{After: gone}, 2); payout.CodeOf(err) != payout.CodeNotFound {
			t.Errorf("users after one who is not there: %v", err)
		}
	}
	for _, c := range []struct {
		filter store.TransactionFilter
		limit  int
		want   []int
	}{
		{store.TransactionFilter{From: origin}, 10, []int{3, 2, 1}},
		{store.TransactionFilter{From: origin}, 2, []int{3, 2}},
		{store.TransactionFilter{From: origin, After: transfers[2].ID}, 2, []int{1}},
		{store.TransactionFilter{UserID: users[2].ID}, 2, []int{2}},
		{store.TransactionFilter{From: origin.AddDate(0, 0, 1)}, 9, []int{3, 2}},
		{store.TransactionFilter{From: origin, To: origin.AddDate(0, 0, 1)}, 9, []int{1}},
		{store.TransactionFilter{From: origin, To: origin.AddDate(0, 0, 1), After: transfers[3].ID}, 9, []int{1}},
		{store.TransactionFilter{From: origin, To: origin.AddDate(0, 0, 2), After: transfers[2].ID}, 9, []int{1}},
		{store.TransactionFilter{UserID: users[2].ID, After: transfers[3].ID}, 9, []int{2}},
		{store.TransactionFilter{UserID: users[2].ID, After: transfers[2].ID}, 9, nil},
		{store.TransactionFilter{UserID: "nobody"}, 9, nil},
	} {
		var want []payout.Transaction
		for _, n := range c.want {
			want = append(want, transfers[n])
		}
		c.filter.To = cmpTime(c.filter.To, origin.AddDate(1, 0, 0))
		same(t, "transactions", must(db.ClientTransactions(ctx, id, c.filter, c.limit))(t), want)
	}
	for _, gone := range []payout.TransactionID{"nothing", other.transfer.ID} {
		if _, err := db.ClientTransactions(ctx, id, store.TransactionFilter{After: gone}, 2); payout.CodeOf(err) != payout.CodeNotFound {
			t.Errorf("transactions after one that is not there: %v", err)
		}
	}
	same(t, "transaction", found(db.ClientTransaction(ctx, id, transfers[2].ID))(t), transfers[2])
	for _, other := range []payout.ClientID{other.client.ID, ""} {
		if _, ok, err := db.ClientTransaction(ctx, other, transfers[2].ID); ok || err != nil {
			t.Errorf("of another client: %t, %v", ok, err)
		}
	}
}

// cmpTime is t, or the other one where t is zero.
func cmpTime(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}
