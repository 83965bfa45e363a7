package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// uploadPace is the slowest upload, in bytes per second, that an attempt waits for: the pace that the service asks for
// (decision D-64).
const uploadPace = 240 << 10 / 15

// mostBuffered is how much of an upload may be in buffers on the way, below and behind net/http, when all of it is sent.
const mostBuffered = 8 << 20

// limit bounds the time of an attempt. An upload that keeps the pace has time of its own.
type limit struct {
	ctx     context.Context //nolint:containedctx // that of the attempt
	timeout time.Duration
	cancel  context.CancelCauseFunc

	mu        sync.Mutex
	timer     *time.Timer
	sent      int64 // since the timer was set
	size      int64 // of the upload until now
	uploading bool
}

// limited returns the limit of an attempt, whose context ends when its time is up. It must be stopped.
func limited(ctx context.Context, timeout time.Duration) *limit {
	l := &limit{timeout: timeout}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(timeout, l.check)
	return l
}

func (l *limit) stop() {
	l.cancel(nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer.Stop()
	l.uploading = false // the transport may still read the body
}

// check ends the attempt, unless an upload has kept the pace.
func (l *limit) check() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.uploading && l.sent >= int64(l.timeout.Seconds()*uploadPace) {
		l.sent = 0
		l.timer.Reset(l.timeout)
		return
	}
	l.cancel(timeoutError{l.timeout})
}

// upload counts what is read of a request body, and starts the time of the response at its end.
func (l *limit) upload(body io.ReadCloser) io.ReadCloser {
	l.uploading = true
	return &upload{body, l}
}

type upload struct {
	io.ReadCloser

	limit *limit
}

// Read implements [io.Reader].
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	l := u.limit
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent, l.size = l.sent+int64(n), l.size+int64(n)
	if err != nil && l.uploading {
		l.uploading = false
		if l.timer.Stop() {
			l.timer.Reset(l.timeout + time.Duration(min(l.size, mostBuffered)/uploadPace)*time.Second)
		}
	}
	return n, err
}

// explain returns the limit, if it is why the attempt failed.
func (l *limit) explain(err error) error {
	var timeout timeoutError
	if errors.As(context.Cause(l.ctx), &timeout) {
		return timeout
	}
	return err
}

// timeoutError is the end of an attempt by the limit of the SDK, which is not the end of the caller's context.
type timeoutError struct{ limit time.Duration }

// Error implements error.
func (t timeoutError) Error() string { return fmt.Sprintf("it took longer than %v", t.limit) }

// Timeout implements [net.Error].
func (t timeoutError) Timeout() bool { return true }

// Temporary implements [net.Error].
func (t timeoutError) Temporary() bool { return true }
