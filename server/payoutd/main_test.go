package main

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// stream is an output of the program for which a test can wait.
type stream struct {
	mu      sync.Mutex
	changed sync.Cond
	text    strings.Builder
	ended   bool
}

func newStream() *stream {
	s := &stream{}
	s.changed.L = &s.mu
	return s
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	return s.text.Write(p)
}

// String returns all that was written so far.
func (s *stream) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// end marks the stream as complete.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.changed.Broadcast()
}

// await waits until the text is complete, and fails the test if the stream ends before.
func (s *stream) await(t *testing.T, what string, complete func(text string) bool) string {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !complete(s.text.String()) {
		if s.ended {
			t.Fatalf("no %s in %q", what, s.text.String())
		}
		s.changed.Wait()
	}
	return s.text.String()
}

// logLine has the fields of a log line that are tested.
type logLine struct {
	Time, Level, Msg, Address, Version, Contract, Database, Metrics string
	Sandbox                                                         bool
}

// awaitLog waits for a line with a message.
func (s *stream) awaitLog(t *testing.T, message string) logLine {
	t.Helper()
	var line logLine
	s.await(t, "log line "+message, func(text string) bool {
		for each := range strings.Lines(text) {
			if json.Unmarshal([]byte(each), &line) == nil && line.Msg == message {
				return true
			}
		}
		return false
	})
	return line
}

// variables makes an environment of name, value pairs.
func variables(pairs ...string) []string {
	var environ []string
	for i := 0; i < len(pairs); i += 2 {
		environ = append(environ, pairs[i]+"="+pairs[i+1])
	}
	return environ
}

// program is a run in this process.
type program struct {
	out, errs *stream
	stop      context.CancelFunc
	code      chan int
}

// start runs the program until stop is called or the test ends.
func start(t *testing.T, environ []string, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	p := &program{newStream(), newStream(), cancel, make(chan int, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.code <- run(ctx, args, environ, p.out, p.errs)
		p.out.end()
		p.errs.end()
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return p
}

// once runs the program to its end.
func once(t *testing.T, environ []string, args ...string) (code int, out, errs string) {
	t.Helper()
	p := start(t, environ, args...)
	code = <-p.code
	return code, p.out.String(), p.errs.String()
}
