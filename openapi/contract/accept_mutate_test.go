package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// mutator writes JSON values with mistakes.
type mutator struct {
	*rand.Rand
	mistakes int // yet to be made
	values   int // yet to be written, about
	spare    []any
	out      []byte
}

// mutated returns one of the examples, with no, one or some mistakes.
func mutated(random *rand.Rand, examples [][]byte) []byte {
	value, _, _ := decode(examples[random.IntN(len(examples))], asResponse.maxValues)
	m := mutator{Rand: random, mistakes: []int{0, 0, 0, 1, 1, 1, 2, 3}[random.IntN(8)]}
	m.collect(value)
	m.values = len(m.spare)
	m.value(value)
	for m.mistakes > 0 || m.IntN(40) == 0 {
		m.mistakes--
		m.damageBytes()
	}
	return m.out
}

func (m *mutator) collect(value any) {
	m.spare = append(m.spare, value)
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			m.collect(item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			m.collect(value[name])
		}
	}
}

// mistake reports whether to make one here.
func (m *mutator) mistake() bool {
	m.values--
	if m.mistakes == 0 || m.IntN(max(m.values, 0)+1) >= m.mistakes {
		return false
	}
	m.mistakes--
	return true
}

func (m *mutator) write(s string) { m.out = append(m.out, s...) }

func (m *mutator) space() {
	if m.IntN(20) == 0 {
		m.write([]string{" ", "\n", "\t", " \r\n "}[m.IntN(4)])
	}
}

func (m *mutator) value(value any) {
	if m.mistake() {
		value = m.wrong(value)
	}
	m.space()
	defer m.space()
	switch value := value.(type) {
	case raw:
		m.write(string(value))
	case []any:
		m.array(value)
	case map[string]any:
		m.object(value)
	case string:
		m.string(value)
	default:
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		m.out = append(m.out, text...)
	}
}

func (m *mutator) array(items []any) {
	items = slices.Clone(items)
	if m.mistake() {
		switch m.IntN(4) {
		case 0:
			items = nil
		case 1:
			items = append(items, m.spare[m.IntN(len(m.spare))])
		default:
			for range []int{1, 2, 20, 300}[m.IntN(4)] {
				if len(items) > 0 {
					items = append(items, items[0])
				}
			}
		}
	}
	m.write("[")
	for i, item := range items {
		if i > 0 {
			m.write(",")
		}
		m.value(item)
	}
	m.write("]")
}

type member struct {
	name  string
	value any
}

func (m *mutator) object(members map[string]any) {
	var all []member
	for _, name := range slices.Sorted(maps.Keys(members)) {
		all = append(all, member{name, members[name]})
	}
	m.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	if m.mistake() {
		switch i := m.IntN(len(all) + 1); {
		case i == len(all):
			all = append(all, member{"unknown", nil})
		case m.IntN(3) == 0:
			all = append(all, member{all[i].name, m.spare[m.IntN(len(m.spare))]})
		case m.IntN(4) == 0:
			all[i].name = m.edited(all[i].name)
		default:
			all = slices.Delete(all, i, i+1)
		}
	}
	m.write("{")
	for i, v := range all {
		if i > 0 {
			m.write(",")
		}
		m.space()
		m.string(v.name)
		m.space()
		m.write(":")
		m.value(v.value)
	}
	m.write("}")
}

// string writes a string, sometimes with escapes that change nothing.
func (m *mutator) string(s string) {
	escapes := m.IntN(8) == 0
	m.write(`"`)
	for _, r := range s {
		quoted, err := json.Marshal(string(r))
		switch {
		case err != nil:
			panic(err)
		case escapes && r < 0x10000 && m.IntN(3) == 0:
			m.write(fmt.Sprintf(`\u%04x`, r))
		default:
			m.out = append(m.out, quoted[1:len(quoted)-1]...)
		}
	}
	m.write(`"`)
}

// raw is a JSON text.
type raw string

var wrongValues = []any{
	nil, true, false, raw("0"), raw("-0"), raw("0.0"), raw("1"), raw("-1"), raw("1.5"), raw("0.01"), raw("100.00"), raw("1.0"), raw("1e3"), raw("1E400"),
	raw("00"), raw("1."), raw("2147483648"), raw("9223372036854775807"), raw("9223372036854775808"), raw("12345678901234567890"),
	raw("0.12345678901234567890"), raw("99999999.99"), raw("1000000000000"), "", " ", "a", "A", "é", "e\u0301", "\x00", "\u202e", "\u200d", "\ufeff", "\ue000", "👩‍👩‍👧",
	raw(`"\ud800"`), raw(`"\ud83d\ude00"`), raw(`"\uDC00\ud83d"`), raw("\"\xff\""), raw("\"\x01\""), raw(`"\x"`), "a\nb", "2026-02-30", "2026-01-31", "2024-02-29",
	"::1", "10.0.0.1", "::ffff:10.0.0.1", "fe80::1%eth0", "a@b.c", "a@b", "data:image/png;base64,QUJD", "data:image/png;base64,QUJ", "data:text/plain;base64,QUJD",
	"data:image/png;base64,PHN2", "https://example.com/a", "http://", "+9779812345678", "USD", "NP", "NPR", "INITIATED", "CASH_PICKUP", "BANK_DEPOSIT", "WALLET",
	"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "0b9e3f6a-0a7a-4e0e-8f3e-1c2d3e4f5a6b", []any{}, map[string]any{},
	[]any{nil}, map[string]any{"a": "b"},
}

func (m *mutator) wrong(value any) any {
	s, isText := value.(string)
	number, isNumber := value.(json.Number)
	switch {
	case isText && m.IntN(2) == 0:
		return m.edited(s)
	case isNumber && m.IntN(2) == 0:
		return raw([]string{"-" + number.String(), number.String() + "0", number.String() + ".0", "1" + number.String(), number.String() + "1"}[m.IntN(5)])
	case m.IntN(4) == 0:
		return m.spare[m.IntN(len(m.spare))]
	case m.IntN(100) == 0:
		return raw(strings.Repeat("[", 70) + strings.Repeat("]", 70))
	}
	return wrongValues[m.IntN(len(wrongValues))]
}

var wrongRunes = []rune("aZ09 -_.,:;/\\\"'<>{}\t\n\x00\x7f\u00a0é\u0301\u200b\u200d\u2028\ufeff\ufffd👩न्")

func (m *mutator) edited(s string) string {
	runes := []rune(s)
	i := m.IntN(len(runes) + 1)
	switch r := wrongRunes[m.IntN(len(wrongRunes))]; m.IntN(6) {
	case 0:
		return strings.ToLower(s)
	case 1:
		return strings.ToUpper(s)
	case 2:
		return strings.Repeat(s+string(r), 1+m.IntN(40))
	case 3:
		return string(slices.Insert(runes, i, r))
	default:
		if i == len(runes) {
			return s + string(r)
		}
		if runes[i] = r; m.IntN(2) == 0 {
			runes = slices.Delete(runes, i, i+1)
		}
		return string(runes)
	}
}

func (m *mutator) damageBytes() {
	if len(m.out) == 0 {
		return
	}
	i := m.IntN(len(m.out))
	switch m.IntN(4) {
	case 0:
		m.out = slices.Delete(m.out, i, i+1)
	case 1:
		m.out = slices.Insert(m.out, i, `{}[]",:0\ntfu`[m.IntN(13)])
	case 2:
		m.out[i] = byte(m.IntN(256))
	default:
		m.out = m.out[:i]
	}
}
