package server

import (
	"log/slog"
	"time"
)

// Config configures a Server. The zero value of a field means what its line says.
type Config struct {
	Database  string        // sqlite:FILE or postgres://...; required
	Sandbox   bool          // seed the sandbox clients and mount /sandbox/...
	RateLimit int           // requests a second of each client, with bursts of twice as many; 0: no limit
	Timeout   time.Duration // for the handling of one request; 0: 30 seconds

	// When Serve is told to stop, /readyz tells so at once, new connections are taken for ShutdownDelay, so that a load
	// balancer has time to look, and then requests in flight may take ShutdownPatience to end; 0: no delay, 20 seconds.
	ShutdownDelay, ShutdownPatience time.Duration

	Logger *slog.Logger     // nil: no log
	Now    func() time.Time // nil: the clock
	NewID  func() string    // nil: UUIDs of version 7
}
