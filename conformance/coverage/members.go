package coverage

import (
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"
)

// A label is the place of a member in a schema: a JSON pointer with * for the items of an array and the names of a map, and
// [NAME] after a oneOf for the variant that the discriminator value NAME selects.

// wantRequest calls want for what should be sent of a request schema: every member valid and invalid, required ones missing.
func wantRequest(s *openapi3.Schema, label string, want func(kind, label string)) {
	if s.Discriminator != nil {
		name := s.Discriminator.PropertyName // with an invalid one, no variant is selected
		want("invalid", label+"/"+name)
		want("missing", label+"/"+name)
		for value, variant := range variants(s) {
			wantRequest(variant, label+"["+value+"]", func(kind, member string) {
				if kind == "valid" || member != label+"["+value+"]/"+name {
					want(kind, member)
				}
			})
		}
		return
	}
	for name, member := range members(s) {
		at := label + "/" + name
		want("valid", at)
		want("invalid", at)
		wantRequest(member, at, want)
	}
	for _, name := range s.Required {
		want("missing", label+"/"+name)
	}
}

// wantResponse calls want for what should be received of a response schema: every member, and an item of every array.
func wantResponse(s *openapi3.Schema, label string, want func(label string)) {
	for value, variant := range variants(s) {
		wantResponse(variant, label+"["+value+"]", want)
	}
	for name, member := range members(s) {
		want(label + "/" + name)
		wantResponse(member, label+"/"+name, want)
	}
}

// members returns the schemas directly below s by the last token of their label.
func members(s *openapi3.Schema) map[string]*openapi3.Schema {
	all := map[string]*openapi3.Schema{}
	for name, ref := range s.Properties {
		all[name] = ref.Value
	}
	if s.Items != nil {
		all["*"] = s.Items.Value
	}
	if s.AdditionalProperties.Schema != nil {
		all["*"] = s.AdditionalProperties.Schema.Value
	}
	return all
}

// variants returns the schemas of a oneOf by discriminator value.
func variants(s *openapi3.Schema) map[string]*openapi3.Schema {
	all := map[string]*openapi3.Schema{}
	if s.Discriminator == nil {
		return all
	}
	for value, target := range s.Discriminator.Mapping {
		for _, ref := range s.OneOf {
			if ref.Ref == target.Ref {
				all[value] = ref.Value
			}
		}
	}
	return all
}

// variant returns the schema that the discriminator selects for value, or nil.
func variant(s *openapi3.Schema, value any) (chosen *openapi3.Schema, suffix string) {
	if s.Discriminator == nil {
		return s, ""
	}
	object, _ := value.(map[string]any)
	name, _ := object[s.Discriminator.PropertyName].(string)
	return variants(s)[name], "[" + name + "]"
}

// visit calls seen with the label of everything in value that the schema describes.
func visit(s *openapi3.Schema, value any, label string, seen func(label string)) {
	s, suffix := variant(s, value)
	if s == nil {
		return
	}
	label += suffix
	below := members(s)
	each := func(name string, member any) {
		if below[name] != nil {
			seen(label + "/" + name)
			visit(below[name], member, label+"/"+name, seen)
		}
	}
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			each("*", item)
		}
	case map[string]any:
		for name, member := range value {
			if below[name] == nil {
				name = "*"
			}
			each(name, member)
		}
	}
}

// locate returns the label of the place that the tokens of a pointer lead to, and whether it is present in value. It is not ok
// if the schema does not describe the place.
func locate(s *openapi3.Schema, value any, path []string) (label string, present, ok bool) {
	for i, token := range path {
		if d := s.Discriminator; d != nil && token == d.PropertyName && i == len(path)-1 {
			object, _ := value.(map[string]any)
			_, present = object[token]
			return label + "/" + token, present, true
		}
		var suffix string
		if s, suffix = variant(s, value); s == nil {
			return "", false, false
		}
		below := members(s)
		var member any
		switch value := value.(type) {
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(value) {
				return "", false, false
			}
			member, present, token = value[n], true, "*"
		case map[string]any:
			member, present = value[token]
			if below[token] == nil {
				token = "*"
			}
		default:
			return "", false, false
		}
		if s, value, label = below[token], member, label+suffix+"/"+token; s == nil || (!present && i < len(path)-1) {
			return "", false, false
		}
	}
	return label, present || len(path) == 0, true
}
