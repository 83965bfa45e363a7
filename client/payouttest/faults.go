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

// Calls selects calls to come, for which a fault is set. Create it with [Sandbox.Next].
//
// A call meets one fault at most: the first one, in the order in which they were set, that is for its operation and has
// calls left. Each fault meets exactly as many calls as it was set for, even if they are concurrent.
type Calls struct {
	sandbox    *Sandbox
	operations []string
	times      int
	retryAfter *int
}

// Next selects the next call of one of these operations, by operationId, or of any operation. Calls of the sandbox itself,
// such as [Sandbox.VerifiedSender], do not count. An operation that is not in the contract fails the test.
func (s *Sandbox) Next(operations ...string) Calls {
	s.t.Helper()
	for _, operation := range operations {
		if s.front.operations.byID[operation] == nil {
			s.t.Fatalf("the contract has no operation %q", operation)
		}
	}
	return Calls{sandbox: s, operations: operations, times: 1}
}

// Times selects the next n such calls, at least 1.
func (c Calls) Times(n int) Calls {
	c.sandbox.t.Helper()
	if n < 1 {
		c.sandbox.t.Fatalf("Times is %d, want 1 or more", n)
	}
	c.times = n
	return c
}

// LoseRequest closes the connection before the server gets the request: nothing happens, but the caller cannot know.
func (c Calls) LoseRequest() { c.meet("LoseRequest", (*call).die) }

// LoseResponse closes the connection after the server has handled the request, before the caller gets the response.
func (c Calls) LoseResponse() {
	c.meet("LoseResponse", func(x *call) {
		x.ask()
		x.die()
	})
}

// CutResponse closes the connection in the middle of the body of the response.
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

// RetryAfter sets the Retry-After of Fail with RATE_LIMITED and SERVICE_UNAVAILABLE, instead of 1 second, which is the
// minimum of the contract: 0 for a test that should not wait, or more than the caller accepts.
func (c Calls) RetryAfter(seconds int) Calls {
	c.retryAfter = &seconds
	return c
}

// Fail answers with an error code of the contract, such as [client.ServiceUnavailable], with the status, headers and
// details of the examples of the contract. The server does not get the request. A code that the operation does not declare
// fails the test.
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

// Delay forwards the request to the server after d, or when the test ends, unless the caller has given up.
func (c Calls) Delay(d time.Duration) {
	c.meet("Delay", func(x *call) { waitFor(x, time.After(d)) })
}

// Hold forwards the request to the server when it is released, or when the test ends, unless the caller has given up.
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

// waitFor forwards a call when happened is closed, unless its caller leaves.
func waitFor[T any](x *call, happens <-chan T) {
	select {
	case <-happens:
	case <-x.ended:
	case <-x.r.Context().Done():
		return
	}
	x.pass()
}

// Held are calls that are held.
type Held struct {
	arrived, released chan struct{}
	arrive, release   func()
}

// Arrived is closed when the first of the calls has arrived.
func (h *Held) Arrived() <-chan struct{} { return h.arrived }

// Release forwards the calls, including those to come.
func (h *Held) Release() { h.release() }

func (c Calls) meet(name string, do func(*call)) {
	c.sandbox.front.set(&fault{name: name, operations: c.operations, left: c.times, do: do})
}

// fault is a fault that is set.
type fault struct {
	name       string
	operations []string // none: all
	left       int      // calls; guarded by front.mu
	do         func(*call)
}

func (s *fault) isFor(operation string) bool {
	return len(s.operations) == 0 || slices.Contains(s.operations, operation)
}

// String names the calls that the fault has left.
func (s *fault) String() string {
	what := "any operation"
	if len(s.operations) > 0 {
		what = strings.Join(s.operations, " or ")
	}
	return fmt.Sprintf("%s, for %d more of %s", s.name, s.left, what)
}
