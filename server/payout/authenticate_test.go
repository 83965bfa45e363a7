package payout_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

func openStore(t *testing.T) (*store.Store, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "payouts.db")
	s, err := store.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return s, file
}

func putClient(t *testing.T, s *store.Store, c payout.Client, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if err := s.PutClient(t.Context(), c, payout.HashSecret(secret), time.Unix(0, 0)); err != nil {
			t.Fatalf("put client: %v", err)
		}
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t)
	acme := payout.Client{ID: "acme", Name: "Acme", Corridors: []payout.Corridor{{Country: "US", Currency: "USD"}}}
	putClient(t, s, acme, "old secret", "new secret") // D-19: two may be active at once
	putClient(t, s, payout.Client{ID: "other", Name: "Other"}, "other secret")
	putClient(t, s, payout.Client{ID: "closed", Name: "Closed", Disabled: true}, "closed secret")
	service := payout.NewService(payout.Config{Store: s, Now: time.Now})

	for _, c := range []struct {
		name, id, secret string
		ok               bool
	}{
		{"the older of two secrets", "acme", "old secret", true},
		{"the newer of two secrets", "acme", "new secret", true},
		{"wrong", "acme", "wrong secret", false},
		{"of another client", "acme", "other secret", false},
		{"the hash for the secret", "acme", payout.HashSecret("new secret"), false},
		{"in another case", "acme", "New secret", false},
		{"no secret", "acme", "", false},
		{"unknown client", "nobody", "new secret", false},
		{"client in another case", "ACME", "new secret", false},
		{"no client", "", "new secret", false},
		{"nothing", "", "", false},
		{"disabled client", "closed", "closed secret", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client, err := service.Authenticate(t.Context(), c.id, c.secret)
			if c.ok {
				if err != nil || client.ID != c.id || client.Name != "Acme" || len(client.Corridors) != 1 {
					t.Errorf("%+v, %v", client, err)
				}
				return
			}
			checkUnauthorized(t, client, err)
		})
	}
}

// checkUnauthorized tells that every refusal is the same one, so that none helps to guess (D-19).
func checkUnauthorized(t *testing.T, client payout.Client, err error) {
	t.Helper()
	e, ok := errors.AsType[*payout.Error](err)
	want := payout.NewError(payout.CodeUnauthorized)
	if !ok || e.Code != want.Code || e.Message != want.Message || len(e.Details) != 0 || e.Unwrap() != nil {
		t.Errorf("%v, want %v", err, want)
	}
	if client.ID != "" || client.Name != "" {
		t.Errorf("refused with client %+v", client)
	}
}

func TestASecretExpiresByTheClockOfTheService(t *testing.T) {
	t.Parallel()
	s, file := openStore(t)
	putClient(t, s, payout.Client{ID: "acme"}, "stays", "expires")
	end := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `update client_secrets set expires_at = $1 where hash = $2`,
		end.UnixMicro(), payout.HashSecret("expires")); err != nil {
		t.Fatal(err)
	}
	now := end
	service := payout.NewService(payout.Config{Store: s, Now: func() time.Time { return now }})
	for _, c := range []struct {
		now    time.Time
		secret string
		ok     bool
	}{
		{end.Add(-time.Microsecond), "expires", true},
		{end, "expires", false},
		{end.Add(time.Hour), "expires", false},
		{end.Add(time.Hour), "stays", true},
	} {
		now = c.now
		client, err := service.Authenticate(t.Context(), "acme", c.secret)
		switch {
		case !c.ok:
			checkUnauthorized(t, client, err)
		case err != nil:
			t.Errorf("%s at %s: %v", c.secret, c.now, err)
		}
	}
}

func TestAuthenticateSaysWhenTheStoreIsAway(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "payouts.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	service := payout.NewService(payout.Config{Store: s, Now: time.Now})
	if _, err := service.Authenticate(t.Context(), "acme", "secret"); payout.CodeOf(err) != payout.CodeServiceUnavailable {
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
