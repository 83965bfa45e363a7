package operations_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

var businessRegistration = servertest.Members{"business": `true`, "first_name": `"Sample"`, "email": `"office@example.com"`, "country": `"US"`}

// D-08, D-13, D-48: a registration that breaks the contract answers 400, names every field that is wrong, and writes
// nothing.
func TestRegistrationsThatBreakTheContract(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	watch := servertest.NewWatch(s.Beside(t))
	document := func(content string) string {
		return servertest.Registration.With("physical_documents", `[{"document_type":"STATE_ID","document_value":"`+content+`"}]`)
	}
	const documentValue = "/physical_documents/0/document_value"
	for _, c := range []struct {
		name, body string
		want       []violation
	}{
		{"empty body", "", inBody("")},
		{"null", "null", inBody("")},
		{"array", "[]", inBody("")},
		{"string", `"user"`, inBody("")},
		{"number", "1", inBody("")},
		{"white space alone", " \n", inBody("")},
		{"cut off", `{"first_name":"Asha"`, inBody("")},
		{"trailing comma", `{"first_name":"Asha",}`, inBody("")},
		{"single quotes", `{'first_name':'Asha'}`, inBody("")},
		{"trailing data", servertest.Registration.With() + servertest.Registration.With(), inBody("")},
		{"a byte order mark", "\ufeff" + servertest.Registration.With(), inBody("")},
		{"invalid UTF-8", servertest.Registration.With("first_name", "\"A\xff\""), inBody("")},
		{"half a surrogate pair", servertest.Registration.With("first_name", `"\ud800"`), inBody("/first_name")},
		{"NUL", servertest.Registration.With("first_name", `"A\u0000"`), inBody("/first_name")},
		{"nested too deep", servertest.Registration.With("first_name", strings.Repeat("[", 100)+strings.Repeat("]", 100)), inBody("/first_name" + strings.Repeat("/0", 63))},
		{"member given twice", `{"first_name":"A",` + servertest.Registration.With()[1:], inBody("/first_name")},
		{"nested member given twice", businessRegistration.With("mailing_address", `{"city":"A","city":"B"}`), inBody("/mailing_address/city")},
		{"unknown member", servertest.Registration.With("nickname", `"A"`), inBody("/nickname")},
		{"unknown nested member", businessRegistration.With("mailing_address", `{"town":"A"}`), inBody("/mailing_address/town")},
		{"member in another case", servertest.Registration.With("First_Name", `"A"`), inBody("/First_Name")},
		{"server's member", servertest.Registration.With("status", `"VERIFIED"`), inBody("/status")},
		{"required ones left out", "{}", inBody("/first_name", "/email", "/country")},
		{"null for a string", servertest.Registration.With("last_name", "null"), inBody("/last_name")},
		{"number for a string", servertest.Registration.With("first_name", "5"), inBody("/first_name")},
		{"string for a boolean", servertest.Registration.With("business", `"true"`), inBody("/business")},
		{"object for an array", servertest.Registration.With("physical_documents", "{}"), inBody("/physical_documents")},
		{"string for an object", businessRegistration.With("mailing_address", `"A"`), inBody("/mailing_address")},
		{"empty name", servertest.Registration.With("first_name", `""`), inBody("/first_name")},
		{"name too long", servertest.Registration.With("first_name", `"`+strings.Repeat("é", 201)+`"`), inBody("/first_name")},
		{"not an email address", servertest.Registration.With("email", `"asha"`), inBody("/email")},
		{"two email addresses", servertest.Registration.With("email", `"a@example.com,b@example.com"`), inBody("/email")},
		{"not an ip address", servertest.Registration.With("ip_address", `"203.0.113.256"`), inBody("/ip_address")},
		{"ip address with a port", servertest.Registration.With("ip_address", `"203.0.113.7:80"`), inBody("/ip_address")},
		{"phone number with a plus", servertest.Registration.With("mobile_phone", `"+14155550100"`), inBody("/mobile_phone")},
		{"not a date", servertest.Registration.With("date_of_birth", `"1990-02-30"`), inBody("/date_of_birth")},
		{"date with a time", servertest.Registration.With("date_of_birth", `"1990-02-03T00:00:00"`), inBody("/date_of_birth")},
		{"born tomorrow", servertest.Registration.With("date_of_birth", `"2026-03-15"`), inBody("/date_of_birth")},
		{"unknown country", servertest.Registration.With("country", `"ZZ"`), inBody("/country")},
		{"country of three letters", servertest.Registration.With("country", `"USA"`), inBody("/country")},
		{"country in lower case", servertest.Registration.With("country", `"us"`), inBody("/country")},
		{"line break in a name", servertest.Registration.With("first_name", `"Asha\nExample"`), inBody("/first_name")},
		{"control character in a city", servertest.Registration.With("city", `"San\u0085Francisco"`), inBody("/city")},
		{"unknown type", servertest.Registration.With("type", `"RECEIVE"`), inBody("/type")},
		{"token in lower case", servertest.Registration.With("physical_documents",
			`[{"document_type":"state_id","document_value":"data:image/png;base64,iVBORw0KGgo="}]`), inBody("/physical_documents/0/document_type")},
		{"business with last_name and gender", businessRegistration.With("last_name", `"A"`, "gender", `"FEMALE"`), inBody("/last_name", "/gender")},
		{
			"individual with business members",
			servertest.Registration.With("business_type", `"LLC"`, "user_scope", `"A"`, "company_website", `"a.example"`, "number_of_employee", `"A"`, "mailing_address", `{}`),
			inBody("/business_type", "/user_scope", "/company_website", "/number_of_employee", "/mailing_address"),
		},
		{"unknown country of a mailing address", businessRegistration.With("mailing_address", `{"country":"ZZ"}`), inBody("/mailing_address/country")},
		{"unknown country of a document", servertest.Registration.With("virtual_documents", `[{"document_type":"SSN","document_value":"1","country":"ZZ"}]`), inBody("/virtual_documents/0/country")},
		{"document without a type", servertest.Registration.With("virtual_documents", `[{"document_value":"1"}]`), inBody("/virtual_documents/0/document_type")},
		{"too many documents", servertest.Registration.With("virtual_documents", "["+strings.Repeat(`{"document_type":"SSN","document_value":"1"},`, 20)+`{"document_type":"SSN","document_value":"1"}]`), inBody("/virtual_documents")},
		{"truncated base64", document("data:image/png;base64,iVBORw0KGg"), inBody(documentValue)},
		{"base64 of nothing", document("data:image/png;base64,"), inBody(documentValue)},
		{"base64 for URLs", document("data:image/png;base64,_-__"), inBody(documentValue)},
		{"base64 with a line break", document(`data:image/png;base64,iVBO\nRw0KGgo=`), inBody(documentValue)},
		{"not a data URI", document("iVBORw0KGgo="), inBody(documentValue)},
		{"data URI without base64", document("data:image/png,abc"), inBody(documentValue)},
		{"data URI of text", document("data:text/html;base64,iVBORw0KGgo="), inBody(documentValue)},
		{
			"several at once", `{"email":"asha","country":"USA","nickname":"A","physical_documents":[{"document_type":"a"}]}`,
			inBody("/first_name", "/email", "/country", "/nickname", "/physical_documents/0/document_type", documentValue),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			watch.Unchanged(t, func() {
				a := servertest.Call(t, s, http.MethodPost, "/users", []byte(c.body))
				wantViolations(t, a.Refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest), c.want...)
			})
		})
	}
}
