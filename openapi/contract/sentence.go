package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// reasonExtension is the extension with the violation message of a pattern.
const reasonExtension = "x-reason"

// sentence returns the message of a violation of a schema.
func sentence(e *openapi3.SchemaError) string {
	s := e.Schema
	switch e.SchemaField {
	case "type":
		return mustBe(s)
	case "nullable":
		return "must not be null"
	case "required":
		return "is required"
	case "properties":
		return "is not a field of this object"
	case "readOnly":
		return "must not be sent"
	case "writeOnly":
		return "must not be returned"
	case "enum":
		if e.Value == nil {
			return "must not be null"
		}
		return oneOf(s.Enum)
	case "discriminator":
		// A missing value and null are both nil here.
		if strings.HasPrefix(e.Reason, "input does not contain") {
			return "is required"
		}
		return "must be one of " + strings.Join(slices.Sorted(maps.Keys(s.Discriminator.Mapping)), ", ")
	case "pattern":
		if reason, ok := s.Extensions[reasonExtension].(string); ok {
			return reason
		}
		return "does not match the expected format"
	case "format":
		var expected refusal
		if errors.As(e.Origin, &expected) {
			return expected.Error()
		}
	case "minLength":
		return count("at least", s.MinLength, "character")
	case "maxLength":
		return count("at most", *s.MaxLength, "character")
	case "minItems":
		return count("at least", s.MinItems, "item")
	case "maxItems":
		return count("at most", *s.MaxItems, "item")
	case "uniqueItems":
		return "must not contain an item twice"
	case "minProperties":
		return count("at least", s.MinProps, "member")
	case "maxProperties":
		return count("at most", *s.MaxProps, "member")
	}
	return "must follow the schema"
}

func mustBe(s *openapi3.Schema) string {
	switch {
	case s.Type.Is(openapi3.TypeBoolean):
		return "must be true or false"
	case s.Type.Is(openapi3.TypeObject), s.Type.Is(openapi3.TypeArray), s.Type.Is(openapi3.TypeInteger):
		return "must be an " + s.Type.Slice()[0]
	}
	return "must be a " + strings.Join(s.Type.Slice(), " or ")
}

func oneOf(values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		if name, ok := v.(string); ok {
			names[i] = name
			continue
		}
		text, _ := json.Marshal(v) // it came from JSON
		names[i] = string(text)
	}
	return "must be one of " + strings.Join(names, ", ")
}

func count(bound string, n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("must have %s %d %s", bound, n, what)
}
