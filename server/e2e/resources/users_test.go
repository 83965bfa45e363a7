package resources_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// individualUser has every field of section 2.5 for an individual user, businessUser those for a business user.
const (
	individualUser = `{
		"first_name":"Asha","last_name":"Example","email":"asha@example.com","gender":"FEMALE","date_of_birth":"1990-04-12",
		"address_line1":"1 Sample Street","mobile_phone":"14155550100","city":"San Francisco","zipcode":"94105","state":"CA",
		"country":"US","ip_address":"203.0.113.7","type":"SEND",
		"physical_documents":[
			{"document_value":"data:image/png;base64,iVBORw0KGgo=","document_type":"STATE_ID","country":"US","expiry_date":"2031-04-12","state":"CA"},
			{"document_value":"data:application/pdf;base64,JVBERi0xLjcK","document_type":"INVOICE","country":"US","expiry_date":"2031-04-12","state":"CA"}],
		"virtual_documents":[
			{"document_value":"X0000001","document_type":"PASSPORT","expiry_date":"2031-04-12","id_issuing_authority":"Sample authority","country":"US","state":"CA"},
			{"document_value":"000000000","document_type":"SSN","expiry_date":"2031-04-13","id_issuing_authority":"Sample authority","country":"US","state":"NY"}]}`
	businessUser = `{
		"business":true,"first_name":"Sample Software LLC","email":"office@example.com","date_of_birth":"2001-02-28",
		"address_line1":"2 Sample Street","mobile_phone":"14155550101","city":"San Francisco","zipcode":"94105","state":"CA",
		"country":"US","ip_address":"2001:db8::7","type":"SEND","business_type":"LLC","user_scope":"COMPUTER_TECHNOLOGY",
		"company_website":"https://www.example.com","number_of_employee":"BETWEEN_25_TO_50",
		"mailing_address":{"country":"US","city":"San Francisco","address_line1":"2 Sample Street","address_line2":null,"zipcode":"94105","state":"CA"},
		"physical_documents":[
			{"document_value":"data:application/pdf;base64,JVBERi0xLjcK","document_type":"EIN","country":"US","expiry_date":"2031-04-12","state":"CA"},
			{"document_value":"data:image/jpeg;base64,/9j/4A==","document_type":"STATE_ID","country":"US","expiry_date":"2031-04-12","state":"CA"}],
		"virtual_documents":[
			{"document_value":"000000001","document_type":"EIN_NUMBER","expiry_date":"2031-04-12","id_issuing_authority":"Sample authority","country":"US","state":"CA"}]}`
)

// register sends a registration and returns the body.
func register(t testing.TB, s *servertest.Server, sent string) []byte {
	t.Helper()
	return servertest.OKBody(t, servertest.Call(t, s, "POST", "/users", []byte(sent)))
}

// Section 2.5: the response has all fields sent, plus id, created_at, status and business; documents carry an id, and the
// content of a physical one is not echoed.
func TestUserIsReturnedAsSent(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, sent := range map[string]string{
		"individual":            individualUser,
		"business":              businessUser,
		"as few as can":         `{"first_name":"Asha","email":"asha@example.com","country":"US"}`,
		"second line":           `{"business":true,"first_name":"Sample","email":"a@example.com","country":"US","mailing_address":{"address_line2":"Floor 2"}}`,
		"no second line":        `{"business":true,"first_name":"Sample","email":"a@example.com","country":"US","mailing_address":{"city":"Reno"}}`,
		"more of an individual": `{"first_name":"Asha","middle_name":"Devi","email":"asha@example.com","country":"US","occupation":"Nurse"}`,
		"more of a business": `{"business":true,"first_name":"Sample","email":"a@example.com","country":"US","source_of_fund":"Sales",
			"txn_frequency":"WEEKLY","no_of_txn_per_month":"8 to 10"}`,
		"business: false": `{"business":false,"first_name":"Asha","email":"asha@example.com","country":"DE"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := register(t, s, sent)
			want := servertest.Parse[map[string]any](t, []byte(sent))
			if want["business"] == nil {
				want["business"] = false
			}
			want["status"] = "UNVERIFIED"
			want["created_at"] = "2026-03-14T15:09:26.535897" // ISO 8601 without zone, with fractional seconds
			moveGenerated(t, body, want, "id", "uuid")
			for _, list := range []string{"physical_documents", "virtual_documents"} {
				got := servertest.Parse[map[string]json.RawMessage](t, body)[list]
				if got == nil {
					continue
				}
				for i, document := range servertest.Parse[[]json.RawMessage](t, got) {
					expected := want[list].([]any)[i].(map[string]any)
					if list == "physical_documents" {
						delete(expected, "document_value")
					}
					moveGenerated(t, document, expected, "id", "uuid")
				}
			}
			wantMembers(t, body, want)
			// Reading the user returns the same (D-20).
			id := servertest.Parse[api.User](t, body).ID
			if again := servertest.Get(t, s, "/users/"+id.String()); string(again) != string(body) {
				t.Errorf("read again %s, was %s", again, body)
			}
		})
	}
}

// Section 2.7: the response of cip-info has exactly the tags of what was submitted (D-39).
func TestCipInfoReportsWhatWasSubmitted(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for name, row := range map[string]struct{ sent, tags string }{
		"individual": {individualUser, `FIRST_NAME LAST_NAME EMAIL GENDER DATE_OF_BIRTH ADDRESS_LINE1 PHONE_NUMBER CITY ZIP_CODE
			STATE COUNTRY IP_ADDRESS ID_DOC`},
		"business": {businessUser, `FIRST_NAME EMAIL DATE_OF_BIRTH ADDRESS_LINE1 PHONE_NUMBER CITY ZIP_CODE STATE COUNTRY
			COMPANY_TYPE NATURE_OF_BUSINESS COMPANY_WEBSITE NO_OF_EMPLOYEE MAILING_ADDRESS EIN_DOC EIN_NUMBER ACCOUNT_OPERATOR_INFO`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := register(t, s, row.sent)
			id := servertest.Parse[api.User](t, body).ID.String()
			want := map[string]any{"user_id": id, "kyc_status": "UNVERIFIED", "cip_info": submitted(row.tags)}
			wantMembers(t, servertest.Get(t, s, "/users/"+id+"/cip-info"), want)
		})
	}
}

// Every field submits its tag and no other (D-39).
func TestEachFieldSubmitsItsCipTag(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	const document = `[{"document_value":"%s","document_type":"%s"}]`
	physical := func(kind string) string {
		return `"physical_documents":` + fmt.Sprintf(document, "data:image/png;base64,iVBORw0KGgo=", kind)
	}
	virtual := func(kind string) string { return `"virtual_documents":` + fmt.Sprintf(document, "0001", kind) }
	both := map[string]string{
		`"date_of_birth":"1990-04-12"`: "DATE_OF_BIRTH", `"address_line1":"1 Sample Street"`: "ADDRESS_LINE1",
		`"mobile_phone":"14155550100"`: "PHONE_NUMBER", `"city":"Reno"`: "CITY", `"zipcode":"94105"`: "ZIP_CODE",
		`"state":"CA"`: "STATE", `"type":"SEND"`: "",
	}
	individual := map[string]string{
		`"last_name":"Example"`: "LAST_NAME", `"gender":"FEMALE"`: "GENDER", `"ip_address":"203.0.113.7"`: "IP_ADDRESS",
		`"middle_name":"Devi"`: "MIDDLE_NAME", `"occupation":"Nurse"`: "OCCUPATION",
		physical("STATE_ID"): "ID_DOC", virtual("PASSPORT"): "ID_DOC", virtual("SSN"): "ID_DOC",
		physical("INVOICE"): "", virtual("INVOICE"): "",
	}
	business := map[string]string{
		`"ip_address":"203.0.113.7"`: "", `"business_type":"LLC"`: "COMPANY_TYPE", `"user_scope":"COMPUTER_TECHNOLOGY"`: "NATURE_OF_BUSINESS",
		`"company_website":"www.example.com"`: "COMPANY_WEBSITE", `"number_of_employee":"BETWEEN_25_TO_50"`: "NO_OF_EMPLOYEE",
		`"source_of_fund":"Sales"`: "SOURCE_OF_FUND", `"txn_frequency":"WEEKLY"`: "TXN_FREQUENCY", `"no_of_txn_per_month":"4"`: "NO_OF_TXN_PER_MONTH",
		`"mailing_address":{"city":"Reno"}`: "MAILING_ADDRESS", virtual("EIN_NUMBER"): "EIN_NUMBER", physical("EIN_NUMBER"): "",
		physical("EIN"): "EIN_DOC", virtual("EIN"): "", physical("INVOICE"): "",
		physical("CERTIFICATE_OF_INCORPORATION"): "CERTIFICATE_OF_INCORPORATION", virtual("CERTIFICATE_OF_INCORPORATION"): "",
		physical("STATE_ID"): "ACCOUNT_OPERATOR_INFO", virtual("PASSPORT"): "ACCOUNT_OPERATOR_INFO", virtual("SSN"): "ACCOUNT_OPERATOR_INFO",
	}
	maps.Copy(individual, both)
	maps.Copy(business, both)
	for isBusiness, fields := range map[string]map[string]string{"false": individual, "true": business} {
		for field, tag := range fields {
			body := register(t, s, `{"business":`+isBusiness+`,"first_name":"A","email":"a@example.com","country":"US",`+field+`}`)
			id := servertest.Parse[api.User](t, body).ID.String()
			got := servertest.Parse[map[string]any](t, servertest.Get(t, s, "/users/"+id+"/cip-info"))["cip_info"]
			if want := submitted("FIRST_NAME EMAIL COUNTRY " + tag); !reflect.DeepEqual(got, want) {
				t.Errorf("business %s with %s: %v, want %v", isBusiness, field, got, want)
			}
		}
	}
}

// submitted maps each tag to SUBMIT.
func submitted(tags string) any {
	all := map[string]any{}
	for _, tag := range strings.Fields(tags) {
		all[tag] = "SUBMIT"
	}
	return all
}

// Section 2.8.
func TestTransactionLimit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	rowLimit := table{"country": "country", "current_tier": "integer", "remaining_limit": "object", "user_id": "uuid"}
	rowRemaining := table{"annual_limit": "number", "monthly_limit": "number", "daily_limit": "number"}
	for name, row := range map[string]struct{ sent, want string }{
		"a new sender is in the first tier": {individualUser,
			`{"country":"NP","current_tier":1,"remaining_limit":{"annual_limit":10000.00,"monthly_limit":3000.00,"daily_limit":1000.00}}`},
		"a business is as well": {businessUser,
			`{"country":"NP","current_tier":1,"remaining_limit":{"annual_limit":10000.00,"monthly_limit":3000.00,"daily_limit":1000.00}}`},
		"a user who cannot send has nothing": {`{"first_name":"A","email":"a@example.com","country":"US"}`,
			`{"country":"NP","current_tier":0,"remaining_limit":{"annual_limit":0,"monthly_limit":0,"daily_limit":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := servertest.Parse[api.User](t, register(t, s, row.sent)).ID.String()
			body := servertest.Get(t, s, "/users/"+id+"/transaction-limit?destination=NP")
			rowRemaining.check(t, rowLimit.check(t, body)["remaining_limit"])
			want := servertest.Parse[map[string]any](t, []byte(row.want))
			want["user_id"] = id
			wantMembers(t, body, want)
			servertest.Call(t, s, "GET", "/users/"+id+"/transaction-limit?destination=DE", nil).Refusal(t, 404, api.ErrorCodeNotFound)
		})
	}
}
