package httpapi

import (
	"fmt"
	"math"
	"net/http"
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

// take takes a token of the client, or returns CodeRateLimited. Either way it sets the headers that say what is left.
func (l *rateLimits) take(clientID string, h http.Header) error {
	if l.perSecond == 0 {
		return nil
	}
	capacity := 2 * l.perSecond
	l.mu.Lock()
	bucket, ok := l.buckets[clientID]
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(l.perSecond), capacity)
		l.buckets[clientID] = bucket
	}
	l.mu.Unlock()
	allowed, left := bucket.Allow(), bucket.Tokens()
	seconds := func(tokens float64) int { return int(math.Ceil(tokens / float64(l.perSecond))) }
	h.Set("RateLimit-Policy", fmt.Sprintf(`"client";q=%d;w=%d`, capacity, seconds(float64(capacity))))
	h.Set("RateLimit", fmt.Sprintf(`"client";r=%d;t=%d`, max(int(left), 0), seconds(float64(capacity)-left)))
	if allowed {
		return nil
	}
	wait := time.Duration(seconds(1-left)) * time.Second
	return rateLimitedError{payout.NewError(payout.CodeRateLimited), max(wait, time.Second)}
}
