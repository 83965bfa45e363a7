package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// A created transaction that cannot be read is not lost: the error names the member, and keeps the id and the answer.
func TestSuccessesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const id = "5b0c1d2e-3f40-4152-8637-48596a7b8c05"
	for name, c := range map[string]struct{ from, to, field, problem, id string }{
		"a timestamp with a zone":      {`"created_at":"2026-01-31T09:30:00.000000"`, `"created_at":"2026-01-31T09:30:00Z"`, "/created_at", "cannot be read", id},
		"a number with an exponent":    {`"from_amount":100.00`, `"from_amount":1E2`, "/from_amount", "cannot be read", id},
		"an amount as text":            {`"from_amount":100.00`, `"from_amount":"100.00"`, "/from_amount", "cannot be read", id},
		"null":                         {`"from_amount":100.00`, `"from_amount":null`, "/from_amount", "is null", id},
		"a text that is null":          {`"from_currency":"USD"`, `"from_currency":null`, "/from_currency", "is null", id},
		"an object that is null":       {`"to":{`, `"to":null,"was":{`, "/to", "is null", id},
		"an object that is text":       {`"to":{`, `"to":"canary","was":{`, "/to", "cannot be read", id},
		"a member of an object":        {`"payout_method":`, `"PAYOUT_METHOD":`, "/to/payout_method", "is missing", id},
		"an id that is no UUID":        {`"id":"` + id, `"id":"canary`, "/id", "cannot be read", ""},
		"the id of nothing":            {`"id":"` + id, `"id":"00000000-0000-0000-0000-000000000000","was":"` + id, "/id", "cannot be read", ""},
		"no id":                        {`"id":"` + id, `"uuid":"` + id, "/id", "is missing", ""},
		"an id of another case":        {`"id":"` + id, `"ID":"` + id, "/id", "is missing", ""},
		"a required member is missing": {`"status":`, `"sta\u0074e":`, "/status", "is missing", id},
	} {
		body := strings.Replace(theTransaction, c.from, c.to, 1)
		if body == theTransaction {
			t.Fatalf("%s: %s is not in the transaction", name, c.from)
		}
		n, sdk := dial(t, respond(200, body))
		var info client.Info
		_, err := sdk.CreateTransaction(t.Context(), userID, deposit(), client.CaptureInfo(&info))
		e := errorOf(t, err)
		if e.Field != c.field || !strings.Contains(e.Message, c.field+" "+c.problem) || e.ResourceID != c.id || e.Status != 200 || !e.OutcomeUnknown() {
			t.Errorf("%s: field %q, id %q: %v", name, e.Field, e.ResourceID, err)
		}
		if string(e.Answer.Body()) != body || string(info.Answer.Body()) != body || len(n.seen) != 1 {
			t.Errorf("%s: the answer is lost, after %d attempts", name, len(n.seen))
		}
		if shown := fmt.Sprintf("%v %+v", err, *e); strings.Contains(shown, "canary") {
			t.Errorf("%s: %s", name, shown)
		}
	}
}

// An escaped name is the name, and what is not required may be missing or null.
func TestSuccessesInOtherSpellings(t *testing.T) {
	t.Parallel()
	for from, to := range map[string]string{
		`"id":`:              `"i\u0064":`,
		`"country":"US"`:     `"country":"US","address_line1":null,"a \"quoted\\\" name":[{"id":null},"]}"]`,
		`{"id"`:              " {\n\t\"new\" : [ ] , \"other\":{ }, \"id\"",
		`"first_name":"Asha`: `"first_name":"As\\\"ha\\`,
	} {
		_, c := dial(t, respond(200, strings.Replace(theUser, from, to, 1)))
		if user, err := c.GetUser(t.Context(), userID); err != nil || user.ID != userID {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestEntriesOfLists(t *testing.T) {
	t.Parallel()
	for body, field := range map[string]string{
		`[` + thePayer + `,` + strings.Replace(thePayer, `"name"`, `"naming"`, 1) + `]`: "/1/name",
		`[` + thePayer + `,null]`: "/1",
		`[[]]`:                    "/0",
		`null`:                    "",
		`{}`:                      "",
	} {
		_, c := dial(t, respond(200, body))
		_, err := c.ListPayers(t.Context(), nil)
		if e := errorOf(t, err); e.Field != field || e.Status != 200 {
			t.Errorf("%s: field %q: %v", body, e.Field, err)
		}
	}
	_, c := dial(t, respond(200, ` [ ] `))
	if payers, err := c.ListPayers(t.Context(), nil); err != nil || len(payers) != 0 {
		t.Errorf("%v, %v", payers, err)
	}
	_, c = dial(t, respond(200, `{"items":[{"id":"`+userID.String()+`"}]}`))
	_, err := c.ListTransactions(t.Context(), userID, nil)
	if e := errorOf(t, err); !strings.HasPrefix(e.Field, "/items/0/") {
		t.Errorf("field %q: %v", e.Field, err)
	}
}

// Members that a newer service adds can be read from the answer.
func TestUnknownMembersAreReachable(t *testing.T) {
	t.Parallel()
	_, c := dial(t, respond(200, strings.Replace(theUser, `{"id"`, `{"risk":{"score":7},"id"`, 1)))
	var info client.Info
	if _, err := c.GetUser(t.Context(), userID, client.CaptureInfo(&info)); err != nil {
		t.Fatal(err)
	}
	var newer struct{ Risk struct{ Score int } }
	if err := json.Unmarshal(info.Answer.Body(), &newer); err != nil || newer.Risk.Score != 7 {
		t.Errorf("%+v, %v", newer, err)
	}
	_, c = dial(t, respond(502, "<html>the reason", "Content-Type", "text/html"))
	_, err := c.GetUser(t.Context(), userID, client.CaptureInfo(&info), client.Retries(0))
	if e := errorOf(t, err); string(e.Answer.Body()) != "<html>the reason" || info.Answer != e.Answer {
		t.Errorf("%q, %q", e.Answer.Body(), info.Answer.Body())
	}
	if body := (client.Answer{}).Body(); body != nil {
		t.Errorf("the zero value has a body: %q", body)
	}
}

func TestPrintingDoesNotShowTheAnswer(t *testing.T) {
	t.Parallel()
	_, c := dial(t, respond(200, strings.Replace(theUser, "Asha", "canary", 1)), respond(200, `{"id":"canary"}`))
	var info client.Info
	if _, err := c.GetUser(t.Context(), userID, client.CaptureInfo(&info)); err != nil {
		t.Fatal(err)
	}
	_, err := c.GetUser(t.Context(), userID)
	e := errorOf(t, err)
	hidden := struct {
		info client.Info
		err  client.Error
	}{info, *e}
	var out bytes.Buffer
	for _, value := range []any{info, &info, info.Answer, *e, e, hidden, []any{info}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %x %d\n", value, value, value, value, value, value, value)
		asJSON, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(asJSON)
		for _, handler := range []slog.Handler{slog.NewJSONHandler(&out, nil), slog.NewTextHandler(&out, nil)} {
			slog.New(handler).Info("m", "value", value)
		}
	}
	for _, form := range []string{"canary", fmt.Sprintf("%x", "canary"), "99 97 110 97 114 121"} {
		if strings.Contains(out.String(), form) {
			t.Errorf("%q is in\n%s", form, &out)
		}
	}
}

// Text that is no UTF-8 would reach the service changed.
func TestTextMustBeUTF8(t *testing.T) {
	t.Parallel()
	n, c := dial(t, ok)
	call := func(change func(*api.UserRequest)) error {
		user := asha()
		change(&user)
		_, err := c.CreateUser(t.Context(), user)
		return err
	}
	for field, err := range map[string]error{
		"/first_name": call(func(u *api.UserRequest) { u.FirstName = "Jos\xe9 canary" }),
		"/email":      call(func(u *api.UserRequest) { u.Email = "a\xff@example.com" }),
		"/physical_documents/1/document_value": call(func(u *api.UserRequest) {
			u.PhysicalDocuments = []api.PhysicalDocumentRequest{{DocumentValue: "a"}, {DocumentValue: "\xc3"}}
		}),
		"path": func() error { _, err := c.GetCountryState(t.Context(), "US", "C\xff"); return err }(),
		"query": func() error {
			_, err := c.ListBanks(t.Context(), &api.ListBanksParams{Country: new("\xff")})
			return err
		}(),
	} {
		e := errorOf(t, err)
		if !strings.Contains(e.Error(), field+" must be text in UTF-8") || !errors.Is(err, client.BadRequest) || e.Attempts != 0 || e.OutcomeUnknown() || !e.Refused() || strings.Contains(e.Error(), "canary") {
			t.Errorf("%s: %v", field, err)
		}
	}
	to := deposit()
	to.Note = new("\xe9")
	if _, err := c.CreateTransaction(t.Context(), userID, to); !strings.Contains(err.Error(), "/note must be") {
		t.Errorf("got %v", err)
	}
	if len(n.seen) != 0 {
		t.Errorf("%d requests were sent", len(n.seen))
	}
	for _, name := range []string{"José", "U+FFFD is \ufffd", `a backslash and \ufffd`, `\\ufffd`, "鍵\u2028"} {
		if err := call(func(u *api.UserRequest) { u.FirstName = name }); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		var sent api.UserRequest
		if err := json.Unmarshal([]byte(n.seen[len(n.seen)-1].body), &sent); err != nil || sent.FirstName != name {
			t.Errorf("%q was sent as %q, %v", name, sent.FirstName, err)
		}
	}
}
