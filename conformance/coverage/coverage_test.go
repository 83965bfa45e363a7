package coverage_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/conformance/coverage"
	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi"
)

// document is a small contract with everything that coverage distinguishes: a oneOf, an array, a map, parameters in three places, an
// optional header of a response, errors with several codes, and one that belongs to no operation.
const document = `{
"openapi": "3.0.3", "info": {"title": "T", "version": "1"},
"paths": {"/things/{id}": {
  "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
  "post": {
    "operationId": "put", "x-origin": "document",
    "parameters": [
      {"name": "mode", "in": "query", "required": true, "schema": {"type": "string"}},
      {"name": "X-Key", "in": "header", "schema": {"type": "string"}}],
    "requestBody": {"content": {"application/json": {"schema": {
      "type": "object", "required": ["to"],
      "properties": {"tags": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "to": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"$ref": "#/components/schemas/B"}],
          "discriminator": {"propertyName": "kind", "mapping": {"A": "#/components/schemas/A", "B": "#/components/schemas/B"}}}}}}}},
    "responses": {
      "200": {"description": "", "headers": {"Replayed": {"schema": {"type": "boolean"}}, "Id": {"required": true, "schema": {"type": "string"}}},
        "content": {"application/json": {"schema": {"type": "object", "properties": {
          "id": {"type": "string"}, "counts": {"type": "object", "additionalProperties": {"type": "integer"}}}}}}},
      "400": {"$ref": "#/components/responses/Bad"},
      "422": {"description": "", "content": {"application/json": {"examples": {
        "a": {"value": {"status": 422, "code": "TOO_OLD"}}, "b": {"value": {"status": 422, "code": "TOO_NEW"}}}}}}}},
  "get": {"operationId": "get", "x-origin": "extension", "responses": {
    "200": {"description": "", "content": {"application/json": {"schema": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}}}}}}}}}}},
"components": {
  "schemas": {
    "A": {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "account": {"type": "string"}}},
    "B": {"type": "object", "required": ["kind", "payer"], "properties": {"kind": {"type": "string"}, "payer": {"type": "string"}}}},
  "responses": {
    "Bad": {"description": "", "content": {"application/json": {"examples": {"a": {"value": {"status": 400, "code": "BAD_REQUEST"}}}}}},
    "Nowhere": {"description": "", "content": {"application/json": {"examples": {"a": {"value": {"status": 405, "code": "METHOD_NOT_ALLOWED"}}}}}}}}
}`

func parsed(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// put is an exchange of the operation put.
func put(status int, sent, answered string) probe.Exchange {
	return probe.Exchange{
		OperationID: "put", Method: http.MethodPost, URL: "/things/1?mode=x", Status: status,
		Body: []byte(sent), ResponseBody: []byte(answered), ResponseHeader: http.Header{},
	}
}

func observed(t *testing.T, exchanges ...probe.Exchange) coverage.Report {
	t.Helper()
	c := coverage.New(parsed(t), probe.Full)
	for _, x := range exchanges {
		c.Observe(x)
	}
	return c.Report()
}

func operation(t *testing.T, r coverage.Report, id string) coverage.Operation {
	t.Helper()
	i := slices.IndexFunc(r.Operations, func(o coverage.Operation) bool { return o.ID == id })
	if i < 0 {
		t.Fatalf("no operation %q", id)
	}
	return r.Operations[i]
}

// At first everything is missing, each item once.
func TestEverythingIsMissingAtFirst(t *testing.T) {
	t.Parallel()
	r := observed(t)
	want := []string{
		"get 200", "get invalid path id", "get response /*", "get response /*/id", "get valid path id",
		"no operation 405 METHOD_NOT_ALLOWED",
		"put 200", "put 400 BAD_REQUEST", "put 422 TOO_NEW", "put 422 TOO_OLD",
		"put invalid body", "put invalid body /tags", "put invalid body /tags/*", "put invalid body /tags/*/name",
		"put invalid body /to", "put invalid body /to/kind", "put invalid body /to[A]/account", "put invalid body /to[B]/payer",
		"put invalid header X-Key", "put invalid path id", "put invalid query mode",
		"put missing body /to", "put missing body /to/kind", "put missing body /to[B]/payer", "put missing query mode",
		"put response /counts", "put response /counts/*", "put response /id", "put response header Replayed",
		"put valid body", "put valid body /tags", "put valid body /tags/*", "put valid body /tags/*/name", "put valid body /to",
		"put valid body /to[A]/account", "put valid body /to[A]/kind", "put valid body /to[B]/kind", "put valid body /to[B]/payer",
		"put valid header X-Key", "put valid path id", "put valid query mode",
	}
	var got []string
	for _, missing := range r.Missing {
		got = append(got, strings.TrimSuffix(missing, " never seen"))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("missing\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An exchange exercises these items and no others.
func TestAnExchangeTouchesWhatItHolds(t *testing.T) {
	t.Parallel()
	bad := func(in, field string) string {
		return `{"status":400,"code":"BAD_REQUEST","details":[{"in":"` + in + `","field":"` + field + `"}]}`
	}
	accepted := []string{"200", "valid body", "valid path id", "valid query mode"}
	refused := []string{"400 BAD_REQUEST"}
	for name, c := range map[string]struct {
		exchange probe.Exchange
		want     []string
	}{
		"accepted, the first variant": {
			put(200, `{"to":{"kind":"A","account":"1"}}`, `{}`),
			append(accepted, "valid body /to", "valid body /to[A]/account", "valid body /to[A]/kind"),
		},
		"accepted, the second variant": {
			put(200, `{"to":{"kind":"B","payer":null}}`, `{}`), append(accepted, "valid body /to", "valid body /to[B]/kind", "valid body /to[B]/payer"),
		},
		"accepted, an empty array":   {put(200, `{"tags":[]}`, `{}`), append(accepted, "valid body /tags")},
		"accepted, an item":          {put(200, `{"tags":[{"name":"a"}]}`, `{}`), append(accepted, "valid body /tags", "valid body /tags/*", "valid body /tags/*/name")},
		"answered, an empty map":     {put(200, `{}`, `{"id":"1","counts":{}}`), append(accepted, "response /id", "response /counts")},
		"answered, a map":            {put(200, `{}`, `{"counts":{"a":1}}`), append(accepted, "response /counts", "response /counts/*")},
		"answered, no JSON":          {put(200, `{}`, `<html>`), accepted},
		"refused, a member":          {put(400, `{"tags":[{},{"name":1}]}`, bad("body", "/tags/1/name")), append(refused, "invalid body /tags/*/name")},
		"refused, the whole body":    {put(400, `[]`, bad("body", "")), append(refused, "invalid body")},
		"refused, a required member": {put(400, `{}`, bad("body", "/to")), append(refused, "missing body /to")},
		"refused, of a variant":      {put(400, `{"to":{"kind":"B"}}`, bad("body", "/to/payer")), append(refused, "missing body /to[B]/payer")},
		"refused, the discriminator": {put(400, `{"to":{"kind":"C"}}`, bad("body", "/to/kind")), append(refused, "invalid body /to/kind")},
		"refused, no discriminator":  {put(400, `{"to":{}}`, bad("body", "/to/kind")), append(refused, "missing body /to/kind")},
		"refused, no variant known":  {put(400, `{"to":{"kind":"C","payer":1}}`, bad("body", "/to/payer")), refused},
		"refused, an unknown member": {put(400, `{"x":1}`, bad("body", "/x")), refused},
		"refused, an absent item":    {put(400, `{"tags":[]}`, bad("body", "/tags/0/name")), refused},
		"refused, the query":         {put(400, `{}`, bad("query", "mode")), append(refused, "invalid query mode")},
		"refused, the path":          {put(400, `{}`, bad("path", "id")), append(refused, "invalid path id")},
		"a code":                     {put(422, `{}`, `{"status":422,"code":"TOO_OLD"}`), []string{"422 TOO_OLD"}},
		"a code of another status":   {put(422, `{}`, `{"status":422,"code":"BAD_REQUEST"}`), nil},
		"an undeclared status":       {put(418, `{}`, `{}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slices.Sort(c.want)
			o := operation(t, observed(t, c.exchange), "put")
			if !slices.Equal(o.Touched, c.want) || o.Answered != 1 {
				t.Errorf("touched %q by %d, want %q", o.Touched, o.Answered, c.want)
			}
		})
	}
}

// A parameter that is not sent is missing, not invalid; headers count in both directions.
func TestParametersAndHeaders(t *testing.T) {
	t.Parallel()
	left := put(400, `{}`, `{"code":"BAD_REQUEST","details":[{"in":"query","field":"mode"}]}`)
	left.URL = "/things/1"
	replayed := put(200, `{}`, `{}`)
	replayed.Header, replayed.ResponseHeader = http.Header{"X-Key": {"k"}}, http.Header{"Replayed": {"true"}}
	touched := operation(t, observed(t, left, replayed), "put").Touched
	for _, item := range []string{"missing query mode", "valid header X-Key", "response header Replayed"} {
		if !slices.Contains(touched, item) {
			t.Errorf("%q is not among %q", item, touched)
		}
	}
	if slices.Contains(touched, "invalid query mode") {
		t.Error("a parameter that was not sent counts as invalid")
	}
}

// Requests without a response, HEAD and unknown operations exercise nothing; requests outside of operations have codes of their own.
func TestWhatTouchesNothing(t *testing.T) {
	t.Parallel()
	silent, head, unknown := put(200, `{}`, `{"id":"1"}`), put(200, `{}`, `{"id":"1"}`), put(200, `{}`, `{"id":"1"}`)
	silent.Err, head.Method, unknown.OperationID = http.ErrHandlerTimeout, http.MethodHead, "other"
	outside := put(405, ``, `{"status":405,"code":"METHOD_NOT_ALLOWED"}`)
	outside.OperationID = ""
	r := observed(t, silent, head, unknown, outside)
	if o := operation(t, r, "put"); len(o.Touched) > 0 || o.Answered > 0 {
		t.Errorf("touched %q", o.Touched)
	}
	if o := operation(t, r, ""); !slices.Equal(o.Touched, []string{"405 METHOD_NOT_ALLOWED"}) || len(o.Missing) > 0 {
		t.Errorf("outside of operations: touched %q, missing %q", o.Touched, o.Missing)
	}
}

// Profile document covers only the operations of the interface document.
func TestProfileDocument(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, o := range coverage.New(parsed(t), probe.Document).Report().Operations {
		ids = append(ids, o.ID)
	}
	if !slices.Equal(ids, []string{"", "put"}) {
		t.Errorf("operations %q", ids)
	}
}

// Merged reports have exercised what any of them has, and miss what all of them miss, also after a round trip through JSON.
func TestMerge(t *testing.T) {
	t.Parallel()
	first := put(200, `{}`, `{"id":"1"}`)
	second := put(422, `{}`, `{"status":422,"code":"TOO_NEW"}`)
	a, b, both := observed(t, first), observed(t, second), observed(t, first, second)
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var read coverage.Report
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if merged := coverage.Merge(read, b); !reflect.DeepEqual(merged, both) {
		t.Errorf("merged %+v\nwant %+v", merged, both)
	}
	if merged := coverage.Merge(a); !reflect.DeepEqual(merged, a) {
		t.Errorf("one report merged is %+v, want %+v", merged, a)
	}
}

// A oneOf of the contract is covered variant by variant.
func TestTheVariantsOfAReceiveSide(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	c := coverage.New(doc, probe.Full)
	c.Observe(probe.Exchange{
		OperationID: "createTransaction", Method: http.MethodPost, URL: "/users/1/transactions", Status: 200,
		Body: []byte(`{"to":{"payout_method":"WALLET","payer_id":1004}}`), ResponseBody: []byte(`{}`),
	})
	o := operation(t, c.Report(), "createTransaction")
	if item := "valid body /to[WALLET]/payer_id"; !slices.Contains(o.Touched, item) {
		t.Errorf("%q is not touched", item)
	}
	for _, item := range []string{"valid body /to[CASH_PICKUP]/payer_id", "invalid body /to[WALLET]/payer_id", "422 LIMIT_EXCEEDED"} {
		if !slices.Contains(o.Missing, item) {
			t.Errorf("%q is not missing", item)
		}
	}
	if !slices.ContainsFunc(c.Report().Missing, func(m string) bool { return m == "createTransaction 422 LIMIT_EXCEEDED never seen" }) {
		t.Error("what is missing is not told as a sentence")
	}
}
