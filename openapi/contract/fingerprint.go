package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
)

// Fingerprint identifies the meaning of a request: requests that mean the same have equal fingerprints. It is the SHA-256, in
// lower-case hex, of the canonical JSON (RFC 8785) of
//
//	{"operation": operationId, "path": {parameter: value, ...}, "body": body}
//
// where path has the decoded value of each path parameter of the operation as a string, body is null if none was sent,
// and before:
//
//  1. A member that was not sent and whose schema has a default is added with that default, at every depth, provided its
//     object is present. Of a oneOf, the schema is the one that the discriminator selects.
//  2. Every number in the body is replaced by a string with its shortest plain decimal: no exponent, no zeros at the end
//     of the fraction, no point without fraction, "0" for a negative zero. So 100 and 100.00 are "100".
//  3. A string whose schema has the format uuid is put in lower case, in body and path.
//
// Nothing else is changed. Query and headers are not part of it.
//
// It is computed on each call, in time proportional to the body.
func (r *Request) Fingerprint() string {
	path := map[string]any{}
	for _, p := range r.Operation.path {
		path[p.name] = r.Operation.judge.normal(r.path[p.name], p.schema)
	}
	var body any
	if r.Body != nil {
		body = r.Operation.judge.normal(r.value, r.Operation.body)
	}
	text, err := json.Marshal(map[string]any{"operation": r.Operation.ID, "path": path, "body": body})
	canonical := jsontext.Value(text)
	if err == nil {
		err = canonical.Canonicalize()
	}
	if err != nil {
		// The parts were read from JSON; going on would let two different requests pass for one.
		panic(fmt.Sprintf("contract: a checked request cannot be written as JSON: %v", err))
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// normal copies value in the form that equal requests share.
func (j *judge) normal(value any, s *openapi3.Schema) any {
	s = j.plain(s, value)
	switch value := value.(type) {
	case json.Number:
		return shortest(value.String())
	case float64: // only in a default, which the document's parser has read
		return shortest(plainFloat(value))
	case string:
		if s.Format == "uuid" {
			return strings.ToLower(value)
		}
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = j.normal(item, itemSchema(s))
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(value))
		for name, member := range value {
			object[name] = j.normal(member, memberSchema(s, name))
		}
		for name, property := range s.Properties {
			if _, sent := value[name]; !sent && property.Value.Default != nil {
				object[name] = j.normal(property.Value.Default, property.Value)
			}
		}
		return object
	}
	return value
}
