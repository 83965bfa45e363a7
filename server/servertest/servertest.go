package servertest

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
)

// Server is a running sandbox.
type Server struct {
	URL      string
	Database string                   // its URL, for Beside and for replicas
	Clock    *Clock                   // of the service
	Client   *api.ClientWithResponses // as the first sandbox client
	Other    *api.ClientWithResponses // as the second one
	HTTP     *http.Client             // without credentials; checks responses as the others do
	Contract *contract.Contract

	stop func()
}

// New starts a sandbox on a database of its own, without a rate limit, and stops it when the test ends. configure may
// change anything: with the Database of another server the two are replicas, and with WebhooksOff unset it delivers webhooks.
func New(t testing.TB, configure ...func(*server.Config)) *Server {
	t.Helper()
	clock := &Clock{now: time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)}
	config := server.Config{Sandbox: true, Now: clock.Now, WebhooksOff: true}
	for _, c := range configure {
		c(&config)
	}
	if config.Database == "" {
		config.Database = Database(t)
	}
	srv, err := server.New(t.Context(), config)
	if err != nil {
		t.Fatalf("start server: %v", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, listener) }()
	s := &Server{URL: "http://" + listener.Addr().String(), Database: config.Database, Clock: clock, Contract: Contract(t)}
	connections := &http.Transport{MaxIdleConnsPerHost: 100}
	s.stop = sync.OnceFunc(func() {
		connections.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := srv.Close(); err != nil {
			t.Errorf("close server: %v", err)
		}
	})
	t.Cleanup(s.stop)
	s.HTTP = &http.Client{Transport: Checked(t, s.Contract, connections), Timeout: time.Minute}
	s.Client = s.As(t, server.SandboxClients[0].ID, server.SandboxClients[0].Secret)
	s.Other = s.As(t, server.SandboxClients[1].ID, server.SandboxClients[1].Secret)
	return s
}

// Stop stops the server before the test ends.
func (s *Server) Stop() { s.stop() }

// As returns a typed client with these credentials.
func (s *Server) As(t testing.TB, clientID, secret string) *api.ClientWithResponses {
	t.Helper()
	c, err := api.NewClientWithResponses(s.URL, api.WithHTTPClient(s.HTTP), api.WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("X-Client-Id", clientID)
			r.Header.Set("X-Client-Secret", secret)
			return nil
		}))
	if err != nil {
		t.Fatalf("make client: %v", err)
	}
	return c
}

// Contract is the compiled contract.
func Contract(t testing.TB) *contract.Contract {
	t.Helper()
	c, err := contract.Published()
	if err != nil {
		t.Fatalf("compile contract: %v", err)
	}
	return c
}

// Checked returns a transport that fails the test for every response that breaks the contract, and remembers which
// operations answered with which status, for Reached.
func Checked(t testing.TB, c *contract.Contract, next http.RoundTripper) http.RoundTripper {
	return c.Transport(next, contract.Observe(func(e contract.Exchange) {
		reached.Store(e.OperationID+" "+strconv.Itoa(e.Status), true)
		for _, v := range e.Violations {
			t.Errorf("%s %s answered %d: %s %s %s", e.Method, e.Path, e.Status, v.In, v.Field, v.Reason)
		}
	}))
}

var reached sync.Map

// Reached reports whether any test of this program saw an operation answer with a status.
func Reached(operationID string, status int) bool {
	_, ok := reached.Load(operationID + " " + strconv.Itoa(status))
	return ok
}

// Clock is a clock that stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}
