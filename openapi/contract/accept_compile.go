package contract

import (
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// acceptors compiles the schemas of one direction. A schema with a rule that is not known here becomes nothing.
type acceptors struct {
	judge   *judge
	request bool
	made    map[*openapi3.Schema]acceptor
}

func (c *acceptors) of(s *openapi3.Schema) acceptor {
	if a, ok := c.made[s]; ok {
		return a
	}
	a := c.compile(s)
	if s.Nullable {
		a = nullable{a}
	}
	c.made[s] = a
	return a
}

func (c *acceptors) compile(s *openapi3.Schema) acceptor {
	switch {
	case len(s.AllOf) > 0:
		if !onlyWraps(s) {
			return nothing{}
		}
		return c.of(s.AllOf[0].Value)
	case len(s.OneOf) > 0:
		return c.variants(s)
	case len(s.Enum) > 0 && !s.Type.Is(openapi3.TypeString):
		return nothing{}
	case s.Type.Is(openapi3.TypeString):
		return c.string(s)
	case s.Type.Is(openapi3.TypeInteger), s.Type.Is(openapi3.TypeNumber):
		return numberAcceptor{c.judge.numbers[s]}
	case s.Type.Is(openapi3.TypeBoolean):
		return booleanAcceptor{}
	case s.Type.Is(openapi3.TypeArray):
		return c.array(s)
	default:
		return c.object(s)
	}
}

// onlyWraps reports whether a schema with allOf or oneOf has no rule of its own, but for null.
func onlyWraps(s *openapi3.Schema) bool {
	own := *s
	own.AllOf, own.OneOf, own.Discriminator = nil, nil, nil
	own.Nullable, own.ReadOnly, own.WriteOnly, own.Deprecated = false, false, false, false
	own.Default, own.Example = nil, nil
	return own.IsEmpty()
}

func (c *acceptors) variants(s *openapi3.Schema) acceptor {
	variants := c.judge.variants[s]
	if !onlyWraps(s) || len(variants) != len(s.OneOf) { // kin-openapi counts the schemas that a value follows
		return nothing{}
	}
	a := &variantAcceptor{discriminator: s.Discriminator.PropertyName, variants: map[string]acceptor{}}
	c.made[s] = a // a schema may contain itself
	for name, variant := range variants {
		a.variants[name] = c.of(variant)
	}
	return a
}

func (c *acceptors) string(s *openapi3.Schema) acceptor {
	a := &stringAcceptor{minLength: s.MinLength, maxLength: s.MaxLength, format: stringFormats[s.Format]}
	if s.Format != "" && a.format == nil {
		return nothing{}
	}
	if c.request {
		a.kind = c.judge.texts[s]
	}
	if len(s.Enum) > 0 {
		a.enum = map[string]bool{}
	}
	for _, value := range s.Enum {
		name, ok := value.(string)
		if !ok {
			return nothing{}
		}
		a.enum[name] = true
	}
	if s.Pattern != "" {
		var err error
		if a.pattern, err = matcher(s.Pattern); err != nil { // kin-openapi also takes some of ECMAScript
			return nothing{}
		}
	}
	return a
}

func (c *acceptors) array(s *openapi3.Schema) acceptor {
	if s.UniqueItems || s.Items == nil {
		return nothing{}
	}
	a := &arrayAcceptor{min: s.MinItems, maxItems: s.MaxItems}
	c.made[s] = a
	a.items = c.of(s.Items.Value)
	return a
}

// mostMembers is how many members have a bit of their own.
const mostMembers = 64

func (c *acceptors) object(s *openapi3.Schema) acceptor {
	keys := c.judge.keys[s]
	if len(s.Properties) > mostMembers || isOpen(s) || (keys != nil && len(s.Properties) > 0) ||
		slices.ContainsFunc(s.Required, func(name string) bool { return s.Properties[name] == nil }) {
		return nothing{}
	}
	a := &objectAcceptor{members: map[string]memberAcceptor{}, min: s.MinProps, most: s.MaxProps, names: keys}
	c.made[s] = a
	for name, property := range s.Properties {
		if c.otherDirection(property.Value) {
			a.members[name] = memberAcceptor{nothing{}, 0, noField}
			continue
		}
		bit := uint64(1) << len(a.members)
		a.members[name] = memberAcceptor{c.of(property.Value), bit, noField}
		if slices.Contains(s.Required, name) {
			a.required |= bit
		}
	}
	if others := s.AdditionalProperties.Schema; others != nil {
		a.others = c.of(others.Value)
	}
	return a
}

// otherDirection reports whether a member belongs to responses only, of a request, or the other way round.
func (c *acceptors) otherDirection(s *openapi3.Schema) bool {
	return (c.request && s.ReadOnly) || (!c.request && s.WriteOnly)
}
