package client_test

import (
	"bytes"
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// `make storm` sets these.
const (
	stormPayouts = "PAYOUTD_TEST_STORM"      // how many payouts
	stormSeed    = "PAYOUTD_TEST_STORM_SEED" // of what happens to each request
)

func setting(t testing.TB, name string, otherwise int) int {
	t.Helper()
	text := cmp.Or(os.Getenv(name), strconv.Itoa(otherwise))
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number above zero", name, text)
	}
	return n
}

// payouts is the number of payouts of a storm.
func payouts(t testing.TB) int {
	t.Helper()
	if testing.Short() {
		return 200
	}
	return setting(t, stormPayouts, 1000)
}

// stormWorkers is how many rows a process pays at the same time.
const stormWorkers = 8

// Half of all requests of a batch meet a fault, and still each row ends with its true final word.
func TestStorm(t *testing.T) {
	t.Parallel()
	for name, paying := range map[string]func(*testing.T, *servertest.Server, *batch, *bytes.Buffer){
		"a queue":              payQueue,
		"crashes":              payThroughCrashes,
		"rotations of secrets": payThroughRotations,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			b := newBatch(t, s, newStorm(t, s), payouts(t))
			var log bytes.Buffer
			paying(t, s, b, &log)
			b.finish(s.Database)
			if log.Len() == 0 || leaks(log.String()) {
				t.Errorf("the log shows nothing or too much:\n%.1000s", &log)
			}
			if _, kinds := b.proxy.counts(); len(kinds) < 41 { // with those that meet none
				t.Errorf("%d kinds of faults happened, want 40 or more", len(kinds)-1)
			}
		})
	}
}

func stormContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a call that does not end
	t.Cleanup(cancel)
	return ctx
}

// payQueue pays all rows in one process.
func payQueue(t *testing.T, _ *servertest.Server, b *batch, log *bytes.Buffer) {
	t.Helper()
	b.run(stormContext(t), connect(t, b.proxy.url, b.client(log)...))
}

// payThroughCrashes crashes the process in the middle of a call, and starts another one.
func payThroughCrashes(t *testing.T, _ *servertest.Server, b *batch, log *bytes.Buffer) {
	t.Helper()
	ctx := stormContext(t)
	var crash atomic.Pointer[context.CancelFunc]
	lose := fault{"the caller crashes", either, func(m *meeting) {
		(*crash.Load())()
		m.raw("")
	}}
	b.proxy.before = func(_, _ int, _ string, random *rand.Rand) *fault {
		if random.IntN(25) == 0 {
			return &lose
		}
		return nil
	}
	processes := 0
	for ; len(b.open()) > 0 && ctx.Err() == nil; processes++ {
		life, end := context.WithCancel(ctx)
		crash.Store(&end)
		c := connect(t, b.proxy.url, b.client(log)...)
		b.run(life, c)
		c.CloseIdleConnections()
		end()
	}
	if processes < 5 {
		t.Errorf("%d processes only", processes)
	}
}

// Each fault is met once by a call that is not retried, before and after the service has handled the request.
func TestEveryFaultOfTheStorm(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	proxy := newStorm(t, s)
	b := newBatch(t, s, proxy, 1)
	row := b.rows["row-0000"]
	b.rows = map[string]*Row{}
	faults := map[string]fault{}
	for _, f := range proxy.faults {
		for name, when := range map[string]when{" before": before, " after": after} {
			if f.when == either || f.when == when {
				once := f
				once.when = when
				faults[f.name+name] = once
			}
		}
	}
	for key := range faults {
		copied := *row
		copied.Key, copied.Payout.Note = key, new(canary+key)
		b.rows[key] = &copied
	}
	proxy.before = func(_, attempt int, key string, _ *rand.Rand) *fault {
		f := faults[key]
		if attempt > 1 {
			f = fault{calm, before, (*meeting).pass}
		}
		return &f
	}
	var log bytes.Buffer
	c := connect(t, proxy.url, b.client(&log, client.WithRetries(0))...)
	secret := server.SandboxClients[0].Secret
	strangers := []*client.Client{
		wrong(t, s.URL, "wrong-"+secret), // answered with 401 UNAUTHORIZED
		wrong(t, s.URL+"/v0", secret),    // answered with 404 NOT_FOUND
	}
	rows := make(chan *Row, len(faults))
	for _, row := range b.rows {
		rows <- row
	}
	concurrently(stormWorkers, len(faults), func() {
		row := <-rows
		made, err := c.CreateTransaction(t.Context(), row.UserID, row.Payout, client.IdempotencyKey(row.Key))
		if err == nil {
			_ = b.Paid(row.Key, made.ID)
			return
		}
		e := errorOf(t, err)
		if _ = b.Open(row.Key, e); !e.OutcomeUnknown() && !e.Temporary() {
			t.Errorf("%s: the row is given up: %v", row.Key, e)
		}
		for _, stranger := range strangers {
			_, err = stranger.CreateTransaction(t.Context(), row.UserID, row.Payout, client.RepeatOf(row.Key))
			if e := errorOf(t, err); e.Code == "" || !e.OutcomeUnknown() {
				t.Errorf("%s: a refusal of the caller proves nothing about the first call: %v", row.Key, e)
			}
		}
		row.Sent = true
		if err := (&Payer{Client: c, Store: b, Pause: time.Millisecond, Patience: time.Minute}).Pay(t.Context(), *row); err != nil {
			t.Error(err)
		}
	})
	b.finish(s.Database)
}

// wrong returns a client whose calls the service refuses, whatever they are.
func wrong(t *testing.T, url, secret string) *client.Client {
	t.Helper()
	c, err := client.New(url, server.SandboxClients[0].ID, secret, client.WithRetries(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}
