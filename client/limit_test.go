package client_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// uploads reads a body at a pace, in KiB per second, and then waits before it answers.
func uploads(pace int, stop int64, wait time.Duration) answer {
	return func(r *http.Request) (*http.Response, error) {
		var read int64
		for {
			n, err := io.CopyN(io.Discard, r.Body, int64(pace)<<10)
			if read += n; err != nil {
				break
			}
			if r.Context().Err() != nil {
				return nil, r.Context().Err()
			}
			if read > stop {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			<-time.After(time.Second) // of the bubble
		}
		select {
		case <-time.After(wait):
			return respond(200, theUser)(r)
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

// An upload has time of its own while it keeps the pace of D-64, which what is in buffers at its end may do as well; 4 MiB
// take 256 seconds. The time of the response comes on top.
func TestTimeOfUploads(t *testing.T) {
	t.Parallel()
	const never = 1 << 40
	for name, c := range map[string]struct {
		pace  int // KiB per second
		stop  int64
		wait  time.Duration
		least time.Duration // of the call
		most  time.Duration
		done  bool
	}{
		"slow, within the pace":      {20, never, 0, 200 * time.Second, 206 * time.Second, true},
		"slow, and a late answer":    {20, never, 280 * time.Second, 480 * time.Second, 486 * time.Second, true},
		"too slow":                   {8, never, 0, 30 * time.Second, 31 * time.Second, false},
		"stopped":                    {400, 2 << 20, 0, 30 * time.Second, 60 * time.Second, false},
		"into buffers, and too late": {4096, never, 300 * time.Second, 286 * time.Second, 290 * time.Second, false},
		"into buffers, and in time":  {4096, never, 280 * time.Second, 280 * time.Second, 284 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				large := asha()
				large.AddressLine1 = new(strings.Repeat("x", 4<<20))
				sdk, err := client.New(baseURL, clientID, secret, client.WithRetries(0),
					client.WithHTTPClient(&http.Client{Transport: transport(uploads(c.pace, c.stop, c.wait))}))
				if err != nil {
					t.Fatal(err)
				}
				started := time.Now()
				_, err = sdk.CreateUser(t.Context(), large)
				if took := time.Since(started); (err == nil) != c.done || took < c.least || took > c.most {
					t.Errorf("%v after %v", err, took)
				}
				var late net.Error
				if err != nil && (!errors.As(err, &late) || !late.Timeout() || !errorOf(t, err).OutcomeUnknown()) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// transport makes an answer a transport that reads bodies itself.
type transport answer

// RoundTrip implements [http.RoundTripper].
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOptionsOfOneCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, c := dialWith(t, []client.Option{client.WithRetries(1)}, hang)
		started := time.Now()
		_, err := c.GetUser(t.Context(), userID, client.Timeout(time.Second), client.Retries(3))
		if e := errorOf(t, err); e.Attempts != 4 || len(n.seen) != 4 || time.Since(started) > 4*time.Second+4*client.DefaultMaxWait {
			t.Errorf("%d attempts in %v", e.Attempts, time.Since(started))
		}
		_, err = c.GetUser(t.Context(), userID, client.Timeout(time.Hour), client.Retries(0))
		if e := errorOf(t, err); e.Attempts != 1 || time.Since(started) < time.Hour {
			t.Errorf("%d attempts in %v", e.Attempts, time.Since(started))
		}
	})
	n, c := dial(t, ok)
	for want, options := range map[string][]client.CallOption{
		"Timeout must be above zero": {client.Timeout(0)},
		"Timeout is given twice":     {client.Timeout(1), client.Timeout(1)},
		"Retries must be 0 to 10":    {client.Retries(-1)},
		"Retries must be":            {client.Retries(11)},
		"Retries is given twice":     {client.Retries(0), client.Retries(0)},
	} {
		_, err := c.GetUser(t.Context(), userID, options...)
		if e := errorOf(t, err); !strings.Contains(e.Message, want) || e.Attempts != 0 || len(n.seen) != 0 {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// A server that announces a long answer does not make the SDK reserve the memory. It does not run in parallel, because it
// measures memory.
func TestMemoryOfAnnouncedAnswers(t *testing.T) { //nolint:paralleltest // see above
	const calls = 64
	var reading sync.WaitGroup
	reading.Add(calls)
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "33554432")
		_, _ = io.WriteString(w, "[")
		_ = http.NewResponseController(w).Flush()
		<-release
		panic(http.ErrAbortHandler)
	}, (*httptest.Server).Start)
	c, err := client.New(s.URL, clientID, secret, client.WithRetries(0), client.WithHTTPClient(&http.Client{
		Transport: transport(func(r *http.Request) (*http.Response, error) {
			res, err := http.DefaultTransport.RoundTrip(r)
			if err == nil {
				res.Body = firstRead{res.Body, sync.OnceFunc(reading.Done)}
			}
			return res, err
		}),
	}))
	if err != nil {
		t.Fatal(err)
	}
	before := inUse()
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if _, err := c.ListPayers(t.Context(), &api.ListPayersParams{}); err == nil {
				t.Error("a cut answer is a success")
			}
		})
	}
	reading.Wait()
	grown := inUse() - before
	close(release)
	all.Wait()
	if grown > 50<<20 {
		t.Errorf("%d calls hold %d MiB", calls, grown>>20)
	}
	t.Logf("%d calls hold %d KiB", calls, grown>>10)
}

// firstRead reports the first read of a body.
type firstRead struct {
	io.ReadCloser

	report func()
}

// Read implements [io.Reader].
func (f firstRead) Read(p []byte) (int, error) {
	f.report()
	return f.ReadCloser.Read(p)
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}
