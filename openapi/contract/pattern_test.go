package contract

import (
	"regexp"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Patterns match what package regexp matches.
func TestPatternsMatchLikeRegularExpressions(t *testing.T) {
	t.Parallel()
	patterns := []string{
		`^[A-Z]{3}$`, `^[a-c]?$`, `^[a-c]*$`, `^[a-c]+$`, `^[a-c]{2,}$`, `^a[bc]{0,2}$`, `^ab[^c]{2}$`, `^[^\x00-\x1F\x7F-\x9F]*$`, `^$`, `^é[à-ÿ]{1,3}$`,
		`^a$`, `^a{2}b*$`, `^(ab){2}$`, `^a?b$`, `^[ab]*b$`, `^(?i)ab$`, `^a|b$`, `a`, `^a`, `a$`, `^.$`, `(?m)^a$`, `^(a)$`, `^[^a]$`, `^\p{L}+$`,
	}
	for s := range theContract(t).judge.requests.made {
		if s.Pattern != "" {
			patterns = append(patterns, s.Pattern)
		}
	}
	quick := 0
	for _, pattern := range patterns {
		match, err := matcher(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := newClassPattern(pattern); ok {
			quick++
		}
		expr := regexp.MustCompile(pattern)
		texts := rapid.OneOf(rapid.StringMatching(pattern), rapid.StringOfN(rapid.SampledFrom([]rune("aAbBcZ09_é\n\u0085\ufffd ")), 0, 5, -1),
			rapid.SampledFrom([]string{"", "a\xff", "\xff", "\xc3", "a\n", "aB", "AB"}))
		rapid.Check(t, func(t *rapid.T) {
			s := texts.Draw(t, "text")
			if rapid.Bool().Draw(t, "cut") && s != "" {
				_, size := utf8.DecodeLastRuneInString(s)
				s = s[:len(s)-size]
			}
			if got, want := match(s), expr.MatchString(s); got != want {
				t.Fatalf("%s matches %q: %t, want %t", pattern, s, got, want)
			}
		})
	}
	if quick < len(patterns)*2/3 {
		t.Errorf("only %d of %d patterns are quick", quick, len(patterns))
	}
}
