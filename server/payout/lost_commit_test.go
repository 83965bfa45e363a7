package payout_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// lossy keeps a write and loses the word of it.
type lossy struct{ payout.Store }

func (l lossy) Write(ctx context.Context, fn func(payout.Tx) error) error {
	if err := l.Store.Write(ctx, fn); err != nil {
		return err
	}
	return payout.NewError(payout.CodeServiceUnavailable)
}

// The database may keep a creation and the connection be lost before it says so. Whoever sent a key learns what it created.
func TestACreationWhoseCommitWasLostIsReplayed(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "p.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	c := payout.Client{ID: "acme", Corridors: []payout.Corridor{{Country: "US", Currency: "USD"}}}
	if err := db.PutClient(t.Context(), c, "h", time.Now()); err != nil {
		t.Fatal(err)
	}
	s := payout.NewService(payout.Config{
		Store: lossy{db}, Now: time.Now, NewID: uuid.NewString,
		Country: func(string) (payout.Country, bool) { return payout.Country{}, true },
	})
	u := payout.User{Country: "US", Profile: payout.UserProfile{FirstName: "A", Email: "a@example.com"}}
	if _, replayed, err := s.CreateUser(t.Context(), c, payout.Idempotency{Key: "k", Fingerprint: "f"}, u); err != nil || !replayed {
		t.Errorf("replayed %t, %v", replayed, err)
	}
}
