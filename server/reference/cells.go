package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// text reads a cell that must hold a text.
func (r *row) text(column string) string {
	s := r.cell(column)
	r.check(column, checkText(s))
	return s
}

// id reads a cell that must hold an id not in seen yet.
func (r *row) id(column string, seen ids) int64 {
	s := r.cell(column)
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || strconv.FormatInt(id, 10) != s { // no plus sign, no leading zeros
		id = 0
	}
	r.check(column, seen.check(id, r.line))
	return id
}

// country reads a cell that must hold the alpha-2 code of a country.
func (r *row) country(column string) string {
	s := r.cell(column)
	if country, ok := Country(s); !ok || country.Alpha2 != s {
		r.check(column, "must be an alpha-2 country code of ISO 3166-1")
	}
	return s
}

// list reads a cell that must hold one or more different words separated by spaces.
func (r *row) list(column string, checkWord func(string) string) []string {
	words := strings.Fields(r.cell(column))
	if len(words) == 0 {
		r.check(column, "must not be empty")
	}
	for i, word := range words {
		r.check(column, checkWord(word))
		if slices.Contains(words[:i], word) {
			r.check(column, "must not hold a value twice")
		}
	}
	return words
}

// elements reads a cell that must be empty or hold a JSON array.
func elements[T any](r *row, column string) []T {
	s := r.cell(column)
	if s == "" {
		return nil
	}
	var found []T
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&found); err != nil {
		r.check(column, jsonReason(err))
		return nil
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		r.check(column, "must not hold anything after the JSON array")
	}
	if found == nil { // null
		r.check(column, "must be a JSON array")
	}
	return found
}

// jsonReason tells a decoding error without the names of Go types.
func jsonReason(err error) string {
	mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return "must be a JSON array: " + strings.TrimPrefix(err.Error(), "json: ")
	case mismatch.Field == "":
		return "must be a JSON array of objects"
	default:
		return mismatch.Field + " has the wrong JSON type"
	}
}

// ids maps the ids of a file to the lines where they stand.
type ids map[int64]int

func (seen ids) check(id int64, line int) string {
	if id <= 0 {
		return "must be a positive integer"
	}
	if first, ok := seen[id]; ok {
		return fmt.Sprintf("is already used in line %d", first)
	}
	seen[id] = line
	return ""
}
