package second_test

import (
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// odd are values that are right somewhere and wrong elsewhere, as JSON. Names in braces are ids of what is prepared.
var odd = slices.Concat(strings.Fields(`
	null true false "" "x" "X" "é\u0301😀" "\u0007" "a\nb" "\u3000" "\u200bx" "\u202ex" "x\u200dx" "র\u200d্য" "شاه\u200cرخ" "രമേശന്\u200d" "\ue000" "x\ufe0f" "葛\udb40\udd00" "❤\ufe0f\u200d🔥" "x\u2028" "\u0600x" "ನ್\u200c\u200c" "\u180e" [] {} [null] [{}] {"a":1}
	0 -0.00 -1 1 10.00 0.5 1.001 1.5 1e2 1001.0 9007199254740992 1000000000001 0.01234567890123456789 1.0000000000000000000 99999999999999999999
	1001 1002 1003 1004 1006 1046 1055 2001 2003 20010 30001 30004 20000.00
	"US" "NP" "JP" "GB" "FR" "XX" "us" "USA" "CA" "USD" "NPR" "JPY" "KWD" "EUR" "ZZZ"
	"2000-02-29" "2001-02-29" "2999-01-01" "1899-12-31" "1.2.3.4" "::1" "1.2.3" "a@b.cd" "a@b" "12345" "123"
	"{user}" "{user-fund}" "{pending}" "{receiver}" "{japan}" "{kuwait}" "{bare}" "{bank}" "{wallet}"
	"00000000-0000-4000-8000-000000000007" "00000000000040008000000000000007"
	"VERIFIED" "SUBMIT" "IN\u0020PROGRESS" "ACTIVE" "SEND" "BANK_DEPOSIT" "WALLET" "CASH_PICKUP" "HOME_DELIVERY" "SENDER_AMOUNT" "RECEIVER_AMOUNT"
	"EIN" "EIN_NUMBER" "INVOICE" "PASSPORT" "data:image/png;base64,AAAA" "data:image/png;base64,AAAA=" "data:text/plain;base64,AAAA" "data:image/svg+xml;base64,AAAA" "data:image/png;base64,IDxh"
`), lengths(51, 101, 200, 201, 256, 501))

func lengths(all ...int) (texts []string) {
	for _, n := range all {
		texts = append(texts, `"`+strings.Repeat("é", n)+`"`)
	}
	return texts
}

// mutated changes a body in a few places: it leaves out, replaces and adds.
func mutated(t *testing.T, random *rand.Rand, body any, names []string) any {
	t.Helper()
	anything := func() any { return decoded(t, []byte(odd[random.IntN(len(odd))])) }
	for range []int{0, 1, 1, 1, 2, 3}[random.IntN(6)] {
		all := slices.Collect(places(body, nil))
		if len(all) == 0 {
			break
		}
		place := all[random.IntN(len(all))]
		parent, last := at(body, place[:len(place)-1]), place[len(place)-1]
		change := random.IntN(4)
		switch parent := parent.(type) {
		case map[string]any:
			name, _ := last.(string)
			switch change {
			case 0:
				delete(parent, name)
			case 1:
				parent[names[random.IntN(len(names))]] = anything()
			case 2:
				parent[name] = anything()
			default:
				parent[name] = like(t, random, parent[name])
			}
		case []any:
			index, _ := last.(int)
			parent[index] = anything()
		}
	}
	return body
}

// like returns an odd value that looks like v: another id, another number, another text of the same length.
func like(t *testing.T, random *rand.Rand, v any) any {
	t.Helper()
	var alike []any
	for _, text := range odd {
		other := decoded(t, []byte(text))
		a, isText := v.(string)
		b, areTexts := other.(string)
		isID := strings.HasPrefix(a, "{")
		switch {
		case isText != areTexts, reflect.TypeOf(v) != reflect.TypeOf(other):
		case isText && isID != strings.HasPrefix(b, "{"), isText && !isID && len(a) != len(b):
		default:
			alike = append(alike, other)
		}
	}
	if len(alike) == 0 {
		return v
	}
	return alike[random.IntN(len(alike))]
}

// places returns the ways to all members and elements, in the same order in every run.
func places(v any, way []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		below := func(last, v any) bool {
			here := slices.Concat(way, []any{last})
			if !yield(here) {
				return false
			}
			for place := range places(v, here) {
				if !yield(place) {
					return false
				}
			}
			return true
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if !below(name, v[name]) {
					return
				}
			}
		case []any:
			for i, element := range v {
				if !below(i, element) {
					return
				}
			}
		}
	}
}

func at(v any, way []any) any {
	for _, step := range way {
		switch step := step.(type) {
		case string:
			v = v.(map[string]any)[step] //nolint:forcetypeassert // places found it
		case int:
			v = v.([]any)[step] //nolint:forcetypeassert // places found it
		}
	}
	return v
}
