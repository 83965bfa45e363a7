package bodies

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrNoRoom is returned for a body for which there was no room in time.
var ErrNoRoom = errors.New("no room in memory for the body")

const (
	// uncounted is how much of a body needs no room: about as much as net/http buffers for its connection.
	uncounted = 4 << 10
	// smallBody is the length of the largest body that takes its room from that for small bodies.
	smallBody = 64 << 10
	// lease is how long the room for a whole large body is reserved, unless it has outgrown its buffer meanwhile.
	lease = time.Second
	// maxWaiting bounds the bodies that wait for room, each with what has arrived of it.
	maxWaiting = 1000
)

// DefaultPatience is how long a body waits for room at a time: 100 documents of 19 MiB at once may take a minute.
const DefaultPatience = 2 * time.Minute

// Memory is room for bodies, in bytes, that all requests of a process share. A body takes room as it arrives, and waits
// if there is none:
//
//  1. The first 4 KiB of a body are not counted.
//  2. Bodies of up to 64 KiB have an eighth of the room to themselves, so that they never wait for larger ones.
//  3. Larger bodies get room in the order in which they came, so that none is overtaken for ever. When it is the turn of
//     one, all that it may need is reserved, for a second at a time: it need not stop half-way, and those that come later
//     cannot take that room. After a second without much progress the rest is given up, so that a slow caller holds in the
//     order of what it has sent; it takes further room in steps, before any body that came later.
//  4. Room for one body of the greatest length is set apart for the oldest of the larger bodies.
//
// There is no deadlock among half-read bodies that all wait for the rest: by rule 4 the oldest never waits. It ends, because
// its [Pace] bounds the time that it needs; the next one is then the oldest. Nor does one wait for ever: each wait is bounded,
// and ends in [ErrNoRoom].
//
// A nil *Memory has room for everything.
type Memory struct {
	patience     time.Duration
	small, large lane
}

// NewMemory returns room for size bytes, and at least for one body of largest bytes, the greatest length, and one small body.
// A body waits for at most patience at a time.
func NewMemory(size, largest int64, patience time.Duration) *Memory {
	forSmall := max(size/8, smallBody)
	return &Memory{
		patience: patience,
		small:    lane{size: forSmall - smallBody},
		large:    lane{size: max(size-forSmall-largest, 0)},
	}
}

// Try takes n bytes if there is room now, and reports whether there was. They are returned with Free.
func (m *Memory) Try(n int64) bool {
	if m == nil {
		return true
	}
	m.large.mu.Lock()
	defer m.large.mu.Unlock()
	if m.large.others()+n > m.large.size {
		return false
	}
	m.large.extra += n
	return true
}

// Free returns n bytes of Try.
func (m *Memory) Free(n int64) {
	if m == nil {
		return
	}
	m.large.mu.Lock()
	defer m.large.mu.Unlock()
	m.large.extra -= n
	m.large.settle()
}

// lane is the room for bodies of one kind.
type lane struct {
	mu      sync.Mutex
	size    int64    // for all but the oldest, which may take what it needs
	extra   int64    // taken by Try
	shares  []*share // oldest first
	waiting int
}

// others returns what is taken by all but the oldest.
func (l *lane) others() int64 {
	sum := l.extra
	for i, s := range l.shares {
		if i > 0 {
			sum += s.taken
		}
	}
	return sum
}

// settle serves those that wait, in the order of their age, up to the first for which there is no room.
func (l *lane) settle() {
	others := l.others()
	for i, s := range l.shares {
		if s.wants == 0 {
			continue
		}
		if i > 0 {
			if others += s.wants; others > l.size {
				return
			}
		}
		s.taken += s.wants
		s.wants = 0
		close(s.served)
	}
}

// share is the room of one body.
type share struct {
	of     *Memory
	lane   *lane // nil: none is needed yet
	taken  int64 // of which
	used   int64 // is used
	wants  int64 // and for this much more it waits
	served chan struct{}
	lease  *time.Timer
	mark   int64 // used at the beginning of the lease
}

// hold returns once there is room for the first n bytes of a body; the whole body has at most whole bytes. exact says that
// it has no less. It returns ErrNoRoom, or the error of ctx.
func (s *share) hold(ctx context.Context, n, whole int64, exact bool) error {
	if s.of == nil || n <= uncounted {
		return nil
	}
	in, reserve := &s.of.small, min(whole, smallBody)
	if n > smallBody || exact && whole > smallBody {
		in, reserve = &s.of.large, whole
	}
	if s.lane != in {
		s.free()
		in.mu.Lock()
		s.lane, s.used = in, n
		in.shares = append(in.shares, s)
		if err := s.take(ctx, reserve); err != nil || in == &s.of.small {
			return err
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		s.mark = s.used
		s.lease = time.AfterFunc(lease, func() { s.endLease(in) })
		return nil
	}
	in.mu.Lock()
	if n <= s.taken {
		s.used = n
		in.mu.Unlock()
		return nil
	}
	more := n - s.taken
	s.used = n
	return s.take(ctx, more)
}

// take waits for n more bytes. The lane is locked, and unlocked when it returns.
func (s *share) take(ctx context.Context, n int64) error {
	l := s.lane
	s.wants, s.served = n, make(chan struct{})
	l.settle()
	if s.wants == 0 {
		l.mu.Unlock()
		return nil
	}
	if l.waiting == maxWaiting {
		s.wants = 0
		l.mu.Unlock()
		return ErrNoRoom
	}
	l.waiting++
	l.mu.Unlock()
	patience := time.NewTimer(s.of.patience)
	defer patience.Stop()
	var err error
	select {
	case <-s.served:
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
		err = ErrNoRoom
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	if s.wants == 0 {
		return nil // it was served
	}
	s.wants = 0
	l.settle() // those behind it may need less
	return err
}

// endLease renews the lease of a body that arrives quickly, and returns what others do not use.
func (s *share) endLease(l *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case s.lane != l: // it was returned meanwhile
	case s.used > s.mark:
		s.mark = s.used
		s.lease.Reset(lease)
	default:
		s.giveUp()
	}
}

// giveUp returns what is reserved and not used. The lane is locked.
func (s *share) giveUp() {
	s.taken = min(s.taken, s.used)
	s.lane.settle()
}

// complete is for a body that has arrived: more may have been reserved if its length was unknown.
func (s *share) complete() {
	if l := s.lane; l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		s.giveUp()
	}
}

// free returns everything.
func (s *share) free() {
	l := s.lane
	if l == nil {
		return
	}
	if s.lease != nil {
		s.lease.Stop()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.shares, s); i >= 0 {
		l.shares = slices.Delete(l.shares, i, i+1)
		l.settle()
	}
	s.lane, s.taken, s.used = nil, 0, 0
}
