package payouttest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// front is a proxy in front of the real server. It records the requests and applies the faults.
type front struct {
	t          testing.TB
	operations *operations
	server     *url.URL
	transport  http.RoundTripper // to the server; checks every response against the contract
	ended      chan struct{}     // closed when nothing may wait any more

	mu       sync.Mutex
	switches []*fault // in the order in which they were set, including used ones
	requests []*Request
}

func newFront(t testing.TB, server *servertest.Server) *front {
	t.Helper()
	known, err := contracted()
	if err != nil {
		t.Fatalf("read the contract: %v", err)
	}
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatalf("read the address of the server: %v", err)
	}
	return &front{t: t, operations: known, server: address, transport: server.HTTP.Transport, ended: make(chan struct{})}
}

// ServeHTTP implements [http.Handler].
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller left
	}
	c := &call{front: f, w: w, r: r, body: body}
	happens := f.arrived(c)
	happens(c)
}

// arrived records a call, and returns what happens to it: the first fault for it, if any.
func (f *front) arrived(c *call) func(*call) {
	operation := f.operations.of(c.r)
	c.seen = &Request{
		Operation: operation, Method: c.r.Method, Path: c.r.URL.Path, IdempotencyKey: c.r.Header.Get("X-Idempotency-Key"),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, c.seen)
	for _, s := range f.switches {
		if s.left > 0 && s.isFor(operation) {
			s.left--
			c.seen.Fault = s.name
			return s.do
		}
	}
	return (*call).pass
}

func (f *front) set(s *fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.switches = append(f.switches, s)
}

// unused lists the faults that have calls left.
func (f *front) unused() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.switches {
		if s.left > 0 {
			names = append(names, s.String())
		}
	}
	return names
}

// seen returns a copy of the requests of these operations, or of all.
func (f *front) seen(operations []string) (list []Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if len(operations) == 0 || slices.Contains(operations, r.Operation) {
			list = append(list, *r)
		}
	}
	return list
}

// call is one request on its way through the front.
type call struct {
	*front
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	seen *Request // guarded by front.mu
}

// answer is a whole response.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// pass forwards the call.
func (c *call) pass() {
	if a := c.ask(); a != nil {
		c.write(a)
	}
}

// ask returns the response of the server, or nil if the caller left before it came.
func (c *call) ask() *answer {
	out := c.r.Clone(c.r.Context())
	out.RequestURI, out.Host = "", c.server.Host
	out.URL.Scheme, out.URL.Host = c.server.Scheme, c.server.Host
	out.Body = io.NopCloser(bytes.NewReader(c.body))
	out.ContentLength = int64(len(c.body))
	resp, err := c.transport.RoundTrip(out)
	if err != nil {
		return nil
	}
	defer resp.Body.Close() //nolint:errcheck // it is in memory
	a := &answer{status: resp.StatusCode, header: resp.Header}
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return nil
	}
	c.settle(a.status)
	return a
}

// settle records the status of the response.
func (c *call) settle(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen.Status = status
}

// write sends a response.
func (c *call) write(a *answer) {
	for name, values := range a.header {
		c.w.Header()[name] = values
	}
	c.w.WriteHeader(a.status)
	_, _ = c.w.Write(a.body) // fails if the caller left
}

// die closes the connection, so that the caller gets an error. It sends the first byte of a response, because otherwise the
// transport of net/http may repeat the request by itself, and a fault should be one failed attempt of the client.
func (c *call) die() {
	conn, buffered, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		c.t.Errorf("take over a connection: %v", err)
		return
	}
	_, _ = buffered.WriteString("H") // fails if the caller left, as does the next
	_ = buffered.Flush()
	_ = conn.Close()
}

// Request is a recorded request.
type Request struct {
	Operation      string // operationId, such as createTransaction; "" if it is not in the contract
	Method, Path   string
	IdempotencyKey string // "" if it had none
	Fault          string // the fault that it met, such as LoseResponse; "" if none
	Status         int    // of the response, even if it was lost; 0 if there is none, or not yet
}

// String is for the messages of failing tests.
func (r Request) String() string {
	parts := []string{r.Operation, r.Method, r.Path}
	if r.IdempotencyKey != "" {
		parts = append(parts, "key "+r.IdempotencyKey)
	}
	if r.Fault != "" {
		parts = append(parts, r.Fault)
	}
	return fmt.Sprintf("%s: %d", strings.Join(parts, " "), r.Status)
}
