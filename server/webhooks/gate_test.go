package webhooks

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// mustEnter returns a pass that must be had at once.
func mustEnter(t *testing.T, g *gate[string], endpoint string) *pass[string] {
	t.Helper()
	began := time.Now()
	p, snooze, err := g.enter(t.Context(), endpoint, false)
	if p == nil || time.Since(began) > 0 {
		t.Fatalf("no pass for %s: stay away for %s, %v, after %s", endpoint, snooze, err, time.Since(began))
	}
	return p
}

// turnedAway returns how long a delivery must stay away that must not get a pass.
func turnedAway(t *testing.T, g *gate[string], endpoint string) time.Duration {
	t.Helper()
	p, snooze, err := g.enter(t.Context(), endpoint, false)
	if p != nil || err != nil || snooze < leastSnooze/2 || snooze > mostSnooze {
		t.Fatalf("%s: pass %v, stay away for %s, %v", endpoint, p, snooze, err)
	}
	return snooze
}

func fail(t *testing.T, g *gate[string], endpoint string) {
	t.Helper()
	p := mustEnter(t, g, endpoint)
	time.Sleep(time.Millisecond) //nolint:forbidigo // of the test's clock
	p.leave(fails)
}

func TestAnEndpointThatWorksGetsMoreInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		for range 20 {
			mustEnter(t, g, "a").leave(works)
		}
		for range mostAllowance {
			mustEnter(t, g, "a")
		}
		turnedAway(t, g, "a")
		mustEnter(t, g, "b") // another is not concerned
	})
}

func TestANewEndpointStartsSmall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		for range firstAllowance {
			mustEnter(t, g, "a")
		}
		began := time.Now()
		if turnedAway(t, g, "a"); time.Since(began) != patience {
			t.Errorf("waited for %s, want %s", time.Since(began), patience)
		}
	})
}

func TestOneThatWaitsGetsTheNextPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		first := mustEnter(t, g, "a")
		mustEnter(t, g, "a")
		var got *pass[string]
		go func() { got, _, _ = g.enter(t.Context(), "a", false) }()
		synctest.Wait()
		if got != nil {
			t.Fatal("three in flight")
		}
		first.leave(unknown)
		synctest.Wait()
		if got == nil || g.waiting != 0 {
			t.Errorf("pass %v, %d waiting", got, g.waiting)
		}
	})
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		for range firstAllowance {
			mustEnter(t, g, "a")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if p, _, err := g.enter(ctx, "a", false); p != nil || !errors.Is(err, context.Canceled) || g.waiting != 0 {
			t.Errorf("pass %v, %v, %d waiting", p, err, g.waiting)
		}
	})
}

func TestFewWait(t *testing.T) {
	t.Parallel()
	for name, workers := range map[string]int{"of an endpoint": 400, "of all endpoints": 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGate[string](workers)
				for range firstAllowance {
					mustEnter(t, g, "a")
				}
				ctx, cancel := context.WithCancel(t.Context())
				for range 2 * mostWaiting {
					go g.enter(ctx, "a", false)
				}
				synctest.Wait()
				if want := min(mostWaiting, workers/4); g.waiting != want {
					t.Errorf("%d wait, want %d", g.waiting, want)
				}
				cancel()
				synctest.Wait()
				if g.waiting != 0 || len(g.lanes["a"].queue) != 0 {
					t.Errorf("%d still wait", g.waiting)
				}
			})
		})
	}
}

func TestAFailingEndpointGetsOneProbeAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		fail(t, g, "dead")
		probe := mustEnter(t, g, "dead")
		began := time.Now()
		if turnedAway(t, g, "dead"); time.Since(began) != 0 {
			t.Error("a delivery waits for a dead endpoint")
		}
		time.Sleep(time.Millisecond) //nolint:forbidigo // of the test's clock
		probe.leave(fails)
		for want := time.Second; want <= mostPause; want *= 2 {
			turnedAway(t, g, "dead") // the pause between probes grows
			time.Sleep(want)         //nolint:forbidigo // of the test's clock
			fail(t, g, "dead")
		}
		time.Sleep(mostPause) //nolint:forbidigo // of the test's clock
		mustEnter(t, g, "dead").leave(works)
		for range firstAllowance {
			mustEnter(t, g, "dead") // as a new one
		}
	})
}

func TestFailuresInFlightTogetherCountOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		one, two := mustEnter(t, g, "a"), mustEnter(t, g, "a")
		time.Sleep(time.Second) //nolint:forbidigo // of the test's clock
		one.leave(fails)
		two.leave(fails)
		if n := g.lanes["a"].failures; n != 1 {
			t.Errorf("%d failures, want 1", n)
		}
	})
}

func TestThoseThatWaitAreTurnedAwayWhenTheEndpointFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		one := mustEnter(t, g, "a")
		mustEnter(t, g, "a")
		var away atomic.Int64
		for range 5 {
			go func() {
				if p, _, err := g.enter(t.Context(), "a", false); p == nil && err == nil {
					away.Add(1)
				}
			}()
		}
		synctest.Wait()
		one.leave(fails)
		synctest.Wait()
		if away.Load() != 5 {
			t.Errorf("%d turned away, want 5", away.Load())
		}
	})
}

func TestProbesOfAllEndpointsAreFew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](8)
		for _, endpoint := range []string{"a", "b", "c"} {
			fail(t, g, endpoint)
		}
		first := mustEnter(t, g, "a")
		mustEnter(t, g, "b")
		turnedAway(t, g, "c")
		for range firstAllowance {
			mustEnter(t, g, "healthy")
		}
		first.leave(unknown)
		mustEnter(t, g, "c")
	})
}

// Those that are turned away come back one after the other, not together.
func TestEachThatIsTurnedAwayGetsATimeOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		fail(t, g, "dead")
		mustEnter(t, g, "dead")
		last := time.Duration(0)
		for range 100 {
			next := turnedAway(t, g, "dead")
			if next <= last {
				t.Fatalf("stays away for %s after %s", next, last)
			}
			last = next
		}
		for range mostSnooze / (typical / 2) { // more than have a time of their own
			turnedAway(t, g, "dead")
		}
		if far := turnedAway(t, g, "dead"); far < mostSnooze/2 {
			t.Errorf("the last one stays away for %s", far)
		}
	})
}

func TestIdleEndpointsAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		mustEnter(t, g, "idle").leave(works)
		busy := mustEnter(t, g, "busy")
		time.Sleep(forgetAfter + time.Minute) //nolint:forbidigo // of the test's clock
		mustEnter(t, g, "new").leave(works)
		if len(g.lanes) != 2 {
			t.Errorf("%d endpoints are remembered, want busy and new", len(g.lanes))
		}
		busy.leave(works)
	})
}

// asks returns a pass for an attempt that a client asks for, nil if there is none now.
func asks(t *testing.T, g *gate[string], endpoint string) *pass[string] {
	t.Helper()
	p, _, err := g.enter(t.Context(), endpoint, true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// failing lets an endpoint fail until its pauses are the longest.
func failing(t *testing.T, g *gate[string], endpoint string) {
	t.Helper()
	for range 8 {
		fail(t, g, endpoint)
		time.Sleep(mostPause) //nolint:forbidigo // of the test's clock
	}
	fail(t, g, endpoint)
}

func TestWhatAClientAsksForGoesPastThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		failing(t, g, "a")
		turnedAway(t, g, "a")
		asked := asks(t, g, "a")
		if asked == nil || asks(t, g, "a") != nil {
			t.Fatalf("of two that are asked for together, the first gets %v", asked)
		}
		turnedAway(t, g, "a")
		asked.leave(works)
		for range firstAllowance {
			mustEnter(t, g, "a")
		}
		if g.probing != 0 {
			t.Errorf("%d probes in flight", g.probing)
		}
	})
}

// A client that asks again and again makes few attempts, and puts off none of the others.
func TestAskingOftenDoesNotDefeatThePauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		failing(t, g, "a")
		attempts := 0
		for began := time.Now(); time.Since(began) < mostPause; time.Sleep(10 * time.Millisecond) { //nolint:forbidigo // of the test's clock
			if p := asks(t, g, "a"); p != nil {
				attempts++
				p.leave(fails)
			}
		}
		if most := int(mostPause / askedPause); attempts < most-1 || attempts > most {
			t.Errorf("%d attempts in %s, want %d", attempts, mostPause, most)
		}
		mustEnter(t, g, "a")
	})
}

// An endpoint that works and is busy has one attempt more, if a client asks.
func TestWhatAClientAsksForGoesBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		for range firstAllowance {
			mustEnter(t, g, "a")
		}
		if asks(t, g, "a") == nil || asks(t, g, "a") != nil {
			t.Error("not exactly one goes beside the others")
		}
	})
}

func TestWhatClientsAskForIsFewOfTheWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](8)
		for _, endpoint := range []string{"a", "b", "c"} {
			failing(t, g, endpoint)
		}
		first := asks(t, g, "a")
		if first == nil || asks(t, g, "b") == nil || asks(t, g, "c") != nil {
			t.Error("not exactly two are in flight")
		}
		first.leave(unknown)
		if asks(t, g, "c") == nil {
			t.Error("none after one has ended")
		}
	})
}

func TestAnEndpointThatIsRestoredIsAsANewOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate[string](400)
		if mustEnter(t, g, "a").leave(works); g.mayLook("a") {
			t.Error("an endpoint that works is looked up")
		}
		failing(t, g, "a")
		if !g.mayLook("a") || g.mayLook("a") {
			t.Error("an endpoint that fails is not looked up once")
		}
		g.restore("a")
		for range firstAllowance {
			mustEnter(t, g, "a")
		}
	})
}
