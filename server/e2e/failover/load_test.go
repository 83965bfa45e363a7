//go:build linux

package failover

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

const (
	// callers is the number of clients of each route.
	callers = 6
	// pause is how long a caller waits between two transactions.
	pause = 30 * time.Millisecond
	// impatient is how long every third caller waits for a response, before it repeats its request. It speaks to a replica
	// without the load balancer, so that the replica sees that it went away and cancels what it does.
	impatient = time.Second
)

// event is a line of history.jsonl: an attempt, or the end of a call.
type event struct {
	At      time.Duration `json:"at"` // since the load began, in nanoseconds
	Route   string        `json:"route"`
	Key     string        `json:"key"` // also the note of the transaction
	Attempt int           `json:"attempt,omitempty"`
	Status  int           `json:"status,omitempty"`
	Code    client.Code   `json:"code,omitempty"`
	Took    time.Duration `json:"took"`
	ID      *uuid.UUID    `json:"acknowledged,omitempty"` // of the transaction, at the end of a call
	Error   string        `json:"error,omitempty"`
}

// seen is what a caller sees of an attempt that fails.
func (e event) seen() string {
	if e.Status == 0 {
		return e.Route + ": no response"
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %d %s", e.Route, e.Status, e.Code))
}

// acknowledgement is what a caller was told of a key.
type acknowledgement struct {
	id   uuid.UUID
	at   time.Duration
	took time.Duration // from the first attempt, over all repeats
}

// history records what callers sent and were told.
type history struct {
	began time.Time
	mu    sync.Mutex
	file  *bufio.Writer
	// acknowledged has the calls that succeeded, and sent all, by key.
	acknowledged map[string]acknowledgement
	sent         map[string]*caller
	failed       map[string]int // attempts without success, by what the caller saw
	wrong        []string       // outcomes for which no caller is prepared
}

func newHistory(t *testing.T, dir string) *history {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	h := &history{
		began: time.Now(), file: bufio.NewWriter(file),
		acknowledged: map[string]acknowledgement{}, sent: map[string]*caller{}, failed: map[string]int{},
	}
	t.Cleanup(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if err := errors.Join(h.file.Flush(), file.Close()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *history) now() time.Duration { return time.Since(h.began) }

func (h *history) write(e event) {
	line, _ := json.Marshal(e) // plain fields
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = h.file.Write(append(line, '\n'))
	if e.Attempt > 0 && e.Status != http.StatusOK {
		h.failed[e.seen()]++
	}
	if e.ID != nil {
		h.acknowledged[e.Key] = acknowledgement{*e.ID, e.At, e.Took}
	}
}

// caller is a client that sends one transaction after the other, each until it is acknowledged.
type caller struct {
	route    *route
	number   int
	client   *client.Client
	sender   servertest.Sender
	receiver servertest.Receiver
}

// load is the traffic of all routes.
type load struct {
	*history
	stop func()
	all  sync.WaitGroup
}

// startLoad returns while the callers of all routes send.
func startLoad(t *testing.T, h *history, routes []*route) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{history: h, stop: stop}
	t.Cleanup(func() { stop(); l.all.Wait() })
	for _, r := range routes {
		for number := range callers {
			c := &caller{route: r, number: number}
			url, patience := r.url(), client.DefaultTimeout
			if number%3 == 2 {
				url, patience = "http://"+r.address(2), impatient
			}
			c.client = sdk(t, url, patience, client.Hooks{Response: func(_ context.Context, a client.Attempt) {
				h.write(event{At: h.now(), Route: r.name, Key: a.IdempotencyKey, Attempt: a.Number, Status: a.Status, Code: a.Code, Took: a.Duration})
			}})
			c.sender, c.receiver = r.newSender(t)
			l.all.Go(func() { c.work(ctx, h) })
		}
	}
	return l
}

// work sends until ctx ends, and finishes the last transaction even then.
func (c *caller) work(ctx context.Context, h *history) {
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		key := fmt.Sprintf("%s-%d-%d", c.route.name, c.number, n)
		h.mu.Lock()
		h.sent[key] = c
		h.mu.Unlock()
		if !c.acknowledge(context.WithoutCancel(ctx), h, key) {
			return
		}
	}
}

// acknowledge repeats a call until it succeeds, at most for two minutes. False ends the work of the caller.
func (c *caller) acknowledge(ctx context.Context, h *history, key string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	began := time.Now()
	for {
		created, err := c.client.CreateTransaction(ctx, c.sender.ID, c.request(key), client.IdempotencyKey(key))
		end := event{At: h.now(), Route: c.route.name, Key: key, Took: time.Since(began)}
		if err == nil {
			end.ID = &created.ID
			h.write(end)
			return true
		}
		if e, ok := errors.AsType[*client.Error](err); !ok || !e.OutcomeUnknown() && !e.Temporary() || ctx.Err() != nil {
			end.Error = err.Error()
			h.write(end)
			h.mu.Lock()
			h.wrong = append(h.wrong, key+": "+end.Error)
			h.mu.Unlock()
			return false
		}
	}
}

// request is the transaction of a key, whose note is the key: a second one with the same note is a double.
func (c *caller) request(key string) api.TransactionRequest {
	return api.TransactionRequest{
		FromAmount: client.MustAmount("0.01"), FromCurrency: servertest.SenderCurrency, FromFundID: c.sender.Fund,
		ToCurrency: servertest.DestinationCurrency, ExchangeRate: client.MustAmount("132.25"),
		To: client.BankDeposit(c.receiver.ID, c.receiver.Bank), Note: new(key),
	}
}

// successes returns how many calls of a route were acknowledged since a time.
func (h *history) successes(route string, since time.Duration) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, a := range h.acknowledged {
		if h.sent[key].route.name == route && a.at > since {
			n++
		}
	}
	return n
}

// flows waits until callers of all routes have been acknowledged since a time, and fails the test after patience.
func (h *history) flows(t *testing.T, routes []*route, since time.Duration, patience time.Duration) {
	t.Helper()
	end := time.Now().Add(patience)
	for _, r := range routes {
		for h.successes(r.name, since) < 2*callers {
			if time.Now().After(end) {
				t.Errorf("callers through %s are not served again after %s", r.name, patience)
				break
			}
			<-time.After(50 * time.Millisecond)
		}
	}
}
