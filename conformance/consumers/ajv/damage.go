package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// others are values that are wrong almost everywhere.
var others = []any{
	nil, true, "", "x", []any{}, map[string]any{}, json.Number("0"), json.Number("-1"), json.Number("3.0"), json.Number("3.5"),
	json.Number("1e2"), json.Number("12345678901234567890"), json.Number("1000000000001"), json.Number("1000000000000.000001"),
	json.Number("9223372036854775808"),
}

// brokenFormats come near to a format and do not keep it.
var brokenFormats = map[string][]string{
	"uuid":     {"0b0c2c5e54f44b0e9d5b5f5a4f7d2f11", "urn:uuid:0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11"},
	"email":    {"asha", "asha@localhost", "a sha@example.com", "asha@example..com"},
	"date":     {"1990-02-30", "1990-4-2", "1990-04-12T00:00:00Z"},
	"ip":       {"203.0.113.256", "203.0.113.7:80", "fe80::1%eth0"},
	"data-uri": {"iVBORw0KGgo=", "data:text/plain;base64,iVBORw0KGgo=", "data:image/png;base64,iVBORw0KGg", "data:image/png;base64,"},
}

// damage breaks one place, in a way that fits its type.
func (g *generator) damage(p place) {
	if p.remove != nil && g.IntN(5) == 0 {
		p.remove()
		return
	}
	if g.IntN(4) == 0 {
		p.set(pick(g, others))
		return
	}
	switch value := p.value.(type) {
	case string:
		p.set(g.brokenText(p, value))
	case json.Number:
		p.set(pick(g, []json.Number{"-" + value, value + "0000000000000000000", "1000000000000.000001", "0", "0.0", "1e2", value + "e0", "2.0"}))
	case []any:
		if most := p.schema.MaxItems; most != nil && len(value) > 0 {
			p.set(slices.Repeat(value, int(*most)+1))
			return
		}
		p.set(append(value, pick(g, others)))
	case map[string]any:
		if most := p.schema.MaxProps; most != nil && g.IntN(2) == 0 {
			for i := range *most + 1 {
				value["TAG_"+strconv.FormatUint(i, 10)] = "VERIFIED" // the values of the contract's only map
			}
			return
		}
		value[pick(g, []string{"conformance", "payoutMethod", "ID", " id", ""})] = pick(g, others)
	default:
		p.set(pick(g, others))
	}
}

func (g *generator) brokenText(p place, text string) string {
	_, last := utf8.DecodeLastRuneInString(text)
	broken := append([]string{
		"", text[:len(text)-last], text + "\n", text + "\x00", " " + text, strings.ToLower(text), text + "é", text + "٣", text + text,
	}, brokenFormats[p.schema.Format]...)
	if kindOfText(p.schema) != "" {
		broken = append(broken, "  ", text+"\u202e", "\u200b"+text, text+"\u200d")
	}
	if most := p.schema.MaxLength; most != nil && *most < 1<<16 {
		broken = append(broken, strings.Repeat("A", int(*most)+1), strings.Repeat("😀", int(*most)), strings.Repeat("😀", int(*most)+1))
	}
	return pick(g, broken)
}

// breakText breaks the text of an object as JSON.
func (g *generator) breakText(text string) string {
	name, _, _ := strings.Cut(text, ":")
	return pick(g, []string{
		text[:len(text)-1], text + text, text + ",", "", "null", "[]", `"` + text, strings.Replace(text, ":", "=", 1),
		name + ":null," + text[1:], "[" + text + "]", strings.ReplaceAll(text, `"`, "'"),
	})
}
