package bodies

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	mib      = 1 << 20
	patience = time.Minute
)

// room returns memory with place for n large bodies of 20 MiB next to the one that is set apart, and for small ones.
func room(n int64) *Memory {
	forSmall := int64(4 * mib)
	m := NewMemory((n+1)*20*mib+forSmall, 20*mib, patience)
	m.large.size = n * 20 * mib
	m.small.size = forSmall - smallBody
	return m
}

// body is a body of which n bytes have arrived.
type body struct {
	share
	whole int64
	exact bool
}

func (m *Memory) body(whole int64) *body {
	return &body{share: share{of: m}, whole: whole, exact: true}
}

func (b *body) arrive(n int64) error { return b.hold(context.Background(), n, b.whole, b.exact) }

// waits starts to take room, and reports whether that has to wait; result has what becomes of it.
func (b *body) waits(n int64) (waiting bool, result chan error) {
	result = make(chan error, 1)
	go func() { result <- b.arrive(n) }()
	synctest.Wait()
	return len(result) == 0, result
}

func want(t *testing.T, what string, got, wanted any) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s: %v, want %v", what, got, wanted)
	}
}

// What is announced takes nothing: 10,000 bodies of which a few bytes have arrived leave the room to others.
func TestAnnouncedBodiesTakeNoRoom(t *testing.T) {
	t.Parallel()
	m := room(1)
	for range 10_000 {
		want(t, "a body of which little has arrived", m.body(20*mib).arrive(uncounted), nil)
	}
	want(t, "the first that arrives", m.body(20*mib).arrive(10*mib), nil)
	want(t, "the second", m.body(20*mib).arrive(10*mib), nil)
}

// All that a body may need is reserved when it is its turn, in the order in which the bodies came.
func TestLargeBodiesAreServedInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(1)
		var served []int
		all := make([]*body, 6)
		for i := range all {
			all[i] = m.body(20 * mib)
			if i == 4 {
				all[i].whole = mib // it would fit sooner, and does not overtake
			}
			go func() {
				want(t, "a body", all[i].arrive(100<<10), nil)
				served = append(served, i)
			}()
			synctest.Wait()
		}
		want(t, "served at once", len(served), 2)
		for i := range 4 {
			want(t, "the rest of one that was served", all[i].arrive(20*mib), nil)
			all[i].free()
			synctest.Wait()
		}
		if !slices.Equal(served, []int{0, 1, 2, 3, 4, 5}) {
			t.Errorf("served in the order %v", served)
		}
	})
}

// Bodies of up to 64 KiB do not wait for large ones, whether their length is announced or not.
func TestSmallBodiesDoNotWaitForLargeOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(0)
		want(t, "the oldest", m.body(20*mib).arrive(20*mib), nil)
		large := m.body(20 * mib)
		waiting, result := large.waits(mib)
		want(t, "a large one waits", waiting, true)
		for range 20 {
			want(t, "a small one", m.body(smallBody).arrive(smallBody), nil)
			chunked := m.body(20 * mib)
			chunked.exact = false
			want(t, "one of unknown length", chunked.arrive(smallBody), nil)
		}
		if err := <-result; !errors.Is(err, ErrNoRoom) {
			t.Errorf("the large one ends with %v", err)
		}
	})
}

// Too many small bodies wait as well, and one that turns out to be large leaves their room.
func TestSmallBodiesWaitForEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(1)
		first := m.body(20 * mib)
		first.exact = false
		want(t, "the first", first.arrive(smallBody), nil)
		for range m.small.size / smallBody {
			want(t, "one more", m.body(smallBody).arrive(smallBody), nil)
		}
		waiting, result := m.body(smallBody).waits(smallBody)
		want(t, "the last waits", waiting, true)
		want(t, "the first is larger than it seemed", first.arrive(smallBody+1), nil)
		want(t, "the last", <-result, nil)
	})
}

// A caller that trickles its body loses what was reserved for it, and holds what it has sent.
func TestSlowBodiesGiveUpWhatIsReserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(2)
		slow := make([]*body, 50)
		for i := range slow {
			slow[i] = m.body(20 * mib)
			go func() { want(t, "a slow body", slow[i].arrive(100<<10), nil) }()
		}
		<-time.After(55 * lease) // one or two at a time have one
		synctest.Wait()
		want(t, "taken by slow bodies", m.large.others(), int64(49*100<<10))
		fast := m.body(10 * mib)
		want(t, "a fast one", fast.arrive(10*mib), nil)
		fast.free()
		want(t, "a step of a slow one", slow[7].arrive(mib), nil)
		for _, s := range slow {
			s.free()
		}
		want(t, "bodies in the end", len(m.large.shares), 0)
	})
}

// The room of a body that arrives quickly stays reserved: it never stops half-way for one that came later.
func TestQuickBodiesKeepWhatIsReserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(1)
		first, second := m.body(20*mib), m.body(20*mib)
		want(t, "the first", first.arrive(mib), nil)
		want(t, "the second", second.arrive(mib), nil)
		waiting, result := m.body(20 * mib).waits(mib)
		want(t, "the third waits", waiting, true)
		for n := int64(2 * mib); n <= 20*mib; n += mib {
			<-time.After(lease - time.Millisecond)
			want(t, "the second goes on", second.arrive(n), nil)
			want(t, "the third still waits", len(result), 0)
		}
		second.free()
		want(t, "the third", <-result, nil)
	})
}

// Bodies that are all half-read do not wait for each other for ever: the oldest never waits, and when it ends the next is
// the oldest.
func TestHalfReadBodiesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(3)
		all := make([]*body, 20)
		for i := range all {
			all[i] = m.body(20 * mib)
			_, result := all[i].waits(2 * mib)
			<-time.After(lease) // all are slow
			synctest.Wait()
			want(t, "the beginning", <-result, nil)
		}
		want(t, "taken", m.large.others(), int64(19*2*mib))
		want(t, "a response", m.Try(10*mib), true)
		want(t, "another response", m.Try(20*mib), false)
		results := make([]chan error, len(all))
		for i := len(all) - 1; i > 0; i-- {
			var waiting bool
			waiting, results[i] = all[i].waits(20 * mib)
			want(t, "the rest waits", waiting, true)
		}
		want(t, "the oldest", all[0].arrive(20*mib), nil)
		for i := range all {
			if i > 0 {
				want(t, "the rest", <-results[i], nil)
			}
			all[i].free()
			synctest.Wait()
		}
		m.Free(10 * mib)
		want(t, "taken in the end", m.large.others(), int64(0))
	})
}

// However bodies come and go, what is taken is never more than there is.
func TestNoMoreIsTakenThanThereIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(3)
		check := func() {
			m.large.mu.Lock()
			defer m.large.mu.Unlock()
			sum := m.large.extra
			for _, s := range m.large.shares {
				sum += s.taken
			}
			if sum > m.large.size+20*mib {
				t.Errorf("%d bytes are taken", sum)
			}
		}
		m.patience = time.Hour
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				b := m.body(int64(1+i%20) * mib)
				b.exact = i%3 > 0
				for n := int64(uncounted); ; n = min(2*n, b.whole) {
					if err := b.arrive(n); err != nil {
						t.Errorf("body %d: %v", i, err)
					}
					check()
					<-time.After(time.Duration(i%7) * 300 * time.Millisecond)
					if n == b.whole {
						break
					}
				}
				b.free()
				check()
			})
		}
		all.Wait()
	})
}

// Nothing waits for ever, and what has waited in vain is out of the way of others.
func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := room(0)
		oldest := m.body(20 * mib)
		want(t, "the oldest", oldest.arrive(20*mib), nil)
		began := time.Now()
		if err := m.body(20 * mib).arrive(mib); !errors.Is(err, ErrNoRoom) || time.Since(began) != patience {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		left := errors.New("left")
		cancel(left)
		gone := m.body(20 * mib)
		if err := gone.hold(ctx, mib, gone.whole, true); !errors.Is(err, context.Canceled) {
			t.Errorf("the caller left: %v", err)
		}
		m.large.waiting = maxWaiting
		if err := m.body(20 * mib).arrive(mib); !errors.Is(err, ErrNoRoom) {
			t.Errorf("too many wait: %v", err)
		}
	})
}
