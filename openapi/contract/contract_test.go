package contract_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

func TestOperations(t *testing.T) {
	t.Parallel()
	c := shop(t)
	var ids []string
	for _, op := range c.Operations() {
		ids = append(ids, op.ID)
	}
	if want := []string{"listOrders", "placeOrder", "dropItem", "getItem", "leaveNote"}; !slices.Equal(ids, want) {
		t.Errorf("got %v, want %v", ids, want)
	}
	op := c.Operation(http.MethodHead, "/items/{item_id}")
	if op == nil || op.ID != "getItem" || op.Method != http.MethodGet || op.Path != "/items/{item_id}" {
		t.Fatalf("HEAD gives %+v", op)
	}
	if got := op.Statuses(); !slices.Equal(got, []int{200, 404}) {
		t.Errorf("statuses %v", got)
	}
	if op := c.Operation(http.MethodPut, "/items/{item_id}"); op != nil {
		t.Errorf("PUT gives %+v", op)
	}
}

func TestNewDoesNotChangeTheDocument(t *testing.T) {
	t.Parallel()
	doc := document(t)
	before, err := doc.MarshalJSON()
	wantAccepted(t, err)
	if _, err := contract.New(doc); err != nil {
		t.Fatal(err)
	}
	after, err := doc.MarshalJSON()
	wantAccepted(t, err)
	if !bytes.Equal(before, after) {
		t.Error("it was changed")
	}
}

func TestOperationParameterReplacesThatOfThePath(t *testing.T) {
	t.Parallel()
	doc := document(t)
	own := openapi3.NewPathParameter("account_id").WithSchema(openapi3.NewStringSchema().WithMaxLength(3))
	doc.Paths.Value(orders).Get.AddParameter(own)
	c, err := contract.New(doc)
	wantAccepted(t, err)
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	_, err = c.Operation(http.MethodGet, orders).CheckRequest(r, map[string]string{"account_id": "abc"}, limit)
	wantAccepted(t, err)
	_, err = c.Operation(http.MethodGet, orders).CheckRequest(r, map[string]string{"account_id": account}, limit)
	wantRefused(t, err, 400, "path account_id: must have at most 3 characters")
}

func TestNewRejectsWhatItCannotEnforce(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/shop.yaml")
	wantAccepted(t, err)
	for _, tc := range []struct{ name, old, new, want string }{
		{"invalid document", "version: 1.0.0", "", "the document is invalid"},
		{"other version", "openapi: 3.0.3", "openapi: 3.1.0", "must be OpenAPI 3.0"},
		{"misspelt format", "format: email", "format: e-mail", "/mail: format e-mail is not known"},
		{"format of another type", "serial: {type: integer}", "serial: {type: integer, format: decimal}", "format decimal is not known"},
		{"multipleOf", "serial: {type: integer}", "serial: {type: integer, multipleOf: 2}", "multipleOf are not supported"},
		{"no type", "serial: {type: integer}", "serial: {}", "/serial: a schema needs one type"},
		{"bound that a float cannot hold", "maximum: 9999999999999.99", "maximum: 99999999999999.99", "at most 15 significant digits"},
		{"anyOf", "serial: {type: integer}", "serial: {anyOf: [{type: integer}]}", "anyOf, not and multipleOf are not supported"},
		{"allOf of several", "serial: {type: integer}", "serial: {allOf: [{type: integer}, {type: integer}]}", "around a single schema"},
		{"properties beside allOf", "serial: {type: integer}", "serial: {allOf: [{type: object}], properties: {a: {type: string}}}", "properties of its own"},
		{"oneOf without discriminator", "serial: {type: integer}", "serial: {oneOf: [{type: integer}]}", "oneOf needs a discriminator"},
		{"discriminator that leads nowhere", "COURIER: '#/components/schemas/Courier'", "COURIER: '#/components/schemas/Order'", "not in oneOf"},
		{"open object in a request", "labels: {type: object, additionalProperties: {type: string, maxLength: 5}, maxProperties: 2}",
			"labels: {type: object}", "/labels: an object of a request must be closed"},
		{"reason that is not a sentence", "x-reason: must be 3 upper-case letters", "x-reason: 3", "x-reason must be a string"},
		{"unknown kind of text", "x-text: prose", "x-text: verse", "/remark: x-text must be line or prose, of a string, not verse"},
		{"text that is no string", "serial: {type: integer}", "serial: {type: integer, x-text: line}", "/serial: x-text must be line or prose"},
		{"known values of a request", "serial: {type: integer}", "serial: {type: string, x-known-values: [A]}", "a request needs a closed set"},
		{"known values of a parameter", "schema: {type: boolean}", "schema: {type: string, x-known-values: [A]}", "a request needs a closed set"},
		{"known values that are no texts", "[OPEN, IN TRANSIT]", "[1]", "x-known-values must be a list of strings"},
		{"known keys that are no list", "[WEIGHT, PRICE]", "WEIGHT", "x-known-keys must be a list of strings"},
		{"list as parameter", "schema: {type: boolean}", "schema: {type: array, items: {type: boolean}}", "query parameter paid: must be a string"},
		{"cookie", "name: X-Hint, in: header", "name: X-Hint, in: cookie", "cookies are not supported"},
		{"request that is not JSON", "application/json: {schema: {$ref: '#/components/schemas/Order'}}",
			"text/plain: {schema: {$ref: '#/components/schemas/Order'}}", "must be application/json"},
		{"default response", "'404': {$ref", "default: {$ref", "response default: must have a status of its own"},
		{"no operationId", "operationId: getItem", "summary: x", "needs an operationId"},
		{"no schema Error", "    Error:", "    Failure:", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(string(text), tc.old, tc.new, 1)
			if tc.name == "no schema Error" {
				changed, tc.want = strings.ReplaceAll(changed, "schemas/Error", "schemas/Failure"), "no schema Error"
			}
			doc, err := openapi3.NewLoader().LoadFromData([]byte(changed))
			wantAccepted(t, err)
			if _, err = contract.New(doc); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	t.Run("no document", func(t *testing.T) {
		t.Parallel()
		if _, err := contract.New(nil); err == nil {
			t.Error("no error")
		}
	})
}
