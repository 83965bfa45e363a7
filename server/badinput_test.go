package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// badSend sends a request of which everything is chosen: repeated and empty headers, a body without a length.
func badSend(t testing.TB, s *servertest.Server, method, path string, header http.Header, body io.Reader, length int64) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // or a server that waits for a body never ends the test
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, body)
	if err != nil {
		t.Fatalf("make request: %v", err)
	}
	r.Header, r.ContentLength = header, length
	resp, err := s.HTTP.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read body: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, text}
}

// badHeader gives the headers of a good request of the first client, which the pairs change; an empty value is sent.
func badHeader(pairs ...string) http.Header {
	h := http.Header{
		"X-Client-Id": {server.SandboxClients[0].ID}, "X-Client-Secret": {server.SandboxClients[0].Secret},
		"Content-Type": {"application/json"},
	}
	for i := 0; i < len(pairs); i += 2 {
		h[http.CanonicalHeaderKey(pairs[i])] = []string{pairs[i+1]}
	}
	return h
}

// badMembers are the members of a JSON object, as raw JSON.
type badMembers map[string]string

// with writes the object with members changed or added; a member with an empty text is left out.
func (m badMembers) with(pairs ...string) string {
	all := map[string]json.RawMessage{}
	for name, value := range m {
		all[name] = json.RawMessage(value)
	}
	for i := 0; i < len(pairs); i += 2 {
		if delete(all, pairs[i]); pairs[i+1] != "" {
			all[pairs[i]] = json.RawMessage(pairs[i+1])
		}
	}
	parts := make([]string, 0, len(all))
	for name, value := range all {
		parts = append(parts, fmt.Sprintf("%q:%s", name, value))
	}
	slices.Sort(parts)
	return "{" + strings.Join(parts, ",") + "}"
}

// badField is a place that an answer has to name.
type badField struct {
	in    api.ErrorDetailIn
	field string
}

func badBody(pointers ...string) []badField {
	fields := make([]badField, len(pointers))
	for i, pointer := range pointers {
		fields[i] = badField{api.ErrorDetailInBody, pointer}
	}
	return fields
}

// badNamed fails the test unless the details of an error name these fields and no others.
func badNamed(t testing.TB, e api.Error, fields ...badField) {
	t.Helper()
	for _, f := range fields {
		if !names(e, f.in, f.field) {
			t.Errorf("details %+v do not name %q in %s", e.Details, f.field, f.in)
		}
	}
	for _, d := range e.Details {
		if !slices.Contains(fields, badField{d.In, d.Field}) {
			t.Errorf("details name %q in %s, want %v alone", d.Field, d.In, fields)
		}
	}
}

var badUser = badMembers{"first_name": `"Asha"`, "last_name": `"Example"`, "email": `"asha@example.com"`, "country": `"US"`}

var badBusiness = badMembers{"business": `true`, "first_name": `"Sample"`, "email": `"office@example.com"`, "country": `"US"`}

// D-08, D-13, D-48: a registration that breaks the contract answers 400, names every field that is wrong, and writes
// nothing.
func TestBadInputOfAUser(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	watch := badWatch{s.Beside(t)}
	document := func(content string) string {
		return badUser.with("physical_documents", `[{"document_type":"STATE_ID","document_value":"`+content+`"}]`)
	}
	const documentValue = "/physical_documents/0/document_value"
	for _, c := range []struct {
		name, body string
		want       []badField
	}{
		{"empty body", "", badBody("")},
		{"null", "null", badBody("")},
		{"array", "[]", badBody("")},
		{"string", `"user"`, badBody("")},
		{"number", "1", badBody("")},
		{"white space alone", " \n", badBody("")},
		{"cut off", `{"first_name":"Asha"`, badBody("")},
		{"trailing comma", `{"first_name":"Asha",}`, badBody("")},
		{"single quotes", `{'first_name':'Asha'}`, badBody("")},
		{"trailing data", badUser.with() + badUser.with(), badBody("")},
		{"a byte order mark", "\ufeff" + badUser.with(), badBody("")},
		{"invalid UTF-8", badUser.with("first_name", "\"A\xff\""), badBody("")},
		{"half a surrogate pair", badUser.with("first_name", `"\ud800"`), badBody("/first_name")},
		{"NUL", badUser.with("first_name", `"A\u0000"`), badBody("/first_name")},
		{"nested too deep", badUser.with("first_name", strings.Repeat("[", 100)+strings.Repeat("]", 100)), badBody("/first_name" + strings.Repeat("/0", 63))},
		{"member given twice", `{"first_name":"A",` + badUser.with()[1:], badBody("/first_name")},
		{"nested member given twice", badBusiness.with("mailing_address", `{"city":"A","city":"B"}`), badBody("/mailing_address/city")},
		{"unknown member", badUser.with("nickname", `"A"`), badBody("/nickname")},
		{"unknown nested member", badBusiness.with("mailing_address", `{"town":"A"}`), badBody("/mailing_address/town")},
		{"member in another case", badUser.with("First_Name", `"A"`), badBody("/First_Name")},
		{"server's member", badUser.with("status", `"VERIFIED"`), badBody("/status")},
		{"required ones left out", "{}", badBody("/first_name", "/email", "/country")},
		{"null for a string", badUser.with("last_name", "null"), badBody("/last_name")},
		{"number for a string", badUser.with("first_name", "5"), badBody("/first_name")},
		{"string for a boolean", badUser.with("business", `"true"`), badBody("/business")},
		{"object for an array", badUser.with("physical_documents", "{}"), badBody("/physical_documents")},
		{"string for an object", badBusiness.with("mailing_address", `"A"`), badBody("/mailing_address")},
		{"empty name", badUser.with("first_name", `""`), badBody("/first_name")},
		{"name too long", badUser.with("first_name", `"`+strings.Repeat("é", 201)+`"`), badBody("/first_name")},
		{"not an email address", badUser.with("email", `"asha"`), badBody("/email")},
		{"two email addresses", badUser.with("email", `"a@example.com,b@example.com"`), badBody("/email")},
		{"not an ip address", badUser.with("ip_address", `"203.0.113.256"`), badBody("/ip_address")},
		{"ip address with a port", badUser.with("ip_address", `"203.0.113.7:80"`), badBody("/ip_address")},
		{"phone number with a plus", badUser.with("mobile_phone", `"+14155550100"`), badBody("/mobile_phone")},
		{"not a date", badUser.with("date_of_birth", `"1990-02-30"`), badBody("/date_of_birth")},
		{"date with a time", badUser.with("date_of_birth", `"1990-02-03T00:00:00"`), badBody("/date_of_birth")},
		{"born tomorrow", badUser.with("date_of_birth", `"2026-03-15"`), badBody("/date_of_birth")},
		{"unknown country", badUser.with("country", `"ZZ"`), badBody("/country")},
		{"country of three letters", badUser.with("country", `"USA"`), badBody("/country")},
		{"country in lower case", badUser.with("country", `"us"`), badBody("/country")},
		{"unknown type", badUser.with("type", `"RECEIVE"`), badBody("/type")},
		{"token in lower case", badUser.with("gender", `"female"`), badBody("/gender")},
		{"business with last_name and gender", badBusiness.with("last_name", `"A"`, "gender", `"FEMALE"`), badBody("/last_name", "/gender")},
		{
			"individual with business members",
			badUser.with("business_type", `"LLC"`, "user_scope", `"A"`, "company_website", `"a.example"`, "number_of_employee", `"A"`, "mailing_address", `{}`),
			badBody("/business_type", "/user_scope", "/company_website", "/number_of_employee", "/mailing_address"),
		},
		{"unknown country of a mailing address", badBusiness.with("mailing_address", `{"country":"ZZ"}`), badBody("/mailing_address/country")},
		{"unknown country of a document", badUser.with("virtual_documents", `[{"document_type":"SSN","document_value":"1","country":"ZZ"}]`), badBody("/virtual_documents/0/country")},
		{"document without a type", badUser.with("virtual_documents", `[{"document_value":"1"}]`), badBody("/virtual_documents/0/document_type")},
		{"too many documents", badUser.with("virtual_documents", "["+strings.Repeat(`{"document_type":"SSN","document_value":"1"},`, 20)+`{"document_type":"SSN","document_value":"1"}]`), badBody("/virtual_documents")},
		{"truncated base64", document("data:image/png;base64,iVBORw0KGg"), badBody(documentValue)},
		{"base64 of nothing", document("data:image/png;base64,"), badBody(documentValue)},
		{"base64 for URLs", document("data:image/png;base64,_-__"), badBody(documentValue)},
		{"base64 with a line break", document(`data:image/png;base64,iVBO\nRw0KGgo=`), badBody(documentValue)},
		{"not a data URI", document("iVBORw0KGgo="), badBody(documentValue)},
		{"data URI without base64", document("data:image/png,abc"), badBody(documentValue)},
		{"data URI of text", document("data:text/html;base64,iVBORw0KGgo="), badBody(documentValue)},
		{
			"several at once", `{"email":"asha","country":"USA","nickname":"A","physical_documents":[{"document_type":"a"}]}`,
			badBody("/first_name", "/email", "/country", "/nickname", "/physical_documents/0/document_type", documentValue),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			watch.unchanged(t, func() {
				a := call(t, s, http.MethodPost, "/users", []byte(c.body))
				badNamed(t, a.refusal(t, http.StatusBadRequest, api.ErrorCodeBadRequest), c.want...)
			})
		})
	}
}

// badTypes are media types that are not JSON in UTF-8 (D-52).
var badTypes = map[string][]string{
	"text":        {"text/plain"},
	"form":        {"application/x-www-form-urlencoded"},
	"xml":         {"application/xml"},
	"latin1":      {"application/json; charset=latin1"},
	"problem":     {"application/problem+json"},
	"not a type":  {"json"},
	"sent twice":  {"application/json", "application/json"},
	"left out":    nil,
	"empty":       {""},
	"longer name": {"application/jsonx"},
}

// D-52: a body that does not come as JSON answers 415 on every operation that takes one, and writes nothing.
func TestBadInputOfAnotherMediaType(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	watch := badWatch{s.Beside(t)}
	for _, op := range s.Contract.Operations() {
		if !takesBody(op) {
			continue
		}
		for name, values := range badTypes {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				watch.unchanged(t, func() {
					h := badHeader()
					h["Content-Type"] = values
					body := w.body(t, op)
					a := badSend(t, s, op.Method, w.path(t, op), h, bytes.NewReader(body), int64(len(body)))
					e := a.refusal(t, http.StatusUnsupportedMediaType, api.ErrorCodeUnsupportedMediaType)
					badNamed(t, e, badField{api.ErrorDetailInHeader, "Content-Type"})
				})
			})
		}
	}
}

// spaces is a body of white space that never ends.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) { return copy(p, blank), nil }

var blank = bytes.Repeat([]byte{' '}, 64<<10)

// D-15: a body above 20 MiB answers 413 on every operation that takes one, whether its length is announced, and then
// before any of it is read, or not.
func TestBadInputAboveTheSizeLimit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	watch := badWatch{s.Beside(t)}
	for _, op := range s.Contract.Operations() {
		if !takesBody(op) {
			continue
		}
		refused := func(name string, body io.Reader, length int64) {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				watch.unchanged(t, func() {
					a := badSend(t, s, op.Method, w.path(t, op), badHeader(), body, length)
					e := a.refusal(t, http.StatusRequestEntityTooLarge, api.ErrorCodePayloadTooLarge)
					badNamed(t, e, badField{api.ErrorDetailInBody, ""})
				})
			})
		}
		reader, writer := io.Pipe()
		t.Cleanup(func() { _ = writer.Close() })
		refused("announced", reader, 21<<20)
		refused("not announced", io.LimitReader(spaces{}, 21<<20), -1)
	}
}

// D-15: 20 MiB are accepted, one byte more is not.
func TestBadInputOneByteAboveTheSizeLimit(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	user := badUser.with()
	for length, want := range map[int64]int{20 << 20: http.StatusOK, 20<<20 + 1: http.StatusRequestEntityTooLarge} {
		for _, announced := range []int64{length, -1} {
			body := io.MultiReader(strings.NewReader(user), io.LimitReader(spaces{}, length-int64(len(user))))
			if a := badSend(t, s, http.MethodPost, "/users", badHeader(), body, announced); a.status != want {
				t.Errorf("%d bytes, announced as %d: status %d, want %d", length, announced, a.status, want)
			}
		}
	}
}
