package payout

import (
	"flag"
	"slices"

	"pgregory.net/rapid"
)

// The rules of money are cheap to check; a flag on the command line still wins.
func init() {
	if err := flag.Set("rapid.checks", "10000"); err != nil {
		panic(err)
	}
}

// oneOf draws one of the values.
func oneOf[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

// someOf draws a part of the values, in their order.
func someOf(t *rapid.T, label string, values []string) []string {
	var some []string
	for i, keep := range rapid.SliceOfN(rapid.Bool(), len(values), len(values)).Draw(t, label) {
		if keep {
			some = append(some, values[i])
		}
	}
	return slices.Clip(some)
}
