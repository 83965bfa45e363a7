package webhooks_test

import (
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// A receiver is down while both replicas deliver, and then there again: it gets every event, and the other endpoint of the
// client has got each by then, once, because the replicas share the work.
func TestAReceiverThatComesBackGetsEveryEvent(t *testing.T) {
	t.Parallel()
	first := delivering(t)
	replicas := []*servertest.Server{first}
	if servertest.OnPostgreSQL(t) { // SQLite has one
		replicas = append(replicas, delivering(t, func(c *server.Config) { c.Database = first.Database }))
	}
	steady, absent := newReceiver(t, nil), newReceiver(t, nil)
	address := pgtest.FreeAddress(t) // where it will be
	register(t, first, steady.URL)
	endpoint := register(t, first, "http://"+address)

	sender := servertest.NewSender(t, first.Client)
	receiver := servertest.NewReceiver(t, first.Client, sender.ID)
	for n := range 12 { // with those of the sender they fit on a page of deliveries
		servertest.Created(t, servertest.Send(t, replicas[n%len(replicas)].Client, sender.ID, "", servertest.Deposit(t, sender, receiver, "0.01")))
	}
	events, _ := follow(t, first, nil)
	if got := arrivals(steady.await(t, len(events))); len(got) != len(events) {
		t.Errorf("the receiver that is there got %d of %d events", len(got), len(events))
	}
	servertest.Await(t, time.Minute, "nothing is sent to the receiver that is down", func() bool {
		for _, d := range deliveries(t, first, endpoint.ID) {
			if len(d.Attempts) > 0 {
				if e := d.Attempts[0].Error; e == nil || *e != api.WebhookAttemptErrorConnectionRefused {
					t.Fatalf("the first attempt is %+v", d.Attempts[0])
				}
				return true
			}
		}
		return false
	})

	back := httptest.NewUnstartedServer(absent.Config.Handler)
	back.Listener.Close()
	var err error
	if back.Listener, err = (&net.ListenConfig{}).Listen(t.Context(), "tcp", address); err != nil {
		t.Fatal(err)
	}
	back.Start()
	t.Cleanup(back.Close)
	servertest.Await(t, time.Minute, "the receiver that is back does not get everything", func() bool {
		pending := 0
		for _, d := range deliveries(t, first, endpoint.ID) {
			if d.Status == api.WebhookDeliveryStatusPending { // the next attempt may be due in minutes
				pending++
				retry(t, replicas[len(replicas)-1], endpoint.ID, d.EventID)
			}
		}
		return pending == 0
	})
	got := arrivals(absent.await(t, len(events)))
	for _, id := range events {
		if got[id] == 0 {
			t.Errorf("event %s was never delivered to the receiver that is back", id)
		}
	}
	if n := len(steady.await(t, len(events))); n != len(events) {
		t.Errorf("the other receiver got %d webhooks of %d events", n, len(events))
	}
	first.Stop()
	servertest.WantSound(t, first.Database)
}

// arrivals counts webhooks by the id of their event.
func arrivals(all []webhook) map[string]int {
	count := map[string]int{}
	for _, v := range all {
		count[v.header.Get("webhook-id")]++
	}
	return count
}
