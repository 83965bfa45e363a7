package bodies

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of connections within the process, whose deadlines are those of the bubble.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// dial returns a connection to a server with the pace of the tests, 1000 bytes in 10 seconds, and a ReadTimeout of 7 seconds.
func dial(t *testing.T, h http.HandlerFunc) net.Conn {
	t.Helper()
	listener := make(pipes, 1)
	server := &http.Server{
		Handler: Pace{Bytes: 1000, Window: 10 * time.Second}.Handler(h), ReadTimeout: 7 * time.Second, IdleTimeout: time.Hour,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	near, far := net.Pipe()
	listener <- far
	t.Cleanup(func() {
		_ = near.Close()
		close(listener)
		<-ended
		_ = server.Close() // nothing is lost
		synctest.Wait()
	})
	return near
}

const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"

// receive is a handler that answers whether the body was received.
func receive(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	fmt.Fprint(w, len(text))
}

func answered(t *testing.T, conn net.Conn) (status int, text string) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("the answer breaks off: %v", err)
	}
	return res.StatusCode, string(body)
}

// A body may take as long as it needs, if it keeps the pace.
func TestAnHonestBodyArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn := dial(t, receive)
		go func() {
			fmt.Fprintf(conn, head, 5000)
			for range 50 { // 101 bytes each second
				<-time.After(990 * time.Millisecond)
				_, _ = io.WriteString(conn, strings.Repeat("a", 100))
			}
		}()
		if status, text := answered(t, conn); status != 200 || text != "5000" {
			t.Errorf("answered %d %s", status, text)
		}
	})
}

// A body that is slower ends, whether it trickles or stalls.
func TestASlowBodyEnds(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"trickles": 100 * time.Millisecond, "stalls": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				conn := dial(t, receive)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					fmt.Fprintf(conn, head, 5000)
					for _, err := io.WriteString(conn, strings.Repeat("a", 990)); err == nil; _, err = io.WriteString(conn, "a") {
						select {
						case <-time.After(pause * 20):
						case <-ctx.Done():
							return
						}
					}
				}()
				if status, _ := answered(t, conn); status != http.StatusBadRequest {
					t.Errorf("answered %d", status)
				}
				if took := time.Since(began); took != 10*time.Second {
					t.Errorf("answered after %s", took)
				}
			})
		})
	}
}

// The time of the handler is not that of the body: neither while it waits before it reads, nor afterwards, nor without one.
func TestTheHandlerHasItsOwnTime(t *testing.T) {
	t.Parallel()
	slowly := func(w http.ResponseWriter, r *http.Request) {
		<-time.After(time.Minute)
		text, err := io.ReadAll(r.Body)
		if err == nil {
			select {
			case <-time.After(time.Minute):
			case <-r.Context().Done():
				err = r.Context().Err()
			}
		}
		fmt.Fprint(w, len(text), err)
	}
	for request, want := range map[string]string{
		fmt.Sprintf(head, 4) + "body":       "4<nil>",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n": "0<nil>",
	} {
		synctest.Test(t, func(t *testing.T) {
			conn := dial(t, slowly)
			for range 2 { // on the same connection
				go func() { _, _ = io.WriteString(conn, request) }()
				if status, text := answered(t, conn); status != 200 || strings.ReplaceAll(text, " ", "") != want {
					t.Errorf("answered %d %s, want %s", status, text, want)
				}
			}
		})
	}
}

// A body that no handler reads is bounded by the ReadTimeout of the server.
func TestAnUnreadBodyEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		conn := dial(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
		go func() { fmt.Fprintf(conn, head, 5000) }()
		in := bufio.NewReader(conn)
		if _, err := http.ReadResponse(in, nil); err != nil {
			t.Error(err)
		}
		if _, err := in.ReadByte(); !errors.Is(err, io.EOF) || time.Since(began) > 11*time.Second {
			t.Errorf("the connection ends with %v after %s", err, time.Since(began))
		}
	})
}

// A response is bounded, too, and a reader that keeps the pace receives it whole.
func TestResponsesHaveAPace(t *testing.T) {
	t.Parallel()
	const size = 100_000
	for name, tc := range map[string]struct {
		pause time.Duration // after each 1000 bytes
		whole bool
	}{"quick": {9 * time.Second, true}, "slow": {12 * time.Second, false}, "stalled": {24 * time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, took := time.Now(), time.Duration(0)
				conn := dial(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Length", fmt.Sprint(size))
					_, err := io.WriteString(w, strings.Repeat("a", size))
					took = time.Since(began)
					if (err == nil) != tc.whole {
						t.Errorf("writing ends with %v", err)
					}
				})
				go func() { _, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") }()
				res, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
				if err != nil {
					t.Fatal(err)
				}
				sum := int64(0)
				for ; err == nil && sum < size; <-time.After(tc.pause) {
					var n int64
					n, err = io.CopyN(io.Discard, res.Body, 1000)
					sum += n
				}
				synctest.Wait()
				if (sum == size) != tc.whole || took > 1020*time.Second {
					t.Errorf("%d bytes received, written for %s", sum, took)
				}
			})
		})
	}
}
