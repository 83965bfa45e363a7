package payoutfiles

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// No cell of an export is a formula, and each is read as it was.
func TestCellsOfCSVAreNoFormulas(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[=+\-@'\t\ra1]{0,6}`))
	rapid.Check(t, func(t *rapid.T) {
		v := text.Draw(t, "text")
		cell := escape(v)
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			t.Errorf("%q is written as %q", v, cell)
		}
		if got := unescape(cell); got != v {
			t.Errorf("%q is written as %q and read as %q", v, cell, got)
		}
	})
	for v, want := range map[string]string{"+97798": "'+97798", "=1+1": "'=1+1", "'tis": "'tis", "'=1": "''=1", "O'Neil": "O'Neil", "": ""} {
		if got := escape(v); got != want {
			t.Errorf("%q is written as %q, want %q", v, got, want)
		}
	}
	if got := unescape("+97798"); got != "+97798" {
		t.Errorf("a cell that nobody escaped is read as %q", got)
	}
}
