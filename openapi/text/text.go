// Package text judges what people write for others to read: names, addresses, notes (D-60). The contract enforces it where
// a schema has the extension x-text, an import of reference data and the profile of a client follow it too.
//
// What belongs here: rules about characters, from the tables of Unicode alone. What does not: lengths and patterns
// (openapi/openapi.yaml), and rules about what a text means.
package text

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Kind says what a text is for.
type Kind string

// The kinds, which are the values of x-text.
const (
	Line  Kind = "line"  // a name, an address or a label
	Prose Kind = "prose" // a note, which may have tabs and line breaks
)

// Kinds returns all of them.
func Kinds() []Kind { return []Kind{Line, Prose} }

// What Reason returns. None has a character of the text.
const (
	control    = "must not contain control characters" // the words of the patterns of D-57
	blank      = "must have a visible character"
	hidden     = "must not contain invisible characters or controls of the writing direction"
	separator  = "must not contain the line or paragraph separator U+2028 or U+2029"
	private    = "must not contain private-use characters or noncharacters"
	misjoined  = "must have joiners such as U+200D only where a script or an emoji joins characters"
	misvariant = "must have variation selectors only after characters that have variants"
)

// Reason returns what is wrong with a text, or "". An empty text has nothing wrong.
func (k Kind) Reason(s string) string {
	if plain(s) {
		return ""
	}
	all, visible := []rune(s), s == ""
	for i, r := range all {
		if reason := k.reasonAt(all, i); reason != "" {
			return reason
		}
		visible = visible || isVisible(r)
	}
	if !visible {
		return blank
	}
	return ""
}

const (
	nonJoiner    = '\u200C'
	joiner       = '\u200D'
	vowelJoiner  = '\u180E' // before the last vowel of a Mongolian word
	keycap       = '\u20E3'
	blankBraille = '\u2800' // a symbol by its category
)

// plain reports whether a text is of ASCII and has nothing wrong, as most have.
func plain(s string) bool {
	visible := false
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
		visible = visible || s[i] != ' '
	}
	return visible
}

func (k Kind) reasonAt(all []rune, i int) string {
	switch r := all[i]; {
	case unicode.IsControl(r):
		if k != Prose || r != '\t' && r != '\n' && r != '\r' {
			return control
		}
	case r <= unicode.MaxASCII:
	case r == '\u2028', r == '\u2029':
		return separator
	case unicode.Is(unicode.Co, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return private
	case r == nonJoiner, r == joiner, r == vowelJoiner:
		if !joins(all, i) {
			return misjoined
		}
	case unicode.Is(unicode.Variation_Selector, r):
		if !varies(at(all, i-1), r, at(all, i+1)) {
			return misvariant
		}
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // a format character that is visible
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return hidden
	}
	return ""
}

// at returns a character, or U+0000 beyond the ends.
func at(all []rune, i int) rune {
	if i < 0 || i >= len(all) {
		return 0
	}
	return all[i]
}

// isVisible reports whether a reader sees more than space. A mark alone has nothing to stand on; what Unicode has not assigned
// yet may become a letter.
func isVisible(r rune) bool {
	return r != blankBraille && !unicode.In(r, unicode.M, unicode.Z, unicode.Cc, unicode.Cf)
}

// joining are the scripts whose letters take other forms beside a joiner: those that are written joined, and those of
// India and around it.
var joining = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Hanifi_Rohingya, unicode.Mandaic, unicode.Mongolian, unicode.Nko, unicode.Phags_Pa,
	unicode.Syriac,
	unicode.Balinese, unicode.Bengali, unicode.Chakma, unicode.Devanagari, unicode.Grantha, unicode.Gujarati, unicode.Gurmukhi,
	unicode.Javanese, unicode.Kannada, unicode.Khmer, unicode.Malayalam, unicode.Meetei_Mayek, unicode.Modi, unicode.Myanmar,
	unicode.Newa, unicode.Oriya, unicode.Sharada, unicode.Sinhala, unicode.Sundanese, unicode.Tai_Tham, unicode.Tamil,
	unicode.Telugu, unicode.Tibetan, unicode.Tirhuta,
}

// joins reports whether the joiner at i has a meaning: after a virama (RFC 5892, appendix A), between letters or marks of one of
// the scripts, and between the parts of an emoji.
func joins(all []rune, i int) bool {
	before, after := at(all, i-1), at(all, i+1)
	switch base := base(all, i-1); {
	case all[i] == vowelJoiner:
		return isLetterOf(unicode.Mongolian, base) && isLetterOf(unicode.Mongolian, after)
	case isVirama(before):
		return true
	case unicode.Is(unicode.S, base):
		return all[i] == joiner && unicode.Is(unicode.So, after)
	default:
		return slices.ContainsFunc(joining, func(script *unicode.RangeTable) bool {
			return isLetterOf(script, base) && unicode.Is(script, after)
		})
	}
}

// base returns the character at i, or the one that the marks and variation selectors there belong to.
func base(all []rune, i int) rune {
	for unicode.IsMark(at(all, i)) { // variation selectors are marks
		i--
	}
	return at(all, i)
}

func isLetterOf(script *unicode.RangeTable, r rune) bool {
	return unicode.Is(script, r) && unicode.IsLetter(r)
}

// isVirama reports whether a mark silences the vowel of the letter before it.
func isVirama(r rune) bool {
	return unicode.IsMark(r) && norm.NFC.PropertiesString(string(r)).CCC() == 9
}

// varied are the scripts with letters of which Unicode lists variants; Mongolian has selectors of its own.
var varied = []*unicode.RangeTable{unicode.Han, unicode.Myanmar, unicode.Phags_Pa}

// varies reports whether a variation selector has a meaning between two characters: after a letter of such a script, after a
// symbol, and in a keycap.
func varies(before, selector, after rune) bool {
	if unicode.Is(unicode.Mongolian, selector) {
		return isLetterOf(unicode.Mongolian, before)
	}
	return unicode.In(before, varied...) && unicode.IsLetter(before) || unicode.Is(unicode.S, before) || after == keycap
}
