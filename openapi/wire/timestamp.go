package wire

import (
	"errors"
	"time"
)

// timestampLayout is ISO 8601 without zone, with six fractional digits.
const timestampLayout = "2006-01-02T15:04:05.000000"

// wholeSecond is the length of a timestamp without fractional digits.
const wholeSecond = len("2006-01-02T15:04:05")

// ErrNotTimestamp is returned for text that is not such a timestamp.
var ErrNotTimestamp = errors.New("must be a timestamp such as 2026-01-31T09:30:00.000000")

// Timestamp is an instant in UTC that is written without zone and with six fractional digits (decision D-14).
type Timestamp struct{ time.Time }

// MarshalJSON writes the instant in UTC, cut to microseconds.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timestampLayout) + `"`), nil
}

// UnmarshalJSON reads the timestamp as UTC; it returns ErrNotTimestamp. Fewer fractional digits, or none, are accepted.
func (t *Timestamp) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return ErrNotTimestamp
	}
	text := string(b[1 : len(b)-1])
	// The library silently accepts a decimal comma, and hours of one digit.
	if len(text) > wholeSecond && text[wholeSecond] != '.' {
		return ErrNotTimestamp
	}
	v, err := time.Parse("2006-01-02T15:04:05.999999999", text)
	if err != nil || len(text) < wholeSecond {
		return ErrNotTimestamp
	}
	t.Time = v
	return nil
}
