package httpapi

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// rateLimits has a token bucket for each authenticated client (D-28).
type rateLimits struct {
	perSecond int
	mu        sync.Mutex
	buckets   map[string]*rate.Limiter
}

func newRateLimits(perSecond int) *rateLimits {
	return &rateLimits{perSecond: perSecond, buckets: map[string]*rate.Limiter{}}
}

// rateLimitedError is CodeRateLimited with the time to wait.
type rateLimitedError struct {
	error
	wait time.Duration
}

// Unwrap returns the payout.Error.
func (e rateLimitedError) Unwrap() error { return e.error }

// take takes a token of the client, or returns CodeRateLimited.
func (l *rateLimits) take(clientID string) error {
	if l.perSecond == 0 {
		return nil
	}
	l.mu.Lock()
	bucket, ok := l.buckets[clientID]
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(l.perSecond), 2*l.perSecond)
		l.buckets[clientID] = bucket
	}
	l.mu.Unlock()
	if bucket.Allow() {
		return nil
	}
	missing := 1 - bucket.Tokens()
	wait := time.Duration(math.Ceil(missing/float64(l.perSecond))) * time.Second
	return rateLimitedError{payout.NewError(payout.CodeRateLimited), max(wait, time.Second)}
}
