package compat

import (
	"maps"
	"math/big"
	"slices"
	"strings"
)

// part compares two schemas as they stand in a document, either of which may be absent or a reference.
func (c *comparison) part(at place, b, h *node) {
	at, was, is, done := c.resolve(at, "schema", b, h)
	switch {
	case done:
	case is == nil:
		c.widened(at, "the schema removed")
	case was == nil:
		c.narrowed(at, "a schema added")
	default:
		c.schema(at, was, is)
	}
}

func (c *comparison) schema(at place, b, h *node) {
	switch {
	case h.get("allOf") == nil:
		b = c.base.unwrap(b)
	case b.get("allOf") == nil:
		h = c.head.unwrap(h)
	}
	c.members(at, b, h)
	for _, key := range names(b, h) {
		was, is := b.get(key), h.get(key)
		if c.same(was, is) {
			continue
		}
		switch key {
		case "properties", "required": // in members
		case "type":
			c.types(at, was, is)
		case "format":
			c.format(at, was, is)
		case "pattern", "multipleOf":
			c.replaced(at, key, was, is)
		case "maximum", "maxLength", "maxItems", "maxProperties":
			c.bound(at, key, was, is, -1)
		case "minimum", "minLength", "minItems", "minProperties":
			c.bound(at, key, was, is, +1)
		case "exclusiveMinimum", "exclusiveMaximum", "uniqueItems":
			c.demands(at, key, was, is)
		case "nullable":
			c.allows(at, key, was, is)
		case "enum":
			c.enum(at, was, is)
		case "x-known-values", "x-known-keys":
			c.known(at, key, was, is)
		case "additionalProperties":
			c.additional(at, was, is)
		case "items":
			c.part(at.in("items"), was, is)
		case "oneOf", "anyOf", "allOf":
			c.composition(at, key, was, is)
		case "discriminator":
			c.discriminator(at, was, is)
		case "x-text":
			c.text(at, was, is)
		case "default":
			c.defaultValue(at, was, is)
		case "readOnly", "writeOnly":
			c.oneWay(at, key, was, is)
		case "deprecated":
			c.deprecated(at, was, is)
		default:
			c.other(at, key, was, is)
		}
	}
}

// unwrap returns a schema with a single allOf, which is how a reference gets a default or a description, as one without. Other
// schemas, and one that contradicts the wrapped one, stay as they are.
func (d *Document) unwrap(n *node) *node {
	if len(n.get("allOf").list()) != 1 {
		return n
	}
	inner, _ := d.follow(n.get("allOf").items[0])
	flat := &node{tag: n.tag, members: maps.Clone(n.members)}
	delete(flat.members, "allOf")
	for key, member := range inner.members {
		if flat.get(key) == nil {
			flat.members[key] = member
		} else if !slices.Contains(prose, key) {
			return n
		}
	}
	return flat
}

// members compares the properties of an object, and which of them are required.
func (c *comparison) members(at place, b, h *node) {
	was, is := b.get("properties"), h.get("properties")
	needed, needs := texts(b.get("required")), texts(h.get("required"))
	for _, name := range names(was, is) {
		old, now := was.get(name), is.get(name)
		switch {
		case now == nil:
			target, _ := c.base.follow(old)
			c.add(at, Breaking, "member %s removed", name).Abrupt = !target.get("deprecated").isTrue()
		case old == nil:
			c.newMember(at, name, now, slices.Contains(needs, name), b)
		default:
			c.required(at.in("member %s", name), slices.Contains(needed, name), slices.Contains(needs, name))
			c.part(at.in("member %s", name), old, now)
		}
	}
	for _, name := range slices.Concat(needed, needs) {
		if was.get(name) == nil && is.get(name) == nil {
			c.required(at.in("member %s", name), slices.Contains(needed, name), slices.Contains(needs, name))
		}
	}
}

// newMember records a member that base, the schema before, did not have.
func (c *comparison) newMember(at place, name string, member *node, required bool, base *node) {
	target, _ := c.head.follow(member)
	switch {
	case at.side == Request && required:
		c.add(at, Breaking, "required member %s added", name)
	case at.side == Request && target.get("default") != nil: // which the fingerprint has where the member is absent (D-16)
		c.add(at, Breaking, "optional member %s added with a default, so that repeats of earlier requests are refused", name)
	case at.side == Response && openness(base.get("additionalProperties")) == closedObject:
		c.add(at, Breaking, "member %s added, to an object that was closed", name)
	case required:
		c.add(at, Compatible, "member %s added, always present", name)
	default:
		c.add(at, Compatible, "optional member %s added", name)
	}
}

func (c *comparison) types(at place, b, h *node) {
	switch was, is := b.value(), h.value(); {
	case b == nil:
		c.narrowed(at, "limited to the type %s", is)
	case h == nil:
		c.widened(at, "no longer limited to the type %s", was)
	case was == "integer" && is == "number":
		c.widened(at, "the type is number instead of integer")
	case was == "number" && is == "integer":
		c.narrowed(at, "the type is integer instead of number")
	default:
		c.add(at, Breaking, "the type is %s instead of %s", h, b)
	}
}

func (c *comparison) format(at place, b, h *node) {
	switch was, is := b.value(), h.value(); {
	case was == "int32" && is == "int64":
		c.widened(at, "the format is int64 instead of int32")
	case was == "int64" && is == "int32":
		c.narrowed(at, "the format is int32 instead of int64")
	default:
		c.replaced(at, "format", b, h)
	}
}

// replaced compares a rule whose values have no order: pattern, format, multipleOf.
func (c *comparison) replaced(at place, key string, b, h *node) {
	switch {
	case b == nil:
		c.narrowed(at, "%s %s added", key, h)
	case h == nil:
		c.widened(at, "%s %s removed", key, b)
	default:
		c.add(at, Breaking, "%s is %s instead of %s", key, h, b)
	}
}

// bound compares a limit; a step in the direction of tighter narrows: +1 for lower bounds, -1 for upper ones.
func (c *comparison) bound(at place, key string, b, h *node, tighter int) {
	was, is := number(b), number(h)
	if zero := new(big.Rat); tighter > 0 && key != "minimum" { // a length or a count is at least 0 anyway
		if b == nil {
			was = zero
		}
		if h == nil {
			is = zero
		}
	}
	switch {
	case was == nil && is == nil:
		c.other(at, key+" without a number", b, h)
	case was == nil:
		c.narrowed(at, "%s %s added", key, h)
	case is == nil:
		c.widened(at, "%s %s removed", key, b)
	case is.Cmp(was) == tighter:
		c.narrowed(at, "%s %s from %s to %s", key, raisedOrLowered(is.Cmp(was)), was.RatString(), is.RatString())
	case is.Cmp(was) == -tighter:
		c.widened(at, "%s %s from %s to %s", key, raisedOrLowered(is.Cmp(was)), was.RatString(), is.RatString())
	}
}

func raisedOrLowered(order int) string {
	if order > 0 {
		return "raised"
	}
	return "lowered"
}

func number(n *node) *big.Rat {
	value, ok := new(big.Rat).SetString(n.value())
	if !ok {
		return nil
	}
	return value
}

// demands compares a flag that forbids something when it is set.
func (c *comparison) demands(at place, key string, b, h *node) {
	switch {
	case h.isTrue() && !b.isTrue():
		c.narrowed(at, "became %s", key)
	case b.isTrue() && !h.isTrue():
		c.widened(at, "is no longer %s", key)
	}
}

// allows compares a flag that permits something when it is set.
func (c *comparison) allows(at place, key string, b, h *node) {
	switch {
	case h.isTrue() && !b.isTrue():
		c.widened(at, "became %s", key)
	case b.isTrue() && !h.isTrue():
		c.narrowed(at, "is no longer %s", key)
	}
}

func (c *comparison) enum(at place, b, h *node) {
	was, is := texts(b), texts(h)
	if b == nil {
		c.narrowed(at, "limited to the values %s", h)
		return
	}
	if h == nil {
		c.widened(at, "no longer limited to the values %s", b)
		return
	}
	if gone := without(was, is); len(gone) > 0 {
		c.narrowed(at, "values removed from the closed set: %s", strings.Join(gone, ", "))
	}
	if added := without(is, was); len(added) > 0 {
		c.widened(at, "values added to the closed set: %s", strings.Join(added, ", "))
	}
}

// known compares the values or keys of a set that may grow, but not lose what callers act on.
func (c *comparison) known(at place, key string, b, h *node) {
	if gone := without(texts(b), texts(h)); len(gone) > 0 {
		c.add(at, Breaking, "%s lost %s", key, strings.Join(gone, ", "))
	}
	if added := without(texts(h), texts(b)); len(added) > 0 {
		c.add(at, Compatible, "%s gained %s", key, strings.Join(added, ", "))
	}
}

// text compares what a string is for, by which requests are judged (D-60). To refuse texts that deceive a reader breaks nobody
// who means well, so it is compatible (D-31); line breaks may be meant well.
func (c *comparison) text(at place, b, h *node) {
	switch {
	case at.side == Response:
		c.add(at, Prose, "%s", edited("x-text", b, h))
	case b == nil:
		c.add(at, Compatible, "x-text %s added, which refuses only texts that deceive a reader or break a display", h)
	case h == nil:
		c.widened(at, "x-text %s removed", b)
	case b.value() == "line" && h.value() == "prose":
		c.widened(at, "x-text is prose instead of line, with line breaks")
	default:
		c.narrowed(at, "x-text is %s instead of %s", h, b)
	}
}

// without returns the items of all that are not in some.
func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}

// How far an object takes members that it does not declare.
const (
	openObject = iota
	mapObject  // they have a schema
	closedObject
)

func openness(additionalProperties *node) int {
	switch {
	case additionalProperties == nil || additionalProperties.isTrue():
		return openObject
	case additionalProperties.members != nil:
		return mapObject
	}
	return closedObject
}

func (c *comparison) additional(at place, b, h *node) {
	was, is := openness(b), openness(h)
	words := [...]string{"any further members", "further members of one schema", "no further members"}
	switch {
	case was == mapObject && is == mapObject:
		c.part(at.in("further members"), b, h)
	case was < is:
		c.narrowed(at, "%s allowed, until now %s", words[is], words[was])
	case was > is:
		c.widened(at, "%s allowed, until now %s", words[is], words[was])
	}
}

// composition compares the variants of oneOf and anyOf, and the parts of allOf.
func (c *comparison) composition(at place, key string, b, h *node) {
	if b == nil || h == nil {
		c.add(at, Breaking, "%s", edited(key, b, h))
		return
	}
	was, is := branches(b), branches(h)
	for _, id := range names(was, is) {
		old, now := was.get(id), is.get(id)
		switch {
		case old != nil && now != nil:
			c.part(at.in("%s %s", key, id), old, now)
		case (now == nil) == (key == "allOf"):
			c.widened(at, "%s", edited(key+" "+id, old, now))
		default:
			c.narrowed(at, "%s", edited(key+" "+id, old, now))
		}
	}
}

// branches returns the schemas of a composition by the component that they refer to, or else by their position.
func branches(n *node) *node {
	all := &node{members: map[string]*node{}}
	for i, item := range n.list() {
		id := "number " + big.NewInt(int64(i+1)).String()
		if ref := item.get("$ref").value(); ref != "" {
			id = ref[strings.LastIndex(ref, "/")+1:]
		}
		all.members[id] = item
	}
	return all
}

func (c *comparison) discriminator(at place, b, h *node) {
	switch {
	case b == nil:
		c.add(at, Compatible, "discriminator added")
		return
	case h == nil:
		c.add(at, Breaking, "discriminator removed, by which generated clients choose")
		return
	}
	if was, is := b.get("propertyName"), h.get("propertyName"); !c.same(was, is) {
		c.add(at, Breaking, "the discriminator is %s instead of %s", is, was)
	}
	was, is := b.get("mapping"), h.get("mapping")
	for _, value := range names(was, is) {
		switch old, now := was.get(value), is.get(value); {
		case now == nil:
			c.narrowed(at, "the discriminator no longer knows %s", value)
		case old == nil:
			c.widened(at, "the discriminator also knows %s", value)
		case !c.same(old, now):
			c.add(at, Breaking, "the discriminator maps %s to %s instead of %s", value, now, old)
		}
	}
	c.rest(at, b, h, "propertyName", "mapping")
}

// defaultValue compares what an absent member means. In a request that is also part of the idempotency fingerprint.
func (c *comparison) defaultValue(at place, b, h *node) {
	switch {
	case b == nil && at.side == Response:
		c.add(at, Compatible, "default %s added", h)
	case b == nil:
		c.add(at, Breaking, "default %s added, which changes what a request without it means", h)
	case h == nil:
		c.add(at, Breaking, "default %s removed", b)
	default:
		c.add(at, Breaking, "default is %s instead of %s", h, b)
	}
}

// oneWay compares readOnly, with which a member must not be sent, and writeOnly, with which it is not returned.
func (c *comparison) oneWay(at place, key string, b, h *node) {
	switch {
	case h.isTrue() == b.isTrue():
	case h.isTrue() && (key == "readOnly") == (at.side == Request):
		c.add(at, Breaking, "became %s", key)
	case h.isTrue():
		c.add(at, Compatible, "became %s", key)
	default:
		c.add(at, Compatible, "is no longer %s", key)
	}
}
