package payouttest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// witness is a test that may fail.
type witness struct {
	testing.TB
	cleanups []func()
	mu       sync.Mutex
	said     []string
}

func (w *witness) Helper()          {}
func (w *witness) Failed() bool     { return w.words() != "" }
func (w *witness) Cleanup(f func()) { w.cleanups = append(w.cleanups, f) }
func (w *witness) Error(args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprint(args...))
}

func (w *witness) words() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.said, "\n")
}

func (w *witness) Errorf(format string, args ...any) { w.Error(fmt.Sprintf(format, args...)) }
func (w *witness) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
func (w *witness) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// witnessed returns the failures of a test that runs do.
func witnessed(t testing.TB, do func(*payouttest.Sandbox), options ...payouttest.Option) string {
	t.Helper()
	w := &witness{TB: t}
	sandbox := payouttest.New(w, options...)
	func() {
		defer func() {
			if ended := recover(); ended != nil {
				w.Error(ended)
			}
		}()
		do(sandbox)
	}()
	for i := range w.cleanups {
		w.cleanups[len(w.cleanups)-1-i]()
	}
	return w.words()
}

func TestMisuseFailsTheTest(t *testing.T) {
	t.Parallel()
	call := func(s *payouttest.Sandbox) { _, _ = s.Client.ListPayers(t.Context(), nil) }
	for name, row := range map[string]struct {
		do   func(*payouttest.Sandbox)
		says string
	}{
		"a fault that was not used": {
			func(s *payouttest.Sandbox) { s.Next("createUser").LoseResponse() },
			"a fault was not used up: LoseResponse of createUser met 0 of 0 calls, want 1",
		},
		"a fault that was not used up": {
			func(s *payouttest.Sandbox) { s.Next().Times(2).Delay(0); call(s) },
			"a fault was not used up: Delay of any operation met 1 of 1 calls, want 2",
		},
		"a fault that no call ever met": {
			func(s *payouttest.Sandbox) { s.All().After(1).Delay(0); call(s) },
			"a fault was not used up: Delay of any operation met 0 of 1 calls, want 1 or more",
		},
		"a fault that was removed before a call met it": {
			func(s *payouttest.Sandbox) { s.Next("createUser", "getUser").Reset().LoseRequest().Remove() },
			"a fault was not used up: Reset LoseRequest of createUser or getUser met 0 of 0 calls, want 1",
		},
		"Times for no call": {func(s *payouttest.Sandbox) { s.Next().Times(0) }, "Times is 0, want 1 or more"},
		"After no call":     {func(s *payouttest.Sandbox) { s.Next().After(-1) }, "After is -1, want 1 or more"},
		"Every zeroth call": {func(s *payouttest.Sandbox) { s.All().Every(0) }, "Every is 0, want 1 or more"},
		"Where nothing":     {func(s *payouttest.Sandbox) { s.All().Where(nil) }, "Where needs a function"},
		"a lost request that is handled": {
			func(s *payouttest.Sandbox) { s.Next().Handled().LoseRequest() }, "Handled has no effect on LoseRequest",
		},
		"an answer that is a reset": {
			func(s *payouttest.Sandbox) { s.Next().Reset().Hold() }, "Reset has no effect on Hold",
		},
		"a Retry-After of a lost response": {
			func(s *payouttest.Sandbox) { s.Next().RetryAfter(1).LoseResponse() }, "RetryAfter has no effect on LoseResponse",
		},
		"an answer without a status": {
			func(s *payouttest.Sandbox) { s.Next().Answer(payouttest.Response{Body: "{}"}) }, "Answer: the status is 0, want 200 to 999",
		},
		"an answer whose status allows no body": {
			func(s *payouttest.Sandbox) { s.Next().Answer(payouttest.Response{Status: 204, Body: "{}"}) },
			"Answer: a response with status 204 has no body",
		},
		"an answer whose Content-Length is too short": {
			func(s *payouttest.Sandbox) {
				s.Next().Answer(payouttest.Response{Status: 200, Body: "[]", Header: http.Header{"content-length": {"1"}}})
				call(s)
			},
			"the response for listPayers has a Content-Length below the length of its body",
		},
		"no change of a response": {func(s *payouttest.Sandbox) { s.Next().ChangeResponse() }, "ChangeResponse needs changes"},
		"a change that is nil":    {func(s *payouttest.Sandbox) { s.Next().ChangeResponse(nil) }, "none of them nil"},
		"changes that are impossible": {
			func(s *payouttest.Sandbox) {
				s.Next().ChangeResponse(payouttest.Replace("/0/nothing", "x"), payouttest.Remove("/0/nothing"), payouttest.Add("name", 1))
				call(s)
			},
			"ChangeResponse of listPayers, which the service answered with 200: " +
				"replace /0/nothing: the body has no such member\nremove /0/nothing: the body has no such member\n" +
				`add "name": a JSON pointer starts with /`,
		},
		"a value that cannot be encoded": {
			func(s *payouttest.Sandbox) {
				s.Next().ChangeResponse(payouttest.Add("/-", json.RawMessage("1e")))
				call(s)
			},
			"add /-: ",
		},
		"a changed body that is not JSON": {
			func(s *payouttest.Sandbox) {
				s.Next().ChangeResponse(func(r *payouttest.Response) error { r.Body = "<html>"; return nil }, payouttest.Remove("/0"))
				call(s)
			},
			"remove /0: the body is not JSON",
		},
		"a change to a status that HTTP does not have": {
			func(s *payouttest.Sandbox) {
				s.Next().ChangeResponse(func(r *payouttest.Response) error { r.Status = 42; return nil })
				call(s)
			},
			"the status is 42, want 200 to 999",
		},
		"an operation that is unknown": {
			func(s *payouttest.Sandbox) { s.Next("createUsers") }, `the contract has no operation "createUsers"`,
		},
		"a code that the operation never answers": {
			func(s *payouttest.Sandbox) { s.Next("getPayer").Fail(client.LimitExceeded) },
			`the contract has no error code "LIMIT_EXCEEDED" for getPayer; Answer sends any response`,
		},
		"a code that no operation answers": {
			func(s *payouttest.Sandbox) { s.Next().Fail("OUT_OF_ORDER") }, `the contract has no error code "OUT_OF_ORDER"`,
		},
		"a code that another operation answers": {
			func(s *payouttest.Sandbox) { s.Next().Fail(client.LimitExceeded); call(s) },
			`the contract has no error code "LIMIT_EXCEEDED" for listPayers`,
		},
		"a Retry-After in the past": {
			func(s *payouttest.Sandbox) { s.Next().RetryAfter(-1) }, "RetryAfter is -1, want 0 or more",
		},
		"an amount that is no number": {
			func(s *payouttest.Sandbox) {
				sender := s.VerifiedSender()
				s.Payout(sender, s.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "1,000")
			},
			`the amount is "1,000", want a plain decimal number`,
		},
		"a payout from nobody": {
			func(s *payouttest.Sandbox) {
				s.Payout(payouttest.Sender{}, payouttest.ReceiveUser{}, api.PayoutMethodWallet, "1")
			},
			"Payout needs a Sender of VerifiedSender and a ReceiveUser of Sandbox.ReceiveUser",
		},
		"a payout method that is unknown": {
			func(s *payouttest.Sandbox) {
				sender := s.VerifiedSender()
				s.Payout(sender, s.ReceiveUser(sender, "NP"), "CHEQUE", "1")
			},
			`there is no payout method "CHEQUE"`,
		},
		"a country that the sandbox does not send to": {
			func(s *payouttest.Sandbox) { s.ReceiveUser(s.VerifiedSender(), "FR") }, "CORRIDOR_NOT_ENABLED",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if said := witnessed(t, row.do); !strings.Contains(said, row.says) {
				t.Errorf("the test says %q, want %q", said, row.says)
			}
		})
	}
}
