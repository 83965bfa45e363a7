package checks

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// wrongTypes has a value of another JSON type for each member, and null where it is not allowed.
func wrongTypes(path []string, schema *openapi3.Schema, _ any) []damage {
	if len(path) == 0 {
		return nil // the body itself has a check of its own
	}
	all := []damage{{path: path, what: "an object", value: map[string]any{}}}
	switch {
	case schema.Type.Is(openapi3.TypeObject):
		all[0] = damage{path: path, what: "an array", value: []any{}}
		all = append(all, damage{path: path, what: "text", value: "text"})
	case schema.Type.Is(openapi3.TypeBoolean):
		all = append(all, damage{path: path, what: "true as text", value: "true"},
			damage{path: path, what: "1 for true", value: 1}, damage{path: path, what: "0 for false", value: 0})
	case schema.Type.Is(openapi3.TypeInteger), schema.Type.Is(openapi3.TypeNumber):
		all = append(all, damage{path: path, what: "a number as text", value: "100"})
	default:
		all = append(all, damage{path: path, what: "a number", value: 7})
	}
	if !schema.Nullable {
		all = append(all, damage{path: path, what: "null"})
	}
	return all
}

// wrongValues has values of the right type that break the schema: length, pattern, enum, bounds and format.
func wrongValues(path []string, schema *openapi3.Schema, sample any) []damage {
	wrong := func(what string, value any) damage { return damage{path: path, what: what, value: value} }
	switch sample := sample.(type) {
	case string:
		return wrongTexts(path, schema, sample)
	case json.Number:
		return wrongNumbers(path, schema)
	case []any:
		if schema.MaxItems != nil {
			return []damage{wrong("with too many items", slices.Repeat(sample, int(*schema.MaxItems)+1))}
		}
	case map[string]any:
		if schema.MaxProps != nil {
			tooMany := map[string]any{}
			for i := range *schema.MaxProps + 1 {
				tooMany["TAG_"+strconv.FormatUint(i, 10)] = sample["EMAIL"]
			}
			return []damage{wrong("with too many members", tooMany)}
		}
	}
	return nil
}

// brokenFormats are texts that come near to a format and do not keep it.
var brokenFormats = map[string][]string{
	"uuid":  {"conformance", "0b0c2c5e54f44b0e9d5b5f5a4f7d2f11"},
	"email": {"asha", "asha@localhost", "asha@example.com,bina@example.com"},
	"date":  {"1990-02-30", "1990-4-2", "12.04.1990"},
	"ip":    {"203.0.113.256", "203.0.113.7:80", "fe80::1%eth0"},
	"data-uri": {
		"iVBORw0KGgo=", "data:text/plain;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGg", "data:image/png;base64,",
	},
}

const longest = 1 << 16 // texts beyond are not sent to be one character too long

func wrongTexts(path []string, schema *openapi3.Schema, sample string) []damage {
	var all []damage
	wrong := func(what, value string) { all = append(all, damage{path: path, what: what, value: value}) }
	mayBeEmpty, err := regexp.MatchString(schema.Pattern, "")
	if schema.MinLength > 0 || err != nil || !mayBeEmpty || schema.Format != "" || len(schema.Enum) > 0 {
		wrong("empty", "")
	}
	if schema.MaxLength != nil && *schema.MaxLength < longest {
		wrong("too long", strings.Repeat("a", int(*schema.MaxLength)+1))
	}
	if len(schema.Enum) > 0 {
		wrong("none of the values", "CONFORMANCE")
		if lower := strings.ToLower(sample); lower != sample {
			wrong("a value in lower case", lower)
		} else {
			wrong("a value in upper case", strings.ToUpper(sample))
		}
	}
	for _, text := range unfit(schema.Pattern, sample) {
		wrong("not of the pattern", text)
	}
	for _, text := range brokenFormats[schema.Format] {
		wrong("not of the format "+schema.Format, text)
	}
	return all
}

func wrongNumbers(path []string, schema *openapi3.Schema) []damage {
	var all []damage
	wrong := func(what, value string) { all = append(all, damage{path: path, what: what, value: json.Number(value)}) }
	if schema.Min != nil {
		wrong("below its least value", fmt.Sprintf("%.0f", *schema.Min-1))
		if schema.ExclusiveMin.IsTrue() {
			wrong("its bound, which is excluded", fmt.Sprintf("%.0f", *schema.Min))
		}
	}
	if schema.Max != nil {
		wrong("above its greatest value", fmt.Sprintf("%.0f", *schema.Max+1))
	}
	if schema.Type.Is(openapi3.TypeInteger) {
		wrong("a fraction", "1.5")
		wrong("beyond 64 bits", "9223372036854775808")
	}
	return all
}

// leftOut leaves out each member that is required.
func leftOut(path []string, schema *openapi3.Schema, sample any) []damage {
	var all []damage
	if object, ok := sample.(map[string]any); ok {
		for name := range object {
			if slices.Contains(schema.Required, name) {
				all = append(all, damage{path: append(slices.Clone(path), name), what: "left out", remove: true})
			}
		}
	}
	return all
}

// undeclared adds a member to each object that knows its members.
func undeclared(path []string, schema *openapi3.Schema, sample any) []damage {
	if _, ok := sample.(map[string]any); !ok || schema.AdditionalProperties.Schema != nil {
		return nil
	}
	return []damage{{path: append(slices.Clone(path), "conformance"), what: "which the contract does not know", value: "x"}}
}
