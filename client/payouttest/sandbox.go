package payouttest

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Sandbox is a running service. Make it with [New] or [Start]. Its methods fail the test where they fail, so call those
// from the goroutine of the test; the clients may be used from any.
type Sandbox struct {
	URL                    string // the base URL
	ClientID, ClientSecret string // the credentials of Client

	Client *client.Client // as the first client organisation of the sandbox; it hardly waits before it tries again
	Other  *client.Client // as the second one, which sees nothing of the first

	t      testing.TB
	server *servertest.Server
	front  *front
	direct *client.Client // as Client, past the switches and the record
	stop   func()
}

// Option changes what [New] and [Start] make.
type Option func(*settings)

type settings struct {
	lenient bool
	server  func(*server.Config)
	problem string
}

// Lenient lets the test pass though switches were not used.
func Lenient() Option { return func(s *settings) { s.lenient = true } }

// RateLimit has the service answer RATE_LIMITED beyond so many requests a second of a client, with bursts of twice as
// many; the sandbox's own count as well. Without it there is no limit.
func RateLimit(perSecond int) Option {
	return func(s *settings) {
		s.server = func(c *server.Config) { c.RateLimit = perSecond }
		if perSecond < 1 {
			s.problem = fmt.Sprintf("RateLimit is %d, want 1 or more", perSecond)
		}
	}
}

// New starts a sandbox, which stops when the test ends. The test fails if by then a switch has calls left (see [Calls]):
// a fault that did not happen proves nothing. [Lenient] allows it.
func New(t testing.TB, options ...Option) *Sandbox {
	t.Helper()
	chosen := settings{server: func(*server.Config) {}}
	for _, option := range options {
		option(&chosen)
	}
	if chosen.problem != "" {
		t.Fatalf("payouttest: %s", chosen.problem)
	}
	// A file of its own, whatever engine the environment names for the tests of the service.
	database := "sqlite:" + filepath.Join(t.TempDir(), "payouts.db")
	running := servertest.New(t, chosen.server, func(c *server.Config) { c.Database = database })
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	s := &Sandbox{ClientID: first.ID, ClientSecret: first.Secret, t: t, server: running, front: newFront(t, running)}
	web := httptest.NewServer(s.front)
	s.URL = web.URL
	s.stop = sync.OnceFunc(func() {
		close(s.front.ended)
		web.Close()
		s.direct.CloseIdleConnections() // or the server waits for those that were never used
		running.Stop()
		if chosen.lenient || t.Failed() {
			return
		}
		for _, unused := range s.front.unused() {
			t.Errorf("payouttest: a switch was not used: %s", unused)
		}
	})
	t.Cleanup(s.stop)
	soon := client.WithBackoff(time.Millisecond, 10*time.Millisecond)
	s.Client = s.connect(s.URL, first.ID, first.Secret, soon)
	s.Other = s.connect(s.URL, second.ID, second.Secret, soon)
	s.direct = s.connect(running.URL, first.ID, first.Secret)
	return s
}

// NewClient makes a client with the credentials of Client and options of your choice.
func (s *Sandbox) NewClient(options ...client.Option) *client.Client {
	s.t.Helper()
	return s.connect(s.URL, s.ClientID, s.ClientSecret, options...)
}

func (s *Sandbox) connect(url, id, secret string, options ...client.Option) *client.Client {
	s.t.Helper()
	c, err := client.New(url, id, secret, options...)
	if err != nil {
		s.t.Fatalf("make a client: %v", err)
	}
	return c
}

// Stop stops the service before the test ends, for code that has to live without it. It can be repeated.
func (s *Sandbox) Stop() { s.stop() }

// Now returns the time of the service, UTC. It stands still until it is moved.
func (s *Sandbox) Now() time.Time { return s.server.Clock.Now() }

// Advance moves the time of the service. Limits are those of its UTC day, month and year.
func (s *Sandbox) Advance(d time.Duration) { s.server.Clock.Set(s.Now().Add(d)) }

// Requests returns what arrived for these operations, named by operationId, in the order of arrival; without operations all
// of it. What the sandbox does itself does not appear.
func (s *Sandbox) Requests(operations ...string) []Request { return s.front.seen(operations) }
