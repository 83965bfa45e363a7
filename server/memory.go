package server

import (
	"runtime/debug"
	"time"

	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

// What a large body takes at its peak, in tenths of its length: the text and, decoded from it, the documents (1.75); or the
// documents and, on PostgreSQL, two copies of them in messages of the driver (2.25). The text is dropped before the database
// is written.
const bodyFactor = 25

// maxBodyMemory is what is used by default on large machines: the bodies wait for processors rather than for memory.
const maxBodyMemory = 256 << 20

// defaultBodyMemory returns a quarter of the limit of the Go runtime for its memory (GOMEMLIMIT), at most maxBodyMemory. The
// collector lets garbage grow to the size of what is in use, and the process has other uses of memory.
func defaultBodyMemory() int64 {
	return min(debug.SetMemoryLimit(-1)/4, maxBodyMemory)
}

// newBodyMemory returns the room for the bodies whose requests take size bytes.
func newBodyMemory(size int64, patience time.Duration) *bodies.Memory {
	return bodies.NewMemory(size*10/bodyFactor, contract.DefaultBodyLimit, patience)
}
