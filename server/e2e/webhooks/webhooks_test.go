package webhooks_test

import (
	"bytes"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// delivering starts a service that delivers webhooks, by the real clock because signatures have a time.
func delivering(t *testing.T, configure ...func(*server.Config)) *servertest.Server {
	t.Helper()
	return servertest.New(t, append([]func(*server.Config){func(c *server.Config) {
		c.WebhooksOff, c.Now = false, time.Now
	}}, configure...)...)
}

// webhook is what a receiver got.
type webhook struct {
	header http.Header
	body   []byte
}

// receiver keeps what it gets, and answers with the status of a function of how often the event has come. It asks for a pause
// of ten minutes after a failure, so that only a retry makes another attempt while a test runs.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []webhook
}

func newReceiver(t *testing.T, status func(times int) int) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, webhook{request.Header, body})
		if status == nil {
			return
		}
		times := 0
		for _, v := range r.got {
			if v.header.Get("webhook-id") == request.Header.Get("webhook-id") {
				times++
			}
		}
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(status(times))
	}))
	t.Cleanup(r.Close)
	return r
}

// await returns what was received once there are n.
func (r *receiver) await(t *testing.T, n int) []webhook {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		r.mu.Lock()
		got := append([]webhook(nil), r.got...)
		r.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-deadline:
			t.Fatalf("received %d webhooks, want %d", len(got), n)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func register(t *testing.T, s *servertest.Server, url string) api.WebhookEndpoint {
	t.Helper()
	r, err := s.Client.CreateWebhookEndpointWithResponse(t.Context(), nil, api.WebhookEndpointRequest{URL: url})
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// ping tests an endpoint and returns the delivery.
func ping(t *testing.T, s *servertest.Server, id openapi_types.UUID) api.WebhookDelivery {
	t.Helper()
	r, err := s.Client.TestWebhookEndpointWithResponse(t.Context(), id)
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

// retry makes the next attempt of a delivery now.
func retry(t *testing.T, s *servertest.Server, endpoint, event openapi_types.UUID) api.WebhookDelivery {
	t.Helper()
	r, err := s.Client.RetryWebhookDeliveryWithResponse(t.Context(), endpoint, event)
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
}

func deliveries(t *testing.T, s *servertest.Server, endpoint openapi_types.UUID) []api.WebhookDelivery {
	t.Helper()
	r, err := s.Client.ListWebhookDeliveriesWithResponse(t.Context(), endpoint, nil)
	return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Items
}

// delivery returns the delivery of an event once it has a status and a number of attempts.
func delivery(
	t *testing.T, s *servertest.Server, endpoint, event openapi_types.UUID, status api.WebhookDeliveryStatus, attempts int,
) api.WebhookDelivery {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		all := deliveries(t, s, endpoint)
		for _, d := range all {
			if d.EventID == event && d.Status == status && len(d.Attempts) == attempts {
				return d
			}
		}
		select {
		case <-deadline:
			t.Fatalf("the delivery is never %s after %d attempts: %+v", status, attempts, all)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func verifies(t *testing.T, v webhook, secret string) error {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return verifier.Verify(v.body, v.header)
}

// What is sent is the event as it is read, byte for byte, signed with the secret; after a rotation with both.
func TestAnEventArrivesSigned(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	in := newReceiver(t, nil)
	endpoint := register(t, s, in.URL)
	servertest.NewWorld(t, s.Client)
	for _, v := range in.await(t, 1) {
		if err := verifies(t, v, *endpoint.Secret); err != nil {
			t.Errorf("%s: %v", v.body, err)
		}
		read := servertest.Call(t, s, http.MethodGet, "/events/"+v.header.Get("webhook-id"), nil)
		if !bytes.Equal(servertest.OKBody(t, read), v.body) {
			t.Errorf("received\n%s\nread\n%s", v.body, read.Body)
		}
	}
	events, _ := follow(t, s, nil)
	before := len(in.await(t, len(events))) // what was signed before the rotation does not arrive after it
	rotated, err := s.Client.RotateWebhookSecretWithResponse(t.Context(), endpoint.ID, nil)
	secret := servertest.OK(t, rotated.StatusCode(), rotated.Body, rotated.JSON200, err).Secret
	servertest.NewWorld(t, s.Client)
	all := in.await(t, before+1)
	last := all[len(all)-1]
	for _, each := range []string{secret, *endpoint.Secret} {
		if err := verifies(t, last, each); err != nil {
			t.Errorf("after the rotation: %v", err)
		}
	}
}

// A further rotation within 24 hours replaces the older of the two secrets, and each signs for 24 hours after it was replaced
// (D-68).
func TestTheLastTwoSecretsSign(t *testing.T) {
	t.Parallel()
	now := time.Now()
	clock := &servertest.Clock{}
	s := delivering(t, func(c *server.Config) { c.Now = clock.Now })
	in := newReceiver(t, nil)
	clock.Set(now.Add(-25 * time.Hour))
	endpoint := register(t, s, in.URL)
	secrets := []string{*endpoint.Secret}
	rotate := func(at time.Duration) {
		t.Helper()
		clock.Set(now.Add(at))
		r, err := s.Client.RotateWebhookSecretWithResponse(t.Context(), endpoint.ID, nil)
		secrets = append(secrets, servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err).Secret)
	}
	signed := func(want ...bool) {
		t.Helper()
		clock.Set(now)
		before := len(in.await(t, 0))
		ping(t, s, endpoint.ID)
		got := in.await(t, before+1)[before]
		for i, secret := range secrets {
			if err := verifies(t, got, secret); (err == nil) != want[i] {
				t.Errorf("secret %d of %d: %v", i+1, len(secrets), err)
			}
		}
		signatures := strings.Fields(got.header.Get(standardwebhooks.HeaderWebhookSignature))
		if n := len(slices.DeleteFunc(want, func(signs bool) bool { return !signs })); len(signatures) != n {
			t.Errorf("%d signatures, want %d", len(signatures), n)
		}
	}
	rotate(-24*time.Hour - time.Second)
	signed(false, true)
	rotate(-24*time.Hour + time.Minute)
	signed(false, true, true)
	rotate(-time.Hour)
	signed(false, false, true, true)
}

// A ping reaches the endpoint that is tested, whatever types it names, and no other; it is not among the events.
func TestAPingReachesOneEndpoint(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	in, other := newReceiver(t, nil), newReceiver(t, nil)
	created, err := s.Client.CreateWebhookEndpointWithResponse(t.Context(), nil, api.WebhookEndpointRequest{
		URL: in.URL, EventTypes: []api.EventType{api.EventTypeTransactionCreated},
	})
	endpoint := servertest.OK(t, created.StatusCode(), created.Body, created.JSON200, err)
	untested := register(t, s, other.URL)
	sent := ping(t, s, endpoint.ID)
	if sent.EventType != api.EventTypePing || sent.Status != api.WebhookDeliveryStatusPending || sent.NextAttemptAt == nil {
		t.Errorf("delivery %+v", sent)
	}
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusDelivered, 1)
	got := in.await(t, 1)[0]
	if err := verifies(t, got, *endpoint.Secret); err != nil {
		t.Error(err)
	}
	if e := servertest.Parse[api.Event](t, got.body); e.Type != api.EventTypePing || e.ID != sent.EventID {
		t.Errorf("the ping is %s", got.body)
	}
	if all := deliveries(t, s, untested.ID); len(all) != 0 {
		t.Errorf("another endpoint has %+v", all)
	}
	if r := servertest.Call(t, s, http.MethodGet, "/events/"+sent.EventID.String(), nil); r.Status != http.StatusNotFound {
		t.Errorf("the ping is an event: %d", r.Status)
	}
	feed, err := s.Client.ListEventsWithResponse(t.Context(), nil)
	if page := servertest.OK(t, feed.StatusCode(), feed.Body, feed.JSON200, err); len(page.Items) != 0 {
		t.Errorf("the feed has %s", feed.Body)
	}
}

// A retry makes the attempt now that is due later, and another one after a success.
func TestARetryIsMadeNow(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	in := newReceiver(t, func(times int) int {
		if times == 1 {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	endpoint := register(t, s, in.URL)
	sent := ping(t, s, endpoint.ID)
	failed := delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusPending, 1)
	if a := failed.Attempts[0]; a.HTTPStatus == nil || *a.HTTPStatus != 500 || a.Error == nil || *a.Error != api.WebhookAttemptErrorHTTPStatus {
		t.Errorf("the first attempt is %+v", a)
	}
	if now := retry(t, s, endpoint.ID, sent.EventID); now.Status != api.WebhookDeliveryStatusPending || !now.NextAttemptAt.Before(failed.NextAttemptAt.Time) {
		t.Errorf("retried: %+v, before %+v", now, failed)
	}
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusDelivered, 2)
	retry(t, s, endpoint.ID, sent.EventID)
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusDelivered, 3)
	all := in.await(t, 3)
	for _, v := range all {
		if id := v.header.Get("webhook-id"); id != sent.EventID.String() || !bytes.Equal(v.body, all[0].body) {
			t.Errorf("webhook-id %s: %s, want %s: %s", id, v.body, sent.EventID, all[0].body)
		}
	}
	r, err := s.Client.RetryWebhookDeliveryWithResponse(t.Context(), endpoint.ID, endpoint.ID)
	if err != nil || r.StatusCode() != http.StatusNotFound {
		t.Errorf("a retry of an event that is not delivered there: %d %s, %v", r.StatusCode(), r.Body, err)
	}
}

func TestGoneDisablesTheEndpoint(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	in := newReceiver(t, func(int) int { return http.StatusGone })
	endpoint := register(t, s, in.URL)
	sent := ping(t, s, endpoint.ID)
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusFailed, 1)
	r, err := s.Client.GetWebhookEndpointWithResponse(t.Context(), endpoint.ID)
	got := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	if !got.Disabled || got.DisabledReason == nil || *got.DisabledReason != api.WebhookDisabledReasonGone {
		t.Errorf("endpoint %s", r.Body)
	}
	if d := ping(t, s, endpoint.ID); d.Status != api.WebhookDeliveryStatusCanceled || d.NextAttemptAt != nil {
		t.Errorf("a test of a disabled endpoint: %+v", d)
	}
	if d := retry(t, s, endpoint.ID, sent.EventID); d.Status != api.WebhookDeliveryStatusCanceled || d.NextAttemptAt != nil {
		t.Errorf("a retry at a disabled endpoint: %+v", d)
	}
	change := func(disabled bool) api.WebhookEndpoint {
		r, err := s.Client.UpdateWebhookEndpointWithResponse(t.Context(), endpoint.ID, api.WebhookEndpointChange{Disabled: &disabled})
		return servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	}
	if again := change(true); !reflect.DeepEqual(again, got) {
		t.Errorf("disabled by the client too: %+v, was %+v", again, got)
	}
	if enabled := change(false); enabled.Disabled || enabled.DisabledReason != nil || !enabled.UpdatedAt.After(got.UpdatedAt.Time) {
		t.Errorf("enabled again: %+v", enabled)
	}
}

// What waits for an endpoint is canceled when its client disables it.
func TestDisablingCancelsWhatWaits(t *testing.T) {
	t.Parallel()
	s := delivering(t)
	in := newReceiver(t, func(int) int { return http.StatusServiceUnavailable })
	endpoint := register(t, s, in.URL)
	sent := ping(t, s, endpoint.ID)
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusPending, 1)
	r, err := s.Client.UpdateWebhookEndpointWithResponse(t.Context(), endpoint.ID, api.WebhookEndpointChange{Disabled: servertest.Ptr(true)})
	servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	delivery(t, s, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusCanceled, 1)
}

// However much waits for an endpoint, all of it is shown as CANCELED once that is disabled, and is so once it is enabled again.
func TestMuchThatWaitsIsCanceled(t *testing.T) {
	t.Parallel()
	s := servertest.New(t) // nothing but the requests cancels here
	endpoint := register(t, s, "https://example.com/")
	first := ping(t, s, endpoint.ID).EventID
	db := s.Beside(t)
	servertest.Exec(t, db, `insert into webhook_deliveries (client_id, endpoint_id, event_id, event_type, position, payload, status, attempts,
			next_attempt_at, created_at)
		with recursive n (i) as (select 0 union all select i + 1 from n where i < 2999)
		select d.client_id, d.endpoint_id, '00000000-0000-7000-8000-' || (100000000000 + n.i), d.event_type, 0, d.payload, d.status, 0,
			d.next_attempt_at, d.created_at + n.i / 10 from webhook_deliveries d, n where d.event_id = '`+first.String()+`'`)
	stored := func(status string) (n int) {
		t.Helper()
		servertest.Rows(t, db, `select count(*) from webhook_deliveries where status = $1`, func(rows *sql.Rows) error { return rows.Scan(&n) }, status)
		return n
	}
	change := func(disabled bool) {
		t.Helper()
		r, err := s.Client.UpdateWebhookEndpointWithResponse(t.Context(), endpoint.ID, api.WebhookEndpointChange{Disabled: &disabled})
		servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	}
	listed := func(status api.WebhookDeliveryStatus) (n int) {
		t.Helper()
		p := api.ListWebhookDeliveriesParams{Limit: servertest.Ptr[int32](100)}
		if status != "" {
			p.Status = &status
		}
		seen := map[openapi_types.UUID]bool{}
		for {
			r, err := s.Client.ListWebhookDeliveriesWithResponse(t.Context(), endpoint.ID, &p)
			page := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
			for _, d := range page.Items {
				if seen[d.EventID] || d.Status != api.WebhookDeliveryStatusCanceled || d.NextAttemptAt != nil {
					t.Fatalf("listed: %+v, a second time: %t", d, seen[d.EventID])
				}
				seen[d.EventID] = true
			}
			if page.NextCursor == nil {
				return len(seen)
			}
			p.Cursor = page.NextCursor
		}
	}
	check := func() {
		t.Helper()
		if all, canceled, pending := listed(""), listed("CANCELED"), listed("PENDING"); all != 3001 || canceled != 3001 || pending != 0 {
			t.Errorf("listed %d, %d CANCELED, %d PENDING, want 3001, 3001 and 0", all, canceled, pending)
		}
	}
	change(true)
	if n := stored("PENDING"); n != 2001 {
		t.Errorf("%d deliveries wait after the request, want 2001: it cancels 1000", n)
	}
	check()
	change(false)
	if n := stored("PENDING"); n != 0 {
		t.Errorf("%d deliveries would be sent after all", n)
	}
	check()
}

// A service that does not deliver leaves everything to the next one that does.
func TestAnotherServiceDeliversWhatWaits(t *testing.T) {
	t.Parallel()
	first := servertest.New(t)
	in := newReceiver(t, nil)
	endpoint := register(t, first, in.URL)
	sent := ping(t, first, endpoint.ID)
	first.Stop()
	second := delivering(t, func(c *server.Config) { c.Database = first.Database })
	delivery(t, second, endpoint.ID, sent.EventID, api.WebhookDeliveryStatusDelivered, 1)
}
