package payouttest

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/crossborder-payouts/payouts/client"
)

// Calls selects calls to come and sets a fault for them. Create it with [Sandbox.Next] or [Sandbox.All], select with Times,
// After, Every and Where, and end with the fault:
//
//	sandbox.Next("createTransaction").LoseResponse()
//	sandbox.Next("getTransaction").After(3).Times(2).Fail(client.InternalError)
//	sandbox.All("createTransaction").Every(2).Reset().LoseRequest()
//	sandbox.Next("createTransaction").Handled().Answer(payouttest.Response{Status: 502, Body: "<html>Bad Gateway</html>"})
//
// Faults named after the request happen before the service gets it, faults named after the response happen after the service
// has handled the request. Fail and Answer answer instead of the service, and Delay and Hold wait before it gets the request;
// [Calls.Handled] lets the service handle the request first.
//
// A call meets one fault at most: the first one, in the order in which they were set, that selects it. Each attempt of the
// SDK is a call. Concurrent calls are counted exactly.
type Calls struct {
	sandbox    *Sandbox
	operations []string
	where      []func(Request) bool
	after      int
	every      int
	times      int // 0: no limit
	retryAfter *int
	handled    bool
	reset      bool
}

// Next selects the next call of one of these operations, by operationId, or of any operation. Calls of the sandbox itself,
// such as [Sandbox.VerifiedSender], do not count. An operation that is not in the contract fails the test.
func (s *Sandbox) Next(operations ...string) Calls {
	s.t.Helper()
	c := s.All(operations...)
	c.times = 1
	return c
}

// All selects all calls to come of these operations, as Next does, until [Fault.Remove] or the end of the test.
func (s *Sandbox) All(operations ...string) Calls {
	s.t.Helper()
	for _, operation := range operations {
		if s.front.operations.byID[operation] == nil {
			s.t.Fatalf("the contract has no operation %q", operation)
		}
	}
	return Calls{sandbox: s, operations: operations, every: 1}
}

// Times selects n such calls, instead of one or all.
func (c Calls) Times(n int) Calls {
	c.sandbox.t.Helper()
	c.times = c.positive("Times", n)
	return c
}

// After lets n such calls pass before the first one that is selected, whether or not they meet another fault.
func (c Calls) After(n int) Calls {
	c.sandbox.t.Helper()
	c.after = c.positive("After", n)
	return c
}

// Every selects only every n-th such call: with 2 the second, the fourth, and so on.
func (c Calls) Every(n int) Calls {
	c.sandbox.t.Helper()
	c.every = c.positive("Every", n)
	return c
}

func (c Calls) positive(name string, n int) int {
	c.sandbox.t.Helper()
	if n < 1 {
		c.sandbox.t.Fatalf("%s is %d, want 1 or more", name, n)
	}
	return n
}

// Where selects only calls for which is returns true, for example those with a certain idempotency key. Concurrent calls
// call it concurrently.
func (c Calls) Where(is func(Request) bool) Calls {
	c.sandbox.t.Helper()
	if is == nil {
		c.sandbox.t.Fatal("Where needs a function")
	}
	c.where = append(slices.Clip(c.where), is)
	return c
}

// Handled lets the service handle the calls before Fail, Answer, Delay or Hold: what they create exists, though the caller
// gets another response, or gets it late.
func (c Calls) Handled() Calls {
	c.handled = true
	return c
}

// Reset makes LoseRequest, LoseResponse and CutResponse reset the connection, as a load balancer or a restarted machine does:
// the caller gets ECONNRESET, on Windows WSAECONNRESET, instead of EOF.
func (c Calls) Reset() Calls {
	c.reset = true
	return c
}

// RetryAfter sets the Retry-After of Fail with RATE_LIMITED and SERVICE_UNAVAILABLE, instead of 1 second, which is the
// minimum of the contract: 0 for a test that should not wait, or more than the caller accepts.
func (c Calls) RetryAfter(seconds int) Calls {
	c.sandbox.t.Helper()
	if seconds < 0 {
		c.sandbox.t.Fatalf("RetryAfter is %d, want 0 or more", seconds)
	}
	c.retryAfter = &seconds
	return c
}

// LoseRequest closes the connection before the service gets the request: nothing happens, but the caller cannot know. The
// caller gets EOF.
func (c Calls) LoseRequest() *Fault {
	c.sandbox.t.Helper()
	return c.meet("LoseRequest", func(x *call) { x.hangUp(nil, c.reset) }, mayReset)
}

// LoseResponse closes the connection after the service has handled the request, before the caller gets the response. The
// caller gets EOF.
func (c Calls) LoseResponse() *Fault {
	c.sandbox.t.Helper()
	return c.meet("LoseResponse", func(x *call) {
		x.ask()
		x.hangUp(nil, c.reset)
	}, mayReset)
}

// CutResponse closes the connection in the middle of the body of the response, after the service has handled the request.
func (c Calls) CutResponse() *Fault {
	c.sandbox.t.Helper()
	return c.meet("CutResponse", func(x *call) { x.hangUp(x.ask(), c.reset) }, mayReset)
}

// ChangeResponse changes the response of the service after it has handled the request, for example to what a newer or a
// broken service might answer:
//
//	sandbox.Next("getTransaction").ChangeResponse(payouttest.Replace("/status", "ON_HOLD"))
//
// The service's own response is checked against the contract, the changed one is not. A change that is impossible fails the
// test.
func (c Calls) ChangeResponse(changes ...Change) *Fault {
	c.sandbox.t.Helper()
	if len(changes) == 0 || slices.ContainsFunc(changes, func(change Change) bool { return change == nil }) {
		c.sandbox.t.Fatal("ChangeResponse needs changes, none of them nil")
	}
	return c.meet("ChangeResponse", func(x *call) {
		response := x.ask()
		answered := response.Status
		var err error
		for _, change := range changes {
			err = errors.Join(err, change(response))
		}
		if err = errors.Join(err, response.check()); err != nil {
			x.misuse("ChangeResponse of %s, which the service answered with %d: %v", x.what(), answered, err)
		}
		x.write(response)
	})
}

// Answer answers with any response, which is not checked against the contract. The service does not get the request, unless
// after [Calls.Handled].
func (c Calls) Answer(response Response) *Fault {
	c.sandbox.t.Helper()
	if err := response.check(); err != nil {
		c.sandbox.t.Fatalf("Answer: %v", err)
	}
	response = response.complete()
	return c.meet("Answer "+strconv.Itoa(response.Status), func(x *call) { c.instead(x, response) }, mayHandle)
}

// Fail answers with an error code of the contract, such as [client.ServiceUnavailable], with the status, headers and
// details of the examples of the contract. The service does not get the request, unless after [Calls.Handled]. A code that
// the operation does not declare fails the test.
func (c Calls) Fail(code client.Code) *Fault {
	c.sandbox.t.Helper()
	if len(c.operations) == 0 && !c.sandbox.front.operations.declare(code) {
		c.sandbox.t.Fatalf("the contract has no error code %q; Answer sends any response", code)
	}
	for _, operation := range c.operations {
		if _, err := c.sandbox.front.operations.refusal(operation, code); err != nil {
			c.sandbox.t.Fatal(err)
		}
	}
	return c.meet("Fail "+string(code), func(x *call) {
		response, err := x.operations.refusal(x.seen.Operation, code)
		if err != nil {
			x.misuse("%v", err)
		}
		if c.retryAfter != nil && response.Header.Get("Retry-After") != "" {
			response.Header.Set("Retry-After", strconv.Itoa(*c.retryAfter))
		}
		c.instead(x, *response)
	}, mayHandle, mayRetryAfter)
}

func (c Calls) instead(x *call, response Response) {
	if c.handled {
		x.ask()
	} else {
		x.settle(response.Status)
	}
	x.write(&response)
}

// Delay forwards the request to the service after d, or when the test ends, unless the caller has given up. After
// [Calls.Handled] it is the response that waits.
func (c Calls) Delay(d time.Duration) *Fault {
	c.sandbox.t.Helper()
	return c.meet("Delay", func(x *call) { wait(c, x, func() <-chan time.Time { return time.After(d) }) }, mayHandle)
}

// Hold forwards the request to the service when it is released, or when the test ends, unless the caller has given up. After
// [Calls.Handled] it is the response that waits.
func (c Calls) Hold() *Held {
	c.sandbox.t.Helper()
	h := &Held{arrived: make(chan struct{}), released: make(chan struct{})}
	h.arrive = sync.OnceFunc(func() { close(h.arrived) })
	h.release = sync.OnceFunc(func() { close(h.released) })
	h.Fault = c.meet("Hold", func(x *call) {
		wait(c, x, func() <-chan struct{} {
			h.arrive()
			return h.released
		})
	}, mayHandle)
	return h
}

// wait passes a call on when the channel of begin is ready, unless its caller leaves.
func wait[T any](c Calls, x *call, begin func() <-chan T) {
	var response *Response
	if c.handled {
		response = x.ask()
	}
	select {
	case <-begin():
	case <-x.ended:
	case <-x.r.Context().Done():
		panic(http.ErrAbortHandler)
	}
	if response == nil {
		response = x.ask()
	}
	x.write(response)
}

// Held are calls that are held.
type Held struct {
	*Fault

	arrived, released chan struct{}
	arrive, release   func()
}

// Arrived is closed when the first of the calls waits.
func (h *Held) Arrived() <-chan struct{} { return h.arrived }

// Release lets the calls continue, including those to come.
func (h *Held) Release() { h.release() }

// What a fault supports beyond the selection of calls.
const (
	mayHandle     = "Handled"
	mayReset      = "Reset"
	mayRetryAfter = "RetryAfter"
)

// meet sets a fault, which supports these modifiers only.
func (c Calls) meet(name string, do func(*call), supported ...string) *Fault {
	c.sandbox.t.Helper()
	full := name
	for _, modifier := range []struct {
		name  string
		given bool
	}{{mayHandle, c.handled}, {mayReset, c.reset}, {mayRetryAfter, c.retryAfter != nil}} {
		if !modifier.given {
			continue
		}
		if !slices.Contains(supported, modifier.name) {
			c.sandbox.t.Fatalf("%s has no effect on %s", modifier.name, name)
		}
		if modifier.name != mayRetryAfter {
			full = modifier.name + " " + name
		}
	}
	f := &Fault{front: c.sandbox.front, name: full, calls: c, do: do}
	c.sandbox.front.set(f)
	return f
}

// Fault is a fault that a method of [Calls] has set.
type Fault struct {
	front *front
	name  string
	calls Calls
	do    func(*call)

	seen    int // calls of the selection, before After and Every; this and the next are guarded by front.mu
	met     int
	removed bool
}

// Remove ends the fault: calls to come do not meet it. The test fails if no call met it before.
func (f *Fault) Remove() {
	f.front.mu.Lock()
	defer f.front.mu.Unlock()
	f.removed = true
}

// isFor reports whether a request is of the selection, before After and Every.
func (f *Fault) isFor(r Request) bool {
	if len(f.calls.operations) > 0 && !slices.Contains(f.calls.operations, r.Operation) {
		return false
	}
	return !slices.ContainsFunc(f.calls.where, func(is func(Request) bool) bool { return !is(r) })
}

// counted counts a call of the selection, and reports whether the fault is due.
func (f *Fault) counted() bool {
	f.seen++
	return !f.removed && (f.calls.times == 0 || f.met < f.calls.times) &&
		f.seen > f.calls.after && (f.seen-f.calls.after)%f.calls.every == 0
}

// used reports whether the fault met the calls that it was set for.
func (f *Fault) used() bool {
	if f.removed {
		return f.met > 0
	}
	return f.met >= max(f.calls.times, 1)
}

// report describes the fault for the message of a test that has not used it up.
func (f *Fault) report() string {
	what, want := "any operation", "1 or more"
	if len(f.calls.operations) > 0 {
		what = strings.Join(f.calls.operations, " or ")
	}
	if f.calls.times > 0 {
		want = strconv.Itoa(f.calls.times)
	}
	return fmt.Sprintf("%s of %s met %d of %d calls, want %s", f.name, what, f.met, f.seen, want)
}
