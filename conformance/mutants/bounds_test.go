package mutants_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	characters "github.com/crossborder-payouts/payouts/openapi/text"
)

// leniency accepts values that break one rule of a schema, by putting others in their place.
type leniency struct {
	kind, what string
	repair     func(v any) (any, bool)
}

// strictness refuses values that keep a schema.
type strictness struct {
	kind, what string
	refuses    func(v any) bool
}

// leniencies returns one for each rule of a schema: its type, null, format, pattern and values, and its bounds moved by one.
func leniencies(s *openapi3.Schema, required bool) []leniency {
	repaired := func(breaks func(v any) bool) func(any) (any, bool) {
		return func(v any) (any, bool) { return sample(s), v != any(absent{}) && breaks(v) }
	}
	all := []leniency{{"type accepted", "another type", repaired(func(v any) bool { return v != nil && !hasType(v, s) })}}
	if !s.Nullable {
		all = append(all, leniency{"null accepted", "null", func(v any) (any, bool) {
			if required {
				return sample(s), v == nil
			}
			return absent{}, v == nil
		}})
	}
	add := func(kind, what string, breaks func(v any) bool) {
		all = append(all, leniency{kind, what, repaired(breaks)})
	}
	if len(s.Enum) > 0 {
		add("value accepted", "other values", func(v any) bool { return isText(v) && !slices.Contains(s.Enum, v) })
		if slices.ContainsFunc(s.Enum, func(v any) bool { return strings.ToLower(text(v)) != text(v) }) {
			add("value accepted", "values in lower case", func(v any) bool { return slices.Contains(s.Enum, any(strings.ToUpper(text(v)))) })
		}
	}
	if s.Format != "" && s.Format != "decimal" { // how decimals are written is for mutants by hand
		add("format accepted", "what is no "+s.Format, func(v any) bool { return hasType(v, s) && !hasFormat(v, s.Format) })
	}
	for _, of := range []struct {
		what string
		is   func(text string) bool
	}{
		{"blank texts", isBlank}, {"misplaced joiners", func(text string) bool { return strings.ContainsAny(text, joiners) }},
		{"hidden characters", func(text string) bool { return !isBlank(text) && !strings.ContainsAny(text, joiners) }},
	} {
		if kind := kindOfText(s); kind != "" {
			add("text accepted", of.what, ofText(func(text string) bool { return kind.Reason(text) != "" && of.is(text) }))
		}
	}
	if s.Pattern != "" {
		keeps := matching(s.Pattern)
		add("pattern accepted", "any text", ofText(func(text string) bool { return !keeps(text) }))
		if strings.Contains(s.Pattern, "A-Z") && !strings.Contains(s.Pattern, "a-z") {
			add("pattern accepted", "lower case", ofText(func(text string) bool { return !keeps(text) && keeps(strings.ToUpper(text)) }))
		}
		for _, wider := range shifted(s.Pattern, -1, 1) {
			accepts := matching(wider)
			add("bound moved out", "what matches "+wider, ofText(func(text string) bool { return !keeps(text) && accepts(text) }))
		}
	}
	for _, b := range bounds(s) {
		all = append(all, leniency{"bound moved out", "one beyond " + b.String(), func(v any) (any, bool) {
			size, ok := b.size(v)
			if !ok || size.Cmp(b.at(b.beyond)) != 0 {
				return v, false
			}
			return b.inside(v), true
		}})
	}
	return all
}

const joiners = "\u200c\u200d"

// kindOfText returns the kind of a name, an address or a note, "" where a schema is of no such text.
func kindOfText(s *openapi3.Schema) characters.Kind {
	kind, _ := s.Extensions["x-text"].(string)
	return characters.Kind(kind)
}

func isBlank(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && r != 0x2800 })
}

// strictnesses returns one for each value of a schema that is at a bound, and for each that it lists.
func strictnesses(s *openapi3.Schema) (all []strictness) {
	for _, value := range s.Enum {
		all = append(all, strictness{"value refused", fmt.Sprint(value), func(v any) bool { return v == value }})
	}
	if s.Nullable {
		all = append(all, strictness{"null refused", "null", func(v any) bool { return v == nil }})
	}
	if kind := kindOfText(s); kind != "" && s.Format == "" {
		all = append(all,
			strictness{"text refused", "joiners", ofText(func(text string) bool { return kind.Reason(text) == "" && strings.ContainsAny(text, joiners) })},
			strictness{"text refused", "letters of Asia", ofText(func(text string) bool {
				return kind.Reason(text) == "" && strings.ContainsFunc(text, func(r rune) bool { return r > 0x0E00 && unicode.IsLetter(r) })
			})},
		)
	}
	if s.Pattern != "" {
		keeps := matching(s.Pattern)
		for _, narrower := range shifted(s.Pattern, 1, -1) {
			accepts := matching(narrower)
			all = append(all, strictness{"bound moved in", "what matches " + s.Pattern + " and not " + narrower, ofText(func(text string) bool {
				return keeps(text) && !accepts(text)
			})})
		}
	}
	for _, b := range bounds(s) {
		if b.exclusive {
			continue // no value is at the bound
		}
		all = append(all, strictness{"bound moved in", b.String(), func(v any) bool {
			size, ok := b.size(v)
			return ok && size.Cmp(b.at(0)) == 0
		}})
	}
	return all
}

// bound is the least or the greatest size that a value may have: a length, a number, or a number of elements.
type bound struct {
	name      string
	limit     float64
	exclusive bool
	beyond    int64 // from the limit to the next size that is not allowed
	size      func(v any) (*big.Rat, bool)
	inside    func(v any) any
}

func (b bound) String() string { return b.name + " " + strconv.FormatFloat(b.limit, 'f', -1, 64) }

func (b bound) at(distance int64) *big.Rat {
	limit := new(big.Rat).SetFloat64(b.limit)
	return limit.Add(limit, big.NewRat(distance, 1))
}

// bounds returns those of a schema. No text can be longer than a body.
func bounds(s *openapi3.Schema) (all []bound) {
	if s.MinLength > 0 && s.Format == "" { // or the format says so
		all = append(all, bound{"minLength", float64(s.MinLength), false, -1, length, func(v any) any { return text(v) + "a" }})
	}
	if s.MaxLength != nil && *s.MaxLength < mostBytes {
		all = append(all, bound{"maxLength", float64(*s.MaxLength), false, 1, length, func(v any) any { return sample(s) }})
	}
	if s.MaxItems != nil {
		all = append(all, bound{"maxItems", float64(*s.MaxItems), false, 1, elements, func(v any) any { return v.([]any)[1:] }})
	}
	if s.MaxProps != nil {
		all = append(all, bound{"maxProperties", float64(*s.MaxProps), false, 1, elements, func(any) any { return map[string]any{} }})
	}
	if s.Min != nil {
		beyond := int64(-1)
		if s.ExclusiveMin.IsTrue() {
			beyond = 0
		}
		all = append(all, bound{"minimum", *s.Min, s.ExclusiveMin.IsTrue(), beyond, quantity, func(any) any { return 1 }})
	}
	if s.Max != nil {
		all = append(all, bound{"maximum", *s.Max, false, 1, quantity, func(any) any { return 1 }})
	}
	return all
}

func length(v any) (*big.Rat, bool) {
	s, ok := v.(string)
	return big.NewRat(int64(utf8.RuneCountInString(s)), 1), ok
}

func elements(v any) (*big.Rat, bool) {
	switch v := v.(type) {
	case []any:
		return big.NewRat(int64(len(v)), 1), true
	case map[string]any:
		return big.NewRat(int64(len(v)), 1), true
	}
	return nil, false
}

func quantity(v any) (*big.Rat, bool) {
	n, ok := v.(json.Number)
	return rational(n), ok
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

func ofText(fits func(text string) bool) func(any) bool {
	return func(v any) bool { return isText(v) && fits(text(v)) }
}

// matching returns the test of a pattern.
func matching(pattern string) func(text string) bool { return regexp.MustCompile(pattern).MatchString }

var quantifier = regexp.MustCompile(`\{(\d+)(,(\d+))?\}`)

// shifted returns a pattern with the least, or the greatest, of one of its quantifiers moved.
func shifted(pattern string, least, greatest int) (all []string) {
	for _, at := range quantifier.FindAllStringSubmatchIndex(pattern, -1) {
		low, _ := strconv.Atoi(pattern[at[2]:at[3]])
		high := low
		if at[6] >= 0 {
			high, _ = strconv.Atoi(pattern[at[6]:at[7]])
		}
		for _, q := range [][2]int{{low + least, high}, {low, high + greatest}} {
			if q[0] >= 0 && q[0] <= q[1] {
				all = append(all, fmt.Sprintf("%s{%d,%d}%s", pattern[:at[0]], q[0], q[1], pattern[at[1]:]))
			}
		}
	}
	return all
}

// hasType reports whether a value is of the JSON type of a schema; a whole number is no fraction.
func hasType(v any, s *openapi3.Schema) bool {
	switch v := v.(type) {
	case string:
		return s.Type.Is(openapi3.TypeString)
	case json.Number:
		return s.Type.Is(openapi3.TypeNumber) || s.Type.Is(openapi3.TypeInteger) && rational(v).IsInt()
	case bool:
		return s.Type.Is(openapi3.TypeBoolean)
	case []any:
		return s.Type.Is(openapi3.TypeArray)
	case map[string]any:
		return s.Type.Is(openapi3.TypeObject)
	}
	return true
}

// hasFormat reports whether a value has a format of the contract, roughly: what is on the edge is for mutants by hand.
func hasFormat(v any, format string) bool {
	s := text(v)
	switch format {
	case "uuid":
		return len(s) == 36 && uuid.Validate(s) == nil
	case "email":
		return strings.Count(s, "@") == 1
	case "date":
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	case "ip":
		_, err := netip.ParseAddr(s)
		return err == nil
	case "data-uri":
		_, data, found := strings.Cut(s, ";base64,")
		_, err := base64.StdEncoding.DecodeString(data)
		return strings.HasPrefix(s, "data:") && found && err == nil
	case "int32":
		return rational(v).Cmp(big.NewRat(math.MaxInt32, 1)) <= 0
	case "int64":
		return rational(v).Cmp(big.NewRat(math.MaxInt64, 1)) <= 0
	}
	return true
}
