package client_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// chaosRetries is the maximum of the SDK. The chaos below fails a call at most as often.
const chaosRetries = 10

// chaosWays are what can happen to a call, in percent. In all but the last two the caller gets no usable response, in most
// of them after the server has handled the request.
var chaosWays = []struct {
	name  string
	often int
	do    func(*chaosCall)
}{
	{"closed before the server", 6, func(c *chaosCall) { c.end(false) }},
	{"reset before the server", 6, func(c *chaosCall) { c.end(true) }},
	{"closed after the server", 7, func(c *chaosCall) { c.ask(); c.end(false) }},
	{"reset after the server", 7, func(c *chaosCall) { c.ask(); c.end(true) }},
	{"closed in the body", 4, func(c *chaosCall) { c.answer(c.ask(), 2); c.end(false) }},
	{"reset in the body", 4, func(c *chaosCall) { c.answer(c.ask(), 2); c.end(true) }},
	{"429", 5, func(c *chaosCall) { c.refuse(http.StatusTooManyRequests) }},
	{"503", 5, func(c *chaosCall) { c.refuse(http.StatusServiceUnavailable) }},
	{"503 after the server", 5, func(c *chaosCall) { c.ask(); c.refuse(http.StatusServiceUnavailable) }},
	{"502 after the server", 4, func(c *chaosCall) { c.ask(); c.refuse(http.StatusBadGateway) }},
	{"500 after the server", 4, func(c *chaosCall) { c.ask(); c.refuse(http.StatusInternalServerError) }},
	{"late", 3, func(c *chaosCall) { <-time.After(5 * time.Millisecond); c.pass() }},
	{"nothing", 40, (*chaosCall).pass},
}

// chaos is a proxy that makes these things happen, with the same frequency in every run.
type chaos struct {
	server    *url.URL
	transport http.RoundTripper

	mu       sync.Mutex
	random   *rand.Rand
	met      map[string]int // how often a call was met, by its key
	happened map[string]int
	waits    int // how many more 429s have a Retry-After of one second
	waited   time.Duration
}

func newChaos(t testing.TB, s *servertest.Server) (*chaos, *client.Client) {
	t.Helper()
	address, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := &chaos{
		server: address, transport: s.HTTP.Transport, random: rand.New(rand.NewPCG(3, 14)),
		met: map[string]int{}, happened: map[string]int{}, waits: 4,
	}
	web := httptest.NewServer(c)
	t.Cleanup(web.Close)
	return c, connect(t, web.URL, client.WithRetries(chaosRetries), client.WithBackoff(time.Millisecond, 20*time.Millisecond),
		client.WithHooks(client.Hooks{Retry: func(_ context.Context, a client.Attempt) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.waited += a.Wait
		}}))
}

// choose draws what happens to a call. No call fails more often than the SDK retries, so that every call can succeed.
func (c *chaos) choose(r *http.Request) func(*chaosCall) {
	id := cmp.Or(r.Header.Get("X-Idempotency-Key"), r.URL.String())
	c.mu.Lock()
	defer c.mu.Unlock()
	drawn, way := c.random.IntN(100), 0
	for drawn >= chaosWays[way].often {
		drawn -= chaosWays[way].often
		way++
	}
	if c.met[id] == chaosRetries {
		return (*chaosCall).pass
	}
	if chaosWays[way].name != "nothing" {
		c.met[id]++
	}
	c.happened[chaosWays[way].name]++
	return chaosWays[way].do
}

func (c *chaos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	happens := c.choose(r)
	happens(&chaosCall{c, w, r})
}

type chaosCall struct {
	*chaos
	w http.ResponseWriter
	r *http.Request
}

// ask forwards the request to the server.
func (c *chaosCall) ask() *http.Response {
	body, err := io.ReadAll(c.r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the caller left
	}
	out := c.r.Clone(context.WithoutCancel(c.r.Context()))
	out.RequestURI, out.URL.Scheme, out.URL.Host = "", c.server.Scheme, c.server.Host
	out.Body = io.NopCloser(bytes.NewReader(body))
	resp, err := c.transport.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return resp // its body is in memory
}

func (c *chaosCall) pass() { c.answer(c.ask(), 1) }

// answer sends a fraction of the body.
func (c *chaosCall) answer(resp *http.Response, part int) {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	for name, values := range resp.Header {
		c.w.Header()[name] = values
	}
	c.w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	c.w.WriteHeader(resp.StatusCode)
	_, _ = c.w.Write(body[:len(body)/part])
	_ = http.NewResponseController(c.w).Flush()
}

// end closes or resets the connection.
func (c *chaosCall) end(reset bool) {
	conn, _, err := http.NewResponseController(c.w).Hijack()
	if err != nil {
		panic(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// refuse answers as a proxy does, which knows nothing of the contract.
func (c *chaosCall) refuse(status int) {
	c.mu.Lock()
	wait := min(c.waits, 1)
	if status == http.StatusTooManyRequests {
		c.waits -= wait
	} else {
		wait = 0
	}
	c.mu.Unlock()
	c.w.Header().Set("Retry-After", fmt.Sprint(wait))
	http.Error(c.w, "<html>try again</html>", status)
}

// check fails the test unless everything happened at least once, and no one waited too long.
func (c *chaos) check(t testing.TB) {
	t.Helper()
	for _, way := range chaosWays {
		if c.happened[way.name] == 0 {
			t.Errorf("%q never happened", way.name)
		}
	}
	if c.waited > time.Minute { // of all workers together
		t.Errorf("waited for %v in all", c.waited)
	}
	t.Log(c.happened, "waited for", c.waited)
}

func TestEveryPayoutThroughChaosIsOneTransaction(t *testing.T) {
	t.Parallel()
	const workers = 8
	payouts := times(2_000)
	s := servertest.New(t)
	sender := servertest.NewSender(t, s.Client)
	request := servertest.Deposit(t, sender, servertest.NewReceiver(t, s.Client, sender.ID), "0.01")
	weather, c := newChaos(t, s)

	var mu sync.Mutex
	keys := map[uuid.UUID]string{} // by the transaction that they made
	concurrently(workers, payouts, func() {
		var info client.Info
		made, err := c.CreateTransaction(t.Context(), sender.ID, request, client.CaptureInfo(&info))
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		keys[made.ID] = info.IdempotencyKey
		mu.Unlock()
	})
	listed, used := 0, map[string]bool{}
	for made, err := range c.Transactions(t.Context(), sender.ID, nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed++
		used[keys[made.ID]] = true
	}
	if listed != payouts || len(used) != payouts || len(keys) != payouts || used[""] {
		t.Errorf("%d calls made %d transactions; listed %d of %d keys", payouts, len(keys), listed, len(used))
	}
	chaosRows(t, s, "transactions", payouts)
	weather.check(t)
}

func TestEveryCreationThroughChaosIsOneRow(t *testing.T) {
	t.Parallel()
	const users, workers = 40, 8
	s := servertest.New(t)
	weather, c := newChaos(t, s)
	concurrently(workers, users, func() {
		if err := chaosUser(t.Context(), c); err != nil {
			t.Error(err)
		}
	})
	for _, table := range []string{"users", "funding_accounts", "receive_users", "bank_accounts", "wallet_accounts"} {
		chaosRows(t, s, table, users)
	}
	weather.check(t)
}

// chaosUser registers a user with one of each.
func chaosUser(ctx context.Context, c *client.Client) error {
	user, err := c.CreateUser(ctx, api.UserRequest{FirstName: "Asha", Email: "asha@example.com", Country: "US", Type: new(api.UserTypeSend)})
	if err != nil {
		return err
	}
	if _, err := c.CreateFundingAccount(ctx, user.ID, api.FundingAccountRequest{FundingSourceType: "CARD"}); err != nil {
		return err
	}
	receiver, err := c.CreateReceiveUser(ctx, user.ID, api.ReceiveUserRequest{FirstName: "Bina", Country: "NP"})
	if err != nil {
		return err
	}
	if _, err := c.CreateBankAccount(ctx, user.ID, receiver.ID, api.BankAccountRequest{
		BankID: servertest.BankNepal, AccountNumber: "0001234567", Currency: "NPR",
	}); err != nil {
		return err
	}
	_, err = c.CreateWalletAccount(ctx, user.ID, receiver.ID, api.WalletAccountRequest{
		PayerID: servertest.WalletPayer, WalletNumber: "9800000000", Currency: "NPR",
	})
	return err
}

// chaosRows checks the number of rows in the database.
func chaosRows(t testing.TB, s *servertest.Server, table string, want int) {
	t.Helper()
	var n int
	if err := s.Beside(t).QueryRowContext(t.Context(), "select count(*) from "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != want {
		t.Errorf("%d rows in %s, want %d", n, table, want)
	}
}

// chaosAwait returns when a server answers, and has started its goroutines.
func chaosAwait(t testing.TB, address string) {
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
			chaosAwait(t, address)
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
			goleak.VerifyNone(t, before)
		})
	}
}
