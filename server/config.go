package server

import (
	"log/slog"
	"time"
)

// Config configures a Server. The zero value of a field means what its line says.
type Config struct {
	Database  string           // sqlite:FILE; required
	Sandbox   bool             // seed the sandbox clients and mount /sandbox/...
	RateLimit int              // requests a second of each client, with bursts of twice as many; 0: no limit
	Timeout   time.Duration    // for the handling of one request; 0: 30 seconds
	Logger    *slog.Logger     // nil: no log
	Now       func() time.Time // nil: the clock
	NewID     func() string    // nil: UUIDs of version 7
}
