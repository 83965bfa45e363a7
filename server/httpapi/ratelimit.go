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

// bucketSeconds is the time in which a bucket fills: the burst is what comes in so many seconds.
const bucketSeconds = 2

// rateLimits has a token bucket for each authenticated client (D-28).
type rateLimits struct {
	perSecond int
	policy    string // the header RateLimit-Policy: a full bucket, and the seconds in which it fills
	mu        sync.Mutex
	buckets   map[payout.ClientID]*rate.Limiter
}

func newRateLimits(perSecond int) *rateLimits {
	policy := fmt.Sprintf(`"client";q=%d;w=%d`, bucketSeconds*perSecond, bucketSeconds)
	return &rateLimits{perSecond: perSecond, policy: policy, buckets: map[payout.ClientID]*rate.Limiter{}}
}

// rateLimitedError is CodeRateLimited with the time to wait.
type rateLimitedError struct {
	error
	wait time.Duration
}

// Unwrap returns the payout.Error.
func (e rateLimitedError) Unwrap() error { return e.error }

// take takes a token of the client, or returns CodeRateLimited. Either way it sets the headers that say what is left.
func (l *rateLimits) take(clientID payout.ClientID, h http.Header) error {
	if l.perSecond == 0 {
		return nil
	}
	capacity := bucketSeconds * l.perSecond
	l.mu.Lock()
	bucket, ok := l.buckets[clientID]
	if !ok {
		bucket = rate.NewLimiter(rate.Limit(l.perSecond), capacity)
		l.buckets[clientID] = bucket
	}
	l.mu.Unlock()
	allowed, left := bucket.Allow(), bucket.Tokens()
	if !allowed {
		left = 0 // what came in since must not contradict the refusal
	}
	full := math.Ceil((float64(capacity) - left) / float64(l.perSecond))
	h.Set("RateLimit-Policy", l.policy)
	h.Set("RateLimit", fmt.Sprintf(`"client";r=%d;t=%d`, int(left), int(full)))
	if allowed {
		return nil
	}
	return rateLimitedError{payout.NewError(payout.CodeRateLimited), time.Second} // by then a token has come in
}
