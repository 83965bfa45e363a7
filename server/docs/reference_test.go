package docs

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// published are the documents of both modes, by the name of the mode.
func published(t *testing.T) map[string][]byte {
	t.Helper()
	sandbox, err := openapi.JSON()
	if err != nil {
		t.Fatal(err)
	}
	production, err := openapi.ProductionJSON()
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"sandbox": sandbox, "production": production}
}

func reading(t *testing.T, text []byte) *reference {
	t.Helper()
	root, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := read(root, firstPayout)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// Everything that another reader of OpenAPI finds in the contract is shown: operations, parameters, members of bodies with
// what is required, statuses and examples.
func TestNothingOfTheContractIsMissing(t *testing.T) {
	t.Parallel()
	for mode, text := range published(t) {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			doc, err := openapi3.NewLoader().LoadFromData(text)
			if err != nil {
				t.Fatal(err)
			}
			ref := reading(t, text)
			operations := 0
			for path, item := range doc.Paths.Map() {
				for method, want := range item.Operations() {
					operations++
					got := ref.operation(want.OperationID)
					if got == nil || got.Method != method || got.Path != path || got.Summary != want.Summary {
						t.Errorf("%s %s is shown as %+v", method, path, got)
						continue
					}
					wantParameters(t, got, append(slices.Clone(item.Parameters), want.Parameters...))
					if want.RequestBody != nil {
						wantContent(t, got.ID+" request", got.Body, want.RequestBody.Value.Content)
					}
					wantResponses(t, got, want.Responses.Map())
				}
			}
			if shown := len(ref.operations()); shown != operations {
				t.Errorf("%d operations are shown, want %d", shown, operations)
			}
		})
	}
}

func wantParameters(t *testing.T, op *operation, want openapi3.Parameters) {
	t.Helper()
	if len(op.Parameters) != len(want) {
		t.Errorf("%s has %d parameters, want %d", op.ID, len(op.Parameters), len(want))
		return
	}
	for i, p := range want {
		got := op.Parameters[i]
		if got.Name != p.Value.Name || got.In != p.Value.In || got.Required != p.Value.Required || got.Description != p.Value.Description {
			t.Errorf("%s: parameter %s is shown as %+v", op.ID, p.Value.Name, got)
		}
	}
}

func wantContent(t *testing.T, at string, got *content, want openapi3.Content) {
	t.Helper()
	for mediaType, media := range want {
		if got == nil || got.MediaType != mediaType || len(got.Examples) != len(media.Examples) {
			t.Errorf("%s: %s with %d examples is shown as %+v", at, mediaType, len(media.Examples), got)
			continue
		}
		wantSchema(t, at, got.Schema, media.Schema.Value)
	}
}

func wantSchema(t *testing.T, at string, got *property, want *openapi3.Schema) {
	t.Helper()
	if want.Items != nil {
		wantSchema(t, at+"[]", got, want.Items.Value)
		return
	}
	for i, variant := range want.OneOf {
		wantSchema(t, at+"/"+got.Variants[i].Name, got.Variants[i], variant.Value)
	}
	for name, member := range want.Properties {
		i := slices.IndexFunc(got.Properties, func(p *property) bool { return p.Name == name })
		if i < 0 {
			t.Errorf("%s: %s is not shown", at, name)
			continue
		}
		p := got.Properties[i]
		if p.Required != slices.Contains(want.Required, name) || p.Type == "" || p.Description == "" && member.Value.Description != "" {
			t.Errorf("%s: %s is shown as %+v", at, name, p)
		}
		wantSchema(t, at+"/"+name, p, member.Value)
	}
}

func wantResponses(t *testing.T, op *operation, want map[string]*openapi3.ResponseRef) {
	t.Helper()
	var statuses []string
	for _, a := range op.Answers {
		statuses = append(statuses, a.Status)
		wantContent(t, op.ID+" "+a.Status, a.Content, want[a.Status].Value.Content)
		if len(a.Headers) != len(want[a.Status].Value.Headers) {
			t.Errorf("%s: %d headers are shown, want %d", op.ID, len(a.Headers), len(want[a.Status].Value.Headers))
		}
	}
	for _, r := range op.Refusals {
		statuses = append(statuses, r.Status)
		for _, media := range want[r.Status].Value.Content {
			for name, ex := range media.Examples {
				value, _ := ex.Value.Value.(map[string]any)
				if !slices.ContainsFunc(r.Codes, func(c named) bool { return c.Name == value["code"] }) {
					t.Errorf("%s: the code of %s %s is not shown", op.ID, r.Status, name)
				}
			}
		}
	}
	slices.Sort(statuses)
	if all := slices.Sorted(maps.Keys(want)); !slices.Equal(statuses, all) {
		t.Errorf("%s: %v are shown, want %v", op.ID, statuses, all)
	}
}

// "Try it" can replace every id of a request example by one that the reader has created.
func TestIDsOfRequestsAreThoseOfResponses(t *testing.T) {
	t.Parallel()
	anyUUID := regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	ref := reading(t, published(t)["sandbox"])
	seen := 0
	for _, op := range ref.operations() {
		if op.Body == nil {
			continue
		}
		for _, e := range op.Body.Examples {
			for _, id := range anyUUID.FindAllString(e.Text, -1) {
				if seen++; ref.Examples[id] == "" {
					t.Errorf("%s: nothing in a response example has the id %s", e.ID, id)
				}
			}
		}
		for _, p := range op.Parameters {
			if p.In == "path" && strings.HasPrefix(p.Type, "string (uuid)") && ref.Resources[p.Name].Operation == "" {
				t.Errorf("%s: no operation creates a %s", op.ID, p.Name)
			}
		}
	}
	if seen == 0 {
		t.Error("no request example has an id")
	}
}

// The steps of a first payout exist in the sandbox, each leading to the next.
func TestStepsExist(t *testing.T) {
	t.Parallel()
	steps := reading(t, published(t)["sandbox"]).Steps
	if len(steps) != len(firstPayout) {
		t.Fatalf("%d of %d steps exist", len(steps), len(firstPayout))
	}
	for i, op := range steps {
		if i+1 < len(steps) && op.Next != steps[i+1] {
			t.Errorf("%s does not lead to %s", op.ID, steps[i+1].ID)
		}
	}
}

// Numbers of examples keep their digits, and members their order.
func TestExamplesAreExact(t *testing.T) {
	t.Parallel()
	root, err := parse([]byte(`{"b": 100.00, "a": [1e2, "x\u00e9"], "c": {}, "d": null}`))
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"b\": 100.00,\n  \"a\": [\n    1e2,\n    \"x\\u00e9\"\n  ],\n  \"c\": {},\n  \"d\": null\n}"
	if got := root.pretty(); got != want {
		t.Errorf("got %s", got)
	}
	if got := root.at("a").list()[1].text(); got != "xé" {
		t.Errorf("text is %q", got)
	}
}

func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, kind, facts string }{
		"length":         {`{"type": "string", "minLength": 1, "maxLength": 2048}`, "string", "1 to 2,048 characters"},
		"one character":  {`{"type": "string", "maxLength": 1}`, "string", "at most 1 character"},
		"exact length":   {`{"type": "string", "minLength": 2, "maxLength": 2}`, "string", "exactly 2 characters"},
		"number":         {`{"type": "number", "format": "decimal", "minimum": 0, "exclusiveMinimum": true, "maximum": 1000000}`, "number (decimal)", "more than 0, at most 1,000,000"},
		"negative":       {`{"type": "integer", "minimum": -1000}`, "integer", "at least -1000"},
		"enum":           {`{"type": "string", "enum": ["A", "B"], "default": "A"}`, "string", "Default A; One of A B"},
		"known values":   {`{"type": "string", "x-known-values": ["IN PROGRESS"]}`, "string", "Known values IN PROGRESS"},
		"reason":         {`{"type": "string", "pattern": "^[A-Z]$", "x-reason": "must be a letter"}`, "string", "must be a letter"},
		"pattern":        {`{"type": "string", "pattern": "^[A-Z]$"}`, "string", "Pattern ^[A-Z]$"},
		"null":           {`{"type": "string", "nullable": true}`, "string or null", ""},
		"uuid":           {`{"type": "string", "format": "uuid", "maxLength": 36}`, "string (uuid)", ""},
		"array":          {`{"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 3}}`, "array of string", "at most 20 items; each at most 3 characters"},
		"array of named": {`{"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}`, "array of Thing", ""},
		"reference":      {`{"allOf": [{"$ref": "#/components/schemas/Token"}], "default": "A"}`, "string", "at most 9 characters; Default A"},
		"map":            {`{"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Token"}}`, "object of string values", "each at most 9 characters"},
		"recursive":      {`{"$ref": "#/components/schemas/Node"}`, "object", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, err := parse([]byte(`{"schema": ` + c.schema + `, "components": {"schemas": {
				"Token": {"type": "string", "maxLength": 9},
				"Thing": {"type": "object", "properties": {"a": {"type": "string"}}},
				"Node": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}}}}`))
			if err != nil {
				t.Fatal(err)
			}
			w := &walker{root: root}
			p := w.schema(root.at("schema"), "x")
			var facts []string
			for _, f := range p.Facts {
				facts = append(facts, strings.TrimSpace(strings.Join(append([]string{f.Label, f.Text}, f.Values...), " ")))
			}
			for i := range facts {
				facts[i] = strings.Join(strings.Fields(facts[i]), " ")
			}
			if got := strings.Join(facts, "; "); p.Type != c.kind || got != c.facts || w.err != nil {
				t.Errorf("got %q with %q, %v, want %q with %q", p.Type, got, w.err, c.kind, c.facts)
			}
		})
	}
}

func TestReferenceWithoutTargetIsAnError(t *testing.T) {
	t.Parallel()
	root, err := parse([]byte(`{"paths": {"/a": {"get": {"tags": ["A"], "responses": {"200": {"$ref": "#/components/responses/None"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := read(root, nil); err == nil || !strings.Contains(err.Error(), "#/components/responses/None") {
		t.Errorf("error %v", err)
	}
}
