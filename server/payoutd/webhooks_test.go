package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Ids of what withWebhooks writes.
const (
	hookID     = "01990000-0000-7000-8000-000000000010"
	goneHookID = "01990000-0000-7000-8000-000000000011"
	betaHookID = "01990000-0000-7000-8000-000000000012"
	rotationID = "01990000-0000-7000-8000-000000000018"
	eventID    = "01990000-0000-7000-8000-000000000020" // and two more, which end in 1 and 2
)

// withWebhooks writes endpoints of both clients, and deliveries to the first of them.
func (o operator) withWebhooks(t *testing.T) {
	t.Helper()
	o.filled(t)
	db, err := store.Connect(t.Context(), o.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	endpoint := payout.WebhookEndpoint{
		ID: hookID, URL: "https://example.com/payouts", EventTypes: []payout.EventType{payout.TransactionCreated}, Description: "main\tone",
		FailingSince: seeded.Add(time.Minute), CreatedAt: seeded, UpdatedAt: seeded.Add(time.Hour),
		Secrets: payout.SealedWebhookSecrets{Current: []byte("sealed secret")},
	}
	gone := payout.WebhookEndpoint{
		ID: goneHookID, URL: "https://example.com/old", Disabled: true, DisabledReason: payout.EndpointGone,
		CreatedAt: seeded.Add(time.Second), UpdatedAt: seeded.Add(time.Hour), Secrets: endpoint.Secrets,
	}
	beta := payout.WebhookEndpoint{ID: betaHookID, URL: "https://beta.example/", CreatedAt: seeded.Add(-time.Hour), UpdatedAt: seeded, Secrets: endpoint.Secrets}
	delivery := func(n int, status payout.WebhookDeliveryStatus) payout.WebhookDelivery {
		return payout.WebhookDelivery{
			EndpointID: hookID, EventID: payout.EventID(eventID[:35] + string(rune('0'+n))), EventType: payout.TransactionCreated,
			Position: int64(n + 1), Status: status, CreatedAt: seeded.Add(time.Duration(n) * time.Minute), Payload: []byte(`{"body":"personal"}`),
		}
	}
	failed, delivered, pending := delivery(0, payout.WebhookFailed), delivery(1, payout.WebhookDelivered), delivery(2, payout.WebhookPending)
	pending.NextAttemptAt = seeded.Add(time.Hour)
	if err := db.Write(t.Context(), func(tx payout.Tx) error {
		ctx := t.Context()
		for _, v := range []struct {
			client payout.ClientID
			payout.WebhookEndpoint
		}{{"acme", endpoint}, {"acme", gone}, {"beta", beta}} {
			if _, err := tx.InsertWebhookEndpoint(ctx, v.client, v.WebhookEndpoint, payout.MaxWebhookEndpoints); err != nil {
				return err
			}
		}
		if err := tx.InsertWebhookRotation(ctx, "acme", payout.WebhookRotation{ID: rotationID, EndpointID: hookID, CreatedAt: seeded}); err != nil {
			return err
		}
		if _, err := tx.InsertIdempotencyKey(ctx, "acme", payout.Idempotency{Key: "rotation", Fingerprint: "345"}, rotationID)(); err != nil {
			return err
		}
		for _, d := range []payout.WebhookDelivery{failed, delivered, pending} {
			if _, err := tx.InsertWebhookDelivery(ctx, "acme", d); err != nil {
				return err
			}
		}
		for _, v := range []struct {
			event payout.EventID
			payout.WebhookAttempt
		}{
			{failed.EventID, payout.WebhookAttempt{At: seeded, Duration: time.Second, Error: "TIMEOUT"}},
			{failed.EventID, payout.WebhookAttempt{At: seeded.Add(time.Minute), Duration: time.Millisecond, HTTPStatus: 500, Error: "HTTP_STATUS"}},
			{delivered.EventID, payout.WebhookAttempt{At: seeded.Add(time.Minute), Duration: 20 * time.Millisecond, HTTPStatus: 204}},
		} {
			if err := tx.AddWebhookAttempt(ctx, "acme", hookID, v.event, v.WebhookAttempt); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// Support sees the endpoints of clients and what became of deliveries, without secrets and bodies.
func TestWebhooksOfOperators(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		o.prints(t, "webhooks_none.txt", "webhooks", "list")
		o.prints(t, "webhooks_none.json", "webhooks", "list", "--json")
		o.withWebhooks(t)
		for name, args := range map[string][]string{
			"webhooks_list":   {"webhooks", "list"},
			"webhooks_acme":   {"webhooks", "list", "--client=acme"},
			"webhooks_show":   {"webhooks", "show", hookID},
			"webhooks_gone":   {"webhooks", "show", "--client=acme", goneHookID},
			"webhooks_failed": {"webhooks", "show", hookID, "--status=FAILED"},
		} {
			o.prints(t, name+".txt", args...)
			o.prints(t, name+".json", append(args, "--json")...)
			if out := o.done(t, append(args, "--json")...); strings.Contains(out, "sealed") || strings.Contains(out, "personal") {
				t.Errorf("%s has a secret or a body: %s", name, out)
			}
		}
		var ids []string
		for after := ""; ; { // a page goes on with the next client
			var page struct {
				Items      []webhookJSON
				NextCursor string `json:"next_cursor"`
			}
			if err := json.Unmarshal([]byte(o.done(t, "webhooks", "list", "--json", "--limit=1", "--after="+after)), &page); err != nil {
				t.Fatal(err)
			}
			for _, w := range page.Items {
				ids = append(ids, w.ID)
			}
			if after = page.NextCursor; after == "" || len(ids) > 3 {
				break
			}
		}
		if want := []string{hookID, goneHookID, betaHookID}; !slices.Equal(ids, want) {
			t.Errorf("the pages have %v, want %v", ids, want)
		}
		code, out, errs := o.run(t, "webhooks", "show", hookID, "--limit=1", "--after="+eventID[:35]+"2")
		if code != exitOK || !strings.Contains(out, eventID[:35]+"1") || strings.Contains(out, eventID[:35]+"2") || errs != "There are more: --after "+eventID[:35]+"1\n" {
			t.Errorf("the second page: %d, %s, %s", code, out, errs)
		}
		for says, args := range map[string][]string{
			"there is no such client":           {"list", "--client=nobody"},
			"there is no such webhook endpoint": {"show", unknownID},
			"there is no such webhook delivery": {"show", hookID, "--after=" + unknownID},
		} {
			o.refused(t, exitFailure, says, append([]string{"webhooks"}, args...)...)
		}
		o.refused(t, exitFailure, "there is no such webhook endpoint", "webhooks", "show", "--client=beta", hookID)
		o.refused(t, exitFailure, "there is no such webhook endpoint", "webhooks", "list", "--client=beta", "--after="+hookID)
		o.refused(t, exitUsage, "<endpoint-id> must be a UUID", "webhooks", "show", "1")
		o.refused(t, exitUsage, "--status (or $PAYOUTD_STATUS) must be one of PENDING, DELIVERED, FAILED, CANCELED", "webhooks", "show", hookID, "--status=DONE")
	})
}
