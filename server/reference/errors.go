package reference

import (
	"fmt"
	"strings"
)

// maxPrinted limits the text of LineErrors: an import of 100,000 lines can have as many errors.
const maxPrinted = 20

// LineError is one error in one line of a file.
type LineError struct {
	Line   int    // counted from 1, including the header; the first line of a record that spans several
	Column string // name of the column in the header; empty if the line as a whole is wrong
	Reason string
}

// Error returns line, column and reason.
func (e LineError) Error() string {
	if e.Column == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d, column %q: %s", e.Line, e.Column, e.Reason)
}

// LineErrors has every error in a file, in the order of the lines. It is never empty.
type LineErrors []LineError

// Error lists the first 20 errors and says how many more there are.
func (e LineErrors) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the file is rejected with %d error(s)", len(e))
	for _, lineError := range e[:min(len(e), maxPrinted)] {
		b.WriteString("\n" + lineError.Error())
	}
	if more := len(e) - maxPrinted; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}
