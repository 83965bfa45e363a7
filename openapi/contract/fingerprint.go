package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

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
// It is computed on each call, in time proportional to the body and in little memory.
func (r *Request) Fingerprint() string {
	path := map[string]any{}
	for _, p := range r.Operation.path {
		path[p.name] = r.Operation.judge.normal(r.path[p.name], p.schema)
	}
	var body any
	if r.Body != nil {
		value, _, _ := decode(r.Body, math.MaxInt) // it was read before
		body = r.Operation.judge.normal(value, r.Operation.body.Schema)
	}
	sum := canonical{Hash: sha256.New()}
	sum.value(map[string]any{"operation": r.Operation.ID, "path": path, "body": body})
	sum.flush()
	return hex.EncodeToString(sum.Sum(nil))
}

// canonical writes JSON in the form of RFC 8785 to a hash, in parts, because a body may be large. There are no numbers.
type canonical struct {
	hash.Hash
	buffer []byte
}

func (c *canonical) flush() {
	_, _ = c.Write(c.buffer) // a hash never fails
	c.buffer = c.buffer[:0]
}

func (c *canonical) value(value any) {
	switch value := value.(type) {
	case nil:
		c.buffer = append(c.buffer, "null"...)
	case bool:
		c.buffer = strconv.AppendBool(c.buffer, value)
	case string:
		c.string(value)
	case []any:
		c.buffer = append(c.buffer, '[')
		for i, item := range value {
			if i > 0 {
				c.buffer = append(c.buffer, ',')
			}
			c.value(item)
		}
		c.buffer = append(c.buffer, ']')
	case map[string]any:
		c.buffer = append(c.buffer, '{')
		for i, name := range slices.SortedFunc(maps.Keys(value), byUTF16) {
			if i > 0 {
				c.buffer = append(c.buffer, ',')
			}
			c.string(name)
			c.buffer = append(c.buffer, ':')
			c.value(value[name])
		}
		c.buffer = append(c.buffer, '}')
	default:
		// Going on would let two different requests pass for one.
		panic(fmt.Sprintf("contract: a checked request has a %T", value))
	}
}

// string writes a string in pieces.
func (c *canonical) string(s string) {
	const piece = 32 << 10
	c.buffer = append(c.buffer, '"')
	for s != "" {
		end := min(len(s), piece)
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end--
		}
		if len(c.buffer) > piece {
			c.flush()
		}
		at := len(c.buffer)
		quoted, err := jsontext.AppendQuote(c.buffer, s[:end])
		if err != nil {
			panic("contract: a checked request is not UTF-8")
		}
		// Without the quotes of the piece.
		c.buffer = slices.Delete(quoted[:len(quoted)-1], at, at+1)
		s = s[end:]
	}
	c.buffer = append(c.buffer, '"')
}

// byUTF16 is the order of names in RFC 8785: by their code units in UTF-16.
func byUTF16(a, b string) int {
	// That of their bytes is the same, unless one has a character beyond U+D7FF.
	late := func(r rune) bool { return r > 0xd7ff }
	if !strings.ContainsFunc(a, late) && !strings.ContainsFunc(b, late) {
		return strings.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
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
