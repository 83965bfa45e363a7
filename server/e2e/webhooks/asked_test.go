package webhooks_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// A client tests an endpoint that has failed often and is there again: the event arrives within seconds, whatever replica makes
// the attempt, and also if the client has disabled and enabled the endpoint meanwhile.
func TestATestDoesNotWaitForPastFailures(t *testing.T) {
	t.Parallel()
	const failures, soon = 8, 20 * time.Second
	for name, restart := range map[string]bool{"it works again": false, "it was disabled and enabled": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := delivering(t)
			if servertest.OnPostgreSQL(t) { // SQLite has one
				delivering(t, func(c *server.Config) { c.Database = first.Database })
			}
			var works atomic.Bool
			in := newReceiver(t, func(int) int {
				if works.Load() {
					return http.StatusOK
				}
				return http.StatusInternalServerError
			})
			endpoint := register(t, first, in.URL)
			for range failures {
				sent := ping(t, first, endpoint.ID)
				delivery(t, first, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusPending, 1)
			}
			works.Store(true)
			if restart {
				for _, disabled := range []bool{true, false} {
					r, err := first.Client.UpdateWebhookEndpointWithResponse(t.Context(), endpoint.ID, api.WebhookEndpointChange{Disabled: &disabled})
					servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
				}
			}
			asked := time.Now()
			sent := ping(t, first, endpoint.ID)
			delivery(t, first, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusDelivered, 1)
			if took := time.Since(asked); took > soon {
				t.Errorf("the test arrived after %s", took)
			}
		})
	}
}
