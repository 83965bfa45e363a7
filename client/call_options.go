package client

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxKey is the maximum length of an idempotency key, in characters (decision D-16).
const maxKey = 255

// CallOption configures one call. Each may be used once.
type CallOption func(*call) error

// IdempotencyKey sets the key of a creating call, so that another process, or a later one, can repeat the call and create
// nothing twice. Store the key with the record that the call is made for.
//
// A key has 1 to 255 printable characters without leading or trailing space; use ASCII, which every proxy forwards. It is
// unique per client over all operations. It appears in errors and logs, so it must not contain personal data. An invalid
// key, and a key for a call that creates nothing, is an error before anything is sent.
func IdempotencyKey(key string) CallOption {
	return func(c *call) error { return c.setKey("IdempotencyKey", key) }
}

// RepeatOf is [IdempotencyKey] with a key that an earlier call may have sent, for example before the program was
// restarted. What that call may have created is then part of the outcome: an answer that refuses the caller, not the request,
// such as [Unauthorized], leaves [Error.OutcomeUnknown] true (decision D-65).
//
// Repeat the request that was sent, stored with its key: one that was made anew, such as with the exchange rate of today, is
// refused with [IdempotencyKeyReused] if the first one was accepted.
func RepeatOf(key string) CallOption {
	return func(c *call) error {
		c.doubt = c.operation.kind == creates
		return c.setKey("RepeatOf", key)
	}
}

func (k *call) setKey(option, key string) error {
	switch {
	case k.operation.kind != creates:
		return fmt.Errorf("%s: this operation creates nothing and takes no key", option)
	case k.key != "":
		return fmt.Errorf("%s: the key is given twice", option)
	case !usable(key):
		return fmt.Errorf("%s must be 1 to %d printable characters, without spaces at its ends", option, maxKey)
	}
	k.key = key
	return nil
}

func usable(key string) bool {
	return key != "" && utf8.ValidString(key) && utf8.RuneCountInString(key) <= maxKey && strings.TrimSpace(key) == key &&
		!strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) })
}

func newKey() (string, error) {
	id, err := uuid.NewV7() // its time keeps the keys of a client together in the index of the service
	return id.String(), err
}

// Timeout bounds each attempt of one call, as [WithTimeout] does for all.
func Timeout(attempt time.Duration) CallOption {
	return func(c *call) error {
		switch {
		case attempt <= 0:
			return errors.New("Timeout must be above zero")
		case c.timeout > 0:
			return errors.New("Timeout is given twice")
		}
		c.timeout = attempt
		return nil
	}
}

// Retries retries one call up to n times, instead of the number of [WithRetries].
func Retries(n int) CallOption {
	return func(c *call) error {
		switch {
		case n < 0 || n > maxRetries:
			return fmt.Errorf("Retries must be 0 to %d", maxRetries)
		case c.retries != nil:
			return errors.New("Retries is given twice")
		}
		c.retries = &n
		return nil
	}
}

// CaptureInfo fills info when the call returns, with or without an error.
func CaptureInfo(info *Info) CallOption {
	return func(c *call) error {
		switch {
		case info == nil:
			return errors.New("CaptureInfo must not be nil")
		case c.info != nil:
			return errors.New("CaptureInfo is given twice")
		}
		c.info = info
		return nil
	}
}

// Info describes a call that has ended.
type Info struct {
	RequestID      string // of the last response; quote it when you ask the operator about a call
	IdempotencyKey string // of a creating call
	Replayed       bool   // an earlier call with the key, or an earlier attempt of this one, had created what was returned
	NotModified    bool   // the service confirmed with 304 what was returned; see [WithReferenceMemory]
	Attempts       int
	Answer         Answer // the last response, also of an error
}

// Answer is a response as it came, for members that this package does not know, or could not read. It may hold personal
// data; printing and logging it shows its length only.
type Answer struct{ raw *raw }

// raw holds a body in a function, which fmt cannot look into wherever it does not call String.
type raw struct{ body func() []byte }

func answerOf(body []byte) Answer { return Answer{&raw{func() []byte { return body }}} }

// Body returns the bytes of the response, nil if there was none. Do not change them.
func (a Answer) Body() []byte {
	if a.raw == nil {
		return nil
	}
	return a.raw.body()
}

// String returns the length.
func (a Answer) String() string { return fmt.Sprintf("%d bytes", len(a.Body())) }

// GoString is String, for %#v.
func (a Answer) GoString() string { return a.String() }

// LogValue is String, for log/slog.
func (a Answer) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText is String, for JSON.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
