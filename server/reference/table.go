package reference

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// byteOrderMark starts the UTF-8 files of some spreadsheets; it carries no meaning.
const byteOrderMark = "\uFEFF"

// readTable calls parse for each line of a CSV file whose header has exactly the given columns, in any order. It returns
// LineErrors with all errors that parse or readTable found. With a wrong header it does not read the lines; a failure of in
// is returned by itself.
func readTable(in io.Reader, columns []string, parse func(*row)) error {
	records := csv.NewReader(skipByteOrderMark(in))
	records.ReuseRecord = true

	header, err := records.Read()
	if errors.Is(err, io.EOF) {
		return LineErrors{{Line: 1, Reason: "the header is missing"}}
	}
	if malformed, ok := errors.AsType[*csv.ParseError](err); ok {
		return LineErrors{{Line: malformed.StartLine, Reason: malformed.Err.Error()}}
	}
	if err != nil {
		return fmt.Errorf("read the header: %w", err)
	}
	r := row{columns: columns, index: map[string]int{}}
	r.line, _ = records.FieldPos(0)
	if r.readHeader(header); len(r.errs) > 0 {
		return r.errs
	}

	for {
		r.cells, err = records.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if malformed, ok := errors.AsType[*csv.ParseError](err); ok {
			r.line = malformed.StartLine
			r.check("", malformed.Err.Error())
			continue
		}
		if err != nil {
			return fmt.Errorf("read the lines: %w", err)
		}
		r.line, _ = records.FieldPos(0)
		if r.isText() {
			parse(&r)
		}
	}
	if len(r.errs) > 0 {
		return r.errs
	}
	return nil
}

func skipByteOrderMark(in io.Reader) io.Reader {
	buffered := bufio.NewReader(in)
	// A read error is returned again by the first read of a line.
	if start, _ := buffered.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark))
	}
	return buffered
}

// row is the line being read. Its checks collect errors and go on, so that one run reports all of them.
type row struct {
	columns []string       // in the order of the documentation
	index   map[string]int // place of each column in cells
	line    int
	cells   []string
	errs    LineErrors
}

func (r *row) readHeader(header []string) {
	for i, name := range header {
		_, repeated := r.index[name]
		switch {
		case repeated:
			r.check(name, "is in the header twice")
		case !slices.Contains(r.columns, name):
			r.check(name, "is an unknown column")
		default:
			r.index[name] = i
		}
	}
	for _, name := range r.columns {
		if _, ok := r.index[name]; !ok {
			r.check(name, "is missing in the header")
		}
	}
}

// isText rejects invalid UTF-8, which a parser might replace silently.
func (r *row) isText() bool {
	valid := true
	for _, column := range r.columns {
		if !utf8.ValidString(r.cell(column)) {
			r.check(column, "must be valid UTF-8")
			valid = false
		}
	}
	return valid
}

// check collects what is wrong with a cell; an empty reason means nothing.
func (r *row) check(column, reason string) {
	if reason != "" {
		r.errs = append(r.errs, LineError{Line: r.line, Column: column, Reason: reason})
	}
}

// checkElement is check for one member of one element of a JSON cell.
func (r *row) checkElement(column string, i int, member, reason string) {
	if reason != "" {
		r.check(column, fmt.Sprintf("element %d: %s %s", i+1, member, reason))
	}
}

func (r *row) cell(column string) string { return r.cells[r.index[column]] }
