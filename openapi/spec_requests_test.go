package openapi_test

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// D-13: request schemas are closed and bounded.
func TestRequestsAreClosedAndBounded(t *testing.T) {
	t.Parallel()
	for name, op := range operations(t) {
		if op.RequestBody != nil {
			if !op.RequestBody.Value.Required {
				t.Errorf("%s: an empty body would pass", name)
			}
			for media, body := range op.RequestBody.Value.Content {
				checkBounds(t, name+" "+media, body.Schema)
				checkTexts(t, name+" "+media, body.Schema)
			}
		}
		for _, parameter := range op.Parameters {
			checkBounds(t, name+" "+parameter.Value.Name, parameter.Value.Schema)
		}
	}
}

// D-05: numbers are exact. kin-openapi checks multipleOf in floats.
func TestNumbersAreExact(t *testing.T) {
	t.Parallel()
	found := 0
	err := document(t).WalkSchemas(func(at string, ref *openapi3.SchemaRef) error {
		s := ref.Value
		if s.MultipleOf != nil {
			t.Errorf("%s has multipleOf", at)
		}
		if s.Type.Is(openapi3.TypeNumber) {
			found++
			if s.Format != "decimal" {
				t.Errorf("%s is a number of format %q, want decimal", at, s.Format)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Fatalf("%d numbers, %v", found, err)
	}
}

func checkBounds(t *testing.T, what string, ref *openapi3.SchemaRef) {
	t.Helper()
	err := ref.WalkSubtree(func(at string, ref *openapi3.SchemaRef) error {
		if reason := unbounded(ref.Value); reason != "" {
			t.Errorf("%s %s %s", what, at, reason)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// unbounded returns what a request schema does not bound, or "".
func unbounded(s *openapi3.Schema) string {
	switch {
	case len(s.OneOf) > 0:
		if s.Discriminator == nil || len(s.Discriminator.Mapping) != len(s.OneOf) {
			return "is a oneOf whose discriminator does not name every variant"
		}
	case len(s.AllOf) > 0, len(s.AnyOf) > 0, s.Not != nil:
		return "is composed, which closed objects do not bear"
	case s.Type.Is(openapi3.TypeObject):
		if s.AdditionalProperties.Schema != nil {
			if s.MaxProps == nil {
				return "is a map without maxProperties"
			}
		} else if s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has {
			return "is an open object"
		}
	case s.Type.Is(openapi3.TypeArray):
		if s.MaxItems == nil {
			return "is an array without maxItems"
		}
	case s.Type.Is(openapi3.TypeString):
		if s.MaxLength == nil && len(s.Enum) == 0 && !slices.Contains([]string{"uuid", "date", "ip"}, s.Format) {
			return boundless(s.Pattern)
		}
	case s.Type.Is(openapi3.TypeNumber), s.Type.Is(openapi3.TypeInteger):
		if s.Min == nil {
			return "is a number without minimum"
		}
	case s.Type.Is(openapi3.TypeBoolean):
	default:
		return fmt.Sprintf("has the type %v", s.Type)
	}
	return ""
}

// checkTexts fails the test for a string whose characters are not restricted, or whose callers do not learn how.
func checkTexts(t *testing.T, what string, ref *openapi3.SchemaRef) {
	t.Helper()
	err := ref.WalkSubtree(func(at string, ref *openapi3.SchemaRef) error {
		s := ref.Value
		switch {
		case !s.Type.Is(openapi3.TypeString) || len(s.Enum) > 0 || s.Format != "":
		case s.Pattern == "":
			t.Errorf("%s %s is a string without a pattern", what, at)
		case s.Extensions["x-reason"] == nil:
			t.Errorf("%s %s has a pattern, and no x-reason that says what it demands", what, at)
		case strings.HasPrefix(s.Pattern, "^[^") && s.Extensions["x-text"] == nil:
			t.Errorf("%s %s is free text without x-text, which is line, or prose if it may have line breaks", what, at)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// boundless returns why a pattern does not bound the length of a string, or "".
func boundless(pattern string) string {
	if pattern == "" {
		return "is a string without bounds"
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return err.Error()
	}
	parts := tree.Sub
	if tree.Op != syntax.OpConcat || parts[0].Op != syntax.OpBeginText || parts[len(parts)-1].Op != syntax.OpEndText {
		return fmt.Sprintf("is a string, and its pattern %s is not anchored at both ends", pattern)
	}
	if repeatsForever(tree) {
		return fmt.Sprintf("is a string, and its pattern %s has no greatest length", pattern)
	}
	return ""
}

func repeatsForever(tree *syntax.Regexp) bool {
	return tree.Op == syntax.OpStar || tree.Op == syntax.OpPlus || (tree.Op == syntax.OpRepeat && tree.Max < 0) ||
		slices.ContainsFunc(tree.Sub, repeatsForever)
}
