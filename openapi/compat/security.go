package compat

import (
	"slices"
	"strings"
)

// security compares the alternatives of an operation, each a set of credentials that are sent together.
func (c *comparison) security(at place, b, h *node) {
	was, is := b.get("security"), h.get("security")
	if was == nil && is == nil {
		at.where = "the document"
	}
	if was == nil {
		was = c.base.root.get("security")
	}
	if is == nil {
		is = c.head.root.get("security")
	}
	if c.same(was, is) {
		return
	}
	level := Compatible
	for _, old := range alternatives(was) {
		// Who sends these credentials is still let in if some alternative needs no others.
		if !slices.ContainsFunc(alternatives(is), func(now []string) bool { return subset(now, old) }) {
			level = Breaking
		}
	}
	c.add(place{at.where, Request}, level, "the credentials are %s instead of %s", credentials(is), credentials(was))
}

func alternatives(n *node) (all [][]string) {
	for _, item := range n.list() {
		var together []string
		for _, scheme := range names(item, nil) {
			together = append(together, scheme)
			for _, scope := range texts(item.get(scheme)) {
				together = append(together, scheme+":"+scope)
			}
		}
		all = append(all, together)
	}
	if len(all) == 0 {
		return [][]string{nil} // none are needed
	}
	return all
}

func subset(small, large []string) bool {
	return !slices.ContainsFunc(small, func(s string) bool { return !slices.Contains(large, s) })
}

func credentials(n *node) string {
	var all []string
	for _, together := range alternatives(n) {
		text := strings.Join(together, " + ")
		if text == "" {
			text = "none"
		}
		all = append(all, text)
	}
	return strings.Join(all, " or ")
}

func (c *comparison) securityScheme(at place, b, h *node) {
	switch {
	case h == nil:
		c.add(at, Breaking, "removed")
		return
	case b == nil:
		c.add(at, Compatible, "added")
		return
	}
	for _, key := range names(b, h) {
		was, is := b.get(key), h.get(key)
		if c.same(was, is) {
			continue
		}
		switch key {
		case "type", "in", "name", "scheme", "bearerFormat", "flows", "openIdConnectUrl":
			c.add(at, Breaking, "%s is %s instead of %s", key, is, was)
		default:
			c.other(at, key, was, is)
		}
	}
}
