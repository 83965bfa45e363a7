package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

func TestDeadlineBeforeTheNextAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		started := time.Now()
		n, c := dial(t, refuse(503, client.ServiceUnavailable, "Retry-After", "5"))
		_, err := c.CreateUser(ctx, asha())
		if e := errorOf(t, err); !errors.Is(err, client.ServiceUnavailable) || e.Status != 503 || e.RetryAfter != 5*time.Second {
			t.Errorf("got %v", err)
		}
		if len(n.seen) != 1 || time.Since(started) != 0 {
			t.Errorf("%d attempts in %v", len(n.seen), time.Since(started))
		}
	})
}

func TestCanceledContext(t *testing.T) {
	t.Parallel()
	reason := errors.New("the caller's reason")
	for name, c := range map[string]struct {
		answer   answer
		after    time.Duration
		attempts int
	}{
		"before it starts":    {ok, 0, 0},
		"in an attempt":       {hang, time.Second, 1},
		"in a wait":           {refuse(503, client.ServiceUnavailable, "Retry-After", "20"), 10 * time.Second, 1},
		"in a second attempt": {hang, client.DefaultTimeout + 10*time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				if c.after == 0 {
					cancel(reason)
				} else {
					time.AfterFunc(c.after, func() { cancel(reason) })
				}
				started := time.Now()
				n, sdk := dial(t, c.answer)
				var info client.Info
				_, err := sdk.CreateUser(ctx, asha(), client.CaptureInfo(&info))
				e := errorOf(t, err)
				if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || !e.Temporary() {
					t.Errorf("got %v", err)
				}
				if len(n.seen) != c.attempts || time.Since(started) != c.after {
					t.Errorf("%d attempts in %v, want %d in %v", len(n.seen), time.Since(started), c.attempts, c.after)
				}
				if e.IdempotencyKey == "" || info.IdempotencyKey != e.IdempotencyKey {
					t.Errorf("the key is %q in the error and %q in the info", e.IdempotencyKey, info.IdempotencyKey)
				}
				if name == "in a wait" && (!errors.Is(err, client.ServiceUnavailable) || e.RequestID != "request-1") {
					t.Errorf("the answer is lost: %v", err)
				}
			})
		})
	}
}

// The status has arrived, the body has not.
func TestTruncatedErrorBodies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		stalled := func(r *http.Request) (*http.Response, error) {
			res, err := refuse(422, client.LimitExceeded)(r)
			res.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"code":`), stalls{r.Context()}))
			return res, err
		}
		n, c := dial(t, stalled)
		_, err := c.CreateUser(ctx, asha())
		e := errorOf(t, err)
		if !errors.Is(err, context.DeadlineExceeded) || !e.Temporary() || e.Status != 422 || e.Code != "" || len(n.seen) != 1 {
			t.Errorf("%d attempts, %+v", len(n.seen), *e)
		}
		if !strings.Contains(e.Message, "the answer was cut") {
			t.Errorf("got %v", err)
		}
	})
}

// stalls returns nothing until the context ends.
type stalls struct{ ctx context.Context } //nolint:containedctx // a body has the one of its request

func (s stalls) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestErrorOfAnotherCallAsCause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(&client.Error{Operation: "other"}) })
		_, c := dial(t, refuse(503, client.ServiceUnavailable, "Retry-After", "20"))
		_, err := c.CreateUser(ctx, asha())
		if e := errorOf(t, err); e.Operation != "createUser" || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTimeoutOfAnAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, c := dialWith(t, []client.Option{client.WithTimeout(3 * time.Second), client.WithRetries(1)}, hang)
		started := time.Now()
		_, err := c.GetUser(t.Context(), userID)
		e := errorOf(t, err)
		if took := time.Since(started); took < 6*time.Second || took > 7*time.Second || len(n.seen) != 2 {
			t.Errorf("%d attempts in %v", len(n.seen), took)
		}
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() || e.Status != 0 || !e.Temporary() {
			t.Errorf("got %v", err)
		}
	})
}

func TestTimeoutOfTheHTTPClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for timeout, want := range map[time.Duration]time.Duration{time.Second: time.Second, 0: client.DefaultTimeout, -1: client.DefaultTimeout} {
			own := &http.Client{Transport: &network{answers: []answer{hang}}, Timeout: timeout}
			c, err := client.New(baseURL, clientID, secret, client.WithHTTPClient(own), client.WithRetries(0))
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			started := time.Now()
			_, err = c.GetUser(ctx, userID)
			if e := errorOf(t, err); time.Since(started) != want || !e.Temporary() {
				t.Errorf("%v after %v", err, time.Since(started))
			}
			cancel()
		}
	})
}

// awaitHealth returns when a server answers, and has started its goroutines.
func awaitHealth(t testing.TB, address string) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

// A canceled call returns an error at once, at any point, and leaks no goroutine. It does not run in parallel, because it
// counts goroutines.
func TestCanceledCallsReturnAtOnce(t *testing.T) { //nolint:paralleltest // see above
	for name, at := range map[string]func(t *testing.T, s *payouttest.Sandbox, cancel func()) string{
		"while the server is silent": func(_ *testing.T, s *payouttest.Sandbox, cancel func()) string {
			held := s.Next("getPayer").Hold()
			go func() {
				<-held.Arrived()
				cancel()
			}()
			return s.URL
		},
		"in the wait for the next attempt": func(_ *testing.T, s *payouttest.Sandbox, _ func()) string {
			s.Next("getPayer").RetryAfter(20).Fail(client.ServiceUnavailable)
			return s.URL // the hook cancels
		},
		"in a slow body": func(t *testing.T, _ *payouttest.Sandbox, cancel func()) string {
			slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/healthz" {
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "1000")
				_, _ = io.WriteString(w, `{"id":`)
				_ = http.NewResponseController(w).Flush()
				time.AfterFunc(10*time.Millisecond, cancel)
				<-r.Context().Done()
			}))
			t.Cleanup(slow.Close)
			return slow.URL
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := payouttest.New(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			address := at(t, s, cancel)
			awaitHealth(t, address)
			before := goleak.IgnoreCurrent()
			c := connect(t, address, client.WithHooks(client.Hooks{
				Retry: func(context.Context, client.Attempt) { time.AfterFunc(10*time.Millisecond, cancel) },
			}))
			start := time.Now()
			_, err := c.GetPayer(ctx, servertest.CashPayer)
			if took := time.Since(start); !errors.Is(err, context.Canceled) || took > 5*time.Second {
				t.Errorf("ended with %v after %v", err, took)
			}
			c.CloseIdleConnections()
			for n := 0; n < 60 && goleak.Find(before) != nil; n++ { // each time it waits for half a second
			}
			goleak.VerifyNone(t, before)
		})
	}
}
