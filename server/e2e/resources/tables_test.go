package resources_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// kinds are the types in the tables of section 2, as JSON.
var kinds = map[string]*regexp.Regexp{
	"string":   regexp.MustCompile(`^".+"$`),
	"country":  regexp.MustCompile(`^"[A-Z]{2}"$`),
	"currency": regexp.MustCompile(`^"[A-Z]{3}"$`),
	"uuid":     regexp.MustCompile(`^"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"$`),
	"integer":  regexp.MustCompile(`^-?\d+$`),
	"number":   regexp.MustCompile(`^-?\d+(\.\d+)?$`),
	"boolean":  regexp.MustCompile(`^(true|false)$`),
	"array":    regexp.MustCompile(`^\[.*\]$`),
	"object":   regexp.MustCompile(`^\{.*\}$`),
}

// table is a table of section 2: the type of each member.
type table map[string]string

var (
	payerTable       = table{"country": "country", "delivery_method": "string", "id": "integer", "name": "string", "pickup_location": "array"}
	payerDetailTable = table{
		"country": "country", "delivery_method": "string", "id": "integer", "name": "string", "pickup_location": "array",
		"code": "string", "network_limit": "array", "receiving_currency": "currency",
	}
	bankTable       = table{"id": "integer", "name": "string", "country": "country", "branches": "array", "txn_supported_types": "array"}
	bankDetailTable = table{
		"id": "integer", "name": "string", "country": "country", "branches": "array", "txn_supported_types": "array",
		"receiving_currency": "array",
	}
	branchTable  = table{"id": "integer", "name": "string"}
	stateTable   = table{"code": "string", "country": "country", "name": "string"}
	stateV2Table = table{"id": "integer", "name": "string", "code": "string", "country_id": "string"}
)

// check fails the test unless an object has exactly the members of the table, with their types.
func (shape table) check(t testing.TB, object json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	members := servertest.Parse[map[string]json.RawMessage](t, object)
	want, got := slices.Sorted(maps.Keys(shape)), slices.Sorted(maps.Keys(members))
	if !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
	for name, kind := range shape {
		if !kinds[kind].Match(members[name]) {
			t.Errorf("%s is %s, want type %s", name, members[name], kind)
		}
	}
	return members
}

// wantMembers compares a body with the expected members, including the digits of numbers.
func wantMembers(t testing.TB, body []byte, want map[string]any) {
	t.Helper()
	got := servertest.Parse[map[string]any](t, body)
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	expected := servertest.Parse[map[string]any](t, text)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := expected[name]; !ok {
			t.Errorf("member %s: %v is not expected", name, got[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		if !reflect.DeepEqual(got[name], expected[name]) {
			t.Errorf("member %s: %v, want %v", name, got[name], expected[name])
		}
	}
}

// moveGenerated copies a generated member of a body to the expected members, after checking its type.
func moveGenerated(t testing.TB, body []byte, want map[string]any, name, kind string) {
	t.Helper()
	value := servertest.Parse[map[string]json.RawMessage](t, body)[name]
	if !kinds[kind].Match(value) {
		t.Errorf("%s is %s, want type %s", name, value, kind)
	}
	want[name] = value
}
