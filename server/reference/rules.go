package reference

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/govalues/money"
)

// maxText bounds names and addresses, in characters.
const maxText = 255

// The rules return why a value is wrong, or "".

func checkText(s string) string {
	switch {
	case s == "":
		return "must not be empty"
	case utf8.RuneCountInString(s) > maxText:
		return fmt.Sprintf("must have at most %d characters", maxText)
	case strings.TrimSpace(s) != s:
		return "must not begin or end with white space"
	case strings.ContainsFunc(s, unicode.IsControl):
		return "must not hold control characters"
	}
	return ""
}

func checkCurrency(code string) string {
	currency, err := money.ParseCurr(code)
	// The library also takes lower case, numeric codes and XXX, "no currency".
	if err != nil || currency.Code() != code || currency == money.XXX {
		return "must be a currency code of ISO 4217"
	}
	return ""
}

// plainNumber is a JSON number without sign and exponent, digit for digit; empty if there was none.
type plainNumber string

var errNotPlain = errors.New("must be a plain decimal number")

// UnmarshalJSON keeps the digits as they stand.
func (n *plainNumber) UnmarshalJSON(text []byte) error {
	// It is valid JSON already: only digits and a point leaves the plain numbers.
	if strings.Trim(string(text), "0123456789.") != "" {
		return errNotPlain
	}
	*n = plainNumber(text)
	return nil
}

// MarshalJSON writes the digits as they stand.
func (n plainNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// majorUnits is the inverse of minorUnits; it writes all decimals of the currency.
func majorUnits(code string, units int64) (plainNumber, error) {
	amount, err := money.NewAmountFromMinorUnits(code, units)
	if err != nil {
		return "", err
	}
	return plainNumber(amount.Decimal().String()), nil
}

// minorUnits converts an amount in major units exactly, or tells why it cannot.
func minorUnits(currency money.Currency, n plainNumber) (units int64, reason string) {
	if n == "" {
		return 0, "is missing"
	}
	_, decimals, _ := strings.Cut(string(n), ".")
	if len(strings.TrimRight(decimals, "0")) > currency.Scale() {
		return 0, fmt.Sprintf("must have at most %d decimals", currency.Scale())
	}
	amount, err := money.ParseAmount(currency.Code(), string(n))
	units, ok := amount.MinorUnits()
	if err != nil || !ok {
		return 0, "is too large"
	}
	return units, ""
}
