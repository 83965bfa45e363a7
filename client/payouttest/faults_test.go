package payouttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

const creation = "createTransaction"

// ready is a sandbox with a sender and a payout that can be sent.
type ready struct {
	*payouttest.Sandbox
	sender payouttest.Sender
	payout api.TransactionRequest
	once   *client.Client // which tries once
}

func newReady(t testing.TB, options ...payouttest.Option) ready {
	t.Helper()
	s := payouttest.New(t, options...)
	sender := s.VerifiedSender()
	payout := s.Payout(sender, s.ReceiveUser(sender, "NP"), api.PayoutMethodBankDeposit, "100")
	return ready{s, sender, payout, s.NewClient(client.WithRetries(0))}
}

// The effect of a fault on a caller that tries once, and on the retries of the SDK.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		set    func(payouttest.Calls) *payouttest.Fault
		status int // of the call that met the fault
		done   int // transactions after it
	}{
		"LoseRequest":        {payouttest.Calls.LoseRequest, 0, 0},
		"LoseResponse":       {payouttest.Calls.LoseResponse, 200, 1},
		"CutResponse":        {payouttest.Calls.CutResponse, 200, 1},
		"Reset LoseRequest":  {func(c payouttest.Calls) *payouttest.Fault { return c.Reset().LoseRequest() }, 0, 0},
		"Reset LoseResponse": {func(c payouttest.Calls) *payouttest.Fault { return c.Reset().LoseResponse() }, 200, 1},
		"Reset CutResponse":  {func(c payouttest.Calls) *payouttest.Fault { return c.Reset().CutResponse() }, 200, 1},
		"Handled Fail INTERNAL_ERROR": {
			func(c payouttest.Calls) *payouttest.Fault { return c.Handled().Fail(client.InternalError) }, 200, 1,
		},
		"Handled Answer 502": {
			func(c payouttest.Calls) *payouttest.Fault {
				return c.Handled().Answer(payouttest.Response{Status: 502})
			}, 200, 1,
		},
		"Answer 502": {
			func(c payouttest.Calls) *payouttest.Fault { return c.Answer(payouttest.Response{Status: 502}) }, 502, 0,
		},
		"Fail SERVICE_UNAVAILABLE": {
			func(c payouttest.Calls) *payouttest.Fault { return c.RetryAfter(0).Fail(client.ServiceUnavailable) }, 503, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReady(t)
			send(t, r.once, r.sender, r.payout)
			row.set(r.Next(creation))
			if _, err := r.once.CreateTransaction(t.Context(), r.sender.ID, r.payout); err == nil {
				t.Error("the call succeeded")
			}
			if n := count(t, r.Client, r.sender); n != 1+row.done {
				t.Errorf("%d transactions, want %d", n, 1+row.done)
			}
			row.set(r.Next(creation))
			var info client.Info
			if _, err := r.Client.CreateTransaction(t.Context(), r.sender.ID, r.payout, client.CaptureInfo(&info)); err != nil {
				t.Fatal(err)
			}
			if info.Attempts != 2 || info.Replayed != (row.done == 1) {
				t.Errorf("the second call: %+v", info)
			}
			if n := count(t, r.Client, r.sender); n != 2+row.done {
				t.Errorf("%d transactions, want %d", n, 2+row.done)
			}
			seen := r.Requests(creation)
			if len(seen) != 4 {
				t.Fatalf("%d requests arrived, want 4: %v", len(seen), seen)
			}
			for i, want := range []payouttest.Request{
				{Status: 200},
				{Status: row.status, Fault: name},
				{Status: row.status, Fault: name, IdempotencyKey: info.IdempotencyKey},
				{Status: 200, IdempotencyKey: info.IdempotencyKey},
			} {
				got := seen[i]
				if want.IdempotencyKey == "" {
					want.IdempotencyKey = got.IdempotencyKey
				}
				want.Operation, want.Method, want.Path = creation, http.MethodPost, "/users/"+r.sender.ID.String()+"/transactions"
				if got != want || got.IdempotencyKey == "" {
					t.Errorf("request %d is %v, want %v", i, got, want)
				}
			}
		})
	}
}

// Fail supports every code that the contract has for an operation, and the response follows the contract.
func TestFail(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	sandbox := payouttest.New(t)
	ids := map[string]bool{}
	web := &http.Client{Transport: servertest.Checked(t, servertest.Contract(t), &http.Transport{DisableKeepAlives: true})}
	for _, op := range servertest.Contract(t).Operations() {
		path := op.Path
		for _, p := range []string{"user_id", "receive_user_id", "funding_account_id", "transaction_id"} {
			path = strings.ReplaceAll(path, "{"+p+"}", uuid.NewString())
		}
		for _, status := range op.Statuses()[1:] {
			response := document.Paths.Value(op.Path).GetOperation(op.Method).Responses.Status(status).Value
			if len(response.Content) == 0 { // 304
				continue
			}
			for _, example := range response.Content["application/json"].Examples {
				code := example.Value.Value.(map[string]any)["code"].(string)
				sandbox.Next(op.ID).Fail(client.Code(code))
				r, err := http.NewRequestWithContext(t.Context(), op.Method, sandbox.URL+path, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := web.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				var e api.Error
				err = json.NewDecoder(resp.Body).Decode(&e)
				resp.Body.Close()
				if err != nil || resp.StatusCode != status || string(e.Code) != code || e.RequestID != resp.Header.Get("X-Request-Id") {
					t.Errorf("%s, %d %s: answered %d %+v, %v", op.ID, status, code, resp.StatusCode, e, err)
				}
				if ids[e.RequestID] {
					t.Errorf("%s, %d %s: the request id was there before", op.ID, status, code)
				}
				ids[e.RequestID] = true
				if wait := resp.Header.Get("Retry-After"); (status == 429 || status == 503) != (wait == "1") {
					t.Errorf("%s, %d: Retry-After is %q", op.ID, status, wait)
				}
			}
		}
	}
	for _, code := range []client.Code{
		client.BadRequest, client.Unauthorized, client.NotFound, client.IdempotencyKeyReused,
		client.RateLimited, client.InternalError, client.ServiceUnavailable, client.LimitExceeded,
	} {
		sandbox.Next(creation).Fail(code) // or the loop above has proved nothing
		_, err := sandbox.NewClient(client.WithRetries(0)).CreateTransaction(t.Context(), uuid.New(), api.TransactionRequest{
			To: client.CashPickup(uuid.New(), 1),
		})
		var e *client.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("the client says %v, want %s", err, code)
		}
	}
}

func TestRetryAfterOfFail(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	for _, code := range []client.Code{client.RateLimited, client.ServiceUnavailable} {
		sandbox.Next("listBanks").RetryAfter(60).Fail(code)
		_, err := sandbox.Client.ListBanks(t.Context(), nil)
		if e, ok := errors.AsType[*client.Error](err); !ok || e.Code != code || e.RetryAfter != time.Minute {
			t.Errorf("%s: %+v", code, err)
		}
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	held := r.Next(creation).Hold()
	done := make(chan error, 1)
	go func() {
		_, err := r.once.CreateTransaction(t.Context(), r.sender.ID, r.payout)
		done <- err
	}()
	<-held.Arrived()
	if n := count(t, r.Client, r.sender); n != 0 {
		t.Errorf("%d transactions while the call is held", n)
	}
	held.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := count(t, r.Client, r.sender); n != 1 {
		t.Errorf("%d transactions after its release", n)
	}
}

func TestHeldCallsContinueWhenTheTestEnds(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	sandbox.Next("getPayer").Delay(time.Hour)
	sandbox.Next("getPayer").Hold()
	done := make(chan error, 2)
	for range cap(done) {
		go func() {
			_, err := sandbox.Client.GetPayer(t.Context(), servertest.CashPayer)
			done <- err
		}()
	}
	for len(sandbox.Requests("getPayer")) < cap(done) {
		<-time.After(time.Millisecond)
	}
	sandbox.Stop()
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// A response that is late belongs to a request that the service has handled.
func TestHandledCallsWaitAfterTheService(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(payouttest.Calls){
		"Delay": func(c payouttest.Calls) { c.Delay(time.Hour) },
		"Hold":  func(c payouttest.Calls) { c.Hold() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReady(t)
			set(r.Next(creation).Handled())
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			done := make(chan error, 1)
			go func() {
				_, err := r.Client.CreateTransaction(ctx, r.sender.ID, r.payout)
				done <- err
			}()
			servertest.Await(t, time.Minute, "no transaction", func() bool { return count(t, r.Client, r.sender) == 1 })
			leave()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
		})
	}
}

func TestHeldResponseArrivesOnRelease(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	held := r.Next(creation).Handled().Hold()
	done := make(chan error, 1)
	go func() {
		_, err := r.once.CreateTransaction(t.Context(), r.sender.ID, r.payout)
		done <- err
	}()
	<-held.Arrived()
	if n := count(t, r.Client, r.sender); n != 1 {
		t.Errorf("%d transactions while the response is held, want 1", n)
	}
	held.Release()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The service does not get a request whose caller has given up.
func TestCallersMayGiveUp(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(payouttest.Calls){
		"Delay": func(c payouttest.Calls) { c.Delay(time.Hour) },
		"Hold":  func(c payouttest.Calls) { c.Hold() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReady(t)
			set(r.Next(creation))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := r.Client.CreateTransaction(ctx, r.sender.ID, r.payout)
				done <- err
			}()
			servertest.Await(t, time.Minute, "the fault is not met", func() bool {
				return slices.ContainsFunc(r.Requests(creation), func(q payouttest.Request) bool { return q.Fault != "" })
			})
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("the call ended with %v", err)
			}
			if n := count(t, r.Client, r.sender); n != 0 {
				t.Errorf("%d transactions", n)
			}
		})
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	const pause = 50 * time.Millisecond
	r.Next(creation).Delay(pause)
	start := time.Now()
	send(t, r.once, r.sender, r.payout)
	if took := time.Since(start); took < pause {
		t.Errorf("answered after %v", took)
	}
}

// Pages such as the contract are served as well.
func TestOtherPagesAreRecorded(t *testing.T) {
	t.Parallel()
	sandbox := payouttest.New(t)
	resp, err := http.Get(sandbox.URL + "/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || string(text) != string(openapi.YAML()) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	want := payouttest.Request{Method: http.MethodGet, Path: "/openapi.yaml", Status: 200}
	if got := sandbox.Requests(); len(got) != 1 || got[0] != want {
		t.Errorf("recorded %v, want %v", got, want)
	}
}
