package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// rowKinds are the types that the tables of section 2 name, as they stand on the wire.
var rowKinds = map[string]*regexp.Regexp{
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

// rowShape is a table of section 2: member to type.
type rowShape map[string]string

var (
	rowPayer       = rowShape{"country": "country", "delivery_method": "string", "id": "integer", "name": "string", "pickup_location": "array"}
	rowPayerDetail = rowShape{
		"country": "country", "delivery_method": "string", "id": "integer", "name": "string", "pickup_location": "array",
		"code": "string", "network_limit": "array", "receiving_currency": "currency",
	}
	rowBank       = rowShape{"id": "integer", "name": "string", "country": "country", "branches": "array", "txn_supported_types": "array"}
	rowBankDetail = rowShape{
		"id": "integer", "name": "string", "country": "country", "branches": "array", "txn_supported_types": "array",
		"receiving_currency": "array",
	}
	rowBranch  = rowShape{"id": "integer", "name": "string"}
	rowState   = rowShape{"code": "string", "country": "country", "name": "string"}
	rowStateV2 = rowShape{"id": "integer", "name": "string", "code": "string", "country_id": "string"}
)

// of checks that an object has exactly the members of the table, with their types.
func (shape rowShape) of(t testing.TB, object json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	members := rowParse[map[string]json.RawMessage](t, object)
	want, got := slices.Sorted(maps.Keys(shape)), slices.Sorted(maps.Keys(members))
	if !slices.Equal(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
	for name, kind := range shape {
		if !rowKinds[kind].Match(members[name]) {
			t.Errorf("%s is %s, want type %s", name, members[name], kind)
		}
	}
	return members
}

func rowParse[T any](t testing.TB, text []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("read %s: %v", text, err)
	}
	return v
}

// rowBody gives the body of a 200.
func rowBody(t testing.TB, a answer) []byte {
	t.Helper()
	if a.status != 200 {
		t.Fatalf("status %d, want 200: %s", a.status, a.body)
	}
	return bytes.TrimSpace(a.body)
}

func rowGet(t testing.TB, s *servertest.Server, path string) []byte {
	t.Helper()
	return rowBody(t, call(t, s, "GET", path, nil))
}

// rowIs compares a body with what the document says, digits of numbers included.
func rowIs(t testing.TB, body []byte, want map[string]any) {
	t.Helper()
	got := rowParse[map[string]any](t, body)
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	expected := rowParse[map[string]any](t, text)
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

func TestRowListsOfReferenceData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct {
		path  string
		shape rowShape
	}{
		"payers of cash pickup":     {"/payers?country=NP&payout_method=CASH_PICKUP", rowPayer},
		"payers of wallets":         {"/payers?country=NP&payout_method=WALLET", rowPayer},
		"payers, other spelling":    {"/payers?country=NPL&delivery_method=CASH_PICKUP", rowPayer},
		"payers without filter":     {"/payers", rowPayer},
		"banks":                     {"/banks?country=NP", rowBank}, // receiving_currency is on the single bank only
		"banks of all countries":    {"/banks", rowBank},
		"states of a country":       {"/countries/US/states", rowState},
		"states v2":                 {"/v2/states", rowStateV2},
		"states v2 of one country":  {"/v2/states?countryCode=US", rowStateV2},
		"states v2 of a short code": {"/v2/states?countryCode=KW", rowStateV2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := rowParse[[]json.RawMessage](t, rowGet(t, s, row.path))
			if len(items) == 0 {
				t.Fatal("the list is empty")
			}
			for _, item := range items {
				row.shape.of(t, item)
			}
		})
	}
}

func TestRowSingleReferenceData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct {
		path  string
		shape rowShape
		want  string
	}{
		"payer": {"/payers/1001", rowPayerDetail, `{"country":"NP","delivery_method":"CASH_PICKUP","id":1001,
			"name":"Sample Amber Cash Nepal","pickup_location":[],"code":"SMPL-NP-CP1","network_limit":[],"receiving_currency":"NPR"}`},
		// The elements are those of D-21.
		"payer with limit and locations": {"/payers/1003", rowPayerDetail, `{"country":"NP","delivery_method":"CASH_PICKUP","id":1003,
			"name":"Sample Cedar Cash Nepal","code":"SMPL-NP-CP3","receiving_currency":"NPR",
			"network_limit":[{"currency":"NPR","min_amount":100.00,"max_amount":100000.00}],"pickup_location":[
			{"id":30004,"name":"Sample Cedar Counter Kathmandu 1","address_line1":"10 Sample Street","city":"Kathmandu"},
			{"id":30005,"name":"Sample Cedar Counter Pokhara 2","address_line1":"20 Sample Street","city":"Pokhara"}]}`},
		"payer with three decimals": {"/payers/1059", rowPayerDetail, `{"country":"KW","delivery_method":"WALLET","id":1059,
			"name":"Sample Ember Wallet Kuwait","code":"SMPL-KW-WL2","receiving_currency":"KWD","pickup_location":[],
			"network_limit":[{"currency":"KWD","min_amount":1.500,"max_amount":2500.750}]}`},
		"bank": {"/banks/2001", rowBankDetail, `{"id":2001,"name":"Sample Amber Bank Nepal","country":"NP","txn_supported_types":["C2C"],
			"receiving_currency":["NPR"],"branches":[{"id":20010,"name":"Sample Branch Kathmandu"},{"id":20011,"name":"Sample Branch Pokhara"}]}`},
		"state":       {"/countries/US/states/CA", rowState, `{"code":"CA","country":"US","name":"California"}`},
		"state of NP": {"/countries/NP/states/P3", rowState, `{"code":"P3","country":"NP","name":"Bagmati"}`},
		"state v2":    {"/v2/states/826001", rowStateV2, `{"id":826001,"name":"England","code":"ENG","country_id":"826"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := rowGet(t, s, row.path)
			members := row.shape.of(t, body)
			rowIs(t, body, rowParse[map[string]any](t, []byte(row.want)))
			if members["branches"] != nil {
				for _, b := range rowParse[[]json.RawMessage](t, members["branches"]) {
					rowBranch.of(t, b)
				}
			}
		})
	}
}

// A single payer or bank has what the list has of it, and more (sections 2.1 and 2.2).
func TestRowSingleOneAgreesWithItsList(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for path, more := range map[string][]string{"/payers": {"code", "network_limit", "receiving_currency"}, "/banks": {"receiving_currency"}} {
		for _, item := range rowParse[[]map[string]any](t, rowGet(t, s, path)) {
			single := rowParse[map[string]any](t, rowGet(t, s, fmt.Sprintf("%s/%s", path, item["id"])))
			for _, name := range more {
				delete(single, name)
			}
			if !reflect.DeepEqual(item, single) {
				t.Errorf("%s lists %v, alone it is %v", path, item, single)
			}
		}
	}
}

// Section 4: a 2-letter or 3-letter country, and both spellings of the method, give the same payers (D-02).
func TestRowPayerFiltersAreTheSameInEverySpelling(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for method, want := range map[string][]int64{
		"CASH_PICKUP": {1001, 1002, 1003}, "WALLET": {1004, 1005}, "HOME_DELIVERY": {1006, 1007}, "BANK_DEPOSIT": {1008, 1009},
	} {
		for _, query := range []string{
			"country=NP&payout_method=", "country=NPL&payout_method=", "country=NP&delivery_method=", "country=NPL&delivery_method=",
			"country=NP&delivery_method=" + method + "&payout_method=",
		} {
			var ids []int64
			for _, p := range rowParse[[]api.Payer](t, rowGet(t, s, "/payers?"+query+method)) {
				if ids = append(ids, p.ID); p.Country != "NP" || string(p.DeliveryMethod) != method {
					t.Errorf("%s%s lists %+v", query, method, p)
				}
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s%s lists %v, want %v", query, method, ids, want)
			}
		}
	}
	e := call(t, s, "GET", "/payers?country=NP&payout_method=WALLET&delivery_method=CASH_PICKUP", nil).refusal(t, 400, api.ErrorCodeBadRequest)
	if !names(e, api.ErrorDetailInQuery, "delivery_method") {
		t.Errorf("details %v do not name delivery_method", e.Details)
	}
}

// The lists of the second form are those of the first; without countryCode they are of all enabled countries (D-45).
func TestRowStatesHaveBothForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	all := rowParse[[]api.StateV2](t, rowGet(t, s, "/v2/states"))
	counted := 0
	for country, id := range map[string]string{
		"US": "840", "GB": "826", "NP": "524", "IN": "356", "MX": "484", "PH": "608", "NG": "566", "JP": "392", "KW": "414",
	} {
		first := rowParse[[]api.State](t, rowGet(t, s, "/countries/"+country+"/states"))
		second := rowParse[[]api.StateV2](t, rowGet(t, s, "/v2/states?countryCode="+country))
		if len(first) == 0 || len(first) != len(second) {
			t.Fatalf("%s has %d states in the first form, %d in the second", country, len(first), len(second))
		}
		counted += len(first)
		for i, state := range first {
			if state.Country != country || second[i].CountryID != id || state.Code != second[i].Code || state.Name != second[i].Name {
				t.Errorf("first form %+v, second form %+v", state, second[i])
			}
			if !slices.Contains(all, second[i]) {
				t.Errorf("%+v is not in the list of all", second[i])
			}
		}
	}
	if counted != len(all) {
		t.Errorf("all states are %d, those of the enabled countries %d", len(all), counted)
	}
}

// A filter by a country that is not enabled gives an empty list, a path under one 404 (D-18); so does an unknown id (D-10).
func TestRowCountriesThatAreNotEnabled(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{
		"/payers?country=DE", "/payers?country=DEU&payout_method=WALLET", "/payers?country=US", "/banks?country=DE",
		"/v2/states?countryCode=DE",
	} {
		if body := rowGet(t, s, path); string(body) != "[]" {
			t.Errorf("%s gives %s, want []", path, body)
		}
	}
	for _, path := range []string{
		"/countries/DE/states", "/countries/DE/states/BE", "/v2/states/276001", "/countries/US/states/QQ", "/v2/states/999999",
		"/payers/999999", "/banks/999999",
		"/US/states", // section 4, note 1
	} {
		call(t, s, "GET", path, nil).refusal(t, 404, api.ErrorCodeNotFound)
	}
}
