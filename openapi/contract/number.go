package contract

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const (
	maxDigits      = 19
	notPlainNumber = "must be a plain decimal number with at most 19 significant digits"
)

// plainDecimal reports whether s is a JSON number without exponent that an exact decimal of 19 digits can hold as written.
func plainDecimal(s string) bool {
	whole, fraction, dotted := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if !digits(whole) || (dotted && !digits(fraction)) || (len(whole) > 1 && whole[0] == '0') {
		return false
	}
	significant := strings.TrimLeft(whole+fraction, "0")
	return len(significant) <= maxDigits && len(fraction) <= maxDigits
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// shortest writes a plain decimal without the zeros that do not change its value: 100, 0.5, and 0 for -0.00.
func shortest(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// compare compares the values of two plain decimals.
func compare(a, b string) int {
	aNegative, aWhole, aFraction := parts(a)
	bNegative, bWhole, bFraction := parts(b)
	c := cmp.Or(cmp.Compare(len(aWhole), len(bWhole)), strings.Compare(aWhole, bWhole), strings.Compare(aFraction, bFraction))
	switch {
	case aNegative && bNegative:
		return -c
	case aNegative:
		return -1
	case bNegative:
		return 1
	}
	return c
}

// parts returns the digits of a plain decimal that count. Zero is not negative.
func parts(s string) (negative bool, whole, fraction string) {
	s, negative = strings.CutPrefix(s, "-")
	whole, fraction, _ = strings.Cut(s, ".")
	whole, fraction = strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")
	return negative && (whole != "" || fraction != ""), whole, fraction
}

// numberRule is the rule of a schema for a number. It is checked here because kin-openapi compares floats: it accepts 3.0
// as an integer and 2^63 as an int64, and loses the last digits of large amounts.
type numberRule struct {
	bits     int // 0: not an integer
	min, max *bound
}

type bound struct {
	value     string // a plain decimal
	exclusive bool
}

// takeNumberRule moves the rule out of the schema, so that kin-openapi does not check it again.
func takeNumberRule(s *openapi3.Schema) numberRule {
	rule := numberRule{min: newBound(s.Min, s.ExclusiveMin), max: newBound(s.Max, s.ExclusiveMax)}
	if s.Type.Is(openapi3.TypeInteger) {
		rule.bits = 64
		if s.Format == "int32" {
			rule.bits = 32
		}
	}
	s.Min, s.Max, s.ExclusiveMin, s.ExclusiveMax = nil, nil, openapi3.ExclusiveBound{}, openapi3.ExclusiveBound{}
	s.Format = ""
	return rule
}

func newBound(limit *float64, exclusive openapi3.ExclusiveBound) *bound {
	if limit == nil {
		return nil
	}
	return &bound{plainFloat(*limit), exclusive.IsTrue()}
}

// plainFloat returns the decimal as written in the document, whose parser converted it to a float.
func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// floatDigits is the number of digits that the parser of the document preserves.
const floatDigits = 15

func keepsDigits(f float64) bool {
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return true
	}
	text := strings.Trim(strings.Replace(plainFloat(math.Abs(f)), ".", "", 1), "0")
	return len(text) <= floatDigits
}

// reason returns what is wrong with n, a plain decimal; "" if nothing is.
func (r numberRule) reason(n json.Number) string {
	if !plainDecimal(n.String()) {
		return ""
	}
	if r.bits != 0 {
		if strings.Contains(n.String(), ".") {
			return "must be an integer"
		}
		if _, err := strconv.ParseInt(n.String(), 10, r.bits); err != nil {
			top := int64(math.MaxInt64) >> (64 - r.bits)
			return fmt.Sprintf("must be an integer between %d and %d", -top-1, top)
		}
	}
	if b := r.min; b != nil {
		switch c := compare(n.String(), b.value); {
		case b.exclusive && c <= 0:
			return "must be greater than " + b.value
		case c < 0:
			return "must be at least " + b.value
		}
	}
	if b := r.max; b != nil {
		switch c := compare(n.String(), b.value); {
		case b.exclusive && c >= 0:
			return "must be less than " + b.value
		case c > 0:
			return "must be at most " + b.value
		}
	}
	return ""
}
