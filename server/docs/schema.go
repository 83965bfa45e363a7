package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// facets are a schema, what it refers to, and all parts of an allOf: a keyword is taken from the first that has it.
type facets struct {
	all  []*node
	name string // of the outermost component
}

func (w *walker) facets(n *node) facets {
	target, name := w.follow(n)
	f := facets{name: name}
	if target == nil {
		return f
	}
	if target != n {
		f.all = append(f.all, n) // a description beside $ref
	}
	f.all = append(f.all, target)
	for _, part := range target.at("allOf").list() {
		inner := w.facets(part)
		f.name = cmp.Or(f.name, inner.name)
		f.all = append(f.all, inner.all...)
	}
	return f
}

func (f facets) at(keyword string) *node {
	for _, n := range f.all {
		if value := n.at(keyword); value != nil {
			return value
		}
	}
	return nil
}

func (f facets) text(keyword string) string { return f.at(keyword).text() }

// schema reads a schema; above are the names of the components that it is part of.
func (w *walker) schema(n *node, name string, above ...string) *property {
	f := w.facets(n)
	p := &property{
		Name: name, Description: f.text("description"), Deprecated: f.text("deprecated") == "true", Example: f.at("example").compact(),
	}
	for _, facet := range f.all {
		p.Decisions = union(p.Decisions, facet.at("x-decision").texts())
	}
	if f.name != "" && slices.Contains(above, f.name) {
		p.Type = f.name + ", as above"
		return p
	}
	above = append(slices.Clone(above), f.name)
	p.Type = cmp.Or(f.text("type"), "any value")
	if format := f.text("format"); format != "" {
		p.Type += " (" + format + ")"
	}
	switch p.Facts = rules(f); {
	case f.at("oneOf") != nil:
		w.variants(p, f, above)
	case f.at("items") != nil:
		item := w.schema(f.at("items"), "", above...)
		p.Type = "array of " + strings.Replace(item.Type, "object", cmp.Or(w.facets(f.at("items")).name, "objects"), 1)
		p.Properties, p.Variants = item.Properties, item.Variants
		p.Description = cmp.Or(p.Description, item.Description)
		for _, rule := range item.Facts {
			rule.Label = strings.TrimSpace("each " + strings.ToLower(rule.Label))
			p.Facts = append(p.Facts, rule)
		}
	case f.at("properties") != nil:
		w.properties(p, f, above)
	}
	if values := f.at("additionalProperties"); values.at("type") != nil || values.at("$ref") != nil {
		value := w.schema(values, "", above...)
		p.Type = "object of " + value.Type + " values"
		p.Properties = value.Properties
		for _, rule := range value.Facts {
			rule.Label = strings.TrimSpace("each " + strings.ToLower(rule.Label))
			p.Facts = append(p.Facts, rule)
		}
	}
	if f.text("nullable") == "true" {
		p.Type += " or null"
	}
	return p
}

func (w *walker) properties(p *property, f facets, above []string) {
	required := map[string]bool{}
	for _, facet := range f.all {
		for _, name := range facet.at("required").texts() {
			required[name] = true
		}
	}
	for _, facet := range f.all {
		for name, n := range facet.at("properties").members() {
			member := w.schema(n, name, above...)
			member.Required = required[name]
			p.Properties = append(p.Properties, member)
		}
	}
}

// variants reads a oneOf. With a discriminator a variant has the name of the value that selects it.
func (w *walker) variants(p *property, f facets, above []string) {
	p.Type = "object"
	if by := f.text("discriminator"); by == "" && f.at("discriminator") != nil {
		p.Type += ", one form for each " + f.at("discriminator").at("propertyName").text()
	}
	for _, n := range f.at("oneOf").list() {
		name := w.facets(n).name
		for value, target := range f.at("discriminator").at("mapping").members() {
			if target.text() == n.at("$ref").text() {
				name = value
			}
		}
		p.Variants = append(p.Variants, w.schema(n, name, above...))
	}
}

// rules are the limits of a value, in words where that is shorter than the keywords.
func rules(f facets) []fact {
	var all []fact
	add := func(text string) {
		if text != "" {
			all = append(all, fact{Text: text})
		}
	}
	values := func(label string, list []string) {
		if len(list) > 0 {
			all = append(all, fact{Label: label, Values: list})
		}
	}
	if f.text("format") != "uuid" { // which has one length
		add(between(f.text("minLength"), f.text("maxLength"), "character"))
	}
	add(between(f.text("minItems"), f.text("maxItems"), "item"))
	add(between(f.text("minProperties"), f.text("maxProperties"), "member"))
	add(numbers(f))
	if reason := f.text("x-reason"); reason != "" { // says in words what the pattern says
		add(reason)
	} else {
		values("Pattern", f.at("pattern").texts())
	}
	values("Default", compacts(f.at("default")))
	values("One of", compacts(f.at("enum")))
	values("Known values", compacts(f.at("x-known-values")))
	values("Known names", compacts(f.at("x-known-keys")))
	if f.text("readOnly") == "true" {
		add("only in responses")
	}
	if f.text("writeOnly") == "true" {
		add("only in requests")
	}
	return all
}

func compacts(n *node) []string {
	var all []string
	for _, item := range n.list() {
		all = append(all, item.compact())
	}
	return all
}

// between is a range of counts in words.
func between(low, high, unit string) string {
	if low == "0" {
		low = ""
	}
	plural := func(n string) string {
		if n == "1" {
			return unit
		}
		return unit + "s"
	}
	switch {
	case low != "" && low == high:
		return fmt.Sprintf("exactly %s %s", grouped(low), plural(low))
	case low != "" && high != "":
		return fmt.Sprintf("%s to %s %s", grouped(low), grouped(high), plural(high))
	case low != "":
		return fmt.Sprintf("at least %s %s", grouped(low), plural(low))
	case high != "":
		return fmt.Sprintf("at most %s %s", grouped(high), plural(high))
	}
	return ""
}

// numbers is a range of values in words.
func numbers(f facets) string {
	low, high := f.text("minimum"), f.text("maximum")
	var parts []string
	if low != "" {
		word := "at least "
		if f.text("exclusiveMinimum") == "true" {
			word = "more than "
		}
		parts = append(parts, word+grouped(low))
	}
	if high != "" {
		word := "at most "
		if f.text("exclusiveMaximum") == "true" {
			word = "less than "
		}
		parts = append(parts, word+grouped(high))
	}
	return strings.Join(parts, ", ")
}

// grouped separates the thousands of a whole number by commas.
func grouped(digits string) string {
	if strings.ContainsAny(digits, ".eE-") {
		return digits
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
