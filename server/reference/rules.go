package reference

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/crossborder-payouts/payouts/openapi/text"
	"github.com/crossborder-payouts/payouts/server/payout"
)

// What the contract allows at most.
const (
	maxText     = 255    // characters of a name or an address
	maxElements = 10_000 // branches of a bank, and pick-up locations of a payer
	maxID       = 1<<53 - 1
)

// The rules return what is wrong with a value, or "".

func checkText(s string) string {
	switch {
	case s == "":
		return "must not be empty"
	case utf8.RuneCountInString(s) > maxText:
		return fmt.Sprintf("must have at most %d characters", maxText)
	case strings.TrimSpace(s) != s:
		return "must not begin or end with white space"
	}
	return text.Line.Reason(s) // as the contract judges names (D-60)
}

func checkCurrency(code string) string {
	if _, ok := payout.MinorDigits(code); !ok {
		return "must be a currency code of ISO 4217"
	}
	return ""
}

// plainNumber is the text of a JSON number without sign and exponent, or "" if it is missing.
type plainNumber string

var errNotPlain = errors.New("must be a plain decimal number")

// UnmarshalJSON keeps the text of the number.
func (n *plainNumber) UnmarshalJSON(text []byte) error {
	// The text is valid JSON, so that digits and a point make a plain number.
	if strings.Trim(string(text), "0123456789.") != "" {
		return errNotPlain
	}
	*n = plainNumber(text)
	return nil
}

// MarshalJSON writes the text of the number.
func (n plainNumber) MarshalJSON() ([]byte, error) { return []byte(n), nil }
