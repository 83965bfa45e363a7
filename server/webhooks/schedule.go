package webhooks

import (
	"net/http"
	"strconv"
	"time"
)

// pauses are those after the first, second, ... failed attempt of a delivery: ten attempts within 75.6 hours. It is the
// schedule that Standard Webhooks proposes.
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour,
	24 * time.Hour,
}

const (
	// jitter is the largest part of a pause that is added to it, so that the deliveries of an outage do not come back together.
	jitter = 0.2
	// longestWish is the longest pause that a receiver can ask for where twice the scheduled one is less.
	longestWish = 10 * time.Minute
	// disableAfter is how long an endpoint may only fail before it is disabled.
	disableAfter = 120 * time.Hour
)

// pauseAfter returns the pause after a failed attempt, counted from 1, and false if it was the last one. A receiver can ask for
// a longer pause (Retry-After; 0: did not), at most twice the scheduled one or ten minutes, and never for a shorter one.
// Random is in [0, 1).
func pauseAfter(attempt int, wish time.Duration, random float64) (time.Duration, bool) {
	if attempt > len(pauses) {
		return 0, false
	}
	scheduled := pauses[attempt-1]
	pause := min(max(scheduled, wish), max(2*scheduled, longestWish))
	return pause + time.Duration(float64(pause)*jitter*random), true
}

// retryAfter returns the pause that a response asks for, 0 if it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
