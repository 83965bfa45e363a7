package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

// acceptor recognizes values that follow a schema while they are read, and builds nothing. It may only accept what the judge
// accepts. What it does not accept is judged again: the judge alone refuses, and words the violations.
type acceptor interface {
	accept(r *reader, depth int) bool
}

// reader reads a JSON text for acceptors.
type reader struct {
	text      bytes.Buffer
	in        jsontext.Decoder
	values    int
	maxValues int
	unquoted  []byte
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// accepts reports whether a JSON text, decoded strictly, is surely a value that an acceptor accepts.
func accepts(a acceptor, sent []byte, maxValues int) bool {
	r, _ := readers.Get().(*reader)
	defer r.release()
	r.open(sent)
	r.values, r.maxValues = 0, maxValues
	if !a.accept(r, 1) {
		return false
	}
	_, err := r.in.ReadToken()
	return errors.Is(err, io.EOF)
}

func (r *reader) open(sent []byte) {
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
	raw, err := r.in.ReadValue()
	if err != nil {
		return "", false
	}
	if content := raw[1 : len(raw)-1]; bytes.IndexByte(content, '\\') < 0 {
		return unsafe.String(unsafe.SliceData(content), len(content)), true //nolint:gosec // nothing keeps it
	}
	if r.unquoted, err = jsontext.AppendUnquote(r.unquoted[:0], raw); err != nil || bytes.IndexByte(r.unquoted, 0) >= 0 {
		return "", false
	}
	return unsafe.String(unsafe.SliceData(r.unquoted), len(r.unquoted)), true //nolint:gosec // as above
}

// nothing accepts no value: those of a schema with rules that only the judge knows.
type nothing struct{}

func (nothing) accept(*reader, int) bool { return false }

// nullable accepts null, and what another acceptor accepts.
type nullable struct{ acceptor }

func (a nullable) accept(r *reader, depth int) bool {
	if r.in.PeekKind() != jsontext.KindNull {
		return a.acceptor.accept(r, depth)
	}
	_, err := r.in.ReadToken()
	r.values++
	return err == nil && r.values <= r.maxValues
}

type stringAcceptor struct {
	minLength uint64
	maxLength *uint64
	enum      map[string]bool // nil: any
	pattern   *regexp.Regexp
	format    openapi3.StringFormatValidator
	kind      text.Kind // "": any characters
}

func (a *stringAcceptor) accept(r *reader, _ int) bool {
	if !r.next(jsontext.KindString) {
		return false
	}
	s, ok := r.string()
	if !ok || (a.enum != nil && !a.enum[s]) {
		return false
	}
	if a.minLength > 0 || a.maxLength != nil {
		length := uint64(utf8.RuneCountInString(s))
		if length < a.minLength || (a.maxLength != nil && length > *a.maxLength) {
			return false
		}
	}
	return (a.pattern == nil || a.pattern.MatchString(s)) && (a.format == nil || a.format.Validate(s) == nil) &&
		(a.kind == "" || a.kind.Reason(s) == "")
}

type numberAcceptor struct{ rule numberRule }

func (a numberAcceptor) accept(r *reader, _ int) bool {
	if !r.next(jsontext.KindNumber) {
		return false
	}
	raw, err := r.in.ReadValue()
	if err != nil {
		return false
	}
	s := unsafe.String(unsafe.SliceData(raw), len(raw)) //nolint:gosec // nothing keeps it
	return plainDecimal(s) && a.rule.reason(json.Number(s)) == ""
}

type booleanAcceptor struct{}

func (booleanAcceptor) accept(r *reader, _ int) bool {
	if !r.next(jsontext.KindTrue) && r.in.PeekKind() != jsontext.KindFalse {
		return false
	}
	_, err := r.in.ReadToken()
	return err == nil && r.values <= r.maxValues
}

type arrayAcceptor struct {
	items    acceptor
	min      uint64
	maxItems *uint64
}

func (a *arrayAcceptor) accept(r *reader, depth int) bool {
	if !r.next(jsontext.KindBeginArray) || depth > maxDepth {
		return false
	}
	if _, err := r.in.ReadToken(); err != nil {
		return false
	}
	n := uint64(0)
	for ; r.in.PeekKind() != jsontext.KindEndArray; n++ {
		if !a.items.accept(r, depth+1) {
			return false
		}
	}
	return r.end(jsontext.KindEndArray) && n >= a.min && (a.maxItems == nil || n <= *a.maxItems)
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
	bit uint64
}

func (a *objectAcceptor) accept(r *reader, depth int) bool {
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
			member.acceptor = a.others
		}
		if !member.accept(r, depth+1) {
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

func (a *variantAcceptor) accept(r *reader, depth int) bool {
	if r.in.PeekKind() != jsontext.KindBeginObject {
		return false
	}
	object, err := r.in.ReadValue()
	if err != nil {
		return false
	}
	// The discriminator may be the last member.
	within, _ := readers.Get().(*reader)
	defer within.release()
	within.open(object)
	variant := a.variant(within)
	if variant == nil {
		return false
	}
	within.open(object)
	within.values, within.maxValues = r.values, r.maxValues
	accepted := variant.accept(within, depth)
	r.values = within.values
	return accepted
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
