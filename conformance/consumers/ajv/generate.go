package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

// generator makes values that keep a schema, and remembers each place in the value that it makes.
type generator struct {
	*rand.Rand
	places []place
}

// place is a value within a body.
type place struct {
	schema *openapi3.Schema
	value  any
	set    func(any)
	remove func() // nil if it is no member
}

// generate returns the text of a body that keeps the schema or, if damaged, most probably does not.
func generate(random *rand.Rand, schema *openapi3.Schema, damaged bool) (string, error) {
	g := &generator{Rand: random}
	var body any
	body = g.value(schema, func(v any) { body = v }, nil)
	breakText := func(s string) string { return s }
	if damaged {
		if g.IntN(10) == 0 {
			breakText = g.breakText
		} else {
			g.damage(pick(g, g.places))
		}
	}
	written, err := json.Marshal(body)
	return breakText(string(written)), err
}

func pick[T any](g *generator, all []T) T { return all[g.IntN(len(all))] }

func (g *generator) value(schema *openapi3.Schema, set func(any), remove func()) any {
	if len(schema.OneOf) > 0 {
		schema = pick(g, schema.OneOf).Value
	}
	for len(schema.AllOf) > 0 {
		schema = schema.AllOf[0].Value
	}
	var value any
	switch {
	case schema.Nullable && g.IntN(2) == 0:
	case schema.Type.Is(openapi3.TypeObject):
		value = g.object(schema)
	case schema.Type.Is(openapi3.TypeArray):
		list := make([]any, g.IntN(3))
		for i := range list {
			list[i] = g.value(schema.Items.Value, func(v any) { list[i] = v }, nil)
		}
		value = list
	case schema.Type.Is(openapi3.TypeBoolean):
		value = g.IntN(2) == 0
	case schema.Type.Is(openapi3.TypeInteger):
		value = json.Number(strconv.FormatInt(1+g.Int64N(1<<52), 10))
	case schema.Type.Is(openapi3.TypeNumber):
		value = json.Number(pick(g, []string{"1", "0.01", "100.00", "132.2500000000000001", "999999999.99", "21.719"}))
	default:
		value = g.text(schema)
	}
	g.places = append(g.places, place{schema, value, set, remove})
	return value
}

func (g *generator) object(schema *openapi3.Schema) map[string]any {
	object := map[string]any{}
	member := func(name string, schema *openapi3.Schema) {
		object[name] = g.value(schema, func(v any) { object[name] = v }, func() { delete(object, name) })
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(schema.Required, name) || g.IntN(2) == 0 {
			member(name, schema.Properties[name].Value)
		}
	}
	if others := schema.AdditionalProperties.Schema; others != nil {
		for _, name := range []string{"EMAIL", "ID_DOC", "STATE"}[g.IntN(4):] {
			member(name, others.Value)
		}
	}
	return object
}

// formats are values that keep a format.
var formats = map[string][]string{
	"email":    {"asha@example.com", "a.b+c@sub.example.org"},
	"date":     {"1990-04-12", "2024-02-29"},
	"ip":       {"203.0.113.7", "2001:db8::1"},
	"data-uri": {"data:image/png;base64,iVBORw0KGgo=", "data:application/pdf;base64,JVBERi0xLjcK"},
}

func (g *generator) text(schema *openapi3.Schema) string {
	switch {
	case len(schema.Enum) > 0:
		return fmt.Sprint(pick(g, schema.Enum))
	case schema.Format == "uuid":
		return uuid.Must(uuid.NewRandomFromReader(letters{g})).String()
	case schema.Format != "":
		return pick(g, formats[schema.Format])
	case kindOfText(schema) != "":
		return g.person(schema)
	case schema.Pattern != "":
		for matching := rapid.StringMatching(schema.Pattern); ; {
			example := matching.Example(g.Int())
			if n := uint64(utf8.RuneCountInString(example)); n >= schema.MinLength && (schema.MaxLength == nil || n <= *schema.MaxLength) {
				return example
			}
		}
	}
	return g.anyText(schema, "ab Z09-_/\"\\é漢😀\t")
}

// kindOfText returns the kind of a name, an address or a note, "" where a schema is of no such text.
func kindOfText(schema *openapi3.Schema) text.Kind {
	kind, _ := schema.Extensions["x-text"].(string)
	return text.Kind(kind)
}

// person returns what a person may write, also with a joiner.
func (g *generator) person(schema *openapi3.Schema) string {
	characters := "ab Z09-_/\"\\é漢😀ञ"
	if kindOfText(schema) == text.Prose {
		characters += "\t"
	}
	for {
		written := g.anyText(schema, characters)
		if g.IntN(8) == 0 && utf8.RuneCountInString(written)+3 <= int(*schema.MaxLength) {
			written += "क्\u200d"
		}
		if kindOfText(schema).Reason(written) == "" {
			return written
		}
	}
}

// anyText returns a text of some characters, within the length of the schema.
func (g *generator) anyText(schema *openapi3.Schema, characters string) string {
	longest := min(20, *schema.MaxLength)
	if g.IntN(8) == 0 {
		longest = *schema.MaxLength
	}
	var written strings.Builder
	for range int(schema.MinLength) + g.IntN(int(longest)-int(schema.MinLength)+1) {
		written.WriteRune(pick(g, []rune(characters)))
	}
	return written.String()
}

// letters is the source of random bytes of a UUID.
type letters struct{ g *generator }

func (l letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(l.g.IntN(256))
	}
	return len(p), nil
}
