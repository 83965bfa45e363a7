package contract

import (
	"errors"
	"io"
	"net/http"
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

// meteredBody takes from a share what is read, in advance if the length is known.
type meteredBody struct {
	io.ReadCloser
	share *share // nil once the rest is streamed
	left  int64  // taken, and not yet read
}

// meter returns the body of r, metered, and takes its length, for which CheckRequest makes room at once.
func meter(r *http.Request, s *share, limit int64) (*meteredBody, error) {
	body := &meteredBody{ReadCloser: r.Body, share: s}
	if n := r.ContentLength; n > 0 && n <= limit {
		if !s.take(n) {
			return nil, errNoMemory
		}
		body.left = n
	}
	return body, nil
}

// Read implements [io.Reader].
func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 && b.share != nil {
		if !b.share.take(-b.left) {
			return 0, errNoMemory
		}
		b.left = 0
	}
	return n, err
}
