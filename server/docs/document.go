package docs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// node is a JSON value with the order of its members and the digits of its numbers. All methods accept nil, which stands for
// a member that is missing.
type node struct {
	raw    jsontext.Value
	scalar string // of a string its text, of a number or boolean its JSON
	kind   jsontext.Kind
	names  []string // of an object
	items  []*node  // values of an object, in the order of names, or items of an array
}

func parse(text []byte) (*node, error) {
	n, err := readNode(jsontext.NewDecoder(bytes.NewReader(text)))
	if err != nil {
		return nil, fmt.Errorf("docs: parse contract: %w", err)
	}
	return n, nil
}

func readNode(d *jsontext.Decoder) (*node, error) {
	raw, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	n := &node{raw: raw.Clone(), kind: raw.Kind()}
	switch n.kind {
	case '{', '[':
		inner := jsontext.NewDecoder(bytes.NewReader(n.raw))
		if _, err := inner.ReadToken(); err != nil {
			return nil, err
		}
		for inner.PeekKind() != '}' && inner.PeekKind() != ']' {
			if n.kind == '{' {
				name, err := inner.ReadToken()
				if err != nil {
					return nil, err
				}
				n.names = append(n.names, name.String())
			}
			item, err := readNode(inner)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case '"':
		text, err := jsontext.AppendUnquote(nil, n.raw)
		if err != nil {
			return nil, err
		}
		n.scalar = string(text)
	default:
		n.scalar = string(n.raw)
	}
	return n, nil
}

// at returns the value at a path of member names, or nil.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		var next *node
		for member, value := range n.members() {
			if member == name {
				next = value
			}
		}
		n = next
	}
	return n
}

func (n *node) members() iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		if n == nil || n.kind != '{' {
			return
		}
		for i, name := range n.names {
			if !yield(name, n.items[i]) {
				return
			}
		}
	}
}

// list returns the items of an array; another value is a list of itself.
func (n *node) list() []*node {
	switch {
	case n == nil:
		return nil
	case n.kind == '[':
		return n.items
	}
	return []*node{n}
}

// text returns a string as it is, and other scalars in JSON.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	return n.scalar
}

func (n *node) texts() []string {
	var all []string
	for _, item := range n.list() {
		all = append(all, item.text())
	}
	return all
}

// pretty returns indented JSON with all digits.
func (n *node) pretty() string {
	if n == nil {
		return ""
	}
	var out bytes.Buffer
	if err := json.Indent(&out, n.raw, "", "  "); err != nil {
		return string(n.raw)
	}
	return out.String()
}

// compact returns a value on one line: strings as they are, others in JSON.
func (n *node) compact() string {
	if n == nil {
		return ""
	}
	if n.kind == '{' || n.kind == '[' {
		return string(n.raw)
	}
	return n.scalar
}

var errReference = errors.New("docs: a reference of the contract has no target")

// follow returns the target of a reference and the name of the component, or the node itself.
func (n *node) follow(root *node) (target *node, name string, err error) {
	target = n
	for hops := 0; ; hops++ {
		reference := target.at("$ref").text()
		if reference == "" {
			return target, name, nil
		}
		path := strings.Split(strings.TrimPrefix(reference, "#/"), "/")
		for i := range path {
			path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(path[i])
		}
		if target = root.at(path...); target == nil || hops > 10 {
			return nil, "", fmt.Errorf("%w: %s", errReference, reference)
		}
		name = path[len(path)-1]
	}
}
