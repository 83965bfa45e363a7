package contract

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

// acceptor recognizes values that follow a schema while they are read. It may only accept what the judge accepts. What it does
// not accept is judged again: the judge alone refuses, and words the violations.
type acceptor interface {
	// accept reads a value. One that was made for a Go type, see decoding, stores it in into, which is zero before.
	accept(r *reader, depth int, into reflect.Value) bool
}

// reader reads a JSON text for acceptors.
type reader struct {
	sent      []byte
	text      bytes.Buffer // of sent
	in        jsontext.Decoder
	values    int
	maxValues int
	begin     int    // of the content of the last string in sent; -1 if it has escapes
	unquoted  []byte // its content then
	copied    string // sent, of which kept strings are parts
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// accepts reports whether a JSON text, decoded strictly, is surely a value that an acceptor accepts; into is for accept.
func accepts(a acceptor, sent []byte, maxValues int, into reflect.Value) bool {
	r, _ := readers.Get().(*reader)
	defer r.release()
	r.open(sent)
	r.values, r.maxValues = 0, maxValues
	if !a.accept(r, 1, into) {
		return false
	}
	_, err := r.in.ReadToken()
	return errors.Is(err, io.EOF)
}

func (r *reader) open(sent []byte) {
	r.sent, r.copied = sent, ""
	r.text = *bytes.NewBuffer(sent)
	r.in.Reset(&r.text, jsontext.AllowDuplicateNames(true)) // the acceptors find them
}

// release gives the reader back to the pool, which must keep neither a body nor a long part of one.
func (r *reader) release() {
	r.open(nil)
	if cap(r.unquoted) > longString {
		r.unquoted = nil
	}
	readers.Put(r)
}

// rest returns the text from the next value on.
func (r *reader) rest() []byte {
	text := r.sent[r.in.InputOffset():]
	for len(text) > 0 && strings.IndexByte(" \t\r\n,:", text[0]) >= 0 {
		text = text[1:]
	}
	return text
}

// next reports whether the next value begins with kind and may be read.
func (r *reader) next(kind jsontext.Kind) bool {
	r.values++
	return r.in.PeekKind() == kind && r.values <= r.maxValues
}

// end reads the bracket that ends an object or array, which was peeked.
func (r *reader) end(kind jsontext.Kind) bool {
	token, err := r.in.ReadToken()
	return err == nil && token.Kind() == kind
}

// string reads a string, which is valid until the next is read.
func (r *reader) string() (s string, ok bool) {
	content, ok := r.content()
	return unsafe.String(unsafe.SliceData(content), len(content)), ok //nolint:gosec // nothing keeps it, see keep
}

// content reads a string like string: as the part of the text between the quotes, or without its escapes.
func (r *reader) content() (content []byte, ok bool) {
	raw, err := r.in.ReadValue()
	if err != nil {
		return nil, false
	}
	if content = raw[1 : len(raw)-1]; bytes.IndexByte(content, '\\') < 0 {
		r.begin = int(r.in.InputOffset()) - 1 - len(content)
		return content, true
	}
	r.begin = -1
	r.unquoted, err = jsontext.AppendUnquote(r.unquoted[:0], raw)
	return r.unquoted, err == nil && bytes.IndexByte(r.unquoted, 0) < 0
}

// keep returns the content of the last string, as textOf does; the strings of a short text share one copy of it.
func (r *reader) keep(content []byte) string {
	switch end := r.begin + len(content); {
	case r.begin < 0 || len(content) == 0:
		return string(content)
	case len(content) >= longString:
		return unsafe.String(&r.sent[r.begin], len(content)) //nolint:gosec // a document is not changed once it was read
	case len(r.sent) <= longString:
		if r.copied == "" {
			r.copied = string(r.sent)
		}
		return r.copied[r.begin:end]
	}
	return string(content)
}

// nothing accepts no value: those of a schema with rules that only the judge knows.
type nothing struct{}

func (nothing) accept(*reader, int, reflect.Value) bool { return false }

// nullable accepts null, and what another acceptor accepts.
type nullable struct{ acceptor }

func (a nullable) accept(r *reader, depth int, into reflect.Value) bool {
	if r.in.PeekKind() != jsontext.KindNull {
		return a.acceptor.accept(r, depth, into)
	}
	_, err := r.in.ReadToken()
	r.values++
	return err == nil && r.values <= r.maxValues
}

type stringAcceptor struct {
	minLength uint64
	maxLength *uint64
	enum      map[string]bool // nil: any
	pattern   func(string) bool
	format    openapi3.StringFormatValidator
	kind      text.Kind // "": any characters
}

func (a *stringAcceptor) accept(r *reader, _ int, into reflect.Value) bool {
	if !r.next(jsontext.KindString) {
		return false
	}
	content, ok := r.content()
	switch {
	case !ok || !a.follows(unsafe.String(unsafe.SliceData(content), len(content))): //nolint:gosec // nothing keeps it
		return false
	case !into.IsValid():
		return true
	case into.Kind() == reflect.String:
		into.SetString(r.keep(content))
		return true
	}
	text, ok := into.Addr().Interface().(encoding.TextUnmarshaler)
	return ok && text.UnmarshalText(content) == nil
}

func (a *stringAcceptor) follows(s string) bool {
	if a.enum != nil && !a.enum[s] {
		return false
	}
	if !a.fits(s) {
		return false
	}
	return (a.pattern == nil || a.pattern(s)) && (a.format == nil || a.format.Validate(s) == nil) &&
		(a.kind == "" || a.kind.Reason(s) == "")
}

// fits reports whether a string has as many characters as it may. It counts them where the number of bytes leaves that open.
func (a *stringAcceptor) fits(s string) bool {
	least, most := uint64(len(s)+utf8.UTFMax-1)/utf8.UTFMax, uint64(len(s))
	if least >= a.minLength && (a.maxLength == nil || most <= *a.maxLength) {
		return true
	}
	length := uint64(utf8.RuneCountInString(s))
	return length >= a.minLength && (a.maxLength == nil || length <= *a.maxLength)
}

type numberAcceptor struct{ rule numberRule }

func (a numberAcceptor) accept(r *reader, _ int, into reflect.Value) bool {
	if !r.next(jsontext.KindNumber) {
		return false
	}
	raw, err := r.in.ReadValue()
	if err != nil {
		return false
	}
	s := unsafe.String(unsafe.SliceData(raw), len(raw)) //nolint:gosec // nothing keeps it
	if !plainDecimal(s) || a.rule.reason(json.Number(s)) != "" {
		return false
	}
	if !into.IsValid() {
		return true
	}
	n, err := strconv.ParseInt(s, 10, into.Type().Bits())
	into.SetInt(n)
	return err == nil
}

type booleanAcceptor struct{}

func (booleanAcceptor) accept(r *reader, _ int, into reflect.Value) bool {
	if !r.next(jsontext.KindTrue) && r.in.PeekKind() != jsontext.KindFalse {
		return false
	}
	token, err := r.in.ReadToken()
	if err == nil && into.IsValid() {
		into.SetBool(token.Bool())
	}
	return err == nil && r.values <= r.maxValues
}

type arrayAcceptor struct {
	items    acceptor
	min      uint64
	maxItems *uint64
}

func (a *arrayAcceptor) accept(r *reader, depth int, into reflect.Value) bool {
	if !r.next(jsontext.KindBeginArray) || depth > maxDepth {
		return false
	}
	if _, err := r.in.ReadToken(); err != nil {
		return false
	}
	n := uint64(0)
	if into.IsValid() {
		into.Set(reflect.MakeSlice(into.Type(), 0, 0)) // not nil
	}
	for ; r.in.PeekKind() != jsontext.KindEndArray; n++ {
		if !a.items.accept(r, depth+1, another(into)) {
			return false
		}
	}
	return r.end(jsontext.KindEndArray) && n >= a.min && (a.maxItems == nil || n <= *a.maxItems)
}

// another appends an item to a list, if there is one, and returns the item.
func another(list reflect.Value) reflect.Value {
	if !list.IsValid() {
		return list
	}
	n := list.Len()
	list.Grow(1)
	list.SetLen(n + 1)
	item := list.Index(n)
	item.SetZero()
	return item
}

// objectAcceptor accepts objects whose members are all declared, or none.
type objectAcceptor struct {
	members  map[string]memberAcceptor
	required uint64 // the bits of the members that must be there
	min      uint64
	most     *uint64

	others acceptor // nil: no others
	names  []any    // of the others; nil: any
}

type memberAcceptor struct {
	acceptor
	bit   uint64
	field int // of the Go type, or noField
}

func (a *objectAcceptor) accept(r *reader, depth int, into reflect.Value) bool {
	if !r.next(jsontext.KindBeginObject) || depth > maxDepth {
		return false
	}
	if _, err := r.in.ReadToken(); err != nil {
		return false
	}
	n, seen := uint64(0), uint64(0)
	var others []string
	for ; r.in.PeekKind() != jsontext.KindEndObject; n++ {
		name, ok := r.string()
		if !ok {
			return false
		}
		member, declared := a.members[name]
		switch {
		case declared:
			if seen&member.bit != 0 {
				return false
			}
			seen |= member.bit
		case a.others == nil, a.names != nil && !slices.Contains(a.names, any(name)), slices.Contains(others, name):
			return false
		default:
			others = append(others, strings.Clone(name))
			member = memberAcceptor{a.others, 0, noField}
		}
		var field reflect.Value
		if into.IsValid() && member.field != noField {
			field = into.Field(member.field)
		}
		if !member.accept(r, depth+1, field) {
			return false
		}
	}
	return r.end(jsontext.KindEndObject) && seen&a.required == a.required && n >= a.min && (a.most == nil || n <= *a.most)
}

// variantAcceptor accepts an object that the variant accepts which its discriminator names.
type variantAcceptor struct {
	discriminator string
	variants      map[string]acceptor
}

func (a *variantAcceptor) accept(r *reader, depth int, into reflect.Value) bool {
	if r.in.PeekKind() != jsontext.KindBeginObject {
		return false
	}
	// The discriminator may be the last member, so it is looked for first.
	ahead, _ := readers.Get().(*reader)
	defer ahead.release()
	ahead.open(r.rest())
	variant := a.variant(ahead)
	return variant != nil && variant.accept(r, depth, into)
}

// variant returns the acceptor that the discriminator of an object names, or nil.
func (a *variantAcceptor) variant(r *reader) acceptor {
	if _, err := r.in.ReadToken(); err != nil {
		return nil
	}
	for r.in.PeekKind() != jsontext.KindEndObject {
		name, ok := r.string()
		switch {
		case !ok:
			return nil
		case name != a.discriminator:
			if r.in.SkipValue() != nil {
				return nil
			}
		case r.in.PeekKind() != jsontext.KindString:
			return nil
		default:
			value, _ := r.string()
			return a.variants[value]
		}
	}
	return nil
}
