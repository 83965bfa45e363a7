package contract

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const maxDepth = 64

// decoder reads one JSON document strictly. What encoding/json would let pass, mend or pick silently (repeated names,
// trailing data, broken UTF-8, numbers that lose digits) is rejected, because two readers could see two documents.
type decoder struct {
	text      []byte
	in        *jsontext.Decoder
	values    int
	maxValues int
	found     []Violation
}

// decode returns the value with its numbers as [stdjson.Number]; long strings are parts of text, see textOf. complete is false if the text could not be read to its end.
func decode(text []byte, maxValues int) (value any, found []Violation, complete bool) {
	if !utf8.Valid(text) {
		return nil, []Violation{{"body", "", "must be valid UTF-8"}}, false
	}
	// Repeated names are found by object, so that they do not end the reading.
	d := decoder{text: text, in: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true)), maxValues: maxValues}
	value, complete = d.value(1)
	if !complete {
		return nil, d.found, false
	}
	if _, err := d.in.ReadToken(); !errors.Is(err, io.EOF) {
		d.refuse("", "must be a single JSON value")
		return nil, d.found, false
	}
	return value, d.found, true
}

func (d *decoder) refuse(pointer jsontext.Pointer, reason string) {
	d.found = append(d.found, Violation{"body", string(pointer), reason})
}

// value reports false when reading cannot go on; the reason is then among the findings.
func (d *decoder) value(depth int) (any, bool) {
	if d.values++; d.values > d.maxValues {
		d.refuse("", fmt.Sprintf("must contain at most %d values", d.maxValues))
		return nil, false
	}
	before := d.in.InputOffset()
	token, err := d.in.ReadToken()
	if err != nil {
		return nil, d.syntax(err)
	}
	switch token.Kind() {
	case jsontext.KindString:
		return d.string(before, token), true
	case jsontext.KindNumber:
		number := stdjson.Number(token.String())
		if !plainDecimal(number.String()) {
			d.refuse(d.in.StackPointer(), notPlainNumber)
		}
		return number, true
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), true
	case jsontext.KindNull:
		return nil, true
	}
	if depth > maxDepth {
		d.refuse(d.in.StackPointer(), fmt.Sprintf("must not be nested deeper than %d levels", maxDepth))
		return nil, false
	}
	if token.Kind() == jsontext.KindBeginArray {
		return d.array(depth)
	}
	return d.object(depth)
}

func (d *decoder) array(depth int) (any, bool) {
	list := []any{}
	for d.in.PeekKind() != jsontext.KindEndArray {
		item, ok := d.value(depth + 1)
		if !ok {
			return nil, false
		}
		list = append(list, item)
	}
	return list, d.end()
}

func (d *decoder) object(depth int) (any, bool) {
	members := map[string]any{}
	for d.in.PeekKind() != jsontext.KindEndObject {
		before := d.in.InputOffset()
		token, err := d.in.ReadToken()
		if err != nil {
			return nil, d.syntax(err)
		}
		name := d.string(before, token)
		if _, repeated := members[name]; repeated {
			d.refuse(d.in.StackPointer(), "must not be repeated")
		}
		value, ok := d.value(depth + 1)
		if !ok {
			return nil, false
		}
		members[name] = value
	}
	return members, d.end()
}

// end reads the closing bracket that was peeked.
func (d *decoder) end() bool {
	if _, err := d.in.ReadToken(); err != nil {
		return d.syntax(err)
	}
	return true
}

// string rejects NUL, which a PostgreSQL text cannot hold.
func (d *decoder) string(before int64, token jsontext.Token) string {
	s := textOf(token, d.text[before:d.in.InputOffset()])
	if strings.IndexByte(s, 0) >= 0 {
		d.refuse(d.in.StackPointer(), "must not contain NUL characters")
	}
	return s
}

// syntax records an error of the JSON grammar without its text, which quotes the input.
func (d *decoder) syntax(err error) bool {
	where, reason := jsontext.Pointer(""), "must be a JSON value"
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		reason = fmt.Sprintf("must be valid JSON, which ends at byte %d", e.ByteOffset)
		// A text that was cut on its way is about no member of the request (D-65).
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			where = e.JSONPointer
		}
	}
	d.refuse(where, reason)
	return false
}

// longString is the length from which a string is not copied out of its document, in bytes.
const longString = 4 << 10

// textOf returns the value of a string token that ends raw, a part of a document; only white space and a comma or colon come
// before it. A long string without escapes, such as a scan of 15 MB, is that part itself and not a copy: a document is not
// changed once it was read.
func textOf(token jsontext.Token, raw []byte) string {
	if len(raw) < longString {
		return token.String()
	}
	begin := bytes.IndexByte(raw, '"') + 1
	if raw = raw[begin : len(raw)-1]; len(raw) == 0 || bytes.IndexByte(raw, '\\') >= 0 {
		return token.String()
	}
	return unsafe.String(&raw[0], len(raw)) //nolint:gosec // see above
}

// decodeText stores a JSON text in the value that into points to.
func decodeText(text []byte, into any) error {
	return json.Unmarshal(text, into, json.WithUnmarshalers(json.UnmarshalFromFunc(func(in *jsontext.Decoder, s *string) error {
		if in.PeekKind() != jsontext.KindString {
			return errors.ErrUnsupported
		}
		before := in.InputOffset()
		token, err := in.ReadToken()
		if err == nil {
			*s = textOf(token, text[before:in.InputOffset()])
		}
		return err
	})))
}
