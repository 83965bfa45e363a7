package storetest

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

func usageCounters(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.used = 0
	w.put(t, db)
	id, key := w.client.ID, w.usage
	add := func(key payout.UsageKey, amount int64, want payout.Usage) {
		t.Helper()
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			same(t, "AddUsage", must(tx.AddUsage(ctx, id, key, amount))(t), want)
			return nil
		})
		same(t, "Usage", must(db.Usage(ctx, id, key))(t), want)
	}
	at := func(at time.Time) payout.UsageKey { k := key; k.At = at; return k }
	add(key, 100, payout.Usage{Daily: 100, Monthly: 100, Annual: 100})
	add(key, 0, payout.Usage{Daily: 100, Monthly: 100, Annual: 100})
	add(at(time.Date(2026, 3, 14, 23, 59, 59, 999999000, time.UTC)), 1, payout.Usage{Daily: 101, Monthly: 101, Annual: 101})
	add(at(time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)), 10, payout.Usage{Daily: 10, Monthly: 111, Annual: 111})
	// The day, month and year are those of UTC, wherever the clock is.
	add(at(time.Date(2026, 3, 16, 5, 44, 0, 0, time.FixedZone("", 5*3600+45*60))), 1, payout.Usage{Daily: 11, Monthly: 112, Annual: 112})
	add(at(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)), 1000, payout.Usage{Daily: 1000, Monthly: 1000, Annual: 1112})
	add(at(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)), 5, payout.Usage{Daily: 5, Monthly: 5, Annual: 5})
	destination, currency := key, key
	destination.Destination, currency.Currency = "IN", "GBP"
	add(destination, 7, payout.Usage{Daily: 7, Monthly: 7, Annual: 7})
	add(currency, 8, payout.Usage{Daily: 8, Monthly: 8, Annual: 8})
	same(t, "the first day", must(db.Usage(ctx, id, key))(t), payout.Usage{Daily: 101, Monthly: 112, Annual: 1112})
}

func usageRange(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.used = 9_000_000_000_000_000_000
	w.put(t, db)
	tomorrow := w.usage
	tomorrow.At = w.usage.At.AddDate(0, 0, 1)
	full := payout.Usage{Daily: w.used, Monthly: w.used, Annual: w.used}
	for _, key := range []payout.UsageKey{w.usage, tomorrow} { // all three counters, and two of three
		for _, amount := range []int64{1, 1e12, math.MaxInt64 - w.used, math.MaxInt64} {
			err := db.Write(ctx, func(tx payout.Tx) error {
				if err := tx.SetUserStatus(ctx, w.client.ID, w.user.ID, "changed"); err != nil {
					return err
				}
				_, err := tx.AddUsage(ctx, w.client.ID, key, amount)
				return err
			})
			if payout.CodeOf(err) != payout.CodeLimitExceeded {
				t.Errorf("%d more: %v", amount, err)
			}
		}
	}
	same(t, "usage", must(db.Usage(ctx, w.client.ID, w.usage))(t), full)
	same(t, "usage of tomorrow", must(db.Usage(ctx, w.client.ID, tomorrow))(t).Daily, 0)
	same(t, "status", found(db.User(ctx, w.client.ID, w.user.ID))(t).Status, w.user.Status)
}

func referenceUpsert(t *testing.T, db Database) {
	ctx := t.Context()
	f := filler{prefix: "old"}
	old := filled[store.Reference](&f)
	f.prefix = "new"
	changed := filled[store.Reference](&f)
	put := func(ref store.Reference) {
		t.Helper()
		if err := db.PutReference(ctx, ref); err != nil {
			t.Fatal(err)
		}
	}
	put(old)
	put(old) // is no harm
	// The first of each is changed, the second is not.
	changed.States, changed.Payers, changed.Banks = changed.States[:1], changed.Payers[:1], changed.Banks[:1]
	changed.States[0].ID, changed.Payers[0].ID, changed.Banks[0].ID = old.States[0].ID, old.Payers[0].ID, old.Banks[0].ID
	put(changed)
	put(store.Reference{})
	check := func() {
		t.Helper()
		for i, want := range []store.Reference{changed, {States: old.States[1:], Payers: old.Payers[1:], Banks: old.Banks[1:]}} {
			same(t, "state", found(db.StateByID(ctx, old.States[i].ID))(t), want.States[0])
			same(t, "payer", found(db.Payer(ctx, old.Payers[i].ID))(t), want.Payers[0])
			same(t, "bank", found(db.Bank(ctx, old.Banks[i].ID))(t), want.Banks[0])
		}
	}
	check()
	// The second state has the code of another one, so that nothing of this is written.
	refused := filled[store.Reference](&f)
	first := refused.States[0].ID
	refused.States[1].Country, refused.States[1].Code = old.States[1].Country, old.States[1].Code
	refused.Payers[0].ID, refused.Banks[0].ID = old.Payers[0].ID, old.Banks[0].ID
	if err := db.PutReference(ctx, refused); err == nil {
		t.Error("two states have one code")
	}
	if _, ok, err := db.StateByID(ctx, first); ok || err != nil {
		t.Errorf("a part was written: %t, %v", ok, err)
	}
	check()
}

func clientUpsert(t *testing.T, db Database) {
	ctx := t.Context()
	f := filler{prefix: "client"}
	first, second, other := filled[payout.Client](&f), filled[payout.Client](&f), filled[payout.Client](&f)
	second.ID, second.Disabled = first.ID, !first.Disabled
	putClient(t, db, other, "hash of another")
	putClient(t, db, first, "one")
	putClient(t, db, second, "two")
	putClient(t, db, second, "two")
	client, secrets, ok, err := db.Client(ctx, first.ID, origin)
	same(t, "client", found(client, ok, err)(t), second)
	hashes := map[string]int{}
	for _, s := range secrets {
		hashes[s.Hash]++
		same(t, "expiry", s.Expires, time.Time{})
	}
	same(t, "secrets", hashes, map[string]int{"one": 1, "two": 1}) // D-19: both are active
	client, secrets, ok, err = db.Client(ctx, other.ID, origin)
	same(t, "another client", found(client, ok, err)(t), other)
	same(t, "secrets of another", secrets, []payout.Secret{{Hash: "hash of another"}})

	all, err := db.ClientsOf(ctx, []payout.ClientID{"nobody", other.ID, first.ID, other.ID}, origin)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b payout.ClientSecrets) int { return len(b.Secrets) - len(a.Secrets) })
	for _, c := range all {
		slices.SortFunc(c.Secrets, func(a, b payout.Secret) int { return strings.Compare(a.Hash, b.Hash) })
	}
	same(t, "several clients", all, []payout.ClientSecrets{
		{Client: second, Secrets: []payout.Secret{{Hash: "one"}, {Hash: "two"}}}, {Client: other, Secrets: []payout.Secret{{Hash: "hash of another"}}},
	})
}

func secretExpiry(t *testing.T, db Database) {
	ctx, client := t.Context(), payout.Client{ID: "a"}
	putClient(t, db, client, "stays")
	putClient(t, db, client, "expires")
	if _, err := db.SQL.ExecContext(ctx, `update client_secrets set expires_at = $1 where hash = 'expires'`,
		origin.UnixMicro()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   time.Time
		want int
	}{{origin.Add(-time.Microsecond), 2}, {origin, 1}, {origin.AddDate(10, 0, 0), 1}} {
		got, secrets, ok, err := db.Client(ctx, "a", c.at)
		same(t, "client", found(got, ok, err)(t), client)
		same(t, "number of secrets", len(secrets), c.want)
		for _, s := range secrets {
			same(t, "expiry of "+s.Hash, s.Expires, map[string]time.Time{"expires": origin}[s.Hash])
		}
	}
	if _, err := db.SQL.ExecContext(ctx, `update client_secrets set expires_at = $1`, origin.UnixMicro()); err != nil {
		t.Fatal(err)
	}
	got, secrets, ok, err := db.Client(ctx, "a", origin)
	same(t, "a client without secrets", found(got, ok, err)(t), client)
	same(t, "secrets", secrets, nil)
	all, err := db.ClientsOf(ctx, []payout.ClientID{"a"}, origin)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "several clients without secrets", all, []payout.ClientSecrets{{Client: client}})
}
