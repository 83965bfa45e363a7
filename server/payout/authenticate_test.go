package payout_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

func putClient(t *testing.T, w *world, c payout.Client, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if err := w.store.PutClient(t.Context(), c, payout.HashSecret(secret), startOfTests); err != nil {
			t.Fatalf("put client: %v", err)
		}
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	putClient(t, w, payout.Client{ID: "two", Name: "Two", Corridors: acme().Corridors[:1]}, "old secret", "new secret") // D-19
	putClient(t, w, payout.Client{ID: "closed", Name: "Closed", Disabled: true}, "closed secret")

	for _, c := range []struct {
		name   string
		id     payout.ClientID
		secret string
		ok     bool
	}{
		{"the older of two secrets", "two", "old secret", true},
		{"the newer of two secrets", "two", "new secret", true},
		{"wrong", "two", "wrong secret", false},
		{"of another client", "two", "other secret", false},
		{"the hash for the secret", "two", payout.HashSecret("new secret"), false},
		{"in another case", "two", "New secret", false},
		{"no secret", "two", "", false},
		{"unknown client", "nobody", "new secret", false},
		{"client in another case", "TWO", "new secret", false},
		{"no client", "", "new secret", false},
		{"nothing", "", "", false},
		{"disabled client", "closed", "closed secret", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client, err := w.Authenticate(t.Context(), c.id, c.secret)
			if c.ok {
				if err != nil || client.ID != c.id || client.Name != "Two" || len(client.Corridors) != 1 {
					t.Errorf("%+v, %v", client, err)
				}
				return
			}
			checkUnauthorized(t, client, err)
			if exists := c.id == "two" || c.id == "closed"; (client.ID != "") != (exists && c.secret != "") {
				t.Errorf("the refusal names client %q", client.ID)
			}
		})
	}
}

// checkUnauthorized wants the one refusal there is, so that none helps to guess (D-19).
func checkUnauthorized(t *testing.T, client payout.Client, err error) {
	t.Helper()
	e, ok := errors.AsType[*payout.Error](err)
	want := payout.NewError(payout.CodeUnauthorized)
	if !ok || e.Code != want.Code || e.Message != want.Message || len(e.Details) != 0 {
		t.Errorf("%v, want %v", err, want)
	}
	if !reflect.DeepEqual(client, payout.Client{ID: client.ID}) {
		t.Errorf("refused with client %+v", client)
	}
}

// D-19: a rotation needs no downtime; until the old secret expires, by the clock of the service, both are accepted.
func TestRotationOfASecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	end := startOfTests.Add(24 * time.Hour).Truncate(time.Microsecond)
	if err := w.store.RotateSecret(t.Context(), "acme", payout.HashSecret("new"), startOfTests, end); err != nil {
		t.Fatal(err)
	}
	accepted := func(at time.Time, secret string, want bool) {
		t.Helper()
		w.clock.set(at)
		client, err := w.Authenticate(t.Context(), "acme", secret)
		switch {
		case !want:
			checkUnauthorized(t, client, err)
		case err != nil || client.ID != "acme":
			t.Errorf("%s at %s: %+v, %v", secret, at, client, err)
		}
	}
	accepted(startOfTests, "acme secret", true)
	accepted(startOfTests, "new", true)
	accepted(end.Add(-time.Microsecond), "acme secret", true)
	accepted(end, "acme secret", false)
	accepted(end.Add(time.Hour), "acme secret", false)
	accepted(end.Add(time.Hour), "new", true)

	newest := payout.HashSecret("newest")
	if err := w.store.RotateSecret(t.Context(), "acme", newest, end, end.Add(24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.RevokeSecret(t.Context(), "acme", store.Fingerprint(payout.HashSecret("new")), end.Add(time.Hour), false); err != nil {
		t.Fatal(err)
	}
	accepted(end.Add(time.Hour), "new", false)
	accepted(end.Add(time.Hour), "newest", true)
	for _, disabled := range []bool{true, false} {
		if _, err := w.store.SetClientDisabled(t.Context(), "acme", disabled); err != nil {
			t.Fatal(err)
		}
		accepted(end.Add(time.Hour), "newest", !disabled)
	}
}

// D-74: what an operator gives is in force at once, what an operator takes away after the time that a client is remembered for.
func TestAClientIsReadOnceInAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const keep = 5 * time.Second
	s := w.serviceOn(w.store, func(c *payout.Config) { c.ClientsFor = keep })
	now := startOfTests
	accepted := func(secret string, want bool) {
		t.Helper()
		w.clock.set(now)
		client, err := s.Authenticate(t.Context(), "acme", secret)
		switch {
		case !want:
			checkUnauthorized(t, client, err)
		case err != nil || client.ID != "acme" || len(client.Corridors) == 0:
			t.Errorf("%s at %s: %+v, %v", secret, now, client, err)
		}
	}
	changed := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	end := now.Add(2 * time.Second)
	accepted("acme secret", true)
	changed(nil, w.store.RotateSecret(t.Context(), "acme", payout.HashSecret("new"), now, end))
	accepted("wrong", false)
	accepted("new", true) // which is read, and with it that the other one ends
	accepted("acme secret", true)
	now = end
	accepted("acme secret", false)
	changed(w.store.SetClientDisabled(t.Context(), "acme", true))
	now = startOfTests.Add(keep - time.Microsecond)
	accepted("new", true)
	accepted("wrong", false)
	accepted("new", true)
	now = startOfTests.Add(keep)
	accepted("new", false)
	changed(w.store.SetClientDisabled(t.Context(), "acme", false))
	accepted("new", true)
	changed(w.store.SetClientDisabled(t.Context(), "acme", true))
	accepted("new", true)
	now = now.Add(-time.Hour) // the clock was set back
	accepted("new", false)
}

// Clients that make requests are read again before their time is over, so that no request of theirs waits for that. What was
// taken away is noticed then; a client without requests is forgotten.
func TestClientsInUseAreReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const keep = 5 * time.Second
	s := w.serviceOn(w.store, func(c *payout.Config) { c.ClientsFor = keep })
	putClient(t, w, payout.Client{ID: "two", Name: "Two"}, "secret of two")
	putClient(t, w, payout.Client{ID: "idle", Name: "Idle"}, "secret of idle")
	now := startOfTests
	accepted := func(id payout.ClientID, secret string, want bool) {
		t.Helper()
		w.clock.set(now)
		client, err := s.Authenticate(t.Context(), id, secret)
		if want && (err != nil || client.ID != id) || !want && payout.CodeOf(err) != payout.CodeUnauthorized {
			t.Errorf("%s after %s: %+v, %v", id, now.Sub(startOfTests), client, err)
		}
	}
	again := func() {
		t.Helper()
		w.clock.set(now)
		if err := s.ReadClientsAgain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	again() // of nobody
	accepted("acme", "acme secret", true)
	accepted("two", "secret of two", true)
	accepted("idle", "secret of idle", true)
	for now.Sub(startOfTests) < time.Minute+2*keep {
		now = now.Add(keep / 2)
		again()
		accepted("two", "secret of two", true)
	}
	if _, err := w.store.SetClientDisabled(t.Context(), "two", true); err != nil {
		t.Fatal(err)
	}
	accepted("two", "secret of two", true)
	again()
	accepted("two", "secret of two", false)
	if _, err := w.store.SetClientDisabled(t.Context(), "two", false); err != nil {
		t.Fatal(err)
	}
	again()
	if err := w.store.Close(); err != nil { // who is known now is so without the database
		t.Fatal(err)
	}
	accepted("two", "secret of two", true)
	w.clock.set(now)
	for id, secret := range map[payout.ClientID]string{"idle": "secret of idle", "acme": "acme secret"} {
		if _, err := s.Authenticate(t.Context(), id, secret); payout.CodeOf(err) != payout.CodeServiceUnavailable {
			t.Errorf("%s is known after a minute without requests: %v", id, err)
		}
	}
	if err := s.ReadClientsAgain(t.Context()); payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("without a database: %v", err)
	}
	now = now.Add(keep)
	w.clock.set(now)
	if _, err := s.Authenticate(t.Context(), "two", "secret of two"); payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("a client that could not be read again is known: %v", err)
	}
}

func TestAuthenticateWhileTheStoreIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(t.Context(), "acme", "acme secret"); payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("%v", err)
	}
}

func TestReadingAClientHasADeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.serviceOn(w.store, func(c *payout.Config) { c.ClientTimeout = time.Nanosecond })
	if _, err := s.Authenticate(t.Context(), "acme", "acme secret"); payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("%v", err)
	}
}

func TestASecretIsStoredAsItsHash(t *testing.T) {
	t.Parallel()
	const want = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" // SHA-256 of "test"
	if got := payout.HashSecret("test"); got != want {
		t.Errorf("stored as %s", got)
	}
}
