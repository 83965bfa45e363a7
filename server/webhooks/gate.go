package webhooks

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// An endpoint starts with firstAllowance attempts in flight, gets one more with each success up to mostAllowance, and
	// after a failure has one at a time, the probe.
	firstAllowance, mostAllowance = 2, 8
	// mostWaiting is how many deliveries of an endpoint wait for an attempt in flight to end, and patience how long.
	mostWaiting = 32
	patience    = 3 * time.Second
	// mostPause is the longest pause between the probes of an endpoint that fails.
	mostPause = 30 * time.Second
	// askedPause is the pause after an attempt that a client asked for and that went past the pause of its endpoint, or beside
	// the attempts that it has already.
	askedPause = time.Second
	// lookEvery is how often it is looked up whether an endpoint that fails was changed, or works for another replica.
	lookEvery = time.Second
	// A delivery that is turned away comes back after leastSnooze to mostSnooze.
	leastSnooze, mostSnooze = time.Second, 2 * time.Minute
	// typical is how long an attempt is assumed to take until one has ended. An endpoint that is slower turns away twice.
	typical = 20 * time.Millisecond
	// forgetAfter is how long an idle endpoint is remembered.
	forgetAfter = time.Hour
)

// gate decides which deliveries of this replica may be attempted now, so that endpoints that are slow, dead or busy leave most
// of the workers to all others.
type gate[K comparable] struct {
	share int // of the workers: how many deliveries may wait, and how many probes may be in flight, of all endpoints together
	mu    sync.Mutex
	lanes map[K]*lane
	// waiting and probing are counted over all lanes.
	waiting, probing int
	swept            time.Time
}

// lane is what the gate knows of an endpoint.
type lane struct {
	inFlight, allowance int
	queue               []chan struct{} // of those that wait; closed to let one in
	failures            int             // in a row; 0: it works
	failedAt            time.Time
	probeAt             time.Time     // not before this time, if it fails
	asking              bool          // an attempt that a client asked for is in flight beside the allowance
	askAt               time.Time     // the next such attempt not before this time
	average             time.Duration // of attempts
	reserved, askedFor  time.Time     // until when those that were turned away, and those a client asked for, have a time of their own
	looked              time.Time
	used                time.Time
}

// newGate returns a gate for a number of workers.
func newGate[K comparable](workers int) *gate[K] {
	return &gate[K]{share: max(1, workers/4), lanes: map[K]*lane{}}
}

// pass is an attempt that may be made.
type pass[K comparable] struct {
	gate  *gate[K]
	lane  *lane
	began time.Time
	// probe: the endpoint was failing when the attempt began. beside: only a client's request let it in.
	probe, beside bool
}

// enter returns a pass, for which it may wait some seconds, or how long the delivery has to stay away. One that a client asked
// for does not wait for a failing or busy endpoint, unless another such is there. It returns the error of ctx if that ends.
func (g *gate[K]) enter(ctx context.Context, endpoint K, asked bool) (p *pass[K], snooze time.Duration, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.sweep(now)
	l := g.lanes[endpoint]
	if l == nil {
		l = &lane{allowance: firstAllowance, average: typical}
		g.lanes[endpoint] = l
	}
	l.used = now
	if p := g.admit(l, asked, now); p != nil {
		return p, 0, nil
	}
	if l.failures > 0 || len(l.queue) >= mostWaiting || g.waiting >= g.share {
		return nil, l.turnAway(asked, now), nil
	}
	let := make(chan struct{})
	l.queue = append(l.queue, let)
	g.waiting++
	g.mu.Unlock()
	waited := time.NewTimer(patience)
	defer waited.Stop()
	select {
	case <-let:
	case <-waited.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	g.mu.Lock()
	now = time.Now()
	g.leaveQueue(l, let)
	if err != nil {
		g.wake(l)
		return nil, 0, err
	}
	if p := g.admit(l, asked, now); p != nil {
		return p, 0, nil
	}
	return nil, l.turnAway(asked, now), nil
}

// admit returns a pass if the lane has room, or if a client asked for the attempt and it is the only such one.
func (g *gate[K]) admit(l *lane, asked bool, now time.Time) *pass[K] {
	probe := l.failures > 0
	beside := l.inFlight >= l.allowance || probe && now.Before(l.probeAt)
	switch {
	case beside && (!asked || l.asking || now.Before(l.askAt)):
		return nil
	case (probe || beside) && g.probing >= g.share:
		return nil
	}
	l.inFlight++
	l.asking = l.asking || beside
	if probe || beside {
		g.probing++
	}
	return &pass[K]{gate: g, lane: l, began: now, probe: probe, beside: beside}
}

// turnAway returns when a delivery may try again: each gets a time of its own, at the pace of the lane.
func (l *lane) turnAway(asked bool, now time.Time) time.Duration {
	pace, pause, reserved := l.average/time.Duration(l.allowance), pauseOf(l.failures), &l.reserved
	if asked { // not behind all others
		pause, reserved = askedPause, &l.askedFor
	}
	if l.failures > 0 {
		pace = max(l.average, pause)
	}
	start := now.Add(leastSnooze)
	if reserved.Before(start) {
		*reserved = start
	}
	snooze := reserved.Sub(now)
	if snooze >= mostSnooze { // all others come within the last half, at random
		return mostSnooze - rand.N(mostSnooze/2)
	}
	*reserved = reserved.Add(pace)
	return snooze
}

// pauseOf is the pause between probes after failures in a row: none after the first, then one second, and twice as long each time.
func pauseOf(failures int) time.Duration {
	switch {
	case failures <= 1:
		return 0
	case failures > 6:
		return mostPause
	}
	return min(mostPause, time.Second<<(failures-2))
}

// verdict is what an attempt says about its endpoint.
type verdict int

const (
	unknown verdict = iota // no attempt was made
	works
	fails
)

// leave ends the attempt of a pass.
func (p *pass[K]) leave(v verdict) {
	g, l := p.gate, p.lane
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	l.used = now
	l.inFlight--
	if p.probe || p.beside {
		g.probing--
	}
	if p.beside {
		l.asking, l.askAt = false, now.Add(askedPause)
	}
	switch v {
	case unknown:
	case works:
		l.average = (3*l.average + now.Sub(p.began)) / 4
		if l.failures > 0 {
			l.restore()
		} else {
			l.allowance = min(l.allowance+1, mostAllowance)
		}
	case fails:
		l.average = (3*l.average + now.Sub(p.began)) / 4
		if l.failures > 0 && p.beside { // what a client asks for does not put off the next probe
			break
		}
		if l.failures == 0 || !p.began.Before(l.failedAt) { // those that were in flight together count once
			l.failures++
		}
		l.failedAt, l.allowance = now, 1
		l.probeAt = now.Add(pauseOf(l.failures))
	}
	g.wake(l)
}

// restore forgets that the endpoint failed.
func (l *lane) restore() {
	l.failures, l.allowance, l.reserved, l.askedFor = 0, firstAllowance, time.Time{}, time.Time{}
}

// mayLook reports whether an endpoint fails, and is to be looked up now.
func (g *gate[K]) mayLook(endpoint K) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l, now := g.lanes[endpoint], time.Now()
	if l == nil || l.failures == 0 || now.Sub(l.looked) < lookEvery {
		return false
	}
	l.looked = now
	return true
}

// restore ends the pauses of an endpoint.
func (g *gate[K]) restore(endpoint K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.lanes[endpoint]; l != nil && l.failures > 0 {
		l.restore()
	}
}

// wake lets in as many of those that wait as there is room, or turns all away if the endpoint fails.
func (g *gate[K]) wake(l *lane) {
	n := min(len(l.queue), max(0, l.allowance-l.inFlight))
	if l.failures > 0 {
		n = len(l.queue)
	}
	for _, let := range l.queue[:n] {
		close(let)
	}
	g.waiting -= n
	l.queue = l.queue[n:]
}

// leaveQueue removes one that waited in vain.
func (g *gate[K]) leaveQueue(l *lane, let chan struct{}) {
	for i, other := range l.queue {
		if other == let {
			l.queue = append(l.queue[:i:i], l.queue[i+1:]...)
			g.waiting--
			return
		}
	}
}

// sweep forgets endpoints that were not used for long.
func (g *gate[K]) sweep(now time.Time) {
	if now.Sub(g.swept) < forgetAfter {
		return
	}
	g.swept = now
	for endpoint, l := range g.lanes {
		if l.inFlight == 0 && len(l.queue) == 0 && now.Sub(l.used) > forgetAfter {
			delete(g.lanes, endpoint)
		}
	}
}
