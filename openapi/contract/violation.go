package contract

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxViolations = 100 // more are of no use, and a response must not grow with a hostile request
	maxField      = 200 // a field name of the sender may be as long as the body
)

// Violation is one violation of the contract in a message. It never contains the offending value.
type Violation struct {
	In     string `json:"in"`     // path, query, header or body; status in a response
	Field  string `json:"field"`  // the name of the parameter, or a JSON pointer (RFC 6901) into the body; "" is the whole body
	Reason string `json:"reason"` // what was expected, such as "must be an integer"
}

// Error is a rejected request. CheckRequest returns it with status 400, 413 or 415; at 413 and 415 there is exactly one
// violation. ReceiveBody also returns 503, which is no fault of the request. Other statuses, such as 401, are those of the caller of this package; see [Contract.WriteError].
type Error struct {
	Status     int
	Violations []Violation
	Header     http.Header // sent with the answer, such as Retry-After; may be nil
}

// Error lists fields and reasons.
func (e *Error) Error() string {
	return fmt.Sprintf("contract: status %d: %s", e.Status, sentences(e.Violations))
}

func sentences(list []Violation) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = fmt.Sprintf("%s %q %s", v.In, v.Field, v.Reason)
	}
	return strings.Join(parts, "; ")
}

var order = []string{"status", "path", "query", "header", "body"}

// tidy truncates field names, sorts, and drops duplicates and excess violations.
func tidy(list []Violation) []Violation {
	for i := range list {
		list[i].Field = clip(list[i].Field)
	}
	slices.SortFunc(list, func(a, b Violation) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.In), slices.Index(order, b.In)),
			strings.Compare(a.Field, b.Field),
			strings.Compare(a.Reason, b.Reason),
		)
	})
	list = slices.Compact(list)
	return list[:min(len(list), maxViolations)]
}

func clip(field string) string {
	if len(field) <= maxField {
		return field
	}
	end := maxField
	for !utf8.RuneStart(field[end]) {
		end--
	}
	return field[:end] + "…"
}
