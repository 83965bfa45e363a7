package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// T is passed to a running check. Its methods may be called from several goroutines, but only the check's own goroutine may
// end it (Fatalf, Brokenf, Skipf, and everything that sets up).
type T struct {
	session  *Session
	recorder recorder
	ctx      context.Context //nolint:containedctx // a T lives as long as its check, as testing.T does

	mu        sync.Mutex
	cut       bool   // the run ended before the check did
	judged    bool   // some answer was compared with the rule
	prefix    string // names the case that is running
	status    Status
	messages  []string
	exchanges []Exchange
}

// Outcome is the result of a check with its exchanges.
type Outcome struct {
	Status    Status
	Messages  []string // what failed, or why it was skipped
	Exchanges []Exchange
}

// ended is thrown to end a check, or one case of it.
type ended struct{ status Status }

// Run runs a check. It calls observe with every exchange as it happens, possibly from several goroutines. A check that is cut
// short by ctx has neither passed nor failed: it is [NotRun].
func (s *Session) Run(ctx context.Context, c Check, observe func(Exchange)) Outcome {
	if ctx.Err() != nil {
		return NotRun(ctx)
	}
	t := &T{session: s, ctx: ctx}
	t.recorder = recorder{s, t, observe}
	func() {
		defer func() {
			switch r := recover().(type) {
			case nil, ended:
			default: // a defect of the check is not one of the server
				t.end(Error, fmt.Sprintf("the check itself failed: %v\n%s", r, debug.Stack()))
			}
		}()
		defer t.removeEndpoints()
		c.Run(t)
		t.finish()
	}()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cut && t.status < Failed {
		return NotRun(ctx)
	}
	return Outcome{t.status, t.messages, t.exchanges}
}

// removeEndpoints deletes the webhook endpoints that the check has created: a client may have a bounded number of them, and
// each receives every event of the checks that follow. What comes of it is not part of the check.
func (t *T) removeEndpoints() {
	t.mu.Lock()
	exchanges := slices.Clone(t.exchanges)
	t.mu.Unlock()
	sweep := &T{session: t.session, ctx: t.ctx}
	sweep.recorder = recorder{t.session, sweep, t.recorder.observe}
	seen := map[string]bool{}
	for _, x := range exchanges {
		var created struct {
			ID uuid.UUID `json:"id"`
		}
		if x.OperationID != "createWebhookEndpoint" || x.Status != http.StatusOK || json.Unmarshal(x.ResponseBody, &created) != nil || seen[created.ID.String()] {
			continue
		}
		seen[created.ID.String()] = true
		header := http.Header{"X-Client-Id": x.Header["X-Client-Id"], "X-Client-Secret": x.Header["X-Client-Secret"]}
		_, _ = sweep.Try(Request{Method: http.MethodDelete, Path: "/webhook-endpoints/" + created.ID.String(), Header: header})
	}
}

// record keeps an exchange of the check.
func (t *T) record(x Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exchanges = append(t.exchanges, x)
}

// interrupted records that a request of the check failed because the run has ended.
func (t *T) interrupted() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cut = t.cut || t.ctx.Err() != nil
}

// NotRun is the outcome of a check that the end of ctx kept from running; its cause is the reason.
func NotRun(ctx context.Context) Outcome {
	return Outcome{Status: Skipped, Messages: []string{"not run because " + context.Cause(ctx).Error()}}
}

// end raises the status. A failure after the end of the run says nothing about the server.
func (t *T) end(s Status, messages ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s >= Failed && t.ctx.Err() != nil {
		t.cut = true
		return
	}
	t.status = max(t.status, s)
	for _, m := range messages {
		t.messages = append(t.messages, t.prefix+m)
	}
}

// finish ends a check that has run to its end. One that has judged nothing has not passed, nor has one with a case that was
// skipped.
func (t *T) finish() {
	t.mu.Lock()
	judged, skipped := t.judged || t.cut || t.status > Passed, t.status == Skipped
	t.mu.Unlock()
	switch {
	case skipped:
	case !judged:
		t.end(Error, "the check ended without judging any answer of the server")
	default:
		t.end(Passed)
	}
}

// Case runs one of several cases of a check. Its messages begin with its name, and a failure or a skip ends this case only:
// the check is then failed, or skipped if no other case failed.
func (t *T) Case(name string, run func()) {
	t.setPrefix(name + ": ")
	defer func() {
		r := recover()
		t.setPrefix("")
		if e, ok := r.(ended); r != nil && (!ok || e.status > Failed) {
			panic(r)
		}
	}()
	run()
}

func (t *T) setPrefix(prefix string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prefix = prefix
}

// Expect judges an answer: unless ok, it reports what the server does wrong, and continues. A check that judges nothing has
// not passed: it ends with [Error].
func (t *T) Expect(ok bool, format string, args ...any) {
	t.judge()
	if !ok {
		t.Failf(format, args...)
	}
}

// judge records that an answer was compared with the rule.
func (t *T) judge() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judged = true
}

// Failf reports what the server does wrong, and continues.
func (t *T) Failf(format string, args ...any) { t.end(Failed, fmt.Sprintf(format, args...)) }

// Fatalf reports what the server does wrong, and ends the check.
func (t *T) Fatalf(format string, args ...any) {
	t.Failf(format, args...)
	panic(ended{Failed})
}

// Brokenf reports why the rule cannot be judged, and ends the check.
func (t *T) Brokenf(format string, args ...any) {
	t.end(Error, fmt.Sprintf(format, args...))
	panic(ended{Error})
}

// Skipf reports what the check needs and does not have, and ends it.
func (t *T) Skipf(format string, args ...any) {
	t.end(Skipped, fmt.Sprintf(format, args...))
	panic(ended{Skipped})
}

// Context ends with the run.
func (t *T) Context() context.Context { return t.ctx }

// Target is the server under test.
func (t *T) Target() Target { return t.session.Target }

// Full reports whether extensions may be used.
func (t *T) Full() bool { return t.session.Target.Profile == Full }

// Client is the generated client with the first client's credentials.
func (t *T) Client() *api.ClientWithResponses {
	return t.As(t.session.Target.ClientID, t.session.Target.ClientSecret)
}

// Other is the generated client with the second client's credentials. Without them the check is skipped.
func (t *T) Other() *api.ClientWithResponses {
	if t.session.Target.OtherClientID == "" {
		t.Skipf("no credentials of a second client are given")
	}
	return t.As(t.session.Target.OtherClientID, t.session.Target.OtherClientSecret)
}

// As is the generated client with these credentials; an empty one is not sent.
func (t *T) As(clientID, secret string) *api.ClientWithResponses {
	c, err := api.NewClientWithResponses(t.session.Target.URL, api.WithHTTPClient(t.http()),
		api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			setCredentials(r.Header, clientID, secret)
			return nil
		}))
	if err != nil {
		t.Brokenf("make a client: %v", err)
	}
	return c
}

func setCredentials(h http.Header, clientID, secret string) {
	if clientID != "" {
		h.Set("X-Client-Id", clientID)
	}
	if secret != "" {
		h.Set("X-Client-Secret", secret)
	}
}

// http returns a client that records exchanges and follows no redirects, which could send the credentials elsewhere.
func (t *T) http() *http.Client {
	return &http.Client{Transport: t.recorder, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}
