//go:build linux

package soak

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

const (
	// variable has the time of the load, such as 20m; without it there is no test.
	variable = "PAYOUTD_TEST_SOAK"
	callers  = 8
	// peakTime is how long the callers send as fast as they can, before they send half as much.
	peakTime = 15 * time.Second
	// every is the time between two samples.
	every = 10 * time.Second
)

// measurements are those of the load.
type measurements struct {
	mu      sync.Mutex
	took    []time.Duration   // of the requests since the last line of the table
	wrong   map[string]int    // unexpected responses
	samples []sample          // since the load began
	minutes [][]sample        // of the lines
	latency [][]time.Duration // of the lines
}

// measure sends a request, and records its time and what is wrong with its response.
func (m *measurements) measure(send func() error) {
	begun := time.Now()
	err := send()
	took := time.Since(begun)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took = append(m.took, took)
	if err != nil {
		m.wrong[err.Error()]++
	}
}

// The process stays flat under half of the load that it can take.
func TestSoak(t *testing.T) {
	t.Parallel()
	duration, err := time.ParseDuration(os.Getenv(variable))
	if os.Getenv(variable) == "" {
		t.Skip("make soak runs it")
	}
	if err != nil || duration < 9*every {
		t.Fatalf("%s is %q, want a time of at least %s", variable, os.Getenv(variable), 9*every)
	}
	cluster := pgtest.Private(t)
	d := startDaemon(t, cluster.URL)
	transport := &http.Transport{MaxIdleConnsPerHost: 2 * callers}
	all := make([]*caller, callers)
	for i := range all {
		all[i] = newCaller(d.address, &http.Client{Transport: transport, Timeout: 30 * time.Second}, uint64(i))
	}
	m := &measurements{wrong: map[string]int{}}

	peak := m.atPeak(t, all)
	base := d.atRest(t, transport)
	fmt.Fprintf(os.Stdout, "%.0f requests per second at peak, %.0f in the soak of %s; at rest %s\n", peak, peak/2, duration, base)
	m.took = nil
	m.soak(t, d, all, duration, peak/2)
	rest := d.atRest(t, transport)
	fmt.Fprintf(os.Stdout, "\n%s\nat rest %s\n", m.table(), rest)

	for _, text := range slices.Sorted(maps.Keys(m.wrong)) {
		t.Errorf("%d times: %s", m.wrong[text], text)
	}
	for _, finding := range judge(m.samples, base, rest) {
		t.Error(finding)
	}
	d.stop(t)
	checked, err := d.command("check").CombinedOutput()
	fmt.Fprintf(os.Stdout, "payoutd check: %s", checked)
	if err != nil {
		t.Errorf("payoutd check: %v", err)
	}
}

// String is one sample for people.
func (s sample) String() string {
	return fmt.Sprintf("%.0f MiB, %.0f goroutines, %.0f descriptors, %.0f of them to the database", s.resident, s.goroutines, s.descriptors, s.database)
}

// atPeak returns how many requests per second the callers send without a pause.
func (m *measurements) atPeak(t *testing.T, all []*caller) float64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), peakTime)
	defer cancel()
	var wait sync.WaitGroup
	for _, c := range all {
		wait.Go(func() {
			for ctx.Err() == nil {
				m.measure(func() error { return c.next(context.WithoutCancel(ctx)) })
			}
		})
	}
	wait.Wait()
	return float64(len(m.took)) / peakTime.Seconds()
}

// atRest returns a sample once no client is connected and the process has settled.
func (d *daemon) atRest(t *testing.T, transport *http.Transport) sample {
	t.Helper()
	transport.CloseIdleConnections()
	var last sample
	for same := 0; same < 5; {
		s, err := d.sample(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if same++; s.goroutines != last.goroutines || s.descriptors != last.descriptors {
			same = 0
		}
		last = s
		<-time.After(200 * time.Millisecond)
	}
	return last
}

// soak sends so many requests per second for a time.
func (m *measurements) soak(t *testing.T, d *daemon, all []*caller, duration time.Duration, rate float64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), duration)
	defer cancel()
	turns := make(chan struct{}, callers)
	var wait sync.WaitGroup
	for _, c := range all {
		wait.Go(func() {
			for range turns {
				m.measure(func() error { return c.next(context.WithoutCancel(ctx)) })
			}
		})
	}
	wait.Go(func() { // one wrong secret per second is below the limit of payoutd
		for c, tick := newCaller(d.address, all[0].http, callers), time.NewTicker(time.Second); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				m.measure(func() error { return c.wrongSecret(context.WithoutCancel(ctx)) })
			}
		}
	})
	wait.Go(func() { m.watch(ctx, d) })
	pace := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer pace.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-pace.C:
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}
	close(turns)
	wait.Wait()
	m.line()
}

// watch takes samples, and ends a line of the table every minute.
func (m *measurements) watch(ctx context.Context, d *daemon) {
	for tick, n := time.NewTicker(every), 1; ; n++ {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		s, err := d.sample(ctx)
		m.mu.Lock()
		if err == nil {
			m.samples = append(m.samples, s)
		} else if ctx.Err() == nil {
			m.wrong[err.Error()]++
		}
		m.mu.Unlock()
		if time.Duration(n)*every%time.Minute == 0 {
			m.line()
		}
	}
}

// line ends a line of the table.
func (m *measurements) line() {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := 0
	for _, before := range m.minutes {
		seen += len(before)
	}
	if seen < len(m.samples) {
		m.minutes, m.latency = append(m.minutes, m.samples[seen:len(m.samples):len(m.samples)]), append(m.latency, m.took)
		m.took = nil
	}
}

// table has a line for each minute: requests and their times, and the means of the samples.
func (m *measurements) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "minute\trequests\tp50 ms\tp99 ms\tMiB resident\tgoroutines\tdescriptors\tto the database\t")
	for i, minute := range m.minutes {
		slices.Sort(m.latency[i])
		at := func(share float64) float64 {
			return m.latency[i][int(share*float64(len(m.latency[i])-1))].Seconds() * 1000
		}
		fmt.Fprintf(w, "%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", i+1, len(m.latency[i]), at(0.5), at(0.99),
			mean(minute, resident), mean(minute, goroutines), mean(minute, descriptors), mean(minute, database))
	}
	_ = w.Flush() // into memory
	return b.String()
}
