package openapi_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/mail"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// body is one request or response body of the spec with its named examples, digits kept.
type body struct {
	status   string // empty for a request, and for a response that no operation refers to
	schema   *openapi3.SchemaRef
	examples map[string]any
}

func TestEveryBodyHasExamplesThatAreValid(t *testing.T) {
	t.Parallel()
	for name, b := range bodies(t) {
		if len(b.examples) == 0 {
			t.Errorf("%s has no named example", name)
		}
		side := openapi3.VisitAsResponse()
		if strings.HasSuffix(name, " request") {
			side = openapi3.VisitAsRequest()
		}
		for title, value := range b.examples {
			if err := valid(b.schema.Value, value, side); err != nil {
				t.Errorf("%s, example %s: %v", name, title, err)
			}
		}
	}
}

func TestEveryParameterHasAnExampleThatIsValid(t *testing.T) {
	t.Parallel()
	for name, op := range operations(t) {
		for _, ref := range op.Parameters {
			p := ref.Value
			values := []any{p.Example}
			if p.Example == nil {
				values = nil
				for _, example := range p.Examples {
					values = append(values, example.Value.Value)
				}
			}
			if len(values) == 0 {
				t.Errorf("%s: parameter %s has no example", name, p.Name)
			}
			for _, value := range values {
				if err := valid(p.Schema.Value, value, openapi3.VisitAsRequest()); err != nil {
					t.Errorf("%s: parameter %s: %v", name, p.Name, err)
				}
			}
		}
	}
}

func TestEveryErrorCodeHasAnExample(t *testing.T) {
	t.Parallel()
	var codes []string
	for _, code := range openapi.KnownValues(document(t).Components.Schemas["ErrorCode"].Value) {
		codes = append(codes, code.(string))
	}
	if shown := names(statusOfCodes(t)); !slices.Equal(shown, slices.Sorted(slices.Values(codes))) {
		t.Errorf("codes shown: %v, codes of ErrorCode: %v", shown, codes)
	}
}

// statusOfCodes returns the HTTP status of each error code that an example shows.
func statusOfCodes(t *testing.T) map[string]string {
	t.Helper()
	statuses := map[string]string{}
	for name, b := range bodies(t) {
		for title, value := range b.examples {
			fail, ok := value.(map[string]any)
			code, isCode := fail["code"].(string)
			status, isStatus := fail["status"].(json.Number)
			if !ok || !isCode || !isStatus {
				if b.status >= "400" {
					t.Errorf("%s, example %s, has no code or no status", name, title)
				}
				continue
			}
			if b.status != "" && b.status != status.String() {
				t.Errorf("%s, example %s, says %s", name, title, status)
			}
			if before := statuses[code]; before != "" && before != status.String() {
				t.Errorf("%s is shown with %s and with %s", code, before, status)
			}
			statuses[code] = status.String()
		}
	}
	return statuses
}

// bodies returns all bodies by the name of their place. Responses are closed, so that a misspelled member of an example is
// found.
func bodies(t *testing.T) map[string]body {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}
	err = doc.WalkSchemas(func(_ string, ref *openapi3.SchemaRef) error {
		if s := ref.Value; s.Type.Is(openapi3.TypeObject) && s.AdditionalProperties.Schema == nil {
			s.AdditionalProperties = openapi3.AdditionalProperties{Has: new(bool)}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	raw := rawDocument(t)
	found := map[string]body{}
	add := func(name, status string, content openapi3.Content, at ...string) {
		for media, m := range content {
			if m.Schema == nil {
				t.Fatalf("%s has no schema", name)
			}
			found[name] = body{status, m.Schema, raw.examples(append(at, "content", media, "examples"))}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			at := []string{"paths", path, strings.ToLower(method)}
			if op.RequestBody != nil {
				add(op.OperationID+" request", "", op.RequestBody.Value.Content, append(at, "requestBody")...)
			}
			for status, response := range op.Responses.Map() {
				add(op.OperationID+" "+status, status, response.Value.Content, append(at, "responses", status)...)
			}
		}
	}
	for name, response := range doc.Components.Responses {
		add(name, "", response.Value.Content, "components", "responses", name)
	}
	return found
}

// raw is the spec as plain values, with numbers as written.
type raw map[string]any

func rawDocument(t *testing.T) raw {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(asJSON(t)))
	in.UseNumber()
	var tree raw
	if err := in.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func (r raw) examples(at []string) map[string]any {
	found := map[string]any{}
	for name := range r.at(at) {
		found[name] = r.at(append(slices.Clone(at), name))["value"]
	}
	return found
}

// at follows names and references.
func (r raw) at(names []string) map[string]any {
	node := map[string]any(r)
	for _, name := range names {
		node, _ = node[name].(map[string]any)
		if target, ok := node["$ref"].(string); ok {
			node = r.at(strings.Split(strings.TrimPrefix(target, "#/"), "/"))
		}
	}
	return node
}

func valid(schema *openapi3.Schema, value any, side openapi3.SchemaValidationOption) error {
	return schema.VisitJSON(value, side, openapi3.MultiErrors(), openapi3.EnableFormatValidation(),
		openapi3.WithStringFormatValidators(map[string]openapi3.StringFormatValidator{
			"uuid":  openapi3.NewRegexpFormatValidator(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`),
			"email": openapi3.NewCallbackValidator(func(s string) error { _, err := mail.ParseAddress(s); return err }),
			"ip":    openapi3.NewCallbackValidator(func(s string) error { _, err := netip.ParseAddr(s); return err }),
			"date": openapi3.NewCallbackValidator(func(s string) error {
				_, err := time.Parse(time.DateOnly, s)
				return err
			}),
			"data-uri": openapi3.NewCallbackValidator(checkDataURI),
		}))
}

func checkDataURI(s string) error {
	content := regexp.MustCompile(`^data:(?:image/[a-z+.-]+|application/pdf);base64,(.+)$`).FindStringSubmatch(s)
	if content == nil {
		return errors.New("not a data URI of an image or a PDF")
	}
	_, err := base64.StdEncoding.Strict().DecodeString(content[1])
	return err
}
