package checks

import (
	"encoding/json"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// sampler makes values that keep a schema, to be damaged. They need not make sense: what they name was never there, and a
// body with all members may break rules that no schema states.
type sampler struct {
	country string // for every member that is called country
	variant string // of a oneOf
	all     bool   // optional members too
}

const (
	requiredMembers = false
	allMembers      = true
	bankDeposit     = string(api.PayoutMethodBankDeposit)
)

// sample makes a body that keeps the schema of the operation.
func (op operation) sample(t *probe.T, variant string, all bool) map[string]any {
	s := sampler{country: t.Target().Facts.Destination, variant: variant, all: all}
	if op.id == "createUser" {
		s.country = t.Target().Facts.OriginCountry
	}
	body, ok := s.value(op.body).(map[string]any)
	if !ok {
		t.Brokenf("the body of %s is not an object", op.id)
	}
	return body
}

func (s sampler) value(schema *openapi3.Schema) any {
	schema = s.chosen(schema)
	switch {
	case schema.Type.Is(openapi3.TypeObject):
		object := map[string]any{}
		for name, member := range schema.Properties {
			switch {
			case !s.all && !slices.Contains(schema.Required, name):
			case name == "country":
				object[name] = s.country
			case len(member.Value.Enum) > 0 && slices.Contains(member.Value.Enum, any(s.variant)):
				object[name] = s.variant
			default:
				object[name] = s.value(member.Value)
			}
		}
		if others := schema.AdditionalProperties.Schema; others != nil {
			object["EMAIL"] = s.value(others.Value) // a map has CIP tags
		}
		return object
	case schema.Type.Is(openapi3.TypeArray):
		return []any{s.value(schema.Items.Value)}
	case schema.Type.Is(openapi3.TypeBoolean):
		return false
	case schema.Type.Is(openapi3.TypeInteger):
		return json.Number("999999999999")
	case schema.Type.Is(openapi3.TypeNumber):
		return json.Number("100")
	}
	return sampleText(schema)
}

// chosen follows a oneOf to the variant.
func (s sampler) chosen(schema *openapi3.Schema) *openapi3.Schema {
	if schema.Discriminator == nil {
		return schema
	}
	for _, ref := range schema.OneOf {
		if ref.Ref == schema.Discriminator.Mapping[s.variant].Ref {
			return ref.Value
		}
	}
	return schema
}

func sampleText(schema *openapi3.Schema) string {
	if isAddress(schema) {
		return receiverURL
	}
	if example, ok := schema.Example.(string); ok {
		return example
	}
	if len(schema.Enum) > 0 {
		if first, ok := schema.Enum[0].(string); ok {
			return first
		}
	}
	switch schema.Format {
	case "uuid":
		return uuid.NewString()
	case "email":
		return "asha.conformance@example.com"
	case "date":
		return "1990-04-12"
	}
	return "Conformance"
}

// variantsOf returns the values of the discriminator below a body; one empty value where there is none.
func variantsOf(body *openapi3.Schema) []string {
	for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
		if d := body.Properties[name].Value.Discriminator; d != nil {
			return slices.Sorted(maps.Keys(d.Mapping))
		}
	}
	return []string{""}
}

// unfit returns texts that break a pattern: among them those that are one too short or too long for a repetition in it.
func unfit(pattern, sample string) []string {
	keeps, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	candidates := oneRepetitionOff(pattern)
	candidates = append(candidates,
		spell(pattern, func(r *syntax.Regexp) int { return r.Min - 1 }), spell(pattern, func(r *syntax.Regexp) int { return max(1, r.Max+1) }),
		strings.ToLower(sample), sample+"é", sample+"\u0085", strings.Repeat("A", 70), strings.Repeat("1", 30),
	)
	return slices.DeleteFunc(candidates, keeps.MatchString)
}

// oneRepetitionOff returns texts of a pattern in which one repetition has one too few or one too many.
func oneRepetitionOff(pattern string) (all []string) {
	for wrong := 0; ; wrong++ {
		for _, off := range []func(*syntax.Regexp) int{
			func(r *syntax.Regexp) int { return r.Min - 1 }, func(r *syntax.Regexp) int { return max(r.Min, r.Max) + 1 },
		} {
			n := 0
			text := spell(pattern, func(r *syntax.Regexp) int {
				if r.Op != syntax.OpRepeat {
					return 1
				}
				if n++; n-1 == wrong {
					return off(r)
				}
				return r.Min
			})
			if wrong >= n {
				return all
			}
			all = append(all, text)
		}
	}
}
