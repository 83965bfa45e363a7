package contract

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
)

// parameter is one scalar outside of the body: in the path, the query, or a header of a request or response.
type parameter struct {
	in, name   string
	required   bool
	allowEmpty bool
	schema     *openapi3.Schema
	quick      *stringAcceptor // nil: there is none for the schema
}

func newParameter(in, name string, p *openapi3.Parameter, by *acceptors) (parameter, error) {
	fail := func(reason string) (parameter, error) {
		return parameter{}, fmt.Errorf("%s parameter %s: %s", in, name, reason)
	}
	switch {
	case in == openapi3.ParameterInCookie:
		return fail("cookies are not supported")
	case p.Schema == nil:
		return fail("needs a schema")
	}
	s := p.Schema.Value
	if !s.Type.IsSingle() || s.Type.Is(openapi3.TypeObject) || s.Type.Is(openapi3.TypeArray) {
		return fail("must be a string, an integer, a number or a boolean")
	}
	// An empty header is a value like any other, unless the document requires more.
	allowEmpty := p.AllowEmptyValue || (in == openapi3.ParameterInHeader && s.Type.Is(openapi3.TypeString) && s.MinLength == 0)
	quick, _ := by.of(s).(*stringAcceptor)
	return parameter{in, name, p.Required, allowEmpty, s, quick}, nil
}

// check checks the values of the parameter.
func (p *parameter) check(values []string, j *judge, as direction) []Violation {
	refuse := func(reason string) []Violation { return []Violation{{p.in, p.name, reason}} }
	switch {
	case len(values) == 0 && p.required:
		return refuse("is required")
	case len(values) == 0:
		return nil
	case len(values) > 1:
		return refuse("must be sent only once")
	}
	text := values[0]
	switch {
	case !utf8.ValidString(text):
		return refuse("must be valid UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return refuse("must not contain NUL characters")
	case p.in == openapi3.ParameterInHeader && strings.ContainsFunc(text, unicode.IsControl):
		return refuse("must not contain control characters")
	case text == "" && p.allowEmpty:
		return nil
	case text == "":
		return refuse("must not be empty")
	}
	value, ok := p.parse(text)
	if !ok {
		return refuse(mustBe(p.schema))
	}
	if p.quick != nil && p.quick.follows(text) {
		return nil
	}
	found := j.value(value, p.schema, as)
	for i := range found {
		found[i].In, found[i].Field = p.in, p.name
	}
	return found
}

// parse accepts only the notation of JSON; the parsers of Go also accept 0x1p-2, +5 and t.
func (p *parameter) parse(text string) (value any, ok bool) {
	switch {
	case p.schema.Type.Is(openapi3.TypeInteger):
		n, err := strconv.ParseInt(text, 10, 64)
		return json.Number(text), err == nil && strconv.FormatInt(n, 10) == text
	case p.schema.Type.Is(openapi3.TypeNumber):
		return json.Number(text), plainDecimal(text)
	case p.schema.Type.Is(openapi3.TypeBoolean):
		return text == "true", text == "true" || text == "false"
	}
	return text, true
}
