package payout

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/govalues/decimal"
	"github.com/govalues/money"
)

// MaxAmount bounds every amount, in major units; it keeps sums of minor units far from the end of an int64.
const MaxAmount = 1_000_000_000_000

// MinorDigits returns the number of decimals of an ISO 4217 currency: 0 for JPY, 2 for USD, 3 for KWD. Codes that
// stand for no currency (XXX, XTS) are unknown.
func MinorDigits(currency string) (int, bool) {
	c, err := money.ParseCurr(currency)
	if err != nil || c.Code() != currency || c == money.XXX || c == money.XTS {
		return 0, false
	}
	return c.Scale(), true
}

// Errors of MinorUnits. Their texts serve as the reason of a Violation: none contains the amount.
var (
	errCurrency = errors.New("must be in a currency of ISO 4217")
	errMissing  = errors.New("is missing")
	errNotPlain = errors.New("must be a plain amount, such as 1000.00")
	errTooMuch  = fmt.Errorf("must be at most %d", int64(MaxAmount))
)

var plainAmount = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// MinorUnits converts an amount in major units to minor units, exactly. The amount is in plain notation, of any length. The
// error says what is wrong, as the reason of a Violation: an unknown currency, a missing amount, another notation, more
// decimals than the currency has (trailing zeros do not count), or more than MaxAmount.
func MinorUnits(amount, currency string) (int64, error) {
	digits, ok := MinorDigits(currency)
	if !ok {
		return 0, errCurrency
	}
	if amount == "" {
		return 0, errMissing
	}
	if !plainAmount.MatchString(amount) {
		return 0, errNotPlain
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > digits {
		return 0, errors.New(decimalsReason(digits, currency))
	}
	minor, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil || minor > MaxAmount*pow10(digits).Int64() {
		return 0, errTooMuch
	}
	return minor, nil
}

func decimalsReason(digits int, currency string) string {
	switch digits {
	case 0:
		return "must have no decimals in " + currency
	case 1:
		return "must have at most 1 decimal in " + currency
	}
	return "must have at most " + strconv.Itoa(digits) + " decimals in " + currency
}

// Major is the inverse of MinorUnits, with all the decimals of the currency: 10000 minor units of USD are 100.00. It panics
// for an unknown currency, which neither the rules nor an import let into the store.
func Major(minor int64, currency string) decimal.Decimal {
	digits, ok := MinorDigits(currency)
	if !ok {
		panic("payout: an amount in the unknown currency " + strconv.Quote(currency))
	}
	return decimal.MustNew(minor, digits)
}

// inMajor writes an amount for a message: 100.00 USD.
func inMajor(minor int64, currency string) string {
	return Major(minor, currency).String() + " " + currency
}

// receivingAmount returns from times rate, rounded half up to digits decimals, in minor units (D-06). The product is exact
// and rounded once. A result above MaxAmount is 0, which cannot be paid out either.
func receivingAmount(from, rate decimal.Decimal, digits int) int64 {
	product := new(big.Int).Mul(coefficient(from), coefficient(rate))
	product.Mul(product, pow10(digits))
	rounded := quotientHalfUp(product, pow10(from.Scale()+rate.Scale()))
	highest := new(big.Int).Mul(big.NewInt(MaxAmount), pow10(digits))
	if rounded.Cmp(highest) > 0 {
		return 0
	}
	return rounded.Int64()
}

// equivalent reports whether from is within 0.01 of to divided by rate, the quotient rounded half up to cents (D-06, D-37).
func equivalent(from, to, rate decimal.Decimal) bool {
	numerator := new(big.Int).Mul(scaled(to, 2), pow10(rate.Scale()))
	denominator := new(big.Int).Mul(coefficient(rate), pow10(to.Scale()))
	cents := quotientHalfUp(numerator, denominator)
	// Compared in units of 10^-(scale of from + 2), where both sides are whole.
	difference := new(big.Int).Mul(cents, pow10(from.Scale()))
	difference.Sub(difference, scaled(from, 2)).Abs(difference)
	return difference.Cmp(pow10(from.Scale())) <= 0
}

// quotientHalfUp divides two non-negative numbers and rounds half up.
func quotientHalfUp(numerator, denominator *big.Int) *big.Int {
	twice := new(big.Int).Lsh(numerator, 1)
	twice.Add(twice, denominator)
	return twice.Quo(twice, new(big.Int).Lsh(denominator, 1))
}

// coefficient is the number without its point; all amounts and rates here are non-negative.
func coefficient(d decimal.Decimal) *big.Int { return new(big.Int).SetUint64(d.Coef()) }

func scaled(d decimal.Decimal, digits int) *big.Int {
	return new(big.Int).Mul(coefficient(d), pow10(digits))
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
