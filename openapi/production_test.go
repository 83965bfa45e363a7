package openapi_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// Outside of sandbox mode the published contract is valid, lacks the sandbox and nothing else, and has no leftovers of it.
func TestProductionLacksTheSandbox(t *testing.T) {
	t.Parallel()
	text, err := openapi.ProductionYAML()
	if err != nil {
		t.Fatal(err)
	}
	got := load(t, text)
	whole := document(t)
	for _, path := range whole.Paths.InMatchingOrder() {
		if inSandbox := strings.HasPrefix(path, "/sandbox/"); (got.Paths.Value(path) == nil) != inSandbox {
			t.Errorf("%s is published: %t", path, got.Paths.Value(path) != nil)
		} else if !inSandbox && !reflect.DeepEqual(got.Paths.Value(path), whole.Paths.Value(path)) {
			t.Errorf("%s is changed", path)
		}
	}
	if got.Paths.Len() == whole.Paths.Len() {
		t.Error("the contract has no sandbox operations, so this test shows nothing")
	}
	for _, tag := range whole.Tags {
		if published := got.Tags.Get(tag.Name) != nil; published == (tag.Name == "Sandbox") {
			t.Errorf("the tag %s is published: %t", tag.Name, published)
		}
	}
	// The answer to a method that a path does not have is one of no operation, and published all the same (D-73).
	if unused, want := unusedComponents(t, text), unusedComponents(t, openapi.YAML()); !slices.Equal(unused, want) {
		t.Errorf("unused components: %q, want %q", unused, want)
	}
}

// What is published outside of sandbox mode is the source with lines left out: comments, order and format stay.
func TestProductionKeepsTheTextOfTheRest(t *testing.T) {
	t.Parallel()
	text, err := openapi.ProductionYAML()
	if err != nil {
		t.Fatal(err)
	}
	source := slices.Collect(strings.Lines(string(openapi.YAML())))
	for line := range strings.Lines(string(text)) {
		at := slices.Index(source, line)
		if at < 0 {
			t.Fatalf("%q is not a later line of openapi.yaml", line)
		}
		source = source[at+1:]
	}
	if len(strings.TrimSpace(string(text))) == 0 {
		t.Error("nothing is left")
	}
}

func TestProductionJSONIsTheSameDocument(t *testing.T) {
	t.Parallel()
	text, err := openapi.ProductionYAML()
	if err != nil {
		t.Fatal(err)
	}
	json, err := openapi.ProductionJSON()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(load(t, json), load(t, text)) {
		t.Error("the JSON is another document")
	}
}

// load parses and validates a document with kin-openapi.
func load(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// unusedComponents returns the components that no reference names.
func unusedComponents(t *testing.T, text []byte) (unused []string) {
	t.Helper()
	var doc struct {
		Components map[string]map[string]yaml.Node
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for kind, group := range doc.Components {
		for name := range group {
			if reference := "#/components/" + kind + "/" + name; kind != "securitySchemes" && !strings.Contains(string(text), reference+"'") {
				unused = append(unused, reference)
			}
		}
	}
	slices.Sort(unused)
	return unused
}
