package payouttest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// front is a proxy in front of the service. It records the requests and applies the faults.
type front struct {
	t          testing.TB
	operations *operations
	server     *url.URL
	transport  http.RoundTripper // to the service; checks every response against the contract
	ended      chan struct{}     // closed when nothing may wait any more

	mu       sync.Mutex
	faults   []*Fault // in the order in which they were set, including used ones
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
		t.Fatalf("read the address of the service: %v", err)
	}
	return &front{t: t, operations: known, server: address, transport: server.HTTP.Transport, ended: make(chan struct{})}
}

// serve starts to listen. A connection serves one request, because net/http repeats a request by itself, unseen, if a
// connection that it has used before fails. So a fault is one failed attempt of the caller, whatever the method.
func (f *front) serve() *httptest.Server {
	web := httptest.NewUnstartedServer(f)
	web.Config.SetKeepAlivesEnabled(false)
	web.Start()
	return web
}

// ServeHTTP implements [http.Handler].
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the caller left
	}
	c := &call{front: f, w: w, r: r, body: body, seen: &Request{
		Operation: f.operations.of(r), Method: r.Method, Path: r.URL.Path, IdempotencyKey: r.Header.Get("X-Idempotency-Key"),
	}}
	if fault := f.arrived(c.seen); fault != nil {
		fault.do(c)
		return
	}
	c.write(c.ask())
}

// arrived records a request, and returns the fault that it meets, or nil.
func (f *front) arrived(seen *Request) (meets *Fault) {
	request := *seen
	f.mu.Lock()
	f.requests = append(f.requests, seen)
	faults := slices.Clone(f.faults)
	f.mu.Unlock()
	// Without the lock, because the function of Where may use the sandbox.
	faults = slices.DeleteFunc(faults, func(fault *Fault) bool { return !fault.isFor(request) })
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range faults {
		if fault.counted() && meets == nil {
			meets = fault
			meets.met++
			seen.Fault = meets.name
		}
	}
	return meets
}

func (f *front) set(fault *Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, fault)
}

// unused describes the faults that have not met the calls that they were set for.
func (f *front) unused() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, fault := range f.faults {
		if !fault.used() {
			names = append(names, fault.report())
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

// call is one request on its way through the front. Its methods that cannot go on end the goroutine of the request with
// [http.ErrAbortHandler], which closes the connection.
type call struct {
	*front
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	seen *Request // guarded by front.mu
}

// ask returns the response of the service.
func (c *call) ask() *Response {
	out := c.r.Clone(c.r.Context())
	out.RequestURI, out.Host = "", c.server.Host
	out.URL.Scheme, out.URL.Host = c.server.Scheme, c.server.Host
	out.Body = io.NopCloser(bytes.NewReader(c.body))
	out.ContentLength = int64(len(c.body))
	out.Close = false // as the caller's connection, not that to the service
	response, err := c.forward(out)
	if err != nil {
		if c.r.Context().Err() == nil { // otherwise the caller left
			c.t.Errorf("forward %s: %v", c.what(), err)
		}
		panic(http.ErrAbortHandler)
	}
	c.settle(response.Status)
	return response
}

func (c *call) forward(r *http.Request) (*Response, error) {
	resp, err := c.transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(resp.Body)
	resp.Header.Del("Content-Length") // write sets it, also for a body that was changed
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: string(body)}, err
}

// what names the call in messages.
func (c *call) what() string { return cmp.Or(c.seen.Operation, c.seen.Method+" "+c.seen.Path) }

// settle records the status of the response.
func (c *call) settle(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen.Status = status
}

// write sends a response.
func (c *call) write(a *Response) {
	header := c.w.Header()
	header["Content-Type"] = nil // otherwise net/http guesses
	if a.hasBody() {
		header.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	maps.Copy(header, a.Header)
	c.w.WriteHeader(a.Status)
	if _, err := io.WriteString(c.w, a.Body); errors.Is(err, http.ErrContentLength) {
		c.misuse("the response for %s has a Content-Length below the length of its body", c.what())
	}
}

// misuse fails the test, and closes the connection.
func (c *call) misuse(format string, args ...any) {
	c.t.Errorf(format, args...)
	panic(http.ErrAbortHandler)
}

// hangUp sends half of a response, or nothing, and closes or resets the connection.
func (c *call) hangUp(response *Response, reset bool) {
	conn, buffered, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		c.misuse("take over a connection: %v", err)
	}
	if response != nil {
		half := response.Body[:len(response.Body)/2]
		cut := &http.Response{
			StatusCode: response.Status, ProtoMajor: 1, ProtoMinor: 1, Header: response.Header,
			ContentLength: int64(len(response.Body)), Body: io.NopCloser(strings.NewReader(half)), Close: true,
		}
		_ = cut.Write(buffered) // fails because half is missing; the next fails if the caller left
		_ = buffered.Flush()
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0) // fails if the caller left, as does the next
	}
	_ = conn.Close()
}

// Request is a recorded request.
type Request struct {
	Operation      string // operationId, such as createTransaction; "" if it is not in the contract
	Method, Path   string
	IdempotencyKey string // "" if it had none
	Fault          string // the fault that it met, such as LoseResponse or Handled Answer 502; "" if none
	Status         int    // of the service's response, whatever became of it, or of one instead of it; 0 if none, or not yet
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
