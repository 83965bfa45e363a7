package contract

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// FuzzDecode checks that an accepted text is one JSON document without repeated names, which encoding/json decodes to the same
// value.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.50,true,null,"\u00e9\ud83d\ude00"],"":{}}`, `{"a":1,"\u0061":2}`, `[[]]`, `1e5`, `"\u0000"`, `{"a"`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		value, found, complete := decode(text, math.MaxInt)
		if !bytes.Equal(before, text) {
			t.Fatal("the input was changed")
		}
		if len(found) > 0 {
			return
		}
		if !complete {
			t.Fatal("refused without a reason")
		}
		in := json.NewDecoder(bytes.NewReader(text))
		in.UseNumber()
		var want any
		if err := in.Decode(&want); err != nil || in.More() {
			t.Fatalf("encoding/json refuses it: %v", err)
		}
		if !reflect.DeepEqual(value, want) {
			t.Fatalf("got %#v, encoding/json %#v", value, want)
		}
		if names := countNames(t, text); names != countMembers(value) {
			t.Fatalf("%d names in the text, %d members in the value", names, countMembers(value))
		}
	})
}

// countNames counts the member names in a text that is known to be JSON.
func countNames(t *testing.T, text []byte) (names int) {
	in := json.NewDecoder(bytes.NewReader(text))
	type level struct{ object, nameNext bool }
	stack := []level{{}}
	for in.More() || len(stack) > 1 {
		token, err := in.Token()
		if err != nil {
			t.Fatal(err)
		}
		top := &stack[len(stack)-1]
		switch delim, _ := token.(json.Delim); {
		case delim == '}' || delim == ']':
			stack = stack[:len(stack)-1]
			continue
		case top.object && top.nameNext:
			names++
			top.nameNext = false
			continue
		case delim == '{' || delim == '[':
			top.nameNext = true
			stack = append(stack, level{object: delim == '{', nameNext: true})
			continue
		}
		top.nameNext = true
	}
	return names
}

func countMembers(value any) (members int) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			members += countMembers(item)
		}
	case map[string]any:
		members = len(value)
		for _, member := range value {
			members += countMembers(member)
		}
	}
	return members
}
