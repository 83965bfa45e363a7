package contract

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/crossborder-payouts/payouts/openapi/contract/bodies"
)

func inside(s string, text []byte) bool {
	at, begin := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(&text[0]))
	return at >= begin && at < begin+uintptr(len(text))
}

// anyString accepts the documents of TestLongStringsAreNotCopied.
var anyString = &objectAcceptor{members: map[string]memberAcceptor{
	"before": {&arrayAcceptor{items: &stringAcceptor{}}, 1, noField}, "z": {&stringAcceptor{}, 2, noField},
	"after": {numberAcceptor{numberRule{bits: 64}}, 4, noField},
}}

// Long strings without escapes are parts of the document; all others are copies with the same value.
func TestLongStringsAreNotCopied(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", longString)
	for name, tc := range map[string]struct {
		literal, value string
		part           bool
	}{
		"short":          {`"a"`, "a", false},
		"empty, far off": {strings.Repeat(" ", 2*longString) + `""`, "", false},
		"long":           {`"` + long + `"`, long, true},
		"long, far off":  {"\n\t" + strings.Repeat(" ", longString) + `"` + long + `"`, long, true},
		"escaped":        {`"\n` + long + `"`, "\n" + long, false},
		"escaped quote":  {`"` + long + `\""`, long + `"`, false},
	} {
		text := []byte(`{"before": ["x" ,"y"], "z" :` + tc.literal + `, "after":1}`)
		value, found, complete := decode(text, 100)
		got, ok := value.(map[string]any)["z"].(string)
		if !complete || len(found) > 0 || !ok || got != tc.value {
			t.Errorf("%s: read as %q, %v", name, got, found)
		} else if got != "" && inside(got, text) != tc.part {
			t.Errorf("%s: part of the document is %t", name, !tc.part)
		}
		var into struct {
			Z     string `json:"z"`
			After int    `json:"after"`
		}
		accepting := decoding{typed{}.of(anyString, reflect.TypeOf(into)), reflect.TypeOf(into)}
		for way, r := range map[string]Request{"afterwards": {Body: text}, "while accepted": {Body: text, decoded: accepting.decode(text, 100)}} {
			if err := r.Decode(&into); err != nil || into.Z != tc.value || into.After != 1 {
				t.Errorf("%s, decoded %s: %q: %v", name, way, into.Z, err)
			} else if into.Z != "" && inside(into.Z, text) != tc.part {
				t.Errorf("%s, decoded %s: part of the document is %t", name, way, !tc.part)
			}
			into.Z, into.After = "", 0
		}
	}
}

// The hash in parts is that of RFC 8785.
func TestCanonicalFormIsThatOfTheRFC(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"\u2028\u0000\u001f\u007f\"\\/<>&", strings.Repeat("aé\n", 30_000), strings.Repeat("😀", 20_000), strings.Repeat("a", 32<<10) + "\"",
		"\ufb33", "😀", "\u20ac", "\r", "1", "\u0080", "\u00f6",
	}))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		kinds := []*rapid.Generator[any]{rapid.Just[any](nil), rapid.Bool().AsAny(), text.AsAny()}
		if depth < 3 {
			kinds = append(kinds, rapid.SliceOfN(value(depth+1), 0, 4).AsAny(), rapid.MapOfN(text, value(depth+1), 0, 4).AsAny())
		}
		return rapid.OneOf(kinds...)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(0).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want := jsontext.Value(plain)
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		got := canonical{Hash: sha256.New()}
		got.value(v)
		got.flush()
		if sum := sha256.Sum256(want); hex.EncodeToString(got.Sum(nil)) != hex.EncodeToString(sum[:]) {
			t.Fatalf("differs for %s", want)
		}
	})
}

// While a document of n bytes is received, judged, fingerprinted and decoded, little more than n and its content are in memory
// at a time; nothing is left of the text once it is forgotten.
func TestMemoryOfADocument(t *testing.T) { //nolint:paralleltest // it measures memory
	const size = 16 << 20
	rules, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	type user struct {
		Documents []struct {
			Type  string `json:"document_type"`
			Value string `json:"document_value"`
		} `json:"physical_documents"`
	}
	op := rules.Operation(http.MethodPost, "/users").Decoding(reflect.TypeFor[user]())
	body := `{"first_name":"Asha","email":"asha@example.com","country":"US","physical_documents":[{"document_type":"STATE_ID",` +
		`"document_value":"data:image/png;base64,` + strings.Repeat("QUJD", size/4) + `"}]}`
	r := httptest.NewRequest(http.MethodPost, "/users", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	checked, err := op.CheckRequest(r, nil, 20<<20)
	if err != nil {
		t.Fatal(err)
	}
	checked.Fingerprint()
	var into user
	if err := checked.Decode(&into); err != nil {
		t.Fatal(err)
	}
	_, encoded, _ := strings.Cut(into.Documents[0].Value, ",")
	content, err := base64.StdEncoding.DecodeString(encoded)
	runtime.ReadMemStats(&after)
	if err != nil || len(content) != size/4*3 {
		t.Fatalf("%d bytes: %v", len(content), err)
	}
	// The text, a third of it in smaller buffers before, and the content: everything that was allocated, garbage included.
	if all := float64(after.TotalAlloc-before.TotalAlloc) / size; all > 2.3 {
		t.Errorf("%.2f bytes are allocated for each byte", all)
	}
}

// A request is read up to somewhat more values than a valid one can have.
func TestMostValues(t *testing.T) {
	t.Parallel()
	rules, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range rules.Operations() {
		if most := op.asRequest.maxValues; op.body != nil && (most < 1000 || most > 5000) {
			t.Errorf("%s: %d values", op.ID, most)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/users", strings.NewReader(`{"physical_documents":[`+strings.Repeat("0,", 50_000)+`0]}`))
	r.Header.Set("Content-Type", "application/json")
	op := rules.Operation(http.MethodPost, "/users")
	body, err := op.ReceiveBody(r, bodies.Receiver{Limit: 20 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := op.Check(r, nil, body); err == nil || !strings.Contains(err.Error(), "values") {
		t.Errorf("rejected with %v", err)
	}
}
