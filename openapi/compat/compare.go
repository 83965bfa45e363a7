package compat

import (
	"regexp"
	"slices"
	"strings"
)

// Compare returns what changes from base to head, the most severe first.
func Compare(base, head *Document) []Change {
	c := &comparison{
		base: base, head: head,
		changes: map[[3]string]*Change{}, equal: map[[2]string]bool{}, reached: map[*node]bool{}, moved: map[*node]bool{},
	}
	c.document()
	return c.sorted()
}

type comparison struct {
	base, head *Document
	changes    map[[3]string]*Change
	equal      map[[2]string]bool // what sameTarget found
	assumed    [][2]string        // what it found equal, in this order
	operation  string             // id of the operation that is compared
	seen       map[visit]bool     // components compared for this operation
	reached    map[*node]bool     // components of both documents that an operation uses
	moved      map[*node]bool     // components that have another name in the other document
}

type visit struct {
	base, head *node
	side       Side
}

// same reports whether two parts are equal, with all that they refer to.
func (c *comparison) same(b, h *node) bool {
	if b == nil || h == nil || b.tag != h.tag || b.text != h.text || len(b.members) != len(h.members) || len(b.items) != len(h.items) {
		return b == h
	}
	for name, member := range b.members {
		if !c.same(member, h.members[name]) {
			return false
		}
	}
	for i, item := range b.items {
		if !c.same(item, h.items[i]) {
			return false
		}
	}
	return b.get("$ref") == nil || c.sameTarget(b, h)
}

// sameTarget reports whether two references lead to equal components.
func (c *comparison) sameTarget(b, h *node) bool {
	pair := [2]string{b.get("$ref").value(), h.get("$ref").value()}
	if equal, known := c.equal[pair]; known {
		return equal
	}
	before := len(c.assumed)
	c.equal[pair] = true // for references that lead back here
	c.assumed = append(c.assumed, pair)
	target, _ := c.base.follow(b)
	other, _ := c.head.follow(h)
	if c.same(target, other) {
		return true
	}
	for _, wrong := range c.assumed[before:] { // what was found equal may lead back here
		delete(c.equal, wrong)
	}
	c.assumed = c.assumed[:before]
	c.equal[pair] = false
	return false
}

// resolve follows two references to components of a kind, and returns what they stand for and the place to report, which
// is that of the component. It is done if there is nothing to compare: the parts are equal, one is absent, or this pair of
// components was compared before for this operation.
func (c *comparison) resolve(at place, kind string, b, h *node) (place, *node, *node, bool) {
	if c.same(b, h) {
		return at, nil, nil, true
	}
	base, was := c.base.follow(b)
	head, is := c.head.follow(h)
	if was != is && b != nil && h != nil {
		switch {
		case was == "":
			c.add(at, Compatible, "refers to %s %s instead of describing it in place", kind, is)
		case is == "":
			c.add(at, Compatible, "describes it in place instead of referring to %s %s", kind, was)
		default:
			c.renamed(at, kind, b, h, was, is)
		}
	}
	if was != "" && is != "" {
		c.rest(at, b, h, "$ref") // OpenAPI 3.0 ignores them
	}
	if base == nil || head == nil {
		return at, base, head, base == head
	}
	if is == "" && was == "" {
		return at, base, head, false
	}
	c.reached[base], c.reached[head] = true, true
	if is != "" {
		at = place{kind + " " + is, at.side}
	}
	key := visit{base, head, at.side}
	done := c.seen[key]
	c.seen[key] = true
	return at, base, head, done
}

// renamed records that a reference leads to another component: once if the former one is gone, else at each place.
func (c *comparison) renamed(at place, kind string, b, h *node, was, is string) {
	gone, _ := c.head.follow(b)
	old, _ := c.base.follow(b)
	now, _ := c.head.follow(h)
	if gone != nil {
		c.add(at, Compatible, "refers to %s %s instead of %s", kind, is, was)
		return
	}
	c.moved[old], c.moved[now] = true, true
	c.add(place{kind + " " + was, at.side}, Compatible, "renamed to %s", is)
}

// rest compares the keywords that have no rule of their own, all but the given ones.
func (c *comparison) rest(at place, b, h *node, ruled ...string) {
	for _, key := range names(b, h) {
		if !slices.Contains(ruled, key) && !c.same(b.get(key), h.get(key)) {
			c.other(at, key, b.get(key), h.get(key))
		}
	}
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

func (c *comparison) document() {
	c.seen = map[visit]bool{}
	b, h := c.base.root, c.head.root
	for _, key := range names(b, h) {
		was, is := b.get(key), h.get(key)
		if c.same(was, is) && key != "paths" {
			continue
		}
		at := place{"the document", ""}
		switch key {
		case "openapi":
			level := Breaking
			if minor(was.value()) == minor(is.value()) {
				level = Compatible
			}
			c.add(at, level, "openapi is %s instead of %s", is, was)
		case "info":
			for _, part := range names(was, is) {
				if part != "version" && !c.same(was.get(part), is.get(part)) {
					c.add(place{"info", ""}, Prose, "%s", edited(part, was.get(part), is.get(part)))
				}
			}
		case "servers":
			c.servers(at, was, is)
		case "paths":
			c.paths(was, is)
		case "tags":
			c.add(at, Prose, "tags changed")
		case "components", "security": // components are compared last, security for each operation
		default:
			c.other(at, key, was, is)
		}
	}
	c.components(b.get("components"), h.get("components"))
}

func minor(version string) string { return version[:max(strings.LastIndexByte(version, '.'), 0)] }

// other compares a keyword that has no rule of its own.
func (c *comparison) other(at place, key string, b, h *node) {
	switch {
	case slices.Contains(prose, key):
		c.add(at, Prose, "%s", edited(key, b, h))
	case strings.HasPrefix(key, "x-"):
		c.add(at, Compatible, "%s", edited(key, b, h))
	default:
		c.add(at, Breaking, "%s, which this comparison cannot judge", edited(key, b, h))
	}
}

// prose are the keywords for people.
var prose = []string{
	"title", "summary", "description", "example", "examples", "externalDocs", "x-decision", "x-origin", "x-reason",
}

func edited(key string, b, h *node) string {
	switch {
	case b == nil:
		return key + " added"
	case h == nil:
		return key + " removed"
	}
	return key + " changed"
}

func (c *comparison) servers(at place, b, h *node) {
	byURL := func(n *node) *node {
		all := &node{members: map[string]*node{}}
		for _, server := range n.list() {
			all.members[server.get("url").value()] = server
		}
		return all
	}
	was, is := byURL(b), byURL(h)
	for _, url := range names(was, is) {
		switch {
		case is.get(url) == nil:
			c.add(at, Breaking, "server %s removed", url)
		case was.get(url) == nil:
			c.add(at, Compatible, "server %s added", url)
		default:
			inside := at.in("server %s", url)
			c.rest(inside, was.get(url), is.get(url), "url", "variables")
			c.variables(inside, was.get(url).get("variables"), is.get(url).get("variables"))
		}
	}
}

func (c *comparison) variables(at place, b, h *node) {
	for _, name := range names(b, h) {
		if b.get(name) == nil || h.get(name) == nil {
			c.other(at, "variable "+name, b.get(name), h.get(name))
			continue
		}
		c.rest(at.in("variable %s", name), b.get(name), h.get(name))
	}
}

// paths compares all operations. Two paths are the same if they differ only in the names of their parameters.
func (c *comparison) paths(b, h *node) {
	byTemplate := func(n *node) *node {
		all := &node{members: map[string]*node{}}
		for _, path := range names(n, nil) {
			item := n.get(path)
			if !strings.HasPrefix(path, "x-") {
				all.members[pathParameter.ReplaceAllString(path, "{}")] = &node{text: path, members: item.members}
			}
		}
		return all
	}
	was, is := byTemplate(b), byTemplate(h)
	for _, template := range names(was, is) {
		base, head := was.get(template), is.get(template)
		at := place{where: base.value()}
		if base == nil {
			at.where = head.text
		}
		for _, key := range names(base, head) {
			old, now := base.get(key), head.get(key)
			switch key {
			case "get", "put", "post", "delete", "options", "head", "patch", "trace":
				c.compareOperation(place{where: strings.ToUpper(key) + " " + at.where}, old, now, base, head)
			case "parameters": // with each operation
			case "servers":
				c.servers(at, old, now)
			default:
				if !c.same(old, now) {
					c.other(at, key, old, now)
				}
			}
		}
	}
	for _, key := range names(b, h) {
		if strings.HasPrefix(key, "x-") && !c.same(b.get(key), h.get(key)) {
			c.other(place{where: "paths"}, key, b.get(key), h.get(key))
		}
	}
}

func (c *comparison) compareOperation(at place, b, h, basePath, headPath *node) {
	c.seen = map[visit]bool{}
	c.operation = b.get("operationId").value()
	defer func() { c.operation = "" }()
	switch {
	case h == nil:
		c.add(at, Breaking, "operation removed").Abrupt = !b.get("deprecated").isTrue()
		return
	case b == nil:
		c.operation = h.get("operationId").value()
		c.add(at, Compatible, "operation added")
		return
	}
	c.parameters(at, c.allParameters(c.base, b, basePath), c.allParameters(c.head, h, headPath))
	c.security(at, b, h)
	for _, key := range names(b, h) {
		was, is := b.get(key), h.get(key)
		switch key {
		case "parameters", "security":
		case "requestBody":
			c.requestBody(place{at.where, Request}.in("request body"), was, is)
		case "responses":
			c.responses(place{at.where, Response}, was, is)
		case "operationId":
			if !c.same(was, is) {
				c.add(at, Breaking, "operationId is %s instead of %s, which renames a method of generated clients", is, was)
			}
		case "tags":
			if !c.same(was, is) {
				c.add(at, Compatible, "tags are %s instead of %s, which moves a method of some generated clients", is, was)
			}
		case "deprecated":
			c.deprecated(at, was, is)
		case "servers":
			c.servers(at, was, is)
		default:
			if !c.same(was, is) {
				c.other(at, key, was, is)
			}
		}
	}
}

func (c *comparison) deprecated(at place, b, h *node) {
	switch {
	case h.isTrue() && !b.isTrue():
		c.add(at, Compatible, "deprecated")
	case b.isTrue() && !h.isTrue():
		c.add(at, Compatible, "no longer deprecated")
	}
}

// allParameters returns the parameters of an operation and of its path by place and name, as written.
func (c *comparison) allParameters(d *Document, operation, path *node) *node {
	all := &node{members: map[string]*node{}}
	for _, owner := range []*node{path, operation} {
		for _, p := range owner.get("parameters").list() {
			target, _ := d.follow(p)
			all.members[target.get("in").value()+" parameter "+target.get("name").value()] = p
		}
	}
	return all
}

// components compares what belongs to no operation: credentials, and what is referred to nowhere.
func (c *comparison) components(b, h *node) {
	for _, kind := range names(b, h) {
		for _, name := range names(b.get(kind), h.get(kind)) {
			was, is := b.get(kind).get(name), h.get(kind).get(name)
			if c.same(was, is) {
				continue
			}
			c.seen = map[visit]bool{}
			c.component(kind, name, was, is)
		}
	}
}

func (c *comparison) component(kind, name string, b, h *node) {
	at := place{where: strings.TrimSuffix(kind, "s") + " " + name}
	if kind == "responses" {
		at.where = "shared " + at.where
	}
	used := c.reached[b] || c.reached[h]
	switch {
	case kind == "examples":
		c.add(at, Prose, "%s", edited("the example", b, h))
	case kind == "securitySchemes":
		c.securityScheme(at, b, h)
	case c.moved[b], c.moved[h]: // recorded as renamed
	case h == nil:
		level := Compatible // the operations show what it means on the wire; code generated for them loses a name
		if kind == "responses" && !used {
			level = Breaking // an answer to calls that belong to no operation
		}
		c.add(at, level, "removed")
	case b == nil:
		c.add(at, Compatible, "added")
	case used: // compared with the operations
	case kind == "schemas":
		c.schema(place{at.where, Request}, b, h)
		c.schema(place{at.where, Response}, b, h)
	case kind == "responses":
		c.response(place{at.where, Response}, b, h)
	case kind == "headers":
		c.parameter(place{at.where, Response}, b, h)
	case kind == "parameters":
		c.parameter(place{at.where, Request}, b, h)
	case kind == "requestBodies":
		c.requestBody(place{at.where, Request}, b, h)
	default: // links, callbacks
		c.other(at, kind, b, h)
	}
}
