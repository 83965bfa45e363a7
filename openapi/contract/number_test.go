package contract

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestCompareIsExact(t *testing.T) {
	t.Parallel()
	plain := rapid.Custom(func(t *rapid.T) string {
		whole := rapid.StringMatching(`-?(0|[1-9][0-9]{0,18})`).Draw(t, "whole")
		return whole + rapid.StringMatching(`(\.[0-9]{1,19})?`).Draw(t, "fraction")
	})
	near := rapid.SampledFrom([]string{"0", "-0", "-0.00", "0.01", "0.010", "0.1", "1", "1.0", "-1", "-0.01", "10", "9.99", "100000", "99999.99"})
	either := rapid.OneOf(near, plain)
	rapid.Check(t, func(t *rapid.T) {
		a, b := either.Draw(t, "a"), either.Draw(t, "b")
		if got, want := compare(a, b), exactly(a).Cmp(exactly(b)); got != want {
			t.Fatalf("compare(%s, %s) = %d, want %d", a, b, got, want)
		}
	})
}

func exactly(s string) *big.Rat {
	value, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(fmt.Sprintf("%q is no number", s))
	}
	return value
}
