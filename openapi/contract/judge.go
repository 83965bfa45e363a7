package contract

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

// judge checks values against schemas: kin-openapi does it, except for what it cannot do exactly.
type judge struct {
	numbers  map[*openapi3.Schema]numberRule
	texts    map[*openapi3.Schema]text.Kind                   // of a request
	keys     map[*openapi3.Schema][]any                       // of a map that lists its members
	variants map[*openapi3.Schema]map[string]*openapi3.Schema // of a oneOf, by discriminator value

	requests, responses acceptors
}

// direction is what differs between judging a request and judging a response.
type direction struct {
	visit     []openapi3.SchemaValidationOption
	texts     bool // judge the characters of texts: what was stored before there was a rule is returned as it is
	maxValues int
}

var (
	asRequest  = direction{visiting(openapi3.VisitAsRequest()), true, manyValues}
	asResponse = direction{visiting(openapi3.VisitAsResponse()), false, math.MaxInt}
)

func visiting(as openapi3.SchemaValidationOption) []openapi3.SchemaValidationOption {
	return []openapi3.SchemaValidationOption{as, openapi3.MultiErrors(), openapi3.WithStringFormatValidators(stringFormats)}
}

// manyValues bounds the values of a request whose schema does not.
const manyValues = 100_000

// mostValues returns how many values are read of a request body: more than a valid one has, so that ordinary mistakes are
// reported as such. A wrong value takes several hundred times its size while it is judged.
func mostValues(s *openapi3.Schema) int { return min(1000+2*values(s, 1), manyValues) }

// values returns the greatest number of values in a valid value, at most manyValues.
func values(s *openapi3.Schema, depth int) int {
	if depth > maxDepth {
		return manyValues
	}
	// times is for elements of which there are at most n.
	times := func(n *uint64, element *openapi3.SchemaRef) int {
		if n == nil || *n > manyValues || element == nil {
			return manyValues
		}
		return int(*n) * values(element.Value, depth+1)
	}
	sum := 1
	for _, property := range s.Properties {
		sum = min(sum+values(property.Value, depth+1), manyValues)
	}
	switch {
	case s.Type.Is(openapi3.TypeArray):
		sum += times(s.MaxItems, s.Items)
	case s.AdditionalProperties.Schema != nil:
		sum += times(s.MaxProps, s.AdditionalProperties.Schema)
	}
	most := 0
	for _, part := range slices.Concat(s.AllOf, s.OneOf) {
		most = max(most, values(part.Value, depth+1))
	}
	return min(sum+most, manyValues)
}

// bodySchema is the schema of a body. The acceptor is quick: what it does not accept, the judge judges.
type bodySchema struct {
	*openapi3.Schema
	acceptor
}

func newBodySchema(s *openapi3.Schema, by *acceptors) *bodySchema { return &bodySchema{s, by.of(s)} }

// body judges a JSON text.
func (j *judge) body(sent []byte, s *bodySchema, as direction) []Violation {
	if accepts(s.acceptor, sent, as.maxValues, reflect.Value{}) {
		return nil
	}
	value, found, complete := decode(sent, as.maxValues)
	if !complete {
		return found
	}
	unread := map[string]bool{}
	for _, v := range found {
		unread[v.Field] = true
	}
	for _, v := range j.value(value, s.Schema, as) {
		// What could not be read as meant is not judged a second time.
		if !unread[v.Field] {
			found = append(found, v)
		}
	}
	return found
}

// value judges a decoded value; the fields of the violations are JSON pointers.
func (j *judge) value(value any, s *openapi3.Schema, as direction) []Violation {
	var found []Violation
	if err := s.VisitJSON(value, as.visit...); err != nil {
		explain(err, &found)
	}
	j.exact(value, s, as, nil, &found)
	return found
}

// step is one token of the way to a value. The pointer is only written out when there is something to report.
type step struct {
	up    *step
	name  string
	index int // where name is ""
	item  bool
}

func (at *step) pointer() jsontext.Pointer {
	switch {
	case at == nil:
		return ""
	case at.item:
		return at.up.pointer().AppendToken(strconv.Itoa(at.index))
	}
	return at.up.pointer().AppendToken(at.name)
}

// exact judges what kin-openapi does not: the numbers within value, the characters of its texts, and the names of the members
// of its maps.
func (j *judge) exact(value any, s *openapi3.Schema, as direction, at *step, found *[]Violation) {
	s = j.plain(s, value)
	switch value := value.(type) {
	case string:
		if kind, ok := j.texts[s]; ok && as.texts {
			if reason := kind.Reason(value); reason != "" {
				*found = append(*found, Violation{"body", string(at.pointer()), reason})
			}
		}
	case json.Number:
		if reason := j.numbers[s].reason(value); reason != "" {
			*found = append(*found, Violation{"body", string(at.pointer()), reason})
		}
	case []any:
		for i, item := range value {
			j.exact(item, itemSchema(s), as, &step{up: at, index: i, item: true}, found)
		}
	case map[string]any:
		keys := j.keys[s]
		for name, member := range value {
			if keys != nil && !slices.Contains(keys, any(name)) {
				*found = append(*found, Violation{"body", string(at.pointer().AppendToken(name)), "is not a known member"})
			}
			j.exact(member, memberSchema(s, name), as, &step{up: at, name: name}, found)
		}
	}
}

// anything is the schema of a value that the document does not describe.
var anything = &openapi3.Schema{}

// plain follows the allOf of a wrapper and the discriminator of a oneOf to the schema that describes value.
func (j *judge) plain(s *openapi3.Schema, value any) *openapi3.Schema {
	for {
		switch {
		case len(s.AllOf) > 0:
			s = s.AllOf[0].Value
		case len(s.OneOf) > 0:
			object, _ := value.(map[string]any)
			name, _ := object[s.Discriminator.PropertyName].(string)
			variant, ok := j.variants[s][name]
			if !ok {
				return anything
			}
			s = variant
		default:
			return s
		}
	}
}

func itemSchema(s *openapi3.Schema) *openapi3.Schema {
	if s.Items == nil {
		return anything
	}
	return s.Items.Value
}

func memberSchema(s *openapi3.Schema, name string) *openapi3.Schema {
	if property := s.Properties[name]; property != nil {
		return property.Value
	}
	if others := s.AdditionalProperties.Schema; others != nil {
		return others.Value
	}
	return anything
}

// explain turns kin-openapi's errors into violations in our own words: its texts hold patterns, schemas and values.
func explain(err error, found *[]Violation) {
	var list openapi3.MultiError
	if errors.As(err, &list) {
		for _, e := range list {
			explain(e, found)
		}
		return
	}
	var e *openapi3.SchemaError
	if !errors.As(err, &e) {
		*found = append(*found, Violation{"body", "", "must follow the schema"})
		return
	}
	var nested openapi3.MultiError
	if (e.SchemaField == "oneOf" || e.SchemaField == "allOf") && errors.As(e.Origin, &nested) {
		explain(nested, found)
		return
	}
	pointer := jsontext.Pointer("")
	for _, token := range e.JSONPointer() {
		pointer = pointer.AppendToken(token)
	}
	switch e.SchemaField {
	case "discriminator":
		pointer = pointer.AppendToken(e.Schema.Discriminator.PropertyName)
	case "properties":
		pointer = pointer.AppendToken(unknownMember(e.Reason))
	}
	*found = append(*found, Violation{"body", string(pointer), sentence(e)})
}

// unknownMember extracts the name from `property "x" is unsupported`: kin-openapi reports it nowhere else.
func unknownMember(reason string) string {
	quoted := strings.TrimSuffix(strings.TrimPrefix(reason, "property "), " is unsupported")
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return quoted
	}
	return name
}
