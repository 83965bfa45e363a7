package payouttest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/crossborder-payouts/payouts/client"
)

// Calls are calls to come, for which a switch is set. Make them with [Sandbox.Next].
//
// Switches are taken in the order in which they were set: a call meets the first one that is for its operation and has
// calls left, and no other. Each meets exactly as many calls as it was set for, also if they come concurrently.
type Calls struct {
	sandbox    *Sandbox
	operations []string
	times      int
	retryAfter *int
}

// Next means the next call of one of these operations, named by operationId, or of any where none is named. What the
// sandbox does itself, such as [Sandbox.VerifiedSender], does not count. An operation that is not in the contract fails
// the test.
func (s *Sandbox) Next(operations ...string) Calls {
	s.t.Helper()
	for _, operation := range operations {
		if s.front.operations.byID[operation] == nil {
			s.t.Fatalf("the contract has no operation %q", operation)
		}
	}
	return Calls{sandbox: s, operations: operations, times: 1}
}

// Times means the next n such calls, 1 or more.
func (c Calls) Times(n int) Calls {
	c.sandbox.t.Helper()
	if n < 1 {
		c.sandbox.t.Fatalf("Times is %d, want 1 or more", n)
	}
	c.times = n
	return c
}

// LoseRequest ends the connection before the server sees the request: nothing is done, and the caller cannot know.
func (c Calls) LoseRequest() { c.meet("LoseRequest", (*call).die) }

// LoseResponse lets the server do what it is asked for, and ends the connection before the caller learns of it.
func (c Calls) LoseResponse() {
	c.meet("LoseResponse", func(x *call) {
		x.ask()
		x.die()
	})
}

// CutResponse lets the server answer, and ends the connection in the middle of the body.
func (c Calls) CutResponse() {
	c.meet("CutResponse", func(x *call) {
		a := x.ask()
		if a == nil {
			return
		}
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
		a.body = a.body[:len(a.body)/2]
		x.write(a)
		_ = http.NewResponseController(x.w).Flush() // fails if the caller left
		panic(http.ErrAbortHandler)                 // which is how a handler ends a connection
	})
}

// RetryAfter sets what Fail puts into the header Retry-After of RATE_LIMITED and SERVICE_UNAVAILABLE, in place of 1 second,
// which is the least that the contract has: 0 for a test that should not wait, or more than a caller waits for.
func (c Calls) RetryAfter(seconds int) Calls {
	c.retryAfter = &seconds
	return c
}

// Fail answers with an error code of the contract, such as [client.ServiceUnavailable]: with the status, the headers and
// the details that the examples of the contract have. The server does not see the request. A code that the operation
// never answers with fails the test.
func (c Calls) Fail(code client.Code) {
	c.sandbox.t.Helper()
	for _, operation := range c.operations {
		if _, err := c.sandbox.front.operations.refusal(operation, code); err != nil {
			c.sandbox.t.Fatal(err)
		}
	}
	c.meet("Fail "+string(code), func(x *call) {
		a, err := x.operations.refusal(x.seen.Operation, code)
		if err != nil {
			x.t.Error(err)
			x.die()
			return
		}
		if c.retryAfter != nil && a.header.Get("Retry-After") != "" {
			a.header.Set("Retry-After", strconv.Itoa(*c.retryAfter))
		}
		x.settle(a.status)
		x.write(a)
	})
}

// Delay lets the server see the request after d, or when the test ends. A caller who gives up before that was never there
// for the server.
func (c Calls) Delay(d time.Duration) {
	c.meet("Delay", func(x *call) { waitFor(x, time.After(d)) })
}

// Hold keeps the request from the server until it is released, or the test ends. A caller who gives up before that was
// never there for the server.
func (c Calls) Hold() *Held {
	h := &Held{arrived: make(chan struct{}), released: make(chan struct{})}
	h.arrive = sync.OnceFunc(func() { close(h.arrived) })
	h.release = sync.OnceFunc(func() { close(h.released) })
	c.meet("Hold", func(x *call) {
		h.arrive()
		waitFor(x, h.released)
	})
	return h
}

// waitFor lets a call pass when something happens, unless its caller leaves.
func waitFor[T any](x *call, happens <-chan T) {
	select {
	case <-happens:
	case <-x.ended:
	case <-x.r.Context().Done():
		return
	}
	x.pass()
}

// Held are calls that wait.
type Held struct {
	arrived, released chan struct{}
	arrive, release   func()
}

// Arrived is closed when the first of the calls is there.
func (h *Held) Arrived() <-chan struct{} { return h.arrived }

// Release lets the calls through, those to come as well.
func (h *Held) Release() { h.release() }

func (c Calls) meet(name string, do func(*call)) {
	c.sandbox.front.set(&fault{name: name, operations: c.operations, left: c.times, do: do})
}

// fault is a switch that is set.
type fault struct {
	name       string
	operations []string // none: all
	left       int      // calls; guarded by front.mu
	do         func(*call)
}

func (s *fault) isFor(operation string) bool {
	return len(s.operations) == 0 || slices.Contains(s.operations, operation)
}

// String names what the switch still waits for.
func (s *fault) String() string {
	what := "any operation"
	if len(s.operations) > 0 {
		what = strings.Join(s.operations, " or ")
	}
	return fmt.Sprintf("%s, for %d more of %s", s.name, s.left, what)
}
