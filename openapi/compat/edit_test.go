package compat

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// edit changes a document. Places are the names on the way, separated by spaces.
type edit func(*testing.T, *Document)

// published returns a new copy of the contract.
func published(t *testing.T, edits ...edit) *Document {
	t.Helper()
	document, err := parse(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range edits {
		change(t, document)
	}
	return document
}

// set gives a member, which may be new, a value in YAML.
func set(place, value string) edit {
	return func(t *testing.T, d *Document) {
		t.Helper()
		parent, last := find(t, d, place)
		if i, err := strconv.Atoi(last); err == nil && parent.items != nil {
			parent.items[i] = literal(t, value)
			return
		}
		if parent.members == nil {
			parent.members = map[string]*node{}
		}
		parent.members[last] = literal(t, value)
	}
}

// push appends an item to a list.
func push(place, value string) edit {
	return func(t *testing.T, d *Document) {
		t.Helper()
		parent, last := find(t, d, place)
		list := parent.get(last)
		list.items = append(list.items, literal(t, value))
	}
}

// drop removes a member, or from a list the item with a value.
func drop(place string) edit {
	return func(t *testing.T, d *Document) {
		t.Helper()
		parent, last := find(t, d, place)
		before := len(parent.members) + len(parent.items)
		delete(parent.members, last)
		parent.items = slices.DeleteFunc(parent.items, func(n *node) bool { return n.text == last })
		if len(parent.members)+len(parent.items) != before-1 {
			t.Fatalf("%s is not there", place)
		}
	}
}

// move renames a member.
func move(place, name string) edit {
	return func(t *testing.T, d *Document) {
		t.Helper()
		parent, last := find(t, d, place)
		parent.members[name] = parent.members[last]
		delete(parent.members, last)
	}
}

func find(t *testing.T, d *Document, place string) (parent *node, last string) {
	t.Helper()
	steps := strings.Fields(place)
	parent = d.root
	for _, step := range steps[:len(steps)-1] {
		if i, err := strconv.Atoi(step); err == nil && parent.items != nil {
			parent = parent.items[i]
		} else {
			parent = parent.get(step)
		}
		if parent == nil {
			t.Fatalf("%s: the contract has no %s", place, step)
		}
	}
	return parent, steps[len(steps)-1]
}

func literal(t *testing.T, text string) *node {
	t.Helper()
	var source yaml.Node
	if err := yaml.Unmarshal([]byte(text), &source); err != nil {
		t.Fatal(err)
	}
	n, err := read(source.Content[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
