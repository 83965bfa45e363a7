package client

import (
	"fmt"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// ParseAmount parses an exact decimal such as 100, 100.00 or 0.1, an amount or a rate (decision D-05), and keeps its digits.
// It returns an error, without the text, for anything else: exponents, signs other than a leading minus, more than 19
// significant digits. The service checks the number of decimals, which depends on the currency.
func ParseAmount(text string) (api.Amount, error) {
	a, err := wire.ParseAmount(text)
	if err != nil {
		return api.Amount{}, fmt.Errorf("payouts: an amount %w", err)
	}
	return a, nil
}

// MustAmount is [ParseAmount] for constants; it panics on an error.
func MustAmount(text string) api.Amount { return wire.MustAmount(text) }
