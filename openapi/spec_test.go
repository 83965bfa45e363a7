package openapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

func TestTheDocumentIsValidAndShared(t *testing.T) {
	t.Parallel()
	first, second := document(t), document(t)
	if first != second {
		t.Error("Document parsed twice")
	}
	if !first.IsOpenAPI30() {
		t.Errorf("openapi is %s, want 3.0.x (D-01)", first.OpenAPI)
	}
}

func TestReturnedSlicesAreNew(t *testing.T) {
	t.Parallel()
	for name, get := range map[string]func() []byte{
		"YAML": openapi.YAML,
		"JSON": func() []byte { return asJSON(t) },
	} {
		clear(get())
		if len(bytes.Trim(get(), "\x00")) == 0 {
			t.Errorf("a change of what %s returned reached the next caller", name)
		}
	}
}

func TestJSONEqualsYAML(t *testing.T) {
	t.Parallel()
	loaded, err := openapi3.NewLoader().LoadFromData(asJSON(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := loaded.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	want, err := document(t).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the document that JSON holds differs from the one that YAML holds")
	}
}

func TestJSONKeepsDigitsAndExtensions(t *testing.T) {
	t.Parallel()
	text := string(asJSON(t))
	if !json.Valid([]byte(text)) {
		t.Fatal("JSON is not JSON")
	}
	if !strings.Contains(text, `"from_amount":100.00,`) {
		t.Error("from_amount: 100.00 lost its digits")
	}
	for _, extension := range []string{"x-decision", "x-origin", "x-reason", "x-known-values", "x-known-keys"} {
		got := strings.Count(text, `"`+extension+`":`)
		want := strings.Count(string(openapi.YAML()), extension+":")
		if got != want || want == 0 {
			t.Errorf("%s: %d times in JSON, %d times in YAML", extension, got, want)
		}
	}
}

func TestVersionIsTheNewestOfTheChangelog(t *testing.T) {
	t.Parallel()
	newest := regexp.MustCompile(`(?m)^## \[([0-9]+\.[0-9]+\.[0-9]+)\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$`).
		FindStringSubmatch(read(t, "CHANGELOG.md"))
	if newest == nil {
		t.Fatal("CHANGELOG.md has no heading such as ## [1.0.0] - 2026-01-31")
	}
	if got := document(t).Info.Version; got != newest[1] {
		t.Errorf("info.version is %s, the newest entry of CHANGELOG.md is %s", got, newest[1])
	}
}

func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func asJSON(t *testing.T) []byte {
	t.Helper()
	text, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
