package openapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// documented has the 13 rows of section 4 of the interface document: method, path, query parameters.
var documented = [][]string{
	{"GET", "/payers", "country", "payout_method"},
	{"GET", "/payers/{payerId}"},
	{"GET", "/banks", "country"},
	{"GET", "/banks/{bankId}"},
	{"POST", "/users"},
	{"GET", "/users/{user_id}/cip-info"},
	{"GET", "/users/{user_id}/transaction-limit", "destination"},
	{"POST", "/users/{user_id}/transactions"},
	{"GET", "/countries/{countryCode}/states"},
	{"GET", "/countries/{countryCode}/states/{stateCode}"},
	{"GET", "/v2/states"},
	{"GET", "/v2/states", "countryCode"},
	{"GET", "/v2/states/{stateId}"},
}

func TestOperationsOfTheDocument(t *testing.T) {
	t.Parallel()
	operations := operations(t)
	rows := map[string]bool{}
	for _, row := range documented {
		name := row[0] + " " + row[1]
		rows[name] = true
		op, ok := operations[name]
		if !ok {
			t.Errorf("%s is not in the spec", name)
			continue
		}
		for _, query := range row[2:] {
			if op.Parameters.GetByInAndName(openapi3.ParameterInQuery, query) == nil {
				t.Errorf("%s has no query parameter %s", name, query)
			}
		}
	}
	for name, op := range operations {
		switch origin := op.Extensions["x-origin"]; origin {
		case "document", "decision", "extension":
			if (origin == "document") != rows[name] {
				t.Errorf("%s: x-origin is %s, which section 4 of the document does not bear out", name, origin)
			}
		default:
			t.Errorf("%s: x-origin is %v, want document, decision or extension", name, origin)
		}
	}
}

func TestEveryOperationIsNamed(t *testing.T) {
	t.Parallel()
	doc := document(t)
	seen := map[string]string{}
	for name, op := range operations(t) {
		if op.OperationID == "" || seen[op.OperationID] != "" {
			t.Errorf("%s: operationId %q is empty or that of %s too", name, op.OperationID, seen[op.OperationID])
		}
		seen[op.OperationID] = name
		if op.Summary == "" {
			t.Errorf("%s has no summary", name)
		}
		if len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
			t.Errorf("%s: tags are %v, want one that the document describes", name, op.Tags)
		}
	}
}

// D-04, D-08 and D-75: 200 is the only success, beside 304 for who has the answer, and every operation declares its errors.
func TestEveryOperationDeclaresItsResponses(t *testing.T) {
	t.Parallel()
	for name, op := range operations(t) {
		want := []string{"200", "400", "401", "429", "500", "503"}
		if op.RequestBody != nil {
			want = append(want, "413", "415")
		}
		if strings.Contains(name, "{") {
			want = append(want, "404")
		}
		for _, status := range want {
			if op.Responses.Value(status) == nil {
				t.Errorf("%s does not declare %s", name, status)
			}
		}
		conditional := op.Parameters.GetByInAndName(openapi3.ParameterInHeader, "If-None-Match") != nil
		if conditional != (op.Responses.Value("304") != nil) || conditional != (op.Responses.Value("200").Value.Headers["ETag"] != nil) {
			t.Errorf("%s has some of If-None-Match, ETag and 304, and not all", name)
		}
		for status, response := range op.Responses.Map() {
			if status[0] < '4' && status != "200" && status != "304" {
				t.Errorf("%s declares the success %s", name, status)
			}
			id := response.Value.Headers["X-Request-Id"]
			if id == nil || !id.Value.Required {
				t.Errorf("%s %s does not always have the header X-Request-Id", name, status)
			}
		}
	}
}

// operations returns the operations by method and path, with the parameters of their path added.
func operations(t *testing.T) map[string]*openapi3.Operation {
	t.Helper()
	found := map[string]*openapi3.Operation{}
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			whole := *op
			whole.Parameters = slices.Concat(item.Parameters, op.Parameters)
			found[method+" "+path] = &whole
		}
	}
	if len(found) == 0 {
		t.Fatal("the spec has no operations")
	}
	return found
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
