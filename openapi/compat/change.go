package compat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Level says what a change means for callers.
type Level string

// The levels, the most severe first.
const (
	Breaking   Level = "breaking"   // a caller that works today may fail, or code generated for it may no longer compile
	Compatible Level = "compatible" // the contract changes, and callers that tolerate what D-31 allows notice nothing
	Prose      Level = "prose"      // text and examples for people
)

var severity = []Level{Breaking, Compatible, Prose}

// Side says in which direction the changed part travels. It is empty for what belongs to neither.
type Side string

// The two directions.
const (
	Request  Side = "request"
	Response Side = "response"
)

// Change is one difference between two documents. A change of a component is one change for each direction, not one for each
// of its uses.
type Change struct {
	Level Level
	Side  Side
	Where string // for example: schema UserRequest, member email
	What  string // for example: maxLength lowered from 254 to 100
	// Operations are the ids of the operations that the change reaches, sorted; none if it is in a part that no operation uses.
	Operations []string
	// Abrupt is set if an operation, a parameter or a member was removed without having been deprecated.
	Abrupt bool
}

// String returns the change as one line.
func (c Change) String() string {
	line := fmt.Sprintf("%-11s%-10s%s: %s", c.Level, c.Side, c.Where, c.What)
	switch n := len(c.Operations); {
	case n == 0:
		return line
	case n <= 3:
		return line + " (" + strings.Join(c.Operations, ", ") + ")"
	default:
		return fmt.Sprintf("%s (%d operations)", line, n)
	}
}

// place is where the comparison is.
type place struct {
	where string
	side  Side
}

// in returns a place inside.
func (p place) in(format string, args ...any) place {
	part := fmt.Sprintf(format, args...)
	if p.where != "" {
		part = p.where + ", " + part
	}
	return place{part, p.side}
}

// add records a change, once for all operations that reach it.
func (c *comparison) add(at place, level Level, format string, args ...any) *Change {
	change := Change{Level: level, Side: at.side, Where: at.where, What: fmt.Sprintf(format, args...)}
	key := [3]string{at.where, string(at.side), change.What}
	if c.changes[key] == nil {
		c.changes[key] = &change
	}
	found := c.changes[key]
	if c.operation != "" && !slices.Contains(found.Operations, c.operation) {
		found.Operations = append(found.Operations, c.operation)
		slices.Sort(found.Operations)
	}
	return found
}

// narrowed records that fewer values are allowed than before, which breaks those who send them.
func (c *comparison) narrowed(at place, format string, args ...any) {
	level := Compatible
	if at.side == Request {
		level = Breaking
	}
	c.add(at, level, format, args...)
}

// widened records that more values are allowed than before, which breaks those who receive them.
func (c *comparison) widened(at place, format string, args ...any) {
	level := Compatible
	if at.side == Response {
		level = Breaking
	}
	c.add(at, level, format, args...)
}

// sorted returns the changes, the most severe first.
func (c *comparison) sorted() []Change {
	var all []Change
	for _, change := range c.changes {
		all = append(all, *change)
	}
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(severity, a.Level), slices.Index(severity, b.Level)),
			strings.Compare(a.Where, b.Where),
			strings.Compare(string(a.Side), string(b.Side)),
			strings.Compare(a.What, b.What))
	})
	return all
}
