package payouttest

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// Sandbox is a running service, created by [New] or [Start]. Its methods fail the test, so call them from the goroutine of
// the test; the clients may be used from any.
type Sandbox struct {
	URL                    string // the base URL
	ClientID, ClientSecret string // the credentials of Client

	Client *client.Client // as the first client organisation of the sandbox, with short waits before retries
	Other  *client.Client // as the second one, which cannot see data of the first

	t        testing.TB
	webhooks bool // are delivered
	server   *servertest.Server
	front    *front
	direct   *client.Client // as Client, bypassing faults and recording
	stop     func()
}

// Option configures [New] and [Start].
type Option func(*settings)

type settings struct {
	lenient  bool
	webhooks bool
	server   func(*server.Config)
	problem  string
}

// Lenient does not fail the test if faults were not used up.
func Lenient() Option { return func(s *settings) { s.lenient = true } }

// Webhooks lets the service deliver events to webhook endpoints, those of [Sandbox.Webhook] and those that your code registers.
// Without it nothing leaves the sandbox.
func Webhooks() Option { return func(s *settings) { s.webhooks = true } }

// RateLimit sets the requests per second of a client, with bursts of twice as many, beyond which the service answers
// RATE_LIMITED. Requests of the sandbox itself count. The default is no limit.
func RateLimit(perSecond int) Option {
	return func(s *settings) {
		s.server = func(c *server.Config) { c.RateLimit = perSecond }
		if perSecond < 1 {
			s.problem = fmt.Sprintf("RateLimit is %d, want 1 or more", perSecond)
		}
	}
}

// New starts a sandbox, which stops when the test ends. The test fails if a fault then has not met the calls that it was set
// for, because a fault that did not happen proves nothing; [Lenient] allows it.
func New(t testing.TB, options ...Option) *Sandbox {
	t.Helper()
	chosen := settings{server: func(*server.Config) {}}
	for _, option := range options {
		option(&chosen)
	}
	if chosen.problem != "" {
		t.Fatal(chosen.problem)
	}
	// SQLite, whatever engine the environment selects for the tests of the service.
	database := "sqlite:" + filepath.Join(t.TempDir(), "payouts.db")
	running := servertest.New(t, chosen.server, func(c *server.Config) {
		c.Database = database
		c.WebhooksOff, c.WebhookNow = !chosen.webhooks, time.Now // receivers compare the time of a signature with their clock
	})
	first, second := server.SandboxClients[0], server.SandboxClients[1]
	s := &Sandbox{ClientID: first.ID, ClientSecret: first.Secret, t: t, webhooks: chosen.webhooks, server: running}
	s.front = newFront(t, running)
	web := s.front.serve()
	s.URL = web.URL
	s.stop = sync.OnceFunc(func() {
		close(s.front.ended)
		web.Close()
		s.direct.CloseIdleConnections() // otherwise the server waits for those that were never used
		running.Stop()
		if chosen.lenient || t.Failed() {
			return
		}
		for _, unused := range s.front.unused() {
			t.Errorf("a fault was not used up: %s", unused)
		}
	})
	t.Cleanup(s.stop)
	soon := client.WithBackoff(time.Millisecond, 10*time.Millisecond)
	s.Client = s.connect(s.URL, first.ID, first.Secret, soon)
	s.Other = s.connect(s.URL, second.ID, second.Secret, soon)
	s.direct = s.connect(running.URL, first.ID, first.Secret)
	return s
}

// NewClient returns a client with the credentials of Client and these options. Its waits before retries are those of the SDK,
// unless [client.WithBackoff] is one of them.
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

// Stop stops the service before the test ends, for code that must handle its absence. It may be called again.
func (s *Sandbox) Stop() { s.stop() }

// Now returns the time of the service in UTC. It stands still until Advance moves it.
func (s *Sandbox) Now() time.Time { return s.server.Clock.Now() }

// Advance moves the time of the service, whose UTC day, month and year determine limits.
func (s *Sandbox) Advance(d time.Duration) { s.server.Clock.Set(s.Now().Add(d)) }

// Requests returns the requests of these operations, by operationId, or of all, in the order of arrival, without those of the
// sandbox itself.
func (s *Sandbox) Requests(operations ...string) []Request { return s.front.seen(operations) }
