package webhooks

import (
	"net/http"
	"testing"
	"time"
)

func TestTenAttemptsWithinThreeDays(t *testing.T) {
	t.Parallel()
	var all time.Duration
	attempts := 1
	for {
		pause, again := pauseAfter(attempts, 0, 0)
		if !again {
			break
		}
		all += pause
		attempts++
	}
	if want := 75*time.Hour + 35*time.Minute + 5*time.Second; attempts != 10 || all != want {
		t.Errorf("%d attempts within %s, want 10 within %s", attempts, all, want)
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		attempt int
		wish    time.Duration
		random  float64
		want    time.Duration
	}{
		{"the first is short", 1, 0, 0, 5 * time.Second},
		{"jitter makes it longer, never shorter", 2, 0, 0.5, 5*time.Minute + 30*time.Second},
		{"a receiver cannot hurry us", 3, time.Second, 0, 30 * time.Minute},
		{"a receiver may ask for more", 1, time.Minute, 0, time.Minute},
		{"but for ten minutes at first", 1, time.Hour, 0, 10 * time.Minute},
		{"and for twice as much later", 4, 100 * time.Hour, 0, 4 * time.Hour},
		{"a wish has jitter too", 4, 3 * time.Hour, 0.5, 3*time.Hour + 18*time.Minute},
	} {
		if got, again := pauseAfter(c.attempt, c.wish, c.random); got != c.want || !again {
			t.Errorf("%s: %s, %t, want %s", c.name, got, again, c.want)
		}
	}
	if _, again := pauseAfter(10, time.Hour, 0); again {
		t.Error("there is an eleventh attempt")
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "120": 2 * time.Minute, "-1": 0, "1.5": 0, "soon": 0, "99999999999999999999": 0,
		"Sat, 14 Mar 2026 15:10:26 GMT": time.Minute, "Sat, 14 Mar 2026 15:00:00 GMT": 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
