package bodies

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
)

func request(text io.Reader, length int64) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", text)
	r.ContentLength = length
	return r
}

// A body arrives whole, in whatever pieces and whatever is announced, and its room is the size of its buffer.
func TestReceive(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, uncounted, uncounted + 1, smallBody, smallBody + 1, mib + 3} {
		text := bytes.Repeat([]byte("0123456"), size/7+1)[:size]
		for _, announced := range []int{size, -1, size / 2} {
			m := room(1)
			r := request(iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(text))), int64(announced))
			b, err := Receiver{Limit: 2 * mib, Memory: m}.Receive(r)
			if err != nil {
				t.Fatalf("%d bytes, announced as %d: %v", size, announced, err)
			}
			again, err := io.ReadAll(r.Body)
			if err != nil || !bytes.Equal(b.Text, text) || !bytes.Equal(again, text) || r.ContentLength != int64(size) {
				t.Errorf("%d bytes, announced as %d: received %d, then %d", size, announced, len(b.Text), len(again))
			}
			if size > uncounted && b.share.taken < int64(cap(b.Text)) || b.share.taken > max(2*int64(size), smallBody) {
				t.Errorf("%d bytes, announced as %d: %d bytes of room for a buffer of %d", size, announced, b.share.taken, cap(b.Text))
			}
			b.Release()
			b.Release()
			if left := len(m.small.shares) + len(m.large.shares); left > 0 {
				t.Errorf("%d bytes, announced as %d: room is still held", size, announced)
			}
		}
	}
}

// offered records the largest buffer that a reader was called with.
type offered struct {
	io.Reader
	most int
}

func (o *offered) Read(p []byte) (int, error) {
	o.most = max(o.most, len(p))
	return o.Reader.Read(p)
}

// Buffers are in the order of what has arrived, not of what is announced.
func TestBuffersGrowWithWhatArrives(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, arrived := range []int{1, uncounted, 100 << 10, mib} {
		text := &offered{Reader: io.MultiReader(strings.NewReader(strings.Repeat("a", arrived)), iotest.ErrReader(broken))}
		if _, err := (Receiver{Limit: 20 * mib}).Receive(request(text, 20*mib)); !errors.Is(err, broken) {
			t.Fatal(err)
		}
		if text.most > max(4*arrived, uncounted) {
			t.Errorf("%d bytes have arrived, the buffer has %d more", arrived, text.most)
		}
	}
}

// A body that is too large is not read if that is announced; otherwise it can still be read whole.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	rc := Receiver{Limit: 100_000, Memory: room(1)}
	if b, err := rc.Receive(request(iotest.ErrReader(errors.New("read")), 100_001)); b != nil || !errors.Is(err, ErrTooLarge) {
		t.Errorf("announced: %v", err)
	}
	text := strings.Repeat("0123456789", 20_000)
	r := request(strings.NewReader(text), -1)
	b, err := rc.Receive(r)
	if !errors.Is(err, ErrTooLarge) {
		t.Fatalf("not announced: %v", err)
	}
	if again, err := io.ReadAll(r.Body); err != nil || string(again) != text {
		t.Errorf("of %d bytes, %d can be read: %v", len(text), len(again), err)
	}
	b.Release()
	if left := len(rc.Memory.small.shares) + len(rc.Memory.large.shares); left > 0 {
		t.Error("room is still held")
	}
}

// A body that breaks off, or finds no room, holds nothing afterwards.
func TestFailedBodiesHoldNothing(t *testing.T) {
	t.Parallel()
	m := room(0)
	m.patience = 0
	rc := Receiver{Limit: 20 * mib, Memory: m}
	first, err := rc.Receive(request(strings.NewReader(strings.Repeat("a", mib)), -1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rc.Receive(request(strings.NewReader(strings.Repeat("a", mib)), mib)); !errors.Is(err, ErrNoRoom) {
		t.Errorf("without room: %v", err)
	}
	first.Release()
	broken := errors.New("broken")
	text := io.MultiReader(strings.NewReader(strings.Repeat("a", mib)), iotest.ErrReader(broken))
	if _, err := rc.Receive(request(text, 2*mib)); !errors.Is(err, broken) {
		t.Errorf("broken off: %v", err)
	}
	if left := len(m.small.shares) + len(m.large.shares); left > 0 {
		t.Errorf("%d bodies hold room", left)
	}
}
