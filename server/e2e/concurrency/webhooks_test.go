package concurrency_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// raceEndpoints deletes webhook endpoints and registers more than fit, all at once: a client has exactly as many as it may have
// afterwards, and every answer is true (D-68). Another client has its own.
func raceEndpoints(t *testing.T, servers ...*servertest.Server) {
	t.Helper()
	s := servers[0]
	race := func(deleted []string, creations int, headers ...string) (created []string) {
		t.Helper()
		for i, a := range atOnce(t, len(deleted)+creations, func(_ context.Context, i int) (servertest.Answer, error) {
			at := servers[i%len(servers)]
			if i < len(deleted) {
				return servertest.Call(t, at, "DELETE", "/webhook-endpoints/"+deleted[i], nil, headers...), nil
			}
			return servertest.Call(t, at, "POST", "/webhook-endpoints", fmt.Appendf(nil, `{"url":"https://example.com/%d"}`, i), headers...), nil
		}) {
			switch {
			case i < len(deleted):
				servertest.OKBody(t, a)
			case a.Status == http.StatusOK:
				created = append(created, servertest.Parse[api.WebhookEndpoint](t, a.Body).ID.String())
			default:
				a.Refusal(t, http.StatusUnprocessableEntity, api.ErrorCodeTooManyWebhookEndpoints)
			}
		}
		return created
	}
	const most = payout.MaxWebhookEndpoints
	there := race(nil, most+callers)
	for range 3 {
		gone := there[:callers/2]
		there = append(there[len(gone):], race(gone, callers)...)
		page := servertest.Parse[api.WebhookEndpointPage](t, servertest.Get(t, s, "/webhook-endpoints?limit=100"))
		if len(there) > most || len(page.Items) != len(there) || page.NextCursor != nil {
			t.Fatalf("%d endpoints are listed, and %d were created", len(page.Items), len(there))
		}
		if there = append(there, race(nil, callers)...); len(there) != most {
			t.Fatalf("%d endpoints, want %d", len(there), most)
		}
	}
	if others := race(nil, most+callers, servertest.AsOther...); len(others) != most {
		t.Errorf("another client has %d endpoints, want %d", len(others), most)
	}
}

func TestConcurrentWebhookEndpoints(t *testing.T) {
	t.Parallel()
	raceEndpoints(t, servertest.New(t))
}

// The same at two replicas.
func TestConcurrentWebhookEndpointsAtReplicas(t *testing.T) {
	t.Parallel()
	both := newReplicas(t)
	raceEndpoints(t, both[:]...)
}
