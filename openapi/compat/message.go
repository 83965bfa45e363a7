package compat

import "strings"

// Parameters, bodies, responses and headers: what surrounds the schemas of a message.

func (c *comparison) parameters(at place, b, h *node) {
	at.side = Request
	for _, id := range names(b, h) {
		was, is := b.get(id), h.get(id)
		switch {
		case is == nil:
			old, _ := c.base.follow(was)
			c.add(at, Breaking, "%s removed", id).Abrupt = !old.get("deprecated").isTrue()
		case was == nil:
			if now, _ := c.head.follow(is); now.get("required").isTrue() {
				c.add(at, Breaking, "required %s added", id)
			} else {
				c.add(at, Compatible, "optional %s added", id)
			}
		default:
			place, old, now, done := c.resolve(at.in("%s", id), "parameter", was, is)
			if !done {
				c.parameter(place, old, now)
			}
		}
	}
}

// parameter compares two parameters of a request, or two headers of a response.
func (c *comparison) parameter(at place, b, h *node) {
	for _, key := range names(b, h) {
		was, is := b.get(key), h.get(key)
		switch key {
		case "in", "name": // by which the two were found
		case "required":
			c.required(at, was.isTrue(), is.isTrue())
		case "schema":
			c.part(at, was, is)
		case "content":
			c.content(at, was, is)
		case "deprecated":
			c.deprecated(at, was, is)
		case "style", "explode":
			if old, now := serialization(b, key), serialization(h, key); old != now {
				c.add(at, Breaking, "%s is %s instead of %s", key, now, old)
			}
		case "allowEmptyValue", "allowReserved":
			c.allows(at, key, was, is)
		default:
			if !c.same(was, is) {
				c.other(at, key, was, is)
			}
		}
	}
}

// serialization returns style or explode of a parameter, as OpenAPI fills them in. A header of a response has no "in".
func serialization(n *node, key string) string {
	if value := n.get(key).value(); value != "" {
		return value
	}
	form := n.get("in").value() == "query" || n.get("in").value() == "cookie"
	switch {
	case key == "style" && form:
		return "form"
	case key == "style":
		return "simple"
	case n.get("style") == nil && form || n.get("style").value() == "form":
		return "true"
	}
	return "false"
}

// required compares whether a parameter, a body, a header or a member must be there.
func (c *comparison) required(at place, was, is bool) {
	switch {
	case is && !was:
		c.narrowed(at, "became required")
	case was && !is:
		c.widened(at, "became optional")
	}
}

func (c *comparison) requestBody(at place, b, h *node) {
	at, was, is, done := c.resolve(at, "request body", b, h)
	switch {
	case done:
		return
	case is == nil:
		c.add(at, Breaking, "removed")
		return
	case was == nil && is.get("required").isTrue():
		c.add(at, Breaking, "added and required")
		return
	case was == nil:
		c.add(at, Compatible, "added")
		return
	}
	for _, key := range names(was, is) {
		switch old, now := was.get(key), is.get(key); key {
		case "required":
			c.required(at, old.isTrue(), now.isTrue())
		case "content":
			c.content(at, old, now)
		default:
			if !c.same(old, now) {
				c.other(at, key, old, now)
			}
		}
	}
}

// content compares the media types of a body.
func (c *comparison) content(at place, b, h *node) {
	for _, media := range names(b, h) {
		was, is := b.get(media), h.get(media)
		switch {
		case is == nil:
			c.add(at, Breaking, "media type %s removed", media)
			continue
		case was == nil:
			c.add(at, Compatible, "media type %s added", media)
			continue
		}
		for _, key := range names(was, is) {
			switch old, now := was.get(key), is.get(key); key {
			case "schema":
				c.part(at, old, now)
			default:
				if !c.same(old, now) {
					c.other(at, key, old, now)
				}
			}
		}
	}
}

func (c *comparison) responses(at place, b, h *node) {
	for _, status := range names(b, h) {
		was, is := b.get(status), h.get(status)
		// 304 is for callers that send a condition, and know it.
		success := (strings.HasPrefix(status, "2") || strings.HasPrefix(status, "3")) && status != "304"
		switch {
		case strings.HasPrefix(status, "x-"):
			if !c.same(was, is) {
				c.other(at, status, was, is)
			}
		case is == nil:
			c.add(at, Breaking, "response %s removed", status)
		case was == nil && success:
			c.add(at, Breaking, "response %s added, a success that callers do not know", status)
		case was == nil:
			c.add(at, Compatible, "response %s added", status)
		default:
			place, old, now, done := c.resolve(at.in("response %s", status), "shared response", was, is)
			if !done {
				c.response(place, old, now)
			}
		}
	}
}

func (c *comparison) response(at place, b, h *node) {
	for _, key := range names(b, h) {
		switch was, is := b.get(key), h.get(key); key {
		case "headers":
			c.headers(at, was, is)
		case "content":
			c.content(at, was, is)
		default:
			if !c.same(was, is) {
				c.other(at, key, was, is)
			}
		}
	}
}

func (c *comparison) headers(at place, b, h *node) {
	for _, name := range names(b, h) {
		was, is := b.get(name), h.get(name)
		switch {
		case is == nil:
			c.add(at, Breaking, "header %s removed", name)
		case was == nil:
			c.add(at, Compatible, "header %s added", name)
		default:
			place, old, now, done := c.resolve(at.in("header %s", name), "header", was, is)
			if !done {
				c.parameter(place, old, now)
			}
		}
	}
}
