package contract

import (
	"encoding"
	stdjson "encoding/json"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
)

// decoding decodes the bodies of an operation while they are accepted.
type decoding struct {
	acceptor
	into reflect.Type
}

// Decoding returns the operation with bodies that are decoded into this type while they are checked: they are read once instead
// of twice. [Request.Decode] then hands over what was decoded; the value is the same.
func (op *Operation) Decoding(into reflect.Type) *Operation {
	decodes := *op
	if op.body != nil {
		decodes.decoding = &decoding{typed{}.of(op.body.acceptor, into), into}
	}
	return &decodes
}

// decode returns a pointer to the value of a body that is surely valid, and an invalid Value for any other.
func (d *decoding) decode(body []byte, maxValues int) reflect.Value {
	if d == nil {
		return reflect.Value{}
	}
	decoded := reflect.New(d.into)
	if !accepts(d.acceptor, body, maxValues, decoded.Elem()) {
		return reflect.Value{}
	}
	return decoded
}

// typed makes, of acceptors that store nothing, those that store in Go types what decodeText would. It has what was made, because
// a type may contain itself.
type typed map[typedKey]acceptor

type typedKey struct {
	acceptor
	into reflect.Type
}

func (made typed) of(a acceptor, into reflect.Type) acceptor {
	if implements[json.UnmarshalerFrom](into) || implements[stdjson.Unmarshaler](into) {
		return unmarshaler{a}
	}
	if a, ok := a.(nullable); ok {
		return nullable{made.of(a.acceptor, into)}
	}
	if into.Kind() == reflect.Pointer {
		return pointer{made.of(a, into.Elem()), into.Elem()}
	}
	if known, ok := made[typedKey{a, into}]; ok {
		return known
	}
	kind, text := into.Kind(), implements[encoding.TextUnmarshaler](into)
	switch a := a.(type) {
	case *stringAcceptor:
		if text != (kind == reflect.String) {
			return a
		}
	case numberAcceptor:
		if a.rule.bits > 0 && !text && reflect.Int <= kind && kind <= reflect.Int64 {
			return a
		}
	case booleanAcceptor:
		if kind == reflect.Bool && !text {
			return a
		}
	case *arrayAcceptor:
		if kind == reflect.Slice && into.Elem().Kind() != reflect.Uint8 && !text {
			list := *a
			made[typedKey{a, into}] = &list
			list.items = made.of(a.items, into.Elem())
			return &list
		}
	case *objectAcceptor:
		if fields, plain := fieldsOf(into); plain && a.others == nil && !text {
			object := *a
			made[typedKey{a, into}] = &object
			object.members = map[string]memberAcceptor{}
			for name, member := range a.members {
				if i, ok := fields[name]; ok {
					member.field, member.acceptor = i, made.of(member.acceptor, into.Field(i).Type)
				}
				object.members[name] = member
			}
			return &object
		}
	}
	return unmarshaler{a}
}

// implements reports whether a pointer to a type implements an interface.
func implements[T any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[T]())
}

// noField is the field of a member that a type does not have.
const noField = -1

// fieldsOf returns the fields of a struct by the names of their members; plain is false if a tag asks for more than a name.
func fieldsOf(t reflect.Type) (fields map[string]int, plain bool) {
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	fields = map[string]int{}
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case field.Anonymous, strings.ContainsAny(name, `'"`), options != "" && options != "omitempty" && options != "omitzero":
			return nil, false
		case !field.IsExported(), tag == "-":
		case name == "":
			fields[field.Name] = i
		default:
			fields[name] = i
		}
	}
	return fields, true
}

// pointer accepts what another acceptor accepts, and stores a pointer to it.
type pointer struct {
	acceptor
	to reflect.Type
}

func (a pointer) accept(r *reader, depth int, into reflect.Value) bool {
	value := reflect.New(a.to)
	into.Set(value)
	return a.acceptor.accept(r, depth, value.Elem())
}

// unmarshaler accepts what another acceptor accepts, and leaves storing it to a method or the JSON library.
type unmarshaler struct{ acceptor }

func (a unmarshaler) accept(r *reader, depth int, into reflect.Value) bool {
	value := r.rest()
	if !a.acceptor.accept(r, depth, reflect.Value{}) {
		return false
	}
	value = value[:len(value)-len(r.sent)+int(r.in.InputOffset())]
	switch to := into.Addr().Interface().(type) {
	case json.UnmarshalerFrom:
		return decodeText(value, to) == nil
	case stdjson.Unmarshaler:
		return to.UnmarshalJSON(value) == nil
	default:
		return decodeText(value, to) == nil
	}
}
