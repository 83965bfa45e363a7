package mutants_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/openapi"
)

// operationSpec is an operation of the contract with all that it says of requests and responses.
type operationSpec struct {
	*openapi3.Operation
	path       string
	parameters []*openapi3.Parameter
}

// specs returns all operations, in the order of their paths and methods.
func specs() (all []operationSpec) {
	document, err := openapi.Document()
	if err != nil {
		panic(err)
	}
	for path, item := range document.Paths.Map() {
		for _, op := range item.Operations() {
			spec := operationSpec{Operation: op, path: path}
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				spec.parameters = append(spec.parameters, p.Value)
			}
			all = append(all, spec)
		}
	}
	slices.SortFunc(all, func(a, b operationSpec) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.OperationID, b.OperationID))
	})
	return all
}

// response returns the response with a status, or nil.
func (op operationSpec) response(status int) *openapi3.Response {
	if ref := op.Responses.Status(status); ref != nil {
		return ref.Value
	}
	return nil
}

// refusals returns the statuses from 400 on that a server in normal condition answers.
func (op operationSpec) refusals() (all []int) {
	for text := range op.Responses.Map() {
		switch status, _ := strconv.Atoi(text); status {
		case http.StatusOK, http.StatusNotModified, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable: // other conditions
		default:
			all = append(all, status)
		}
	}
	slices.Sort(all)
	return all
}

// codes returns the error codes that the contract shows for a response.
func codes(r *openapi3.Response) (all []string) {
	for _, example := range bodyOf(r.Content).Examples {
		value, _ := example.Value.Value.(map[string]any)
		code, _ := value["code"].(string)
		all = append(all, code)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func bodyOf(c openapi3.Content) *openapi3.MediaType { return c.Get("application/json") }

// place is somewhere in a body.
type place struct {
	path     []string // names of members; "*" stands for each item of an array, and each member of a map
	schema   *openapi3.Schema
	required bool
	variant  []string // the path of a discriminator and its value, where the place is in one variant of a oneOf
}

// pointer names the place, such as /to/fund_id (WALLET).
func (p place) String() string {
	text := "/" + strings.Join(p.path, "/")
	if p.variant != nil {
		text += " (" + p.variant[len(p.variant)-1] + ")"
	}
	return text
}

func (p place) name() string {
	if len(p.path) == 0 {
		return ""
	}
	return p.path[len(p.path)-1]
}

// isItem reports whether the place is an item of an array or a member of a map.
func (p place) isItem() bool { return p.name() == "*" }

// places returns what is below a schema: members, items, and values of maps.
func places(s *openapi3.Schema) []place { return placesBelow(place{schema: s}) }

func placesBelow(p place) (all []place) {
	add := func(name string, s *openapi3.Schema, required bool, variant []string) {
		below := place{append(slices.Clone(p.path), name), s, required, variant}
		all = append(append(all, below), placesBelow(below)...)
	}
	s := p.schema
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		add(name, s.Properties[name].Value, slices.Contains(s.Required, name), p.variant)
	}
	if s.Items != nil {
		add("*", s.Items.Value, true, p.variant)
	}
	if others := s.AdditionalProperties.Schema; others != nil {
		add("*", others.Value, true, p.variant)
	}
	if s.Discriminator == nil {
		return all
	}
	for _, value := range slices.Sorted(maps.Keys(s.Discriminator.Mapping)) {
		ref := s.Discriminator.Mapping[value].Ref
		i := slices.IndexFunc(s.OneOf, func(o *openapi3.SchemaRef) bool { return o.Ref == ref })
		variant := append(slices.Clone(p.path), s.Discriminator.PropertyName, value)
		below := placesBelow(place{p.path, s.OneOf[i].Value, p.required, variant})
		of := slices.IndexFunc(below, func(b place) bool { return b.name() == s.Discriminator.PropertyName })
		discriminator := below[of]
		discriminator.variant = p.variant // it has one value in each variant
		if below = slices.Delete(below, of, of+1); value == slices.Min(slices.Collect(maps.Keys(s.Discriminator.Mapping))) {
			below = append(below, discriminator)
		}
		all = append(all, below...)
	}
	return all
}

// absent stands for a member that is not there.
type absent struct{}

// edit returns a body in which change was applied at the place, wherever it occurs. A change to absent removes the member.
func (p place) edit(body any, change func(value any) any) any {
	if n := len(p.variant); n > 0 && member(body, p.variant[:n-1]...) != any(p.variant[n-1]) {
		return body
	}
	return edit(body, p.path, change)
}

func edit(v any, path []string, change func(value any) any) any {
	if len(path) == 0 {
		return change(v)
	}
	switch v := v.(type) {
	case map[string]any:
		names := []string{path[0]}
		if path[0] == "*" {
			names = slices.Sorted(maps.Keys(v))
		}
		for _, name := range names {
			value, there := v[name]
			if !there {
				if len(path) > 1 {
					continue
				}
				value = absent{}
			}
			if value = edit(value, path[1:], change); value == any(absent{}) {
				delete(v, name)
			} else {
				v[name] = value
			}
		}
	case []any:
		if path[0] == "*" {
			for i := range v {
				v[i] = edit(v[i], path[1:], change)
			}
		}
	}
	return v
}

// otherType returns a value of another JSON type.
func otherType(v any) any {
	switch v := v.(type) {
	case string:
		return 7
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return map[string]any{}
	}
	return "text"
}

// otherValue returns another value of the same form, always the same one for a value. Anything but a scalar stays.
func otherValue(v any, s *openapi3.Schema) any {
	switch v := v.(type) {
	case string:
		values := openapi.KnownValues(s)
		if i := slices.Index(values, any(v)); i >= 0 {
			return values[(i+1)%len(values)]
		}
		return otherText(v, s.Format)
	case json.Number:
		return number(rational(v).Add(rational(v), rational(json.Number("1"))), max(0, len(v)-1-strings.Index(v.String()+".", ".")))
	case bool:
		return !v
	}
	return v
}

// otherText changes the first letter or digit to another one, of what has a format the last, and of a date the year: so that it
// keeps its form.
func otherText(text, format string) string {
	changed := []byte(text)
	isPlain := func(c rune) bool { return c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)) }
	at := bytes.IndexFunc(changed, isPlain) // the last one of a cursor may say nothing
	switch format {
	case "":
	case "date":
		at = len("199")
	default:
		at = bytes.LastIndexFunc(changed, isPlain)
	}
	if at < 0 || at >= len(text) {
		return text + "x"
	}
	switch c := changed[at]; {
	case c == '9':
		changed[at] = '0'
	case c >= 'f' && c <= 'z':
		changed[at] = 'a'
	case c >= 'F' && c <= 'Z':
		changed[at] = 'A'
	default:
		changed[at]++
	}
	return string(changed)
}
