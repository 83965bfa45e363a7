package text_test

import (
	_ "embed"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/crossborder-payouts/payouts/openapi/text"
)

//go:embed testdata/names.txt
var names string

// D-60: names of any script are accepted, whether accents are characters of their own or not.
func TestNamesOfAnyScriptAreAccepted(t *testing.T) {
	t.Parallel()
	scripts, all := map[string]int{}, 0
	for line := range strings.Lines(names) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		script, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("%q is not a script and a name", line)
		}
		scripts[script]++
		all++
		for _, spelling := range []string{name, norm.NFC.String(name), norm.NFD.String(name), " " + name + "  " + name + "\u00a0"} {
			for _, kind := range text.Kinds() {
				if reason := kind.Reason(spelling); reason != "" {
					t.Errorf("%s: %+q as %s: %s", script, spelling, kind, reason)
				}
			}
		}
	}
	for script, n := range scripts {
		if n < 10 {
			t.Errorf("%s has %d names only", script, n)
		}
	}
	if all < 200 || len(scripts) < 20 {
		t.Errorf("%d names in %d scripts only", all, len(scripts))
	}
}

func TestOrdinaryTextsAreAccepted(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "-", "'", "1", "😀", "é", "a\u0301", "ｆｕｌｌ　ｗｉｄｔｈ", "3/4 Rue de l’Église, 2ᵉ étage", "#12-03 «B»", "№ 7 · São", "Ω≈ç√∫ ₹ £ €",
		"❤️ for you", "©️", "👩🏽‍💻", "👨‍👩‍👧", "🏳️‍🌈", "❤️‍🔥", "👁️‍🗨️", "🇳🇵", "1️⃣ #️⃣", "\u0600٣", "\U00030EDE", "\U0001DFFF",
		"क्\u200d", "ನ್\u200c ಮ",
	} {
		for _, kind := range text.Kinds() {
			if reason := kind.Reason(s); reason != "" {
				t.Errorf("%+q as %s: %s", s, kind, reason)
			}
		}
	}
	if reason := text.Prose.Reason("one\r\n\ttwo\n"); reason != "" {
		t.Errorf("a note on two lines: %s", reason)
	}
}

func TestDeceptiveTextsAreRejected(t *testing.T) {
	t.Parallel()
	for reason, texts := range map[string][]string{
		"must have a visible character": {
			" ", "\u00a0", "\u3000 \u2003", "\u2800", "\u0301", " \u20dd", "\u1680\u205f",
		},
		"must not contain control characters": {
			"\x1b[31mAsha", "Asha\x07", "As\u0085ha", "\u009bAsha", "As\x00ha", "As\vha", "\x7f",
		},
		"must not contain invisible characters or controls of the writing direction": {
			"As\u200bha", "\u2060Asha", "Asha\ufeff", "As\u00adha", "\u034fAsha", "Asha\u061c", "\u200eAsha", "As\u200fha",
			"\u202aAsha", "As\u202bha\u202c", "\u202dAsha", "Asha\u202efdp.exe", "\u2066Asha", "\u2067Asha", "\u2068Asha\u2069",
			"\u206aAsha", "\ufff9a\ufffab\ufffb", "\u3164", "\uffa0", "\u115f\u1160", "\u17b4", "As\U000E0041ha", "\U000E0001Asha",
			"🏴\U000E0067\U000E0062\U000E007F", "\U0001D173", "\U000E01F0", "\u2065", "\ufff0",
		},
		"must not contain the line or paragraph separator U+2028 or U+2029":      {"As\u2028ha", "Asha\u2029"},
		"must not contain private-use characters or noncharacters":               {"As\ue000ha", "\U000F0000", "\U0010FFFD", "\ufdd0", "\uffff", "\U0001FFFE"},
		"must have variation selectors only after characters that have variants": {"As\ufe0fha", "\ufe0f", "1\ufe0f", "王 \U000E0100", "王\ufe00\ufe00", "A\U000E0100", "A\u180b", "王\u180b"},
		"must have joiners such as U+200D only where a script or an emoji joins characters": {
			"As\u200dha", "As\u200cha", "\u200dAsha", "Asha\u200c", "آ\u200c", "\u200cآ", "آ\u200c\u200cآ", "آ\u200cA", "A\u200cآ", "آ\u200cक",
			"क्\u200d\u200dष", "e\u0301\u200de\u0301", "\u0301\u200d", "อ\u200dอ", "王\u200d王", "😀\u200d", "😀\u200c😀", "\u200d😀", "A\u200d😀",
			"\u180e", "A\u180eA", "ᠠ\u180e", "ᠠ\u180e\u180eᠠ", "1\u200d2",
		},
	} {
		for _, s := range texts {
			for _, kind := range text.Kinds() {
				if got := kind.Reason(s); got != reason {
					t.Errorf("%+q as %s: %q, want %q", s, kind, got, reason)
				}
			}
		}
	}
	for _, s := range []string{"As\nha", "As\rha", "As\tha", "\n"} {
		if text.Line.Reason(s) == "" {
			t.Errorf("%q is accepted as a line", s)
		}
	}
	if text.Prose.Reason("\r\n\t ") == "" {
		t.Error("a note of line breaks alone is accepted")
	}
}

// What the rule costs for a name of 30 letters; it is part of every request with names.
func BenchmarkReason(b *testing.B) {
	for name, s := range map[string]string{"latin": strings.Repeat("Asha Björk ", 3), "devanagari": strings.Repeat("राजेन्द्र ", 3)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				text.Line.Reason(s)
			}
		})
	}
}
