package wire

import (
	"errors"
	"fmt"
	"strings"

	"github.com/govalues/decimal"
)

// Amount is an exact decimal of at most 19 significant digits. On the wire it is a JSON number in plain notation (decision
// D-05). It is never converted to a float and keeps its digits. Its currency is in another field.
type Amount struct{ d decimal.Decimal }

// ErrNotPlainNumber is returned for text that is not a plain decimal number: strings, null, exponents, signs other than
// a leading minus, leading zeros.
var ErrNotPlainNumber = errors.New("must be a plain decimal number")

// ErrTooManyDigits is returned for a number with too many digits; numbers are never rounded.
var ErrTooManyDigits = errors.New("must have at most 19 significant digits")

// ParseAmount parses a plain JSON number such as 100, 0.1 or -12345678901.23.
// It returns ErrNotPlainNumber or ErrTooManyDigits.
func ParseAmount(s string) (Amount, error) {
	fraction, ok := plainNumber(s)
	if !ok {
		return Amount{}, ErrNotPlainNumber
	}
	d, err := decimal.Parse(s)
	if err != nil {
		return Amount{}, ErrTooManyDigits
	}
	// The library silently rounds excess fraction digits.
	if d.Scale() != fraction {
		return Amount{}, ErrTooManyDigits
	}
	return Amount{d}, nil
}

// MustAmount is ParseAmount for constants; it panics on an error.
func MustAmount(s string) Amount {
	a, err := ParseAmount(s)
	if err != nil {
		panic(fmt.Sprintf("wire.MustAmount(%q): %v", s, err))
	}
	return a
}

// AmountOf wraps a decimal.
func AmountOf(d decimal.Decimal) Amount { return Amount{d} }

// Decimal returns the value for arithmetic.
func (a Amount) Decimal() decimal.Decimal { return a.d }

// String returns the digits as they are on the wire.
func (a Amount) String() string { return a.d.String() }

// Equal compares by value: 100 equals 100.00.
func (a Amount) Equal(b Amount) bool { return a.d.Cmp(b.d) == 0 }

// MarshalJSON writes the bare number.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.d.String()), nil }

// UnmarshalJSON reads the bare number and rejects everything that ParseAmount rejects.
func (a *Amount) UnmarshalJSON(b []byte) error {
	v, err := ParseAmount(string(b))
	if err != nil {
		return err
	}
	*a = v
	return nil
}

// Bind is used by the generated code for query, path and header parameters.
func (a *Amount) Bind(src string) error { return a.UnmarshalJSON([]byte(src)) }

// plainNumber reports whether s is a JSON number without exponent, and how many fraction digits it has.
func plainNumber(s string) (fraction int, ok bool) {
	digits := strings.TrimPrefix(s, "-")
	whole, frac, point := strings.Cut(digits, ".")
	if !allDigits(whole) || (len(whole) > 1 && whole[0] == '0') || (point && !allDigits(frac)) {
		return 0, false
	}
	return len(frac), true
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
