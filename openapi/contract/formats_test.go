package contract

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Several bytes at a time, it finds what a decoder finds in each of them.
func TestBase64IsWhatADecoderReads(t *testing.T) {
	t.Parallel()
	for length := range 40 {
		for at := range max(length, 1) {
			for c := range 256 {
				s := []byte(strings.Repeat("A", length))
				if length > 0 {
					s[at] = byte(c)
				}
				_, err := base64.StdEncoding.DecodeString(string(s))
				want := err == nil && length > 0 && c != '\n' && c != '\r' // which the decoder skips
				if got := isBase64(string(s)); got != want {
					t.Fatalf("%q: %t, want %t (%v)", s, got, want, err)
				}
			}
		}
	}
}

func TestLengthsAreThoseOfCharacters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		var s strings.Builder
		for range random.IntN(12) {
			s.WriteString([]string{"a", "\u00e9", "\u0928", "\U0001f600", "\xff"}[random.IntN(5)])
		}
		a := &stringAcceptor{minLength: random.Uint64N(12)}
		if random.IntN(4) > 0 {
			a.maxLength = new(random.Uint64N(12))
		}
		length := uint64(utf8.RuneCountInString(s.String()))
		want := length >= a.minLength && (a.maxLength == nil || length <= *a.maxLength)
		if got := a.fits(s.String()); got != want {
			t.Fatalf("%q of %d characters: %t, want %t with a least of %d", s.String(), length, got, want, a.minLength)
		}
	}
}
