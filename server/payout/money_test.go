package payout

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/govalues/decimal"
	"pgregory.net/rapid"
)

// exact is the value of a decimal, without any of the arithmetic that is under test.
func exact(d decimal.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic(d.String())
	}
	return r
}

// drawDecimal draws a number that is not negative, with up to 19 digits in its coefficient.
func drawDecimal(t *rapid.T, label string) decimal.Decimal {
	coefficient := oneOf(t, label+" size", rapid.Int64Range(0, 1000), rapid.Int64Range(0, 1e10), rapid.Int64Min(0),
		rapid.Just[int64](math.MaxInt64)).Draw(t, label+" coefficient")
	return decimal.MustNew(coefficient, rapid.IntRange(0, decimal.MaxScale).Draw(t, label+" scale"))
}

// drawPositive draws a rate or an amount as D-42 bounds it.
func drawPositive(t *rapid.T, label string, highest int64) decimal.Decimal {
	limit := new(big.Rat).SetInt64(highest)
	return rapid.Custom(func(t *rapid.T) decimal.Decimal { return drawDecimal(t, label) }).Filter(func(d decimal.Decimal) bool {
		return d.Sign() > 0 && exact(d).Cmp(limit) <= 0
	}).Draw(t, label)
}

// halfUp rounds a number that is not negative to a whole one.
func halfUp(r *big.Rat) *big.Int {
	r = new(big.Rat).Add(r, big.NewRat(1, 2))
	return new(big.Int).Quo(r.Num(), r.Denom())
}

func times10(r *big.Rat, digits int) *big.Rat {
	return new(big.Rat).Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)))
}

// currencyOf is one currency for each number of decimals.
var currencyOf = map[int]string{0: "JPY", 2: "USD", 3: "KWD"}

func TestMinorUnitsAreExactOrRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount, digits := drawDecimal(t, "amount"), oneOf(t, "digits", 0, 2, 3)
		got, err := MinorUnits(amount.String(), currencyOf[digits])
		want := times10(exact(amount), digits)
		fits := want.IsInt() && exact(amount).Cmp(big.NewRat(MaxAmount, 1)) <= 0
		if fits != (err == nil) {
			t.Fatalf("%s with %d digits: %v", amount, digits, err)
		}
		if err == nil && want.Cmp(new(big.Rat).SetInt64(got)) != 0 || err != nil && got != 0 {
			t.Fatalf("%s with %d digits is %d", amount, digits, got)
		}
	})
}

func TestMinorUnitsAtTheirEdges(t *testing.T) {
	t.Parallel()
	const two, none = "must have at most 2 decimals in USD", "must have no decimals in JPY"
	const plain, most = "must be a plain amount, such as 1000.00", "must be at most 1000000000000"
	for _, c := range []struct {
		amount, currency string
		want             int64
		reason           string // of a refusal
	}{
		{"0", "USD", 0, ""}, {"0.01", "USD", 1, ""}, {"0.010", "USD", 1, ""}, {"00.10", "USD", 10, ""},
		{"0.29", "USD", 29, ""}, {"0.001", "USD", 0, two}, {"21.719", "USD", 0, two},
		{"100", "JPY", 100, ""}, {"100.00", "JPY", 100, ""}, {"100.5", "JPY", 0, none},
		{"1.234", "KWD", 1234, ""}, {"1.2345", "KWD", 0, "must have at most 3 decimals in KWD"},
		{"1000000000000", "KWD", 1e15, ""}, {"1000000000000.0000", "KWD", 1e15, ""}, {"1000000000000.001", "KWD", 0, most},
		{"1000000000001", "JPY", 0, most}, {"9999999999999999999", "JPY", 0, most}, {"92233720368547758.08", "USD", 0, most},
		{strings.Repeat("9", 400), "JPY", 0, most}, {"1." + strings.Repeat("0", 400), "JPY", 1, ""},
		{"1." + strings.Repeat("0", 400) + "1", "USD", 0, two}, {"0.0000000000000000000", "USD", 0, ""},
		{"", "USD", 0, "is missing"}, {"-1", "USD", 0, plain}, {"+1", "USD", 0, plain}, {"1e3", "USD", 0, plain},
		{".5", "USD", 0, plain}, {"5.", "USD", 0, plain}, {"1 000", "USD", 0, plain}, {"1\n", "USD", 0, plain},
		{"1", "XTS", 0, "must be in a currency of ISO 4217"}, {"1", "XXX", 0, "must be in a currency of ISO 4217"},
		{"1", "usd", 0, "must be in a currency of ISO 4217"}, {"", "", 0, "must be in a currency of ISO 4217"},
	} {
		got, err := MinorUnits(c.amount, c.currency)
		if reason := fmt.Sprint(err); got != c.want || (err == nil) != (c.reason == "") || err != nil && reason != c.reason {
			t.Errorf("%.30s %s: %d, %v", c.amount, c.currency, got, err)
		}
	}
}

func TestTheReceivingAmountIsTheExactProductRoundedHalfUpOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, rate := drawDecimal(t, "from"), drawDecimal(t, "rate")
		digits := oneOf(t, "digits", 0, 2, 3)
		want := halfUp(times10(new(big.Rat).Mul(exact(from), exact(rate)), digits))
		if want.Cmp(times10(big.NewRat(MaxAmount, 1), digits).Num()) > 0 {
			want = new(big.Int) // D-42: beyond the bound is no amount
		}
		if got := receivingAmount(from, rate, digits); want.Cmp(big.NewInt(got)) != 0 {
			t.Fatalf("%s at %s with %d digits is %d, want %s", from, rate, digits, got, want)
		}
	})
}

func TestTheReceivingAmountAtItsEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, rate string
		digits     int
		want       int64
	}{
		{"100", "132.25", 2, 13225_00},
		{"0.01", "0.5", 2, 1},                   // half a cent goes up
		{"0.01", "0.4999999999999999999", 2, 0}, // and less than half does not
		{"1", "0.4999999999999999999", 0, 0},    // D-42: 0 is no amount
		{"1", "0.5", 0, 1},                      // JPY
		{"3", "151.4999999999999999", 0, 454},   // 454.4999999999999997
		{"1", "0.3075", 3, 308},                 // KWD, half up
		{"1", "0.30749999", 3, 307},             //
		{"1000000000000", "1", 3, 1e15},         // the bound itself
		{"1000000000000", "1.000000000000", 0, 1e12},
		{"1000000000000", "1.000000000000004", 2, 1e14}, // and what rounds to it
		{"1000000000000", "1.000000000000005", 2, 0},    // D-42: one cent more
		{"1000000000000", "1000000000", 3, 0},           // D-42: beyond the bound
		{"9999999999999999999", "9999999999999999999", 3, 0},
		{"0.0000000000000000001", "0.0000000000000000001", 3, 0},
	} {
		if got := receivingAmount(decimal.MustParse(c.from), decimal.MustParse(c.rate), c.digits); got != c.want {
			t.Errorf("%s at %s with %d digits is %d, want %d", c.from, c.rate, c.digits, got, c.want)
		}
	}
}

// naiveEquivalent says D-37 in rationals.
func naiveEquivalent(from, to, rate decimal.Decimal) bool {
	cents := halfUp(times10(new(big.Rat).Quo(exact(to), exact(rate)), 2))
	calculated := new(big.Rat).SetFrac(cents, big.NewInt(100))
	difference := calculated.Sub(calculated, exact(from))
	return difference.Abs(difference).Cmp(big.NewRat(1, 100)) <= 0
}

func TestEquivalentIsWithinOneHundredthOfTheQuotientRoundedToCents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		to, rate := drawPositive(t, "to", MaxAmount), drawPositive(t, "rate", 1e9)
		from := drawPositive(t, "from", MaxAmount)
		if got, want := equivalent(from, to, rate), naiveEquivalent(from, to, rate); got != want {
			t.Fatalf("%s, %s at %s: %t", from, to, rate, got)
		}
	})
}

func TestEquivalentNearTheTolerance(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		to := decimal.MustNew(rapid.Int64Range(1, 1e9).Draw(t, "to"), oneOf(t, "digits", 0, 2, 3))
		rate := decimal.MustNew(rapid.Int64Range(1, 1e6).Draw(t, "rate"), rapid.IntRange(0, 6).Draw(t, "scale"))
		cents := halfUp(times10(new(big.Rat).Quo(exact(to), exact(rate)), 2))
		// From two hundredths below to two above, in steps of a tenth of a cent.
		steps := rapid.Int64Range(-20, 20).Draw(t, "difference")
		coefficient := new(big.Int).Add(new(big.Int).Mul(cents, big.NewInt(10)), big.NewInt(steps))
		if coefficient.Sign() < 0 || !coefficient.IsInt64() {
			return
		}
		from := decimal.MustNew(coefficient.Int64(), 3)
		if got, want := equivalent(from, to, rate), -10 <= steps && steps <= 10; got != want {
			t.Fatalf("%s for %s at %s, %d thousandths off: %t", from, to, rate, steps, got)
		}
	})
}

func TestEquivalentAtItsEdges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to, rate string
		want           bool
	}{
		{"21.72", "2171.9", "100", true}, // section 8: 21.719 counts as 21.72
		{"21.71", "2171.9", "100", true}, // exactly 0.01 off 21.72
		{"21.73", "2171.9", "100", true},
		{"21.70", "2171.9", "100", false}, // 0.02 off 21.72, although within 0.019 of 21.719
		{"21.74", "2171.9", "100", false},
		{"21.709", "2171.9", "100", false},
		{"21.7300000000000001", "2171.9", "100", false},
		{"0.01", "0.5", "100", true}, // 0.005 rounds up to 0.01
		{"0.02", "0.5", "100", true},
		{"0.02", "0.4999", "100", false}, // rounds down to 0
		{"0.01", "0.4999", "100", true},
		{"1000000000000", "1000000000000", "1", true},
		{"1000000000000", "999999999999.98", "1", false},
		{"100", "13225", "132.25", true}, {"100.01", "13225", "132.25", true}, {"100.02", "13225", "132.25", false},
	} {
		from, to, rate := decimal.MustParse(c.from), decimal.MustParse(c.to), decimal.MustParse(c.rate)
		if got := equivalent(from, to, rate); got != c.want {
			t.Errorf("%s for %s at %s: %t", c.from, c.to, c.rate, got)
		}
	}
}

func TestMajorIsTheReverseOfMinorUnitsWithAllDecimals(t *testing.T) {
	t.Parallel()
	for currency, want := range map[string]string{"JPY": "12345", "USD": "123.45", "KWD": "12.345"} {
		if got := Major(12345, currency).String(); got != want {
			t.Errorf("12345 minor units of %s are %s", currency, got)
		}
	}
	if got := Major(10000, "USD").String(); got != "100.00" {
		t.Errorf("10000 cents are %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Range(0, MaxAmount).Draw(t, "minor")
		currency := oneOf(t, "currency", "JPY", "KRW", "USD", "NPR", "KWD", "BHD", "OMR")
		digits, _ := MinorDigits(currency)
		major := Major(minor, currency)
		if back, err := MinorUnits(major.String(), currency); err != nil || back != minor || major.Scale() != digits {
			t.Fatalf("%d of %s are %s, and back %d, %v", minor, currency, major, back, err)
		}
	})
}

func TestMajorOfAnUnknownCurrencyPanics(t *testing.T) {
	t.Parallel()
	for _, currency := range []string{"", "XXX", "XTS", "usd"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("an amount in %q has decimals", currency)
				}
			}()
			Major(1, currency)
		}()
	}
}

func TestMinorDigitsAreThoseOfISO4217(t *testing.T) {
	t.Parallel()
	for currency, want := range map[string]int{
		"JPY": 0, "KRW": 0, "VND": 0, "CLP": 0, "USD": 2, "NPR": 2, "GBP": 2, "INR": 2, "MXN": 2, "PHP": 2, "NGN": 2,
		"KWD": 3, "BHD": 3, "OMR": 3, "JOD": 3, "TND": 3,
	} {
		if got, ok := MinorDigits(currency); !ok || got != want {
			t.Errorf("%s has %d digits, %t", currency, got, ok)
		}
	}
	for _, code := range []string{"", "XXX", "XTS", "usd", "Usd", "US", "USDT", "840", "392", "ZZZ", " USD", "US$", "\x00"} {
		if got, ok := MinorDigits(code); ok || got != 0 {
			t.Errorf("%q is a currency of %d digits", code, got)
		}
	}
}
