package compat

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestTheContractAgainstItself(t *testing.T) {
	t.Parallel()
	if changes := Compare(published(t), published(t)); len(changes) > 0 {
		t.Errorf("the contract differs from itself: %v", changes)
	}
}

// A change of a shared part is one change, with all operations that it reaches.
func TestASharedPartIsReportedOnce(t *testing.T) {
	t.Parallel()
	base := published(t)
	changes := Compare(base, published(t, drop(schemas+"Error properties request_id")))
	if len(changes) != 1 {
		t.Fatalf("got %d changes, want 1: %v", len(changes), changes)
	}
	operations := 0
	for _, item := range base.root.get("paths").members {
		for _, operation := range item.members {
			if operation.get("operationId") != nil {
				operations++
			}
		}
	}
	if len(changes[0].Operations) != operations {
		t.Errorf("it reaches %d operations, want %d", len(changes[0].Operations), operations)
	}
	if line := changes[0].String(); !strings.HasSuffix(line, fmt.Sprintf("(%d operations)", operations)) {
		t.Errorf("got %q", line)
	}
}

func TestASharedSchemaIsReportedForEachDirection(t *testing.T) {
	t.Parallel()
	changes := Compare(published(t), published(t, set(schemas+"CurrencyCode pattern", "^[A-Z]{4}$")))
	var sides []string
	for _, change := range changes {
		sides = append(sides, string(change.Side))
	}
	if want := []string{"request", "response"}; !slices.Equal(sides, want) {
		t.Errorf("got the sides %q, want %q: %v", sides, want, changes)
	}
}

// A schema that contains itself, by way of another one, is compared once, and a change reaches all operations that lead to it.
func TestRecursiveSchemas(t *testing.T) {
	t.Parallel()
	recursive := []edit{
		set(schemas+"Tree", "{properties: {branches: {$ref: '#/components/schemas/Trees'}, size: {type: integer}}}"),
		set(schemas+"Trees", "{type: array, items: {$ref: '#/components/schemas/Tree'}}"),
		set(schemas+"BankDetail properties tree", "{$ref: '#/components/schemas/Tree'}"),
		set(schemas+"PayerDetail properties trees", "{$ref: '#/components/schemas/Trees'}"),
	}
	base := published(t, recursive...)
	if changes := Compare(base, published(t, recursive...)); len(changes) > 0 {
		t.Errorf("it differs from itself: %v", changes)
	}
	changes := Compare(base, published(t, append(recursive, set(schemas+"Tree properties size type", "number"))...))
	if len(changes) != 1 || !slices.Equal(changes[0].Operations, []string{"getBank", "getPayer"}) {
		t.Errorf("got %v", changes)
	}
}

// Whatever single value of the contract is removed or changed, the comparison notices, and calls it prose exactly if it is.
func TestNoChangeGoesUnnoticed(t *testing.T) {
	t.Parallel()
	w := walker{T: t, base: published(t), head: published(t)}
	w.walk(w.head.root, nil)
	if w.tried < 2000 {
		t.Errorf("tried %d changes only", w.tried)
	}
	if changes := Compare(w.base, w.head); len(changes) > 0 {
		t.Fatalf("the test left changes behind: %v", changes)
	}
}

// walker changes one value of head after the other.
type walker struct {
	*testing.T
	base, head *Document
	tried      int
}

func (w *walker) walk(n *node, at []string) {
	for _, name := range slices.Sorted(maps.Keys(n.members)) {
		member, inside := n.members[name], append(slices.Clone(at), name)
		place := strings.Join(inside, " ")
		if place == "info version" || meansNothing(name, member) {
			continue
		}
		if place != "openapi" && place != "info" {
			delete(n.members, name)
			w.judge(place+" removed", isProse(inside))
			n.members[name] = member
		}
		if isProse(inside) {
			n.members[name] = &node{tag: "!!str", text: "Other text."}
			w.judge(place+" replaced", true)
			n.members[name] = member
		} else {
			w.walk(member, inside)
		}
	}
	for i, item := range n.items {
		all, inside := n.items, append(slices.Clone(at), strconv.Itoa(i))
		n.items = slices.Delete(slices.Clone(all), i, i+1)
		w.judge(strings.Join(inside, " ")+" removed", false)
		n.items = all
		w.walk(item, inside)
	}
	if n.members == nil && n.items == nil {
		before := *n
		switch {
		case n.tag == "!!bool":
			n.text = strconv.FormatBool(!n.isTrue())
		case number(n) != nil && n.tag != "!!str":
			n.text = number(n).Add(number(n), big.NewRat(1, 1)).RatString()
		default:
			n.text += "x"
		}
		w.judge(fmt.Sprintf("%s changed to %s", strings.Join(at, " "), n.text), false)
		*n = before
	}
}

func (w *walker) judge(what string, text bool) {
	w.Helper()
	w.tried++
	changes := Compare(w.base, w.head)
	prose := 0
	for _, change := range changes {
		if change.Level == Prose {
			prose++
		}
	}
	switch {
	case len(changes) == 0:
		w.Errorf("%s: unnoticed", what)
	case text && prose < len(changes), !text && prose == len(changes):
		w.Errorf("%s: prose is %t, and the changes are %v", what, text, changes)
	}
}

// meansNothing reports whether a keyword has the value that it also has when it is absent.
func meansNothing(name string, value *node) bool {
	switch name {
	case "nullable", "required", "deprecated", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "readOnly", "writeOnly":
		return value.text == "false"
	case "minLength", "minItems", "minProperties":
		return value.text == "0"
	case "additionalProperties":
		return value.text == "true"
	}
	return false
}

// isProse reports whether a place is text or examples. It knows places by the names on the way, the comparison by their kind.
func isProse(at []string) bool {
	last, parent := at[len(at)-1], ""
	if len(at) > 1 {
		parent = at[len(at)-2]
	}
	switch {
	case at[0] == "info" || at[0] == "tags":
		return len(at) > 1 || at[0] == "tags"
	case parent == "properties":
		return false
	case parent == "components":
		return last == "examples"
	}
	return slices.Contains(prose, last)
}
