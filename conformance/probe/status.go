package probe

import "fmt"

// Status is the outcome of a check. Statuses are ordered: a group has the highest status of its members, and the status of a
// check never decreases, so that a failed set-up is never taken for a pass or a failure of the server.
type Status int

// Statuses, lowest first.
const (
	Disabled Status = iota // not selected by profile, condition or filter
	Skipped                // selected, but something it needs is missing
	Passed
	Failed // the server breaks the rule
	Error  // not judged: set-up, connection, or a fault of the suite
)

var statusNames = [...]string{"disabled", "skipped", "passed", "failed", "error"}

// String returns the name in lower case.
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
