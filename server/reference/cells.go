package reference

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// text reads a cell that must contain text.
func (r *row) text(column string) string {
	s := r.cell(column)
	r.check(column, checkText(s))
	return s
}

// id reads a cell that must contain an id that is not in seen yet.
func (r *row) id(column string, seen ids) int64 {
	s := r.cell(column)
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != s { // no plus sign, no leading zeros
		id = 0
	}
	r.check(column, seen.check(id, r.line))
	return id
}

// country reads a cell that must contain the alpha-2 code of a country.
func (r *row) country(column string) string {
	s := r.cell(column)
	if country, ok := Country(s); !ok || country.Alpha2 != s {
		r.check(column, "must be an alpha-2 country code of ISO 3166-1")
	}
	return s
}

// list reads a cell that must contain one or more different words separated by spaces.
func (r *row) list(column string, checkWord func(string) string) []string {
	words := strings.Fields(r.cell(column))
	if len(words) == 0 {
		r.check(column, "must not be empty")
	}
	for i, word := range words {
		r.check(column, checkWord(word))
		if slices.Contains(words[:i], word) {
			r.check(column, "must not repeat a value")
		}
	}
	return words
}

// elements reads a cell that must be empty or contain a JSON array. It rejects a member that is repeated or differs in case,
// because it is not clear which one was meant.
func elements[T any](r *row, column string) []T {
	s := r.cell(column)
	if s == "" {
		return nil
	}
	var found []T
	if err := json.Unmarshal([]byte(s), &found, json.RejectUnknownMembers(true)); err != nil {
		r.check(column, jsonReason(err))
		return nil
	}
	if found == nil { // null
		r.check(column, "must be a JSON array")
	}
	if len(found) > maxElements {
		r.check(column, fmt.Sprintf("must have at most %d elements", maxElements))
		return nil
	}
	return found
}

// jsonReason describes a decoding error without names of Go types and without values.
func jsonReason(err error) string {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		switch element, member := elementOf(e.JSONPointer); {
		case errors.Is(e.Err, jsontext.ErrDuplicateName):
			return fmt.Sprintf("%shas the member %q twice", element, member)
		case strings.Contains(e.Err.Error(), "after top-level value"):
			return "must end after the JSON array"
		default:
			return "must be a JSON array: " + e.Err.Error()
		}
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return "must be a JSON array"
	}
	element, member := elementOf(e.JSONPointer)
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return fmt.Sprintf("%shas the unknown field %q", element, member)
	case errors.Is(e.Err, errNotPlain):
		return element + member + " " + errNotPlain.Error()
	case member == "":
		return "must be a JSON array of objects"
	default:
		return element + member + " has the wrong JSON type"
	}
}

// elementOf returns the element of the array and the member that a pointer such as /0/name refers to.
func elementOf(pointer jsontext.Pointer) (element, member string) {
	tokens := slices.Collect(pointer.Tokens())
	if len(tokens) == 0 {
		return "", ""
	}
	if i, err := strconv.Atoi(tokens[0]); err == nil {
		element = fmt.Sprintf("element %d: ", i+1)
	}
	if len(tokens) > 1 {
		member = tokens[1]
	}
	return element, member
}

// ids maps the ids of a file to their lines.
type ids map[int64]int

func (seen ids) check(id int64, line int) string {
	if id <= 0 || id > maxID {
		return "must be an integer between 1 and 9007199254740991"
	}
	if first, ok := seen[id]; ok {
		return fmt.Sprintf("is already used in line %d", first)
	}
	seen[id] = line
	return ""
}
