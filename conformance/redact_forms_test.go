package conformance

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/openapi/contract"
)

const (
	someID    = "0b2f6d1e-5b7c-4c0e-9a53-0d6c1f1f2a3b"
	fixtureID = "1c2f6d1e-5b7c-4c0e-9a53-0d6c1f1f2a3b"
)

func newTestRedactor(t *testing.T) *redactor {
	t.Helper()
	id := uuid.MustParse(fixtureID)
	return newRedactor(probe.Target{
		URL: "http://user:of-the-url@127.0.0.1", ClientID: "acme", ClientSecret: "se<cr>et&1", OtherClientID: "other", OtherClientSecret: "another",
		Header: http.Header{"Authorization": {"Bearer of-a-gateway"}}, Fixtures: probe.Fixtures{Sender: &probe.FixedSender{UserID: id}},
	})
}

func TestOnlyValuesThatLookLikeTheirMemberAreShown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, want string }{
		{`{"id":"` + someID + `","status":"UNVERIFIED"}`, `{ "id": "` + someID + `", "status": "UNVERIFIED" }`},
		{`{"id":"Asha"}`, `{ "id": "[redacted, 4 characters]" }`},
		{`{"first_name":"Asha","last_name":"Ü"}`, `{ "first_name": "[redacted, 4 characters]", "last_name": "[redacted, 1 character]" }`},
		{`{"from_amount":100.00,"to_amount":"1e5","fee_amount":"ten"}`, `{ "from_amount": 100.00, "to_amount": "1e5", "fee_amount": "[redacted, 3 characters]" }`},
		{`{"account_number":1234567,"business":true,"state":null,"city":""}`, `{ "account_number": "[redacted, a number]", "business": true, "state": null, "city": "" }`},
		{`{"cip_info":{"EMAIL":"SUBMIT","ID_DOC":"my passport"}}`, `{ "cip_info": { "EMAIL": "SUBMIT", "ID_DOC": "[redacted, 11 characters]" } }`},
		{`{"EMAIL":"SUBMIT"}`, `{ "[name redacted, 5 characters]": "[redacted, 6 characters]" }`},
		{`{"receiving_currency":["NPR","a secret"],"branches":[]}`, `{ "receiving_currency": [ "NPR", "[redacted, 8 characters]" ], "branches": [] }`},
		{`{"asha@example.com":1}`, `{ "[name redacted, 16 characters]": "[redacted, a number]" }`},
		{`{"a":1,"a":2}`, `{ "a": "[redacted, a number]", "a": "[redacted, a number]" }`},
		{`{"status":"OF_ASHA","type":"of Asha"}`, `{ "status": "OF_ASHA", "type": "[redacted, 7 characters]" }`},
		{`{"details":[{"in":"body","field":"/to/fund_id"},{"in":"header","field":"X-Idempotency-Key"}]}`, `{ "details": [ { "in": "body", "field": "/to/fund_id" }, { "in": "header", "field": "X-Idempotency-Key" } ] }`},
		{`{"details":[{"in":"body","field":"/Asha","reason":"must not be Asha"}]}`, `{ "details": [ { "in": "body", "field": "[redacted, 5 characters]", "reason": "[redacted, 16 characters]" } ] }`},
		{`{"note":"a \"quoted\", text"}`, `{ "note": "[redacted, 16 characters]" }`},
		{`{"code":"NOT_FOUND","message":"no user Asha"}`, `{ "code": "NOT_FOUND", "message": "[redacted, 12 characters]" }`},
		{`"Asha"`, `"[redacted, 4 characters]"`},
		{`null`, `null`},
	} {
		got, _ := mask([]byte(tc.body))
		if got = strings.Join(strings.Fields(got), " "); got != tc.want {
			t.Errorf("%s\ngot  %s\nwant %s", tc.body, got, tc.want)
		}
	}
}

func TestABodyThatIsNotJSONIsShownByItsLength(t *testing.T) {
	t.Parallel()
	r := newTestRedactor(t)
	for _, tc := range []struct{ kind, body, want string }{
		{"application/json", `{"first_name":"Asha"`, "[application/json, 20 bytes, not readable as JSON]"},
		{"application/json", `{} {"first_name":"Asha"}`, "[application/json, 24 bytes, not readable as JSON]"},
		{"text/html", "<p>Bad <b>gateway</b></p>", "[text/html, 25 bytes, not readable as JSON]"},
		{"Asha <asha>", "x", "[no media type, 1 byte, not readable as JSON]"},
		{"", "", ""},
	} {
		if got := r.body(http.Header{"Content-Type": {tc.kind}}, []byte(tc.body)); got != tc.want {
			t.Errorf("%s %s\ngot  %q\nwant %q", tc.kind, tc.body, got, tc.want)
		}
	}
}

func TestALongBodyIsCut(t *testing.T) {
	t.Parallel()
	body := "[" + strings.Repeat(`{"id":1},`, 10_000) + `{"id":1}]`
	got, _ := mask([]byte(body))
	if len(got) > maxBodyShown+100 || !strings.HasSuffix(got, "(90010 bytes in all)") {
		t.Errorf("%d bytes, ends %q", len(got), got[max(0, len(got)-60):])
	}
}

func TestHeadersTellWhoseCredentialsTheyAre(t *testing.T) {
	t.Parallel()
	got := newTestRedactor(t).header(http.Header{
		"X-Client-Id": {"acme"}, "X-Client-Secret": {"wrong"}, "X-Idempotency-Key": {"conformance-" + someID}, "Cookie": {"a=b"},
	}, requestHeaders)
	want := map[string]string{
		"X-Client-Id": "[the first client's]", "X-Client-Secret": "[neither client's]", "X-Idempotency-Key": "conformance-" + someID,
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
}

func TestWhatWasGivenIsTakenOutOfTextsInTheFormsOfAServer(t *testing.T) {
	t.Parallel()
	r := newTestRedactor(t)
	for text, want := range map[string]string{
		"it says ANOTHER and another":                    "it says [redacted, 7 characters] and [redacted, 7 characters]",
		"se<cr>et&1 se&lt;cr&gt;et&amp;1":                "[redacted, 10 characters] [redacted, 10 characters]",
		`se\u003ccr\u003eet\u00261`:                      "[redacted, 10 characters]",
		"se%3Ccr%3Eet%261":                               "[redacted, 10 characters]",
		"c2U8Y3I+ZXQmMQ==":                               "[redacted, 10 characters]",
		"of-a-gateway":                                   "[redacted, 12 characters]",
		"http://user:of-the-url@127.0.0.1":               "http://user:[redacted, 10 characters]@127.0.0.1",
		"/users/" + fixtureID + "/transactions":          "/users/[redacted, 36 characters]/transactions",
		"/users/" + someID + "/transactions?country=U+S": "/users/" + someID + "/transactions?country=U+S",
		"a\x1b[31mb\x00":                                 "a\ufffd[31mb\ufffd",
	} {
		if got := r.text(text); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", text, got, want)
		}
	}
}

func TestAViolationNamesThePlaceUnlessAServerMadeItUp(t *testing.T) {
	t.Parallel()
	r := newTestRedactor(t)
	for _, tc := range []struct{ in, field, want string }{
		{"body", "/items/12/from_amount", "/items/12/from_amount"}, {"body", "/cip_info/ID_DOC", "/cip_info/ID_DOC"},
		{"header", "X-Request-Id", "X-Request-Id"}, {"body", "/Asha/a@b.c", "/[redacted, 4 characters]/[redacted, 5 characters]"},
	} {
		if got := r.violation(contract.Violation{In: tc.in, Field: tc.field}).Field; got != tc.want {
			t.Errorf("%s %s\ngot  %s\nwant %s", tc.in, tc.field, got, tc.want)
		}
	}
}

func TestAResultKeepsItsLastExchangesAndMessages(t *testing.T) {
	t.Parallel()
	r := run{redactor: newTestRedactor(t)}
	o := probe.Outcome{Status: probe.Failed}
	for i := range 100 {
		o.Messages = append(o.Messages, strings.Repeat("x ", 2000))
		o.Exchanges = append(o.Exchanges, probe.Exchange{Status: i, Violations: make([]contract.Violation, 100)})
	}
	o.Exchanges[99].Err = errors.New("Asha does not answer")
	got := r.newResult(probe.Check{}, o, 0)
	if len(got.Exchanges) != maxExchanges || got.Omitted != 80 || got.Exchanges[0].Status != 80 || len(got.Exchanges[0].Violations) != maxViolations {
		t.Errorf("%d exchanges, %d omitted", len(got.Exchanges), got.Omitted)
	}
	if last := got.Exchanges[19]; last.Error != "no usable answer" {
		t.Errorf("the last one says %q", last.Error)
	}
	if len(got.Messages) != maxMessages+1 || len(got.Messages[0]) > maxMessage || got.Messages[maxMessages] != "and 50 more" {
		t.Errorf("%d messages, the last is %q", len(got.Messages), got.Messages[len(got.Messages)-1])
	}
}
