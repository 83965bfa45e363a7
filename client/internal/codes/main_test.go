package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

const generated = "../../codes.gen.go"

func TestGeneratedFileIsUpToDate(t *testing.T) {
	t.Parallel()
	var fresh bytes.Buffer
	if err := run("", &fresh); err != nil {
		t.Fatal(err)
	}
	committed, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh.Bytes(), committed) {
		t.Error("client/codes.gen.go is not what openapi/openapi.yaml makes; run make generate")
	}
	written := filepath.Join(t.TempDir(), "codes.go")
	if err := run(written, nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(written); err != nil || !bytes.Equal(text, fresh.Bytes()) {
		t.Errorf("-o wrote something else, %v", err)
	}
}

// constants are the names and values of the constants of a type in a Go file.
func constants(t *testing.T, file, ofType string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == ofType {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			found[spec.Names[0].Name] = value
		}
		return true
	})
	return found
}

func TestTheCodesAreThoseOfTheContractAndOfItsTypes(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, value := range openapi.KnownValues(doc.Components.Schemas["ErrorCode"].Value) {
		want = append(want, value.(string))
	}
	slices.Sort(want)
	got := constants(t, generated, "Code")
	if values := slices.Sorted(maps.Values(got)); len(want) == 0 || !slices.Equal(values, want) {
		t.Errorf("the codes are %q, want %q", values, want)
	}
	types := map[string]string{}
	for name, value := range constants(t, "../../../gen/api/types.gen.go", "ErrorCode") {
		types[strings.TrimPrefix(name, "ErrorCode")] = value
	}
	if !maps.Equal(got, types) {
		t.Errorf("gen/api has %v, client %v", types, got)
	}
}

func TestACodeWithoutAnExampleIsAnError(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*openapi3.T){
		"no example": func(doc *openapi3.T) {
			s := doc.Components.Schemas["ErrorCode"].Value
			s.Extensions["x-known-values"] = append(s.Extensions["x-known-values"].([]any), "NEW_CODE")
		},
		"no schema": func(doc *openapi3.T) { delete(doc.Components.Schemas, "ErrorCode") },
	} {
		doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML())
		if err != nil {
			t.Fatal(err)
		}
		change(doc)
		if source, err := generate(doc); err == nil {
			t.Errorf("%s: generated\n%s", name, source)
		}
	}
}
