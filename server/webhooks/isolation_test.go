package webhooks

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// A thousand endpoints of one client get an event each, while the endpoint of another client does not answer and has two
// thousand events to come. The delays are printed, not judged: the counts are.
func TestADeadEndpointDelaysNoOther(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes thousands of deliveries")
	}
	const endpoints, burst = 1000, 2000
	onEachEngine(t, func(t *testing.T, w *world) {
		w.client("dead")
		dead := newInbox(t, func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() })
		var mu sync.Mutex
		var delays []time.Duration
		var published time.Time
		healthy := newInbox(t, func(http.ResponseWriter, *http.Request, int) {
			mu.Lock()
			defer mu.Unlock()
			delays = append(delays, time.Since(published))
		})
		w.endpoints(client, endpoints, healthy.url)
		w.endpoint("dead", dead.url)
		w.replica(func(c *Config) { c.Workers = 0 })
		round := func() string {
			mu.Lock()
			delays, published = nil, time.Now()
			mu.Unlock()
			w.publish(client, created)
			until(t, "all healthy endpoints have their event", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(delays) == endpoints
			})
			slices.Sort(delays)
			return fmt.Sprintf("median %s, all but one in a hundred %s, all %s",
				delays[endpoints/2], delays[endpoints*99/100], delays[endpoints-1])
		}
		round() // connections are made
		t.Logf("without a dead endpoint: %s", round())
		w.publish("dead", slices.Repeat([]payout.EventType{created}, burst)...)
		t.Logf("with a dead endpoint:    %s", round())
		if _, requests := dead.all(); requests == 0 || requests > 10 {
			t.Errorf("%d requests to the dead endpoint, want a few", requests)
		}
		if events, requests := healthy.all(); events != 3 || requests != 3*endpoints {
			t.Errorf("%d events in %d requests, want 3 in %d", events, requests, 3*endpoints)
		}
		dead.server.CloseClientConnections()
	})
}

// endpoints writes many endpoints in one transaction.
func (w *world) endpoints(of payout.ClientID, n int, url string) {
	w.t.Helper()
	w.write(func(ctx context.Context, tx payout.Tx) error {
		for range n {
			e := payout.WebhookEndpoint{
				ID: payout.WebhookEndpointID(uuid.NewString()), URL: url,
				Secrets: payout.SealedWebhookSecrets{Current: []byte("sealed")}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
			}
			if _, err := tx.InsertWebhookEndpoint(ctx, of, e, n+1); err != nil {
				return err
			}
		}
		return nil
	})
}
