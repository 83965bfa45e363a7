package client_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// payThroughRotations replaces the secret of the client several times, with and without a time in which the program has
// only the old one.
func payThroughRotations(t *testing.T, s *servertest.Server, b *batch, log *bytes.Buffer) {
	t.Helper()
	ctx := stormContext(t)
	db, err := store.Open(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	sandbox := server.SandboxClients[0]
	rotation := &rotation{secret: sandbox.Secret, held: sandbox.Secret}
	rotation.replace = func(old, fresh string) error {
		profile, _, _, err := db.Client(ctx, payout.ClientID(sandbox.ID), s.Clock.Now())
		if err == nil {
			err = db.PutClient(ctx, profile, payout.HashSecret(fresh), s.Clock.Now())
		}
		if err == nil {
			_, err = b.db.ExecContext(ctx, "delete from client_secrets where hash = $1", payout.HashSecret(old))
		}
		return err
	}
	every := len(b.rows) / 4
	b.proxy.before = func(number, _ int, _ string, _ *rand.Rand) *fault {
		if number%every == 0 {
			if err := rotation.rotate(number/every%2 == 0); err != nil {
				t.Error(err)
			}
		}
		return nil
	}
	c, err := client.New(b.proxy.url, "", "", b.client(log, client.WithCredentials(rotation.current))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	b.run(ctx, c)
	if rotation.number < 5 || b.codes[client.Unauthorized] == 0 {
		t.Errorf("%d rotations, and %d calls ended with UNAUTHORIZED", rotation.number, b.codes[client.Unauthorized])
	}
}

// rotation is the secret of the client, as the service and as the program know it.
type rotation struct {
	replace func(old, fresh string) error // at the service

	mu           sync.Mutex
	number       int
	secret, held string // of the service and of the program
	behind       int    // for how many more questions the program has the old one
}

// rotate replaces the secret. The program has the new one at once, or after a while in which nothing is accepted.
func (r *rotation) rotate(late bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	old := r.secret
	r.secret = fmt.Sprintf("%s-secret-%d", canary, r.number)
	if r.behind = 0; late {
		r.behind = 5 * stormWorkers
	} else {
		r.held = r.secret
	}
	return r.replace(old, r.secret)
}

func (r *rotation) current(context.Context) (client.Credentials, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.behind == 0 {
		r.held = r.secret
	} else {
		r.behind--
	}
	return client.Credentials{ClientID: server.SandboxClients[0].ID, ClientSecret: r.held}, nil
}
