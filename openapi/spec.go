package openapi

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

//go:embed openapi.yaml
var source string

// Decisions is decisions.md, and Changelog is CHANGELOG.md, in Markdown.
var (
	//go:embed decisions.md
	Decisions string
	//go:embed CHANGELOG.md
	Changelog string
)

var (
	document = sync.OnceValues(parse)
	asJSON   = sync.OnceValues(func() (string, error) { return toJSON(source) })
)

// YAML returns the source of the contract. Each call returns a new slice.
func YAML() []byte { return []byte(source) }

// Document returns the contract, parsed and validated once. All callers share it: treat it as read-only, and load [YAML]
// again for a copy that may be changed.
func Document() (*openapi3.T, error) { return document() }

// JSON returns the contract as JSON: the same members in the same order, extensions included, and the same digits in
// every number. It is converted once; each call returns a new slice.
func JSON() ([]byte, error) {
	text, err := asJSON()
	return []byte(text), err
}

// KnownValues returns the values that a schema lists: the enum of a request, or x-known-values of a response, where the set
// may grow (D-31). It returns nil if the schema lists none.
func KnownValues(s *openapi3.Schema) []any {
	if len(s.Enum) > 0 {
		return s.Enum
	}
	values, _ := s.Extensions["x-known-values"].([]any)
	return values
}

// ConstantName returns the name of a value in generated Go code: BankDeposit for BANK_DEPOSIT, InProgress for IN PROGRESS.
func ConstantName(value string) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == '_' || r == ' ' }) {
		name.WriteString(strings.ToUpper(word[:1]) + strings.ToLower(word[1:]))
	}
	return name.String()
}

func parse() (*openapi3.T, error) {
	loader := openapi3.NewLoader()
	loader.IsExternalRefsAllowed = false // the contract is a single file; parsing it must not read others
	doc, err := loader.LoadFromData(YAML())
	if err != nil {
		return nil, fmt.Errorf("openapi: parse openapi.yaml: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("openapi: openapi.yaml is not valid: %w", err)
	}
	return doc, nil
}
