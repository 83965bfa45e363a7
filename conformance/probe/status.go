package probe

import "fmt"

// Status is how a check ended. Statuses are a ladder: a group has the highest status of its members, and nothing ever
// moves down, so that a set-up that did not work is never taken for a pass or for a failure of the server.
type Status int

// The ladder, lowest first.
const (
	Disabled Status = iota // not chosen: by profile, condition or filter
	Skipped                // chosen, but what it needs is not there; the reason says what
	Passed
	Failed // the server breaks the rule
	Error  // the suite could not tell: set-up, connection, or a fault of its own
)

var statusNames = [...]string{"disabled", "skipped", "passed", "failed", "error"}

// String gives the name in lower case.
func (s Status) String() string { return statusNames[s] }

// MarshalText implements [encoding.TextMarshaler].
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Status) UnmarshalText(text []byte) error {
	for i, name := range statusNames {
		if name == string(text) {
			*s = Status(i)
			return nil
		}
	}
	return fmt.Errorf("unknown status %q", text)
}
