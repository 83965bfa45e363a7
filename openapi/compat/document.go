package compat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// Document is an OpenAPI 3.0 document as written, with all its keywords.
type Document struct{ root *node }

// Parse reads a document in YAML or JSON. It must be valid OpenAPI and refer to nothing outside itself.
func Parse(text []byte) (*Document, error) {
	loaded, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	if err := loaded.Validate(context.Background()); err != nil {
		return nil, err
	}
	return parse(text)
}

func parse(text []byte) (*Document, error) {
	var source yaml.Node
	if err := yaml.Unmarshal(text, &source); err != nil {
		return nil, err
	}
	if source.Kind != yaml.DocumentNode {
		return nil, errors.New("the document is empty")
	}
	root, err := read(source.Content[0])
	return &Document{root}, err
}

// Version returns info.version.
func (d *Document) Version() string { return d.root.get("info").get("version").value() }

// node is a value of a document. A nil node is an absent one.
type node struct {
	tag     string           // !!map, !!seq, !!str, !!int, !!float, !!bool, !!null
	text    string           // of a scalar
	members map[string]*node // of a mapping
	items   []*node          // of a sequence
}

func read(source *yaml.Node) (*node, error) {
	n := &node{tag: source.ShortTag()}
	switch source.Kind {
	case yaml.MappingNode:
		n.members = map[string]*node{}
		for i := 0; i < len(source.Content); i += 2 {
			member, err := read(source.Content[i+1])
			if err != nil {
				return nil, err
			}
			n.members[source.Content[i].Value] = member
		}
	case yaml.SequenceNode:
		for _, item := range source.Content {
			member, err := read(item)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, member)
		}
	case yaml.ScalarNode:
		n.text = source.Value
	default:
		return nil, fmt.Errorf("line %d: aliases are not supported", source.Line)
	}
	return n, nil
}

func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	return n.members[name]
}

func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// value returns the text of a scalar.
func (n *node) value() string {
	if n == nil {
		return ""
	}
	return n.text
}

func (n *node) isTrue() bool { return n.value() == "true" }

// String returns the node as it would be written in one line.
func (n *node) String() string {
	switch {
	case n == nil:
		return "nothing"
	case n.members != nil:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(n.members)) {
			parts = append(parts, name+": "+n.members[name].String())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case n.tag == "!!seq":
		return "[" + strings.Join(texts(n), ", ") + "]"
	case n.tag == "!!str" && (number(n) != nil || n.text == "true" || n.text == "false" || n.text == "null"):
		return strconv.Quote(n.text)
	}
	return n.text
}

// texts returns the items of a sequence as text.
func texts(n *node) []string {
	var all []string
	for _, item := range n.list() {
		all = append(all, item.String())
	}
	return all
}

// names returns the names of the members of both, sorted.
func names(a, b *node) []string {
	all := map[string]bool{}
	for _, n := range []*node{a, b} {
		if n != nil {
			for name := range n.members {
				all[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// follow returns what a reference stands for, and the name of the last component on the way, which is empty for a node that
// is no reference. A reference to nothing returns nil.
func (d *Document) follow(n *node) (target *node, name string) {
	for range 10 {
		ref := n.get("$ref")
		if ref == nil {
			return n, name
		}
		name = ref.text[strings.LastIndex(ref.text, "/")+1:]
		at := d.root
		for _, step := range strings.Split(strings.TrimPrefix(ref.text, "#/"), "/") {
			at = at.get(unescape.Replace(step))
		}
		n = at
	}
	return nil, name // a circle of references
}
