package contract

import (
	"errors"
	"io"
	"sync/atomic"
)

// errNoMemory is why a body was not read; see [MemoryLimit].
var errNoMemory = errors.New("too many bodies are held in memory")

// MemoryLimit bounds the total of the bodies that the middleware holds in memory at a time, in bytes; 0, the default, is no
// limit. Beyond it requests with a body are answered with 503, and responses are passed on without being judged. Checking a
// body needs a small multiple of its size for a short time.
func MemoryLimit(bytes int64) MiddlewareOption {
	return func(m *middleware) { m.memory.limit = bytes }
}

// memory counts the bytes that are held.
type memory struct {
	limit int64
	used  atomic.Int64
}

// share is what one exchange holds of it.
type share struct {
	of   *memory
	held int64
}

// take reports whether there is room for n more bytes.
func (s *share) take(n int64) bool {
	if s.of.limit == 0 {
		return true
	}
	if s.of.used.Add(n) > s.of.limit {
		s.of.used.Add(-n)
		return false
	}
	s.held += n
	return true
}

// free returns everything.
func (s *share) free() {
	s.of.used.Add(-s.held)
	s.held = 0
}

// meteredBody takes from a share what is read. What is merely announced counts nothing, or callers without credentials could
// use up the limit with headers.
type meteredBody struct {
	io.ReadCloser
	share *share // nil once the rest is streamed
}

// Read implements [io.Reader].
func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.share != nil && !b.share.take(int64(n)) {
		return 0, errNoMemory
	}
	return n, err
}
