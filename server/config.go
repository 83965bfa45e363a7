package server

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

// Config configures a Server. Each field documents its zero value.
type Config struct {
	Database  string        // sqlite:FILE or postgres://...; required
	Sandbox   bool          // seed the sandbox clients and mount /sandbox/...
	RateLimit int           // requests per second of each client, with bursts of twice as many; 0: no limit
	Timeout   time.Duration // to handle one request once its body has arrived; 0: 30 seconds

	ClientsFor time.Duration // how long a client and its secrets are used without reading them again; 0: not at all (D-74)

	BodyMemory   int64         // bytes for the bodies of requests in flight, see memory.go; 0: see there
	BodyPatience time.Duration // how long a body waits for room in it; 0: two minutes
	BodyPace     bodies.Pace   // the least speed of requests and responses; zero: 240 KiB in each 15 seconds

	WebhooksOff   bool          // deliver no webhooks; they are written for others to deliver (D-69)
	WebhookRescue time.Duration // after which the attempts of a replica that was killed are made again; 0: two minutes
	// WebhookNow is the clock of attempts and their signatures, which receivers compare with their own; nil: Now.
	WebhookNow func() time.Time

	FailureLimit   int            // requests with wrong credentials per minute, of an address and with a client id; 0: no limit (D-58)
	TrustedProxies []netip.Prefix // may name the address of a caller in X-Forwarded-For
	OmitAddresses  bool           // leave the addresses of callers out of the log

	// When Serve is told to stop, /readyz answers 503 at once. New connections are accepted for ShutdownDelay (default 0),
	// so that a load balancer has time to notice; then requests in flight have ShutdownPatience (default 20 seconds).
	ShutdownDelay, ShutdownPatience time.Duration

	EventRetention time.Duration // how long events are kept; 0: for ever (D-67)
	SecretsKey     string        // file with the keyset for webhook secrets; empty: that of the sandbox, none in production (D-68)

	Logger *slog.Logger     // nil: no log
	Now    func() time.Time // nil: the clock
	NewID  func() string    // nil: UUIDs of version 7
}
