package bodies

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// ErrTooLarge is returned for a body that is longer than the limit.
var ErrTooLarge = errors.New("the body is too large")

// Receiver reads the bodies of requests into memory.
type Receiver struct {
	Limit  int64   // the greatest length of a body, in bytes
	Memory *Memory // nil: no limit for all of them together
}

// Body is a body that has arrived.
type Body struct {
	Text  []byte // read-only; its owner may drop it
	share share
}

// Release drops the text and returns its room. It may be called for nil, and more than once.
func (b *Body) Release() {
	if b != nil {
		b.Text = nil
		b.share.free()
	}
}

// Receive reads the body of r to its end, and replaces r.Body by a reader of the same bytes. Memory is taken for what arrives,
// not for what is announced. It returns ErrTooLarge, without reading if the announced length is beyond the limit, ErrNoRoom,
// or the error of reading. The caller releases the body; with an error it may be nil.
//
// A body that is too large can be read from r.Body, until it is released.
func (rc Receiver) Receive(r *http.Request) (*Body, error) {
	if r.ContentLength > rc.Limit {
		return nil, ErrTooLarge
	}
	b := &Body{share: share{of: rc.Memory}}
	text, more, err := b.read(r, rc.Limit)
	if errors.Is(err, ErrTooLarge) {
		r.Body = resumed{io.MultiReader(bytes.NewReader(text), bytes.NewReader(more), r.Body), r.Body}
		return b, err
	}
	if err != nil {
		b.Release()
		return nil, err
	}
	b.share.complete()
	b.Text = text
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	r.Body, _ = r.GetBody()
	r.ContentLength, r.TransferEncoding = int64(len(text)), nil
	return b, nil
}

// read returns the body, or ErrTooLarge with what was read of it, in two parts.
func (b *Body) read(r *http.Request, limit int64) (text, more []byte, err error) {
	whole, exact := limit, r.ContentLength >= 0
	if exact {
		whole = r.ContentLength
	}
	text = make([]byte, 0, min(whole, uncounted))
	next := make([]byte, 1)
	for {
		if len(text) < cap(text) {
			n, err := r.Body.Read(text[len(text):cap(text)])
			if text = text[:len(text)+n]; errors.Is(err, io.EOF) {
				return text, nil, nil
			} else if err != nil {
				return nil, nil, err
			}
			continue
		}
		// Room is taken once there is something to put in it.
		n, err := r.Body.Read(next)
		if n > 0 {
			if int64(len(text)) == limit {
				return text, next, ErrTooLarge
			}
			if whole == int64(len(text)) { // it is longer than announced
				whole, exact = limit, false
			}
			grown := growth(int64(cap(text)), whole, exact)
			if err := b.share.hold(r.Context(), grown, whole, exact); err != nil {
				return nil, nil, err
			}
			text = append(append(make([]byte, 0, grown), text...), next[0])
		}
		if errors.Is(err, io.EOF) {
			return text, nil, nil
		} else if err != nil {
			return nil, nil, err
		}
	}
}

// growth returns the next size of a buffer that is full, at most whole: twice as much for a body of unknown length. A known one
// is believed once a quarter of it has arrived, and the sizes before are chosen so that little is copied.
func growth(size, whole int64, exact bool) int64 {
	if !exact {
		return min(max(2*size, uncounted), whole)
	}
	next := whole
	for next/4 > size {
		next /= 4
	}
	return next
}

// resumed is a body of which the beginning was read: it is read again, then the rest.
type resumed struct {
	io.Reader
	io.Closer
}
