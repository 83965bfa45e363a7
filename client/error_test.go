package client_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

func TestErrorsOfTheService(t *testing.T) {
	t.Parallel()
	_, c := dial(t, respond(400, `{"status":400,"code":"BAD_REQUEST","message":"The request is not valid.","request_id":"r-7",
		"details":[{"in":"body","field":"/email","reason":"is required"},{"in":"header","field":"X","reason":"must be y"}]}`,
		"X-Request-Id", "r-7"))
	_, err := c.CreateUser(t.Context(), asha(), client.IdempotencyKey("k-1"))
	e := errorOf(t, err)
	details := []api.ErrorDetail{{In: "body", Field: "/email", Reason: "is required"}, {In: "header", Field: "X", Reason: "must be y"}}
	if e.Operation != "createUser" || e.Status != 400 || e.Code != client.BadRequest || e.RequestID != "r-7" ||
		e.Message != "The request is not valid." || e.IdempotencyKey != "k-1" || e.Attempts != 1 || !slices.Equal(e.Details, details) {
		t.Errorf("got %+v", *e)
	}
	const text = "payouts: createUser: 400 BAD_REQUEST: The request is not valid.; body /email is required; header X must be y" +
		" (request r-7, key k-1)"
	if err.Error() != text {
		t.Errorf("the text is %s", err)
	}
	if !errors.Is(err, client.BadRequest) || errors.Is(err, client.NotFound) || errors.Is(err, client.Code("")) {
		t.Error("errors.Is does not go by the code")
	}
}

// D-73: a path belongs to the base URL, and nothing but the address of a web page is taken.
func TestErrorsSayWhereTheyAreExplained(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"/docs#error-NOT_FOUND":                   baseURL + "/docs#error-NOT_FOUND",
		"https://help.example.com/errors":         "https://help.example.com/errors",
		"//elsewhere.example.com/docs":            "",
		"docs#error-NOT_FOUND":                    "",
		"javascript:alert(1)":                     "",
		"https:///docs":                           "",
		"/docs error":                             "",
		"/docs\u001b[31m":                         "",
		"":                                        "",
		"/" + strings.Repeat("x", 200):            "",
		"https://user:" + secret + "@example.com": "",
	} {
		_, c := dial(t, respond(404, `{"status":404,"code":"NOT_FOUND","message":"m","request_id":"r","doc_url":"`+sent+`"}`))
		_, err := c.GetUser(t.Context(), userID)
		if e := errorOf(t, err); e.DocURL != want {
			t.Errorf("DocURL of %q is %q, want %q", sent, e.DocURL, want)
		}
	}
}

func TestErrorsOfTheNetwork(t *testing.T) {
	t.Parallel()
	_, c := dialWith(t, []client.Option{client.WithRetries(0)}, lose(reset))
	_, err := c.GetUser(t.Context(), userID)
	e := errorOf(t, err)
	if !errors.Is(err, reset) || errors.Is(err, client.Code("")) || e.Status != 0 || e.Code != "" {
		t.Errorf("got %+v", *e)
	}
	if text := err.Error(); text != "payouts: getUser: no answer: read tcp: connection reset by peer" {
		t.Errorf("the text is %s", text)
	}
}

// strange are bodies of errors that the service does not send, with the code that is taken from them. They get the members
// of an error of the contract; without one of these, nothing is taken.
var strange = map[string]client.Code{
	"":                                      "",
	"<html>\r\n<b>Bad gateway</b>":          "",
	"null":                                  "",
	"[]":                                    "",
	`"text"`:                                "",
	"{":                                     "",
	`{"code":7,"message":[],"details":"x"}`: "",
	`{"code":"has space","message":"m"}`:    "",
	`{"code":"FROM_THE_FUTURE","message":"m","since":2,"details":[{"x":1}]}`:                 "FROM_THE_FUTURE",
	`{"code":"NOT_FOUND","message":"m","details":[7,null,{"in":1,"field":"f","reason":{}}]}`: client.NotFound,
	`{"code":"NOT_FOUND","message":"m","details":{"in":"body"}}`:                             client.NotFound,
	`{"code":"NOT_FOUND","message":"a\r\nb\u0000c\u2028d\u202ee\u001b[31m"}`:                 client.NotFound,
	`{"message":"Forbidden"}`: "",
	`{"code":"NOT_FOUND"}`:    "",
	`{"code":"` + strings.Repeat("A", 1000) + `","message":"m"}`:             "",
	`{"code":"NOT_FOUND","message":"` + strings.Repeat("long ", 1000) + `"}`: client.NotFound,
	`{"code":"NOT_FOUND","message":"` + strings.Repeat("x", 1<<20) + `"}`:    "", // beyond the bound
}

func TestErrorBodiesOfAnotherForm(t *testing.T) {
	t.Parallel()
	const status, request = `"status":418,`, `"request_id":"r-1",`
	for body, code := range strange {
		for members, whole := range map[string]bool{status + request: true, status: false, request: false, `"status":"418",` + request: false, `"status":419,` + request: false} {
			_, c := dial(t, respond(418, strings.Replace(body, `{"`, "{"+members+`"`, 1), "Content-Type", "text/plain", "X-Request-Id", "with space"))
			_, err := c.GetUser(t.Context(), userID)
			e := errorOf(t, err)
			want, id := code, "r-1"
			if !whole || code == "" {
				want, id = "", ""
			}
			if e.Status != 418 || e.Code != want || e.Message == "" || e.RequestID != id || want == "" && len(e.Details) > 0 {
				t.Errorf("%s %.40q: %+v", members, body, *e)
			}
			checkPrintable(t, err)
		}
	}
}

func checkPrintable(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); len(text) > 4000 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("the text of the error is %d bytes: %.300q", len(text), text)
	}
}

func TestTextOfAProxyIsNotInTheError(t *testing.T) {
	t.Parallel()
	_, c := dialWith(t, []client.Option{client.WithRetries(0)},
		respond(502, "<html>you sent canary", "Content-Type", "text/html"))
	_, err := c.GetUser(t.Context(), userID)
	if text := err.Error(); text != "payouts: getUser: 502 Bad Gateway, not an answer of the service (request request-1)" {
		t.Errorf("the text is %s", text)
	}
}

// endless is an endless body.
type endless struct{ read *int }

func (e endless) Read(p []byte) (int, error) {
	*e.read += len(p)
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestBodiesAreLimited(t *testing.T) {
	t.Parallel()
	for status, most := range map[int]int{200: 65 << 20, 500: 1 << 20} {
		read := 0
		_, c := dialWith(t, []client.Option{client.WithRetries(0)}, func(r *http.Request) (*http.Response, error) {
			res, err := respond(status, "")(r)
			res.Body, res.ContentLength = io.NopCloser(endless{&read}), -1
			return res, err
		})
		_, err := c.GetUser(t.Context(), userID)
		if e := errorOf(t, err); e.Status != status || read > most || (status == 200) != strings.Contains(e.Message, "more than 32 MiB") {
			t.Errorf("%d: read %d bytes: %v", status, read, err)
		}
		checkPrintable(t, err)
	}
}

func TestNewerServices(t *testing.T) {
	t.Parallel()
	newer := strings.NewReplacer(
		`"INITIATED"`, `"SETTLED_LATER"`, `"NONE"`, `"ON_THE_WAY"`, `"BANK_DEPOSIT"`, `"DRONE"`, `"SENDER_AMOUNT"`, `"NEW_MODE"`,
		`"fee_amount"`, `"new_object":{"a":[1,null]},"fee_amount"`, `"first_name"`, `"new_text":"x","first_name"`,
	).Replace(theTransaction)
	_, c := dial(t, respond(200, newer, "Content-Type", "application/json; charset=utf-8"))
	got, err := c.GetTransaction(t.Context(), userID, otherID)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "SETTLED_LATER" || got.DeliveryStatus != "ON_THE_WAY" || got.To.PayoutMethod != "DRONE" ||
		got.To.CalculationMode != "NEW_MODE" || got.FromAmount.String() != "100.00" || got.Status.Valid() {
		t.Errorf("got %+v", got)
	}
	_, c = dial(t, respond(200, strings.Replace(theUser, `"UNVERIFIED"`, `"ON_HOLD"`, 1)))
	if user, err := c.GetUser(t.Context(), userID); err != nil || user.Status != "ON_HOLD" {
		t.Errorf("got %v, %v", user, err)
	}
}

func TestResponsesThatBreakTheContract(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{
		`"business":false`:                          `"business":"canary"`,
		`"first_name":"Asha"`:                       `"first_name":700700`,
		`"0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11"`:    `"canary"`,
		`"2026-01-31T09:00:00.000000"`:              `"canary"`,
		`"country":"US"`:                            `"date_of_birth":"canary"`,
		`{"id"`:                                     `canary{"id"`,
		`"email":"asha@example.com","country":"US"`: `"country":"canary`,
	} {
		_, c := dial(t, respond(200, strings.Replace(theUser, from, to, 1)))
		_, err := c.GetUser(t.Context(), userID)
		e := errorOf(t, err)
		if e.Status != 200 || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "700700") {
			t.Errorf("%s: %v", to, err)
		}
		if strings.Contains(to, "700700") && !strings.Contains(err.Error(), "first_name") {
			t.Errorf("the field is not named: %v", err)
		}
	}
}
