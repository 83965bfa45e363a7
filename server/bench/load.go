package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// many is a number of callers in words.
func many(callers int) string {
	if callers == 1 {
		return "one caller"
	}
	return fmt.Sprintf("%d callers", callers)
}

// load is what a run of requests took.
type load struct {
	requests  int
	duration  time.Duration
	latencies []time.Duration // of each, in order of length
}

func (l load) rate() float64 { return float64(l.requests) / l.duration.Seconds() }

// quantile returns the latency that this part of the requests did not exceed.
func (l load) quantile(part float64) time.Duration {
	if len(l.latencies) == 0 {
		return 0
	}
	return l.latencies[min(len(l.latencies)-1, int(part*float64(len(l.latencies))))]
}

// milliseconds is quantile in milliseconds.
func (l load) milliseconds(part float64) float64 { return l.quantile(part).Seconds() * 1000 }

// send sends requests to an address over as many connections as there are callers, each waiting for its answer, and returns what
// they took. request writes the nth request of a caller. It is a plain loop over a socket, because the work of a client counts
// on a machine that the server shares with it.
func send(ctx context.Context, address string, callers int, d time.Duration, want int, request func(caller, n int) []byte) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, d+30*time.Second)
	defer cancel()
	var all load
	var mu sync.Mutex
	var wg sync.WaitGroup
	var failed error
	begin := time.Now()
	end := begin.Add(d)
	for caller := range callers {
		wg.Go(func() {
			took, err := one(ctx, address, end, want, func(n int) []byte { return request(caller, n) })
			mu.Lock()
			defer mu.Unlock()
			all.latencies = append(all.latencies, took...)
			if err != nil && failed == nil {
				failed = err
			}
		})
	}
	wg.Wait()
	all.duration, all.requests = time.Since(begin), len(all.latencies)
	slices.Sort(all.latencies)
	return all, failed
}

func one(ctx context.Context, address string, end time.Time, want int, request func(n int) []byte) (took []time.Duration, err error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // everything is read
	r := textproto.NewReader(bufio.NewReaderSize(c, 64<<10))
	for n := 0; time.Now().Before(end); n++ {
		begin := time.Now()
		if _, err := c.Write(request(n)); err != nil {
			return took, err
		}
		status, body, err := answer(r)
		if err != nil {
			return took, err
		}
		if status != want {
			return took, fmt.Errorf("answered %d, want %d: %s", status, want, body)
		}
		took = append(took, time.Since(begin))
	}
	return took, nil
}

// answer reads a response whose length is told.
func answer(r *textproto.Reader) (status int, body []byte, err error) {
	line, err := r.ReadLine()
	if err != nil {
		return 0, nil, err
	}
	_, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	if status, err = strconv.Atoi(code); err != nil {
		return 0, nil, err
	}
	length, chunked := 0, false
	for {
		line, err := r.ReadLineBytes()
		if err != nil {
			return 0, nil, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := strings.Cut(string(line), ":")
		switch {
		case strings.EqualFold(name, "Content-Length"):
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return 0, nil, err
			}
		case strings.EqualFold(name, "Transfer-Encoding"):
			chunked = true
		}
	}
	if !chunked {
		whole := make([]byte, length)
		_, err = io.ReadFull(r.R, whole)
		return status, whole, err
	}
	for {
		line, err := r.ReadLine()
		if err != nil {
			return 0, nil, err
		}
		size, err := strconv.ParseInt(line, 16, 32)
		if err != nil {
			return 0, nil, err
		}
		part := make([]byte, size+2)
		if _, err := io.ReadFull(r.R, part); err != nil {
			return 0, nil, err
		}
		body = append(body, part[:size]...)
		if size == 0 {
			return status, body, nil
		}
	}
}

// message returns a request with headers and a body, as it goes over the wire.
func message(method, path string, header http.Header, body []byte) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: bench\r\n", method, path)
	if body != nil {
		header = header.Clone()
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	_ = header.Write(&b) // a strings.Builder does not fail
	b.WriteString("\r\n")
	b.Write(body)
	return []byte(b.String())
}
