package payouttest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// Start starts a sandbox without a test, for example in a demo. Stop it with [Sandbox.Stop]. It panics where a test would
// fail.
func Start(options ...Option) *Sandbox {
	p := &program{}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	s := New(p, options...)
	s.stop = sync.OnceFunc(p.end)
	return s
}

// program replaces the test. It has the methods that the sandbox uses.
type program struct {
	testing.TB // nil; embedded to implement testing.TB

	ctx    context.Context //nolint:containedctx // as a test has it
	cancel func()

	mu       sync.Mutex
	cleanups []func()
	failures []string
}

// Helper implements [testing.TB].
func (p *program) Helper() {}

// Context implements [testing.TB].
func (p *program) Context() context.Context { return p.ctx }

// TempDir implements [testing.TB].
func (p *program) TempDir() string {
	dir, err := os.MkdirTemp("", "payouttest-")
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			p.Error(err)
		}
	})
	return dir
}

// Cleanup implements [testing.TB].
func (p *program) Cleanup(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cleanups = append(p.cleanups, f)
}

// Failed implements [testing.TB].
func (p *program) Failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.failures) > 0
}

// Error implements [testing.TB]: it is reported when the sandbox stops.
func (p *program) Error(args ...any) { p.Errorf("%s", fmt.Sprint(args...)) }

// Errorf implements [testing.TB].
func (p *program) Errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = append(p.failures, fmt.Sprintf(format, args...))
}

// Fatal implements [testing.TB]: it panics.
func (p *program) Fatal(args ...any) { p.Fatalf("%s", fmt.Sprint(args...)) }

// Fatalf implements [testing.TB].
func (p *program) Fatalf(format string, args ...any) {
	panic("payouttest: " + fmt.Sprintf(format, args...))
}

// end does what the end of a test does.
func (p *program) end() {
	p.cancel()
	for len(p.cleanups) > 0 {
		last := len(p.cleanups) - 1
		cleanup := p.cleanups[last]
		p.cleanups = p.cleanups[:last]
		cleanup()
	}
	if p.Failed() {
		panic("payouttest: " + strings.Join(p.failures, "\npayouttest: "))
	}
}
