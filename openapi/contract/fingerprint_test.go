package contract_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/crossborder-payouts/payouts/openapi/contract"
)

func TestFingerprintIsThePublishedAlgorithm(t *testing.T) {
	t.Parallel()
	r, err := place(shop(t), `{ "total" : 100.00, "ref": "`+strings.ToUpper(account)+`",
		"note": "\u003cé", "lines": [{"sku":"a","weight":-0.0}], "delivery": {"locker":7, "kind":"LOCKER"} }`)
	wantAccepted(t, err)
	sum := sha256.Sum256([]byte(`{"body":{"delivery":{"kind":"LOCKER","locker":"7","slot":"ANY"},"gift":false,` +
		`"lines":[{"pieces":"1","sku":"a","weight":"0"}],"mode":"SLOW","note":"<é","ref":"` + account + `","total":"100"},` +
		`"operation":"placeOrder","path":{"account_id":"` + account + `"}}`))
	if got, want := r.Fingerprint(), hex.EncodeToString(sum[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFingerprintWithoutBody(t *testing.T) {
	t.Parallel()
	op := shop(t).Operation(http.MethodDelete, "/items/{item_id}")
	r, err := op.CheckRequest(httptest.NewRequest(http.MethodDelete, "/", nil), map[string]string{"item_id": "7"}, limit)
	wantAccepted(t, err)
	sum := sha256.Sum256([]byte(`{"body":null,"operation":"dropItem","path":{"item_id":"7"}}`))
	if got, want := r.Fingerprint(), hex.EncodeToString(sum[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFingerprintDistinguishesRequests(t *testing.T) {
	t.Parallel()
	c := shop(t)
	fingerprint := func(body, account, key string) string {
		r := post(body)
		r.Header.Set("X-Order-Key", key)
		checked, err := c.Operation(http.MethodPost, orders).CheckRequest(r, map[string]string{"account_id": account}, limit)
		wantAccepted(t, err)
		return checked.Fingerprint()
	}
	first := fingerprint(least, account, "a")
	for _, tc := range []struct {
		name, got string
		same      bool
	}{
		{"other key", fingerprint(least, account, "b"), true},
		{"account in upper case", fingerprint(least, strings.ToUpper(account), "a"), true},
		{"other account", fingerprint(least, "1"+account[1:], "a"), false},
		{"default spelt out", fingerprint(with(`"mode":"SLOW"`), account, "a"), true},
		{"other than the default", fingerprint(with(`"mode":"FAST"`), account, "a"), false},
		{"zeros after the point", fingerprint(strings.Replace(least, "1", "1.00", 1), account, "a"), true},
		{"zero more", fingerprint(strings.Replace(least, "1", "10", 1), account, "a"), false},
		{"empty object is no default", fingerprint(with(`"labels":{}`), account, "a"), false},
		{"null is no default", fingerprint(with(`"note":null`), account, "a"), false},
	} {
		if (tc.got == first) != tc.same {
			t.Errorf("%s: same is %v", tc.name, !tc.same)
		}
	}
	if fingerprint(with(`"note":"A"`), account, "a") == fingerprint(with(`"note":"a"`), account, "a") {
		t.Error("texts that differ in case have the same fingerprint")
	}
}

func TestCheckingDoesNotWriteDefaults(t *testing.T) {
	t.Parallel()
	r, err := place(shop(t), least)
	wantAccepted(t, err)
	r.Fingerprint()
	if string(r.Body) != least {
		t.Errorf("the body became %s", r.Body)
	}
}

// TestFingerprintProperty generates orders (TestMain sets their number), each with an equivalent spelling and a mutation.
func TestFingerprintProperty(t *testing.T) {
	t.Parallel()
	c := shop(t)
	rapid.Check(t, func(t *rapid.T) {
		order := drawOrder(t)
		other := maps.Clone(order)
		mutation := mutate(t, other)
		first, second, third := spell(t, order), spell(t, order), spell(t, other)
		fingerprint := fingerprintOf(t, c, first)
		if fingerprintOf(t, c, second) != fingerprint {
			t.Fatalf("two spellings of one request differ:\n%s\n%s", first, second)
		}
		if fingerprintOf(t, c, third) == fingerprint {
			t.Fatalf("another %s has the same fingerprint:\n%s\n%s", mutation, first, third)
		}
	})
}

func fingerprintOf(t *rapid.T, c *contract.Contract, body string) string {
	r, err := place(c, body)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return r.Fingerprint()
}

var (
	cents   = rapid.Map(rapid.Int64Range(1, 1<<39), func(n int64) string { return fmt.Sprintf("%d.%02d", n/100, n%100) })
	whole   = rapid.Map(rapid.Int64Range(1, 1<<39), func(n int64) string { return strconv.FormatInt(n, 10) })
	amounts = rapid.OneOf(cents, whole)
	words   = rapid.StringOfN(rapid.RuneFrom([]rune("aA<&é\u2028😀\"\\/ ")), 0, 5, -1)
	weights = rapid.SampledFrom([]json.Number{"0.5", "0", "-1.25", "300"})
)

// drawOrder returns an order with all its defaults spelt out.
func drawOrder(t *rapid.T) map[string]any {
	order := map[string]any{
		"total": json.Number(amounts.Draw(t, "total")),
		"gift":  rapid.Bool().Draw(t, "gift"),
		"mode":  rapid.SampledFrom([]string{"FAST", "SLOW"}).Draw(t, "mode"),
		"note":  words.Draw(t, "note"),
		"ref":   rapid.StringMatching(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).Draw(t, "ref"),
	}
	lines := make([]any, rapid.IntRange(0, 3).Draw(t, "lines"))
	for i := range lines {
		lines[i] = map[string]any{
			"sku": words.Draw(t, "sku"), "pieces": json.Number(strconv.Itoa(rapid.IntRange(0, 3).Draw(t, "pieces"))), "weight": weights.Draw(t, "weight"),
		}
	}
	order["lines"] = lines
	if rapid.Bool().Draw(t, "locker") {
		order["delivery"] = map[string]any{"kind": "LOCKER", "locker": json.Number("7"), "slot": rapid.SampledFrom([]string{"ANY", "TOP"}).Draw(t, "slot")}
	} else {
		order["delivery"] = map[string]any{"kind": "COURIER", "address": map[string]any{"street": words.Draw(t, "street"), "floor": json.Number("0")}}
	}
	return order
}

// mutate changes one value of the order and returns which.
func mutate(t *rapid.T, order map[string]any) string {
	what := rapid.SampledFrom([]string{"total", "gift", "mode", "note", "ref", "lines", "delivery"}).Draw(t, "mutation")
	switch what {
	case "total":
		order[what] = "1" + order[what].(json.Number)
	case "gift":
		order[what] = !order[what].(bool)
	case "mode":
		order[what] = map[string]string{"FAST": "SLOW", "SLOW": "FAST"}[order[what].(string)]
	case "note":
		order[what] = order[what].(string) + "x"
	case "ref":
		ref := order[what].(string)
		order[what] = map[bool]string{true: "1", false: "0"}[ref[0] == '0'] + ref[1:]
	case "lines":
		order[what] = append(slices.Clone(order[what].([]any)), map[string]any{"sku": "", "pieces": json.Number("1"), "weight": json.Number("0.5")})
	case "delivery":
		delivery := maps.Clone(order[what].(map[string]any))
		if delivery["kind"] == "LOCKER" {
			delivery["locker"] = json.Number("8")
		} else {
			delivery["address"] = map[string]any{"street": "elsewhere", "floor": json.Number("0")}
		}
		order[what] = delivery
	}
	return what
}

// defaults are those of the members that drawOrder sets; the names are unique in the document.
var defaults = map[string]string{"gift": "false", "mode": `"SLOW"`, "pieces": "1", "weight": "0.5", "slot": `"ANY"`, "floor": "0"}

// spell returns one of the equivalent spellings of a value.
func spell(t *rapid.T, value any) string {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"})
	switch value := value.(type) {
	case json.Number:
		return value.String() + spellFraction(t, value.String())
	case string:
		return spellString(t, value)
	case []any:
		items := make([]string, len(value))
		for i, item := range value {
			items[i] = spell(t, item) + space.Draw(t, "space")
		}
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		var members []string
		for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(value))).Draw(t, "order") {
			if text, ok := defaults[name]; ok && text == plainText(value[name]) && rapid.Bool().Draw(t, "omit") {
				continue
			}
			members = append(members, space.Draw(t, "space")+spellString(t, name)+space.Draw(t, "space")+":"+spell(t, value[name]))
		}
		return "{" + strings.Join(members, ",") + space.Draw(t, "space") + "}"
	}
	return plainText(value)
}

// spellFraction returns zeros that may follow a number, none after a whole one, which may be an integer.
func spellFraction(t *rapid.T, number string) string {
	if !strings.Contains(number, ".") {
		return ""
	}
	return rapid.SampledFrom([]string{"", "0", "00"}).Draw(t, "zeros")
}

func plainText(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// spellString escapes some characters that need no escape.
func spellString(t *rapid.T, s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < 0x10000 && rapid.Bool().Draw(t, "escape"):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
