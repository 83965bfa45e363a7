//go:build linux

package crash

import (
	"bytes"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// refusals is the part of the events whose first webhook is refused: one of this many with 500, and as many without an answer.
const refusals = 40

// endpoint is a webhook endpoint with its receiver.
type endpoint struct {
	id     uuid.UUID
	secret string
	types  map[api.EventType]bool // empty: all

	mu       sync.Mutex
	arrivals int
	refused  int
	accepted map[string]int // answers of 200, by webhook-id
	bodies   map[string][]byte
	problems []string
}

// newEndpoint registers an endpoint of these types, or of all, at a receiver that refuses some webhooks once.
func newEndpoint(t *testing.T, c *client.Client, types ...api.EventType) *endpoint {
	t.Helper()
	e := &endpoint{types: map[api.EventType]bool{}, accepted: map[string]int{}, bodies: map[string][]byte{}}
	for _, each := range types {
		e.types[each] = true
	}
	web := httptest.NewServer(e)
	t.Cleanup(web.Close)
	registered, err := c.CreateWebhookEndpoint(t.Context(), api.WebhookEndpointRequest{URL: web.URL, EventTypes: types})
	if err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.id, e.secret = registered.ID, *registered.Secret
	return e
}

// ServeHTTP implements http.Handler.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the replica was killed meanwhile
	}
	id := r.Header.Get("webhook-id")
	e.mu.Lock()
	defer e.mu.Unlock()
	event, err := client.VerifyWebhook(r.Header, body, e.secret)
	e.arrivals++
	before, again := e.bodies[id]
	switch {
	case err != nil:
		e.problems = append(e.problems, id+": "+err.Error())
	case event.ID.String() != id:
		e.problems = append(e.problems, id+" has event "+event.ID.String())
	case again && !bytes.Equal(before, body):
		e.problems = append(e.problems, id+" comes with another body")
	}
	e.bodies[id] = body
	number := fnv.New32a()
	_, _ = number.Write([]byte(id))
	switch {
	case again || number.Sum32()%refusals > 1:
		e.accepted[id]++
	case number.Sum32()%refusals == 1:
		e.refused++
		w.WriteHeader(http.StatusInternalServerError)
	default:
		e.refused++
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
}

// missing returns the events of the feed that the receiver wants and has not accepted.
func (e *endpoint) missing(feed []event) (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range feed {
		if e.wants(v) && e.accepted[v.id()] == 0 {
			ids = append(ids, v.id())
		}
	}
	return ids
}

func (e *endpoint) wants(v event) bool { return len(e.types) == 0 || e.types[v.Type] }

// judge compares what arrived with the feed.
func (e *endpoint) judge(t *testing.T, feed []event) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.problems {
		t.Errorf("webhook %s", p)
	}
	known := map[string]bool{}
	for _, v := range feed {
		known[v.id()] = e.wants(v)
		if body, ok := e.bodies[v.id()]; ok && !bytes.Equal(body, v.text) {
			t.Errorf("the webhook of event %s is\n%s\nand in the feed it is\n%s", v.id(), body, v.text)
		}
	}
	for id := range e.bodies {
		if !known[id] {
			t.Errorf("the webhook of event %s arrived, which is not in the feed, or not of a type of the endpoint", id)
		}
	}
	repeats := 0
	for _, n := range e.accepted {
		repeats += n - 1
	}
	t.Logf("endpoint of %d types: %d webhooks of %d events arrived, %d were refused, %d had been accepted before",
		len(e.types), e.arrivals, len(e.bodies), e.refused, repeats)
}
