package store

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// maxAttempts limits how often a transaction is tried that loses against another one each time. Of several, one wins; but
	// a serializable transaction that stays open for seconds, in any database of the server, may make all others lose.
	maxAttempts = 100
	// maxPause is the longest pause between two attempts; the first ones are shorter.
	maxPause = 200 * time.Millisecond
)

// Retry runs fn again, after a random pause, while it returns a conflict, and not after the deadline of ctx.
func (r reads) Retry(ctx context.Context, fn func() error) error {
	for n := 1; ; n++ {
		err := fn()
		if err == nil || n == maxAttempts || !r.engine.conflict(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(min(time.Duration(n)*10*time.Millisecond, maxPause))):
		}
	}
}
