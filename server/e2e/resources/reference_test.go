package resources_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

func TestListsOfReferenceData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct {
		path  string
		shape table
	}{
		"payers of cash pickup":     {"/payers?country=NP&payout_method=CASH_PICKUP", payerTable},
		"payers of wallets":         {"/payers?country=NP&payout_method=WALLET", payerTable},
		"payers, other spelling":    {"/payers?country=NPL&delivery_method=CASH_PICKUP", payerTable},
		"payers without filter":     {"/payers", payerTable},
		"banks":                     {"/banks?country=NP", bankTable}, // receiving_currency is on the single bank only
		"banks of all countries":    {"/banks", bankTable},
		"states of a country":       {"/countries/US/states", stateTable},
		"states v2":                 {"/v2/states", stateV2Table},
		"states v2 of one country":  {"/v2/states?countryCode=US", stateV2Table},
		"states v2 of a short code": {"/v2/states?countryCode=KW", stateV2Table},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := servertest.Parse[[]json.RawMessage](t, servertest.Get(t, s, row.path))
			if len(items) == 0 {
				t.Fatal("the list is empty")
			}
			for _, item := range items {
				row.shape.check(t, item)
			}
		})
	}
}

func TestSingleReferenceData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct {
		path  string
		shape table
		want  string
	}{
		"payer": {"/payers/1001", payerDetailTable, `{"country":"NP","delivery_method":"CASH_PICKUP","id":1001,
			"name":"Sample Amber Cash Nepal","pickup_location":[],"code":"SMPL-NP-CP1","network_limit":[],"receiving_currency":"NPR"}`},
		// The elements are those of D-21.
		"payer with limit and locations": {"/payers/1003", payerDetailTable, `{"country":"NP","delivery_method":"CASH_PICKUP","id":1003,
			"name":"Sample Cedar Cash Nepal","code":"SMPL-NP-CP3","receiving_currency":"NPR",
			"network_limit":[{"currency":"NPR","min_amount":100.00,"max_amount":100000.00}],"pickup_location":[
			{"id":30004,"name":"Sample Cedar Counter Kathmandu 1","address_line1":"10 Sample Street","city":"Kathmandu"},
			{"id":30005,"name":"Sample Cedar Counter Pokhara 2","address_line1":"20 Sample Street","city":"Pokhara"}]}`},
		"payer with three decimals": {"/payers/1059", payerDetailTable, `{"country":"KW","delivery_method":"WALLET","id":1059,
			"name":"Sample Ember Wallet Kuwait","code":"SMPL-KW-WL2","receiving_currency":"KWD","pickup_location":[],
			"network_limit":[{"currency":"KWD","min_amount":1.500,"max_amount":2500.750}]}`},
		"bank": {"/banks/2001", bankDetailTable, `{"id":2001,"name":"Sample Amber Bank Nepal","country":"NP","txn_supported_types":["C2C"],
			"receiving_currency":["NPR"],"branches":[{"id":20010,"name":"Sample Branch Kathmandu"},{"id":20011,"name":"Sample Branch Pokhara"}]}`},
		"state":       {"/countries/US/states/CA", stateTable, `{"code":"CA","country":"US","name":"California"}`},
		"state of NP": {"/countries/NP/states/P3", stateTable, `{"code":"P3","country":"NP","name":"Bagmati"}`},
		"state v2":    {"/v2/states/826001", stateV2Table, `{"id":826001,"name":"England","code":"ENG","country_id":"826"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := servertest.Get(t, s, row.path)
			members := row.shape.check(t, body)
			wantMembers(t, body, servertest.Parse[map[string]any](t, []byte(row.want)))
			if members["branches"] != nil {
				for _, b := range servertest.Parse[[]json.RawMessage](t, members["branches"]) {
					branchTable.check(t, b)
				}
			}
		})
	}
}

// A single payer or bank has the members of the list and more (sections 2.1 and 2.2).
func TestSingleOneAgreesWithItsList(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for path, more := range map[string][]string{"/payers": {"code", "network_limit", "receiving_currency"}, "/banks": {"receiving_currency"}} {
		for _, item := range servertest.Parse[[]map[string]any](t, servertest.Get(t, s, path)) {
			single := servertest.Parse[map[string]any](t, servertest.Get(t, s, fmt.Sprintf("%s/%s", path, item["id"])))
			for _, name := range more {
				delete(single, name)
			}
			if !reflect.DeepEqual(item, single) {
				t.Errorf("%s lists %v, alone it is %v", path, item, single)
			}
		}
	}
}

// Section 4: alpha-2 and alpha-3 codes, and both names of the method, select the same payers (D-02).
func TestPayerFiltersInEverySpelling(t *testing.T) {
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
			for _, p := range servertest.Parse[[]api.Payer](t, servertest.Get(t, s, "/payers?"+query+method)) {
				if ids = append(ids, p.ID); p.Country != "NP" || string(p.DeliveryMethod) != method {
					t.Errorf("%s%s lists %+v", query, method, p)
				}
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s%s lists %v, want %v", query, method, ids, want)
			}
		}
	}
	e := servertest.Call(t, s, "GET", "/payers?country=NP&payout_method=WALLET&delivery_method=CASH_PICKUP", nil).Refusal(t, 400, api.ErrorCodeBadRequest)
	if !servertest.Names(e, api.ErrorDetailInQuery, "delivery_method") {
		t.Errorf("details %v do not name delivery_method", e.Details)
	}
}

// Both forms list the same states; without countryCode those of all enabled countries (D-45).
func TestStatesInBothForms(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	all := servertest.Parse[[]api.StateV2](t, servertest.Get(t, s, "/v2/states"))
	counted := 0
	for country, id := range map[string]string{
		"US": "840", "GB": "826", "NP": "524", "IN": "356", "MX": "484", "PH": "608", "NG": "566", "JP": "392", "KW": "414",
	} {
		first := servertest.Parse[[]api.State](t, servertest.Get(t, s, "/countries/"+country+"/states"))
		second := servertest.Parse[[]api.StateV2](t, servertest.Get(t, s, "/v2/states?countryCode="+country))
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

// Filtering by a country that is not enabled returns an empty list; a path below one is 404 (D-18), as is an unknown id (D-10).
func TestCountriesThatAreNotEnabled(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for _, path := range []string{
		"/payers?country=DE", "/payers?country=DEU&payout_method=WALLET", "/payers?country=US", "/banks?country=DE",
		"/v2/states?countryCode=DE",
	} {
		if body := servertest.Get(t, s, path); string(body) != "[]" {
			t.Errorf("%s gives %s, want []", path, body)
		}
	}
	for _, path := range []string{
		"/countries/DE/states", "/countries/DE/states/BE", "/v2/states/276001", "/countries/US/states/QQ", "/v2/states/999999",
		"/payers/999999", "/banks/999999",
		"/US/states", // section 4, note 1
	} {
		servertest.Call(t, s, "GET", path, nil).Refusal(t, 404, api.ErrorCodeNotFound)
	}
}
