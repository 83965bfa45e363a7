package mutants_test

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// deceptionMutants accept a first name that deceives a reader, or refuse or change one that does not.
func deceptionMutants() (all []mutant) {
	accepting := func(name string, accepted func(r rune) bool) {
		all = append(all, broken(name+" in a name are ignored", "validation.createUser.texts", asking("createUser", func(r request) request {
			return r.set(strings.Map(func(c rune) rune {
				if accepted(c) {
					return -1
				}
				return c
			}, r.text("first_name")), "first_name")
		})))
	}
	is := func(list string) func(r rune) bool { return func(r rune) bool { return strings.ContainsRune(list, r) } }
	accepting("Zero-width spaces", is("\u200b"))
	accepting("Overrides of the writing direction", is("\u202d\u202e"))
	accepting("Isolates", is("\u2066\u2067\u2068\u2069"))
	accepting("Marks of the writing direction", is("\u200e\u200f\u061c"))
	accepting("Byte order marks", is("\ufeff"))
	accepting("Soft hyphens", is("\u00ad"))
	accepting("Separators of lines", is("\u2028\u2029"))
	accepting("Tags", func(r rune) bool { return r >= 0xE0000 && r < 0xE0100 })
	accepting("Private-use characters", func(r rune) bool { return unicode.Is(unicode.Co, r) })
	accepting("Noncharacters", func(r rune) bool { return unicode.Is(unicode.Noncharacter_Code_Point, r) })
	accepting("Grapheme joiners", is("\u034f"))
	for name, blank := range map[string]string{
		"No-break spaces": "\u00a0", "Ideographic spaces": "\u3000", "Hangul fillers": "\u3164", "Marks": "\u0301\u0302", "Blank Braille": "\u2800",
	} {
		all = append(all, broken(name+" make a name", "validation.createUser.texts", asking("createUser", func(r request) request {
			if name := r.text("first_name"); name != "" && strings.Trim(name, blank) == "" {
				r = r.set("Asha", "first_name")
			}
			return r
		})))
	}
	for name, refused := range map[string]func(name string) bool{
		"with a Persian non-joiner":           func(name string) bool { return strings.Contains(name, "\u06cc\u200c") },
		"with a joiner of Sinhala":            func(name string) bool { return strings.Contains(name, "\u0dca\u200d") },
		"with a joiner before a virama":       func(name string) bool { return strings.Contains(name, "\u200d\u09cd") },
		"that end with a joiner of Malayalam": func(name string) bool { return strings.HasSuffix(name, "\u0d4d\u200d") },
		"with Han of plane 2":                 func(name string) bool { return strings.ContainsRune(name, 0x20BB7) },
		"with a variant of Han":               func(name string) bool { return strings.ContainsRune(name, 0xE0100) },
		"with a middle dot":                   func(name string) bool { return strings.ContainsRune(name, 0xB7) },
		"from right to left": func(name string) bool {
			return strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Hebrew, r) })
		},
		"with emoji":   func(name string) bool { return strings.Contains(name, "\u200d\U0001F4BB") },
		"in Mongolian": func(name string) bool { return strings.ContainsRune(name, 0x180E) },
	} {
		all = append(all, broken("Names "+name+" are refused", "validation.createUser.names",
			narrow("createUser", func(r request) bool { return refused(r.text("first_name")) })))
	}
	changed := func(name string, change func(name string) string) mutant {
		return broken(name, "validation.createUser.names", returning("createUser", func(_ request, user map[string]any) {
			if first, ok := user["first_name"].(string); ok {
				user["first_name"] = change(first)
			}
		}))
	}
	return slices.Concat(all, []mutant{
		changed("Names are composed", norm.NFC.String), changed("Names are decomposed", norm.NFD.String),
		changed("Joiners of names are dropped", func(name string) string { return strings.NewReplacer("\u200c", "", "\u200d", "").Replace(name) }),
	})
}
