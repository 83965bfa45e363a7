package openapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// D-31: a client that was generated from this version accepts the values that later versions add.
func TestNoResponseHasAnEnum(t *testing.T) {
	t.Parallel()
	lists := 0
	for name, op := range operations(t) {
		for status, response := range op.Responses.Map() {
			for _, media := range response.Value.Content {
				err := media.Schema.WalkSubtree(func(at string, ref *openapi3.SchemaRef) error {
					s := ref.Value
					if len(s.Enum) > 0 {
						t.Errorf("%s %s %s has an enum", name, status, at)
					}
					values := openapi.KnownValues(s)
					if len(values) == 0 {
						return nil
					}
					lists++
					if s.Pattern == "" || s.MaxLength == nil {
						t.Errorf("%s %s %s lists values and does not bound others", name, status, at)
					}
					for _, value := range values {
						if err := s.VisitJSON(value); err != nil {
							t.Errorf("%s %s %s: the known value %v: %v", name, status, at, value, err)
						}
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if lists == 0 {
		t.Error("no response lists known values")
	}
}

// D-55: some generators derive one type from a response schema, headers included.
func TestTheSameResponseHasTheSameHeaders(t *testing.T) {
	t.Parallel()
	type answer struct {
		operation string
		headers   []string
	}
	seen := map[string]answer{}
	for name, op := range operations(t) {
		response := op.Responses.Value("200").Value
		schema := response.Content.Get("application/json").Schema.Ref
		if schema == "" {
			continue
		}
		now := answer{name, slices.Sorted(maps.Keys(response.Headers))}
		if before, ok := seen[schema]; ok && !slices.Equal(before.headers, now.headers) {
			t.Errorf("%s: %s has the headers %v, %s has %v", schema, before.operation, before.headers, now.operation, now.headers)
		}
		seen[schema] = now
	}
}

// D-55: what a generator needs to know is in an overlay.
func TestTheContractAddressesNoGenerator(t *testing.T) {
	t.Parallel()
	for _, hint := range []string{"x-go-", "x-oapi-codegen", "x-enum-", "x-ogen", "x-order", "x-omitempty"} {
		if strings.Contains(string(openapi.YAML()), hint) {
			t.Errorf("the contract has %s", hint)
		}
	}
}
