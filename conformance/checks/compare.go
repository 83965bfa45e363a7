package checks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	exact "github.com/govalues/decimal"
	openapi_types "github.com/oapi-codegen/runtime/types"

	"github.com/crossborder-payouts/payouts/conformance/probe"
)

// members reads an answer as JSON members, to see what the generated types do not tell: null from absent.
func members(t *probe.T, a probe.Answer) map[string]any { return decoded[map[string]any](t, a) }

// elements reads an answer as an array of such objects.
func elements(t *probe.T, a probe.Answer) []map[string]any { return decoded[[]map[string]any](t, a) }

func decoded[V any](t *probe.T, a probe.Answer) (v V) {
	d := json.NewDecoder(bytes.NewReader(a.GetBody()))
	d.UseNumber() // no amount passes through a float
	if d.Decode(&v) != nil {
		t.Fatalf("answered %d with a body that cannot be read", a.StatusCode())
	}
	return v
}

// notEchoed returns the JSON pointers of what was sent and did not come back with the same value. An answer may hold more
// than was sent, but no array may be longer.
func notEchoed(pointer string, sent, got any) []string {
	switch sent := sent.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		var found []string
		for _, name := range slices.Sorted(maps.Keys(sent)) {
			value, there := object[name]
			if !there {
				found = append(found, pointer+"/"+name)
				continue
			}
			found = append(found, notEchoed(pointer+"/"+name, sent[name], value)...)
		}
		return found
	case []any:
		array, _ := got.([]any)
		if len(array) != len(sent) {
			return []string{pointer}
		}
		var found []string
		for i := range sent {
			found = append(found, notEchoed(pointer+"/"+strconv.Itoa(i), sent[i], array[i])...)
		}
		return found
	}
	if !sameValue(sent, got) {
		return []string{pointer}
	}
	return nil
}

// changedTexts returns the JSON pointers of the texts that came back as other ones. What did not come back is left out, and
// so are ids, which may come back in capitals.
func changedTexts(pointer string, sent, got any) (found []string) {
	switch sent := sent.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(sent)) {
			found = append(found, changedTexts(pointer+"/"+name, sent[name], object[name])...)
		}
	case []any:
		array, _ := got.([]any)
		array = array[max(0, len(array)-len(sent)):] // what is added to a list is at its end
		for i := range array {
			found = append(found, changedTexts(pointer+"/"+strconv.Itoa(i), sent[i], array[i])...)
		}
	case string:
		if back, ok := got.(string); ok && back != sent && uuid.Validate(sent) != nil {
			found = append(found, pointer)
		}
	}
	return found
}

// sameValue compares scalars by what they mean: 100 is 100.00, and identifiers are the same in upper and lower case.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		x, errX := exact.Parse(a.String())
		y, errY := exact.Parse(b.String())
		return ok && (a == b || errX == nil && errY == nil && x.Cmp(y) == 0)
	case string:
		b, ok := b.(string)
		return ok && (a == b || uuid.Validate(a) == nil && strings.EqualFold(a, b))
	}
	return reflect.DeepEqual(a, b)
}

// moment is what the order of a list is about. The contract does not tell which of two that were created at the same time
// comes first, and clocks are coarse.
type moment struct {
	id openapi_types.UUID
	at time.Time
}

// settled puts neighbours of the same time in the order of their ids.
func settled(list []moment) []moment {
	list = slices.Clone(list)
	for i := 0; i < len(list); {
		end := i + 1
		for end < len(list) && list[end].at.Equal(list[i].at) {
			end++
		}
		slices.SortFunc(list[i:end], func(a, b moment) int { return cmp.Compare(a.id.String(), b.id.String()) })
		i = end
	}
	return list
}

// sameOrder reports whether two lists hold the same in the same order, those of one time apart.
func sameOrder(got, want []moment) bool {
	return slices.EqualFunc(settled(got), settled(want), func(a, b moment) bool { return a.id == b.id })
}

// asCreated compares a list, oldest first, with what was created in this order.
func asCreated[V any](t *probe.T, what string, got, want []V, of func(V) moment) {
	byID := func(list []V) map[openapi_types.UUID]V {
		all := map[openapi_types.UUID]V{}
		for _, v := range list {
			all[of(v).id] = v
		}
		return all
	}
	t.Expect(len(got) == len(want) && reflect.DeepEqual(byID(got), byID(want)), "%s are not the same", what)
	t.Expect(sameOrder(ids(got, of), ids(want, of)), "%s are not in the same order", what)
}

// echoes fails the check for each member that was sent and did not come back with the same value.
func echoes(t *probe.T, sent any, a probe.Answer) {
	for _, pointer := range notEchoed("", probe.Object(t, sent), members(t, a)) {
		t.Failf("%s was sent and did not come back with the same value", pointer)
	}
}

// lacks fails the check for each of these members that an answer has.
func lacks(t *probe.T, object map[string]any, names ...string) {
	for _, name := range names {
		_, there := object[name]
		t.Expect(!there, "%s was not sent and came back", name)
	}
}

// same compares two answers or parts of answers.
func same[V any](t *probe.T, what string, got, want V) {
	t.Expect(reflect.DeepEqual(got, want), "%s are not the same", what)
}

// pick returns the elements that fit.
func pick[V any](all []V, fits func(V) bool) []V {
	return slices.DeleteFunc(slices.Clone(all), func(v V) bool { return !fits(v) })
}

// ids returns the identifiers of a list, for messages and for comparisons.
func ids[V, ID any](list []V, id func(V) ID) []ID {
	all := make([]ID, len(list))
	for i, v := range list {
		all[i] = id(v)
	}
	return all
}

// ascending fails the check unless a list is ordered by this value and holds no value twice.
func ascending[V any, K cmp.Ordered](t *probe.T, list []V, by func(V) K) {
	if len(list) < 2 {
		t.Skipf("the list is too short to have an order")
	}
	for i := 1; i < len(list); i++ {
		before, here := by(list[i-1]), by(list[i])
		t.Expect(before < here, "%v comes after %v", here, before)
	}
}

// distinct reports whether no two elements have the same value.
func distinct[V any, K comparable](list []V, by func(V) K) bool {
	seen := map[K]bool{}
	for _, v := range list {
		seen[by(v)] = true
	}
	return len(seen) == len(list)
}
