package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

// privateCopy returns a deep copy of doc, which the caller may change.
func privateCopy(doc *openapi3.T) (*openapi3.T, error) {
	if doc == nil {
		return nil, errors.New("no document")
	}
	written, err := doc.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("copy the document: %w", err)
	}
	own, err := openapi3.NewLoader().LoadFromData(written)
	if err != nil {
		return nil, fmt.Errorf("copy the document: %w", err)
	}
	if !own.IsOpenAPI30() {
		return nil, errors.New("the document must be OpenAPI 3.0")
	}
	if err := own.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the document is invalid: %w", err)
	}
	return own, nil
}

// supported rejects what cannot be checked exactly, so that no part of a document is silently ignored.
func supported(pointer string, ref *openapi3.SchemaRef) error {
	s := ref.Value
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s", pointer, fmt.Sprintf(format, args...))
	}
	composed := len(s.AllOf) > 0 || len(s.OneOf) > 0
	switch {
	case len(s.AnyOf) > 0, s.Not != nil, s.MultipleOf != nil:
		return refuse("anyOf, not and multipleOf are not supported")
	case len(s.AllOf) > 1:
		return refuse("allOf is supported around a single schema only")
	case composed && (len(s.Properties) > 0 || s.AdditionalProperties.Has != nil || s.AdditionalProperties.Schema != nil):
		return refuse("a schema with allOf or oneOf must not have properties of its own")
	case !composed && !s.Type.IsSingle():
		return refuse("a schema needs one type")
	}
	if s.Format != "" && !slices.ContainsFunc(s.Type.Slice(), func(t string) bool { return slices.Contains(formats[t], s.Format) }) {
		return refuse("format %s is not known for this type", s.Format)
	}
	for _, limit := range []*float64{s.Min, s.Max} {
		if limit != nil && !keepsDigits(*limit) {
			return refuse("a bound must have at most %d significant digits", floatDigits)
		}
	}
	if reason, ok := s.Extensions[reasonExtension]; ok {
		if _, ok := reason.(string); !ok {
			return refuse("%s must be a string", reasonExtension)
		}
	}
	if kind, ok := s.Extensions[textExtension]; ok {
		if !s.Type.Is(openapi3.TypeString) || !slices.Contains(text.Kinds(), textKind(s)) {
			return refuse("%s must be line or prose, of a string, not %v", textExtension, kind)
		}
	}
	if len(s.OneOf) > 0 {
		if _, err := variants(s); err != nil {
			return refuse("%v", err)
		}
	}
	return nil
}

// textExtension says what a string of a request is for, which decides about its characters (D-60).
const textExtension = "x-text"

// textKind returns the kind of a string, empty if the schema has none.
func textKind(s *openapi3.Schema) text.Kind {
	kind, _ := s.Extensions[textExtension].(string)
	return text.Kind(kind)
}

// variants returns the schemas of a oneOf by the value of its discriminator.
func variants(s *openapi3.Schema) (map[string]*openapi3.Schema, error) {
	if s.Discriminator == nil || len(s.Discriminator.Mapping) == 0 {
		return nil, errors.New("oneOf needs a discriminator with a mapping")
	}
	byName := map[string]*openapi3.Schema{}
	for name, target := range s.Discriminator.Mapping {
		i := slices.IndexFunc(s.OneOf, func(ref *openapi3.SchemaRef) bool { return ref.Ref == target.Ref })
		if i < 0 {
			return nil, fmt.Errorf("the discriminator maps %s to a schema that is not in oneOf", name)
		}
		byName[name] = s.OneOf[i].Value
	}
	return byName, nil
}

// The extensions that list the values of a string and the members of a map, where a response may have more in later
// versions (D-31). The version at hand has no others.
const (
	knownValuesExtension = "x-known-values"
	knownKeysExtension   = "x-known-keys"
)

// known returns the texts of an extension, nil if the schema does not have it.
func known(s *openapi3.Schema, extension string) ([]any, error) {
	list, ok := s.Extensions[extension]
	if !ok {
		return nil, nil
	}
	values, _ := list.([]any)
	if len(values) == 0 || slices.ContainsFunc(values, func(v any) bool { _, isText := v.(string); return !isText }) {
		return nil, fmt.Errorf("%s must be a list of strings", extension)
	}
	return values, nil
}

// closed rejects a request schema that allows unknown members or values, which would not be checked.
func closed(pointer string, ref *openapi3.SchemaRef) error {
	s := ref.Value
	for _, extension := range []string{knownValuesExtension, knownKeysExtension} {
		if _, ok := s.Extensions[extension]; ok {
			return fmt.Errorf("%s: %s is for responses, a request needs a closed set", pointer, extension)
		}
	}
	if s.Type.Is(openapi3.TypeObject) && isOpen(s) {
		return fmt.Errorf("%s: an object of a request must be closed with additionalProperties", pointer)
	}
	return nil
}

func isOpen(s *openapi3.Schema) bool {
	has := s.AdditionalProperties.Has
	return s.AdditionalProperties.Schema == nil && (has == nil || *has) && len(s.AllOf) == 0 && len(s.OneOf) == 0
}

// newJudge prepares the schemas of a document, which it changes: responses are closed so that an undeclared member is
// found, and number rules move to the judge.
func newJudge(doc *openapi3.T) (*judge, error) {
	if err := doc.WalkSchemas(supported); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		for method, op := range doc.Paths.Value(path).Operations() {
			if op.RequestBody == nil {
				continue
			}
			for _, media := range op.RequestBody.Value.Content {
				if err := media.Schema.WalkSubtree(closed); err != nil {
					return nil, fmt.Errorf("%s %s: %w", method, path, err)
				}
			}
		}
	}
	j := &judge{
		keys: map[*openapi3.Schema][]any{}, numbers: map[*openapi3.Schema]numberRule{}, texts: map[*openapi3.Schema]text.Kind{},
		variants: map[*openapi3.Schema]map[string]*openapi3.Schema{},
	}
	err := doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) (err error) {
		s := ref.Value
		if values, err := known(s, knownValuesExtension); err != nil {
			return err
		} else if values != nil {
			s.Enum = values
		}
		if keys, err := known(s, knownKeysExtension); err != nil {
			return err
		} else if keys != nil {
			j.keys[s] = keys
		}
		if s.MaxLength != nil && boundsLength(s) {
			s.MaxLength = nil // or a value of a wrong form and length would be reported twice
		}
		switch {
		case len(s.OneOf) > 0:
			j.variants[s], err = variants(s)
		case s.Type.Is(openapi3.TypeObject) && s.AdditionalProperties.Has == nil && isOpen(s):
			s.AdditionalProperties = openapi3.AdditionalProperties{Has: new(bool)}
		case s.Type.Is(openapi3.TypeInteger), s.Type.Is(openapi3.TypeNumber):
			j.numbers[s] = takeNumberRule(s)
		case textKind(s) != "":
			j.texts[s] = textKind(s)
		}
		return err
	})
	j.requests = acceptors{judge: j, request: true, made: map[*openapi3.Schema]acceptor{}}
	j.responses = acceptors{judge: j, made: map[*openapi3.Schema]acceptor{}}
	return j, err
}

// boundsLength reports whether the format or the pattern of a string already keeps its length within maxLength.
func boundsLength(s *openapi3.Schema) bool {
	if s.Format == "uuid" || s.Format == "date" {
		return true
	}
	tree, err := syntax.Parse(s.Pattern, syntax.Perl)
	if err != nil || tree.Op != syntax.OpConcat ||
		tree.Sub[0].Op != syntax.OpBeginText || tree.Sub[len(tree.Sub)-1].Op != syntax.OpEndText {
		return false
	}
	length, bounded := longest(tree)
	return bounded && uint64(length) <= *s.MaxLength
}

// longest returns the greatest number of characters that a pattern matches.
func longest(tree *syntax.Regexp) (length int, bounded bool) {
	switch tree.Op {
	case syntax.OpBeginText, syntax.OpEndText, syntax.OpEmptyMatch:
		return 0, true
	case syntax.OpLiteral:
		return len(tree.Rune), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, true
	case syntax.OpCapture, syntax.OpQuest:
		return longest(tree.Sub[0])
	case syntax.OpRepeat:
		length, bounded = longest(tree.Sub[0])
		return length * tree.Max, bounded && tree.Max >= 0
	case syntax.OpConcat:
		for _, part := range tree.Sub {
			n, ok := longest(part)
			if !ok {
				return 0, false
			}
			length += n
		}
		return length, true
	}
	return 0, false
}
