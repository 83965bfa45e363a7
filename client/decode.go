package client

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// errDamaged is the cause of an error about a success that is no JSON: it was cut or changed on its way, with a length that
// fits.
var errDamaged = errors.New("the answer is no JSON")

// decode decodes the body of a success into the result of the call. It returns an error that names the first member which
// is missing or cannot be read. Members that are not known are not looked at (decision D-31).
func (k *call) decode(body []byte) *Error {
	reflect.ValueOf(k.into).Elem().SetZero() // an earlier attempt may have filled a part
	err := json.Unmarshal(body, k.into)
	if err != nil && !json.Valid(body) {
		return k.fail("the answer was damaged on its way: it is no JSON", errDamaged)
	}
	w := walk{data: body, strict: err != nil}
	w.member(member{shape: shapeOf(reflect.TypeOf(k.into).Elem())})
	if w.problem == "" && err == nil {
		return nil
	}
	w.problem = cmp.Or(w.problem, "cannot be read")
	e := k.fail("the answer is not what the contract says: "+cmp.Or(oneLine(w.pointer), "it")+" "+w.problem, nil)
	e.Field, e.ResourceID = oneLine(w.pointer), idOf(body)
	return e
}

// idOf returns the id of a resource, if it is a UUID.
func idOf(body []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return ""
	}
	id, err := uuid.Parse(text(members["id"]))
	if err != nil || id == uuid.Nil {
		return ""
	}
	return id.String()
}

// shape is what the walk needs to know of a type of gen/api.
type shape struct {
	goType  reflect.Type
	members map[string]member // of an object; nil for others
	all     uint64            // a bit for each required member
	each    *shape            // of an array or a map
	kind    byte              // '{', '[', or 0 for a value without parts
}

type member struct {
	shape    *shape
	required uint64 // its bit in shape.all, or 0
	null     bool   // whether it may be null
}

var shapes sync.Map // by type

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape) //nolint:forcetypeassert // there is nothing else
	}
	s := newShape(t)
	shapes.Store(t, s)
	return s
}

var (
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func newShape(t reflect.Type) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := &shape{goType: t}
	if p := reflect.PointerTo(t); p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler) {
		return s
	}
	switch t.Kind() {
	case reflect.Struct:
		s.kind, s.members = '{', map[string]member{}
		for i := range t.NumField() {
			field := t.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			m := member{shape: shapeOf(field.Type), null: true}
			if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
				kind := field.Type.Kind()
				m.required, m.null = s.all+1, kind == reflect.Pointer || kind == reflect.Map // a nullable.Nullable
				s.all = s.all<<1 | 1
			}
			s.members[name] = m
		}
	case reflect.Slice:
		s.kind, s.each = '[', shapeOf(t.Elem())
	case reflect.Map:
		s.kind, s.each = '{', shapeOf(t.Elem())
	}
	return s
}

// walk goes through valid JSON to the first member that a shape requires and that is missing or null. It goes through
// bytes, because each call pays for it.
type walk struct {
	data   []byte
	at     int
	strict bool // whether each value is decoded too, to find the one that failed

	pointer, problem string
}

// nilUUID is the id of nothing.
const nilUUID = `"00000000-0000-0000-0000-000000000000"`

// member goes through one value.
func (w *walk) member(m member) {
	w.space()
	start := w.at
	switch first := w.data[w.at]; {
	case first == 'n':
		w.skip()
		if !m.null {
			w.problem = "is null"
		}
	case m.shape.kind == '{' && first == '{':
		w.object(m.shape)
	case m.shape.kind == '[' && first == '[':
		w.array(m.shape)
	default:
		w.skip()
		if string(w.data[start:w.at]) == nilUUID || w.strict && json.Unmarshal(w.data[start:w.at], reflect.New(m.shape.goType).Interface()) != nil {
			w.problem = "cannot be read"
		}
	}
}

func (w *walk) object(s *shape) {
	var seen uint64
	w.at++
	for w.more('}') {
		start := w.at
		w.skip()
		name := w.data[start+1 : w.at-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(text(w.data[start:w.at]))
		}
		w.space()
		w.at++ // the colon
		w.space()
		m, known := s.members[string(name)]
		switch {
		case s.each != nil:
			w.member(member{shape: s.each})
		case known:
			w.member(m)
		default:
			w.skip()
		}
		if w.problem != "" {
			w.pointer = "/" + pointerEscaper.Replace(string(name)) + w.pointer
			return
		}
		seen |= m.required
	}
	if seen == s.all {
		return
	}
	first := uint64(1) << bits.TrailingZeros64(s.all&^seen)
	for name, m := range s.members {
		if m.required == first {
			w.pointer, w.problem = "/"+name, "is missing"
		}
	}
}

func (w *walk) array(s *shape) {
	w.at++
	for i := 0; w.more(']'); i++ {
		if w.member(member{shape: s.each}); w.problem != "" {
			w.pointer = "/" + strconv.Itoa(i) + w.pointer
			return
		}
	}
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901

// more goes to the next part of an object or an array, or behind its end.
func (w *walk) more(end byte) bool {
	w.space()
	if w.data[w.at] == ',' {
		w.at++
		w.space()
	}
	if w.data[w.at] != end {
		return true
	}
	w.at++
	return false
}

func (w *walk) space() {
	for w.at < len(w.data) && strings.IndexByte(" \t\r\n", w.data[w.at]) >= 0 {
		w.at++
	}
}

// skip goes behind a value.
func (w *walk) skip() {
	for depth := 0; w.at < len(w.data); {
		switch w.data[w.at] {
		case '"':
			w.text()
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			depth--
			w.at++
		default:
			w.at++
			if depth == 0 && w.at < len(w.data) && strings.IndexByte(",}] \t\r\n", w.data[w.at]) < 0 {
				continue // in a number, true, false or null
			}
		}
		if depth == 0 {
			return
		}
	}
}

// text goes behind a string.
func (w *walk) text() {
	for w.at++; ; w.at++ {
		w.at += bytes.IndexByte(w.data[w.at:], '"')
		escapes := 0
		for w.data[w.at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			w.at++
			return
		}
	}
}
