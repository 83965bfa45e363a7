package payout

import (
	"math/big"

	"github.com/govalues/decimal"
	"github.com/govalues/money"
)

// MaxAmount bounds every amount, in major units; it keeps sums of minor units far from the end of an int64.
const MaxAmount = 1_000_000_000_000

// MinorDigits gives the number of decimals of an ISO 4217 currency: 0 for JPY, 2 for USD, 3 for KWD. Codes without a
// currency behind them (XXX, XTS) are not known.
func MinorDigits(currency string) (int, bool) {
	c, err := money.ParseCurr(currency)
	if err != nil || c.Code() != currency || c == money.XXX || c == money.XTS {
		return 0, false
	}
	return c.Scale(), true
}

// minorUnits converts an amount in major units exactly; ok is false where the amount has more decimals than digits
// (trailing zeros do not count) or does not fit.
func minorUnits(amount decimal.Decimal, digits int) (minor int64, ok bool) {
	whole, rest := new(big.Int).QuoRem(scaled(amount, digits), pow10(amount.Scale()), new(big.Int))
	if rest.Sign() != 0 || !whole.IsInt64() {
		return 0, false
	}
	return whole.Int64(), true
}

// Major gives minor units as an amount with all the decimals of its currency: 10000 USD minor units are 100.00.
func Major(minor int64, currency string) decimal.Decimal {
	digits, _ := MinorDigits(currency)
	return decimal.MustNew(minor, digits)
}

// receivingAmount is from times rate, rounded half up to digits decimals, in minor units (D-06). The product is exact
// before it is rounded once. A result above MaxAmount is 0, which is no amount either.
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

// equivalent tells whether from is within 0.01 of to divided by rate, the quotient rounded half up to cents (D-06, D-37).
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
