package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
)

var operations = []*operation{
	listPayers, getPayer, listBanks, getBank, listCountryStates, getCountryState, listStatesV2, getStateV2, createUser, getUser,
	getCipInfo, getTransactionLimit, createTransaction, listTransactions, getTransaction, createFundingAccount,
	listFundingAccounts, createReceiveUser, listReceiveUsers, createBankAccount, listBankAccounts, createWalletAccount,
	listWalletAccounts, setVerification, setFundingAccountStatus, updateUser, createDocuments, cancelTransaction,
	setTransactionStatus, listEvents, getEvent, listUsers, listClientTransactions, previewTransaction, createWebhookEndpoint,
	listWebhookEndpoints, getWebhookEndpoint, updateWebhookEndpoint, deleteWebhookEndpoint, rotateWebhookSecret,
	listWebhookDeliveries, retryWebhookDelivery, testWebhookEndpoint,
}

func TestEveryOperationOfTheContractHasAMethod(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]*operation{}
	for _, o := range operations {
		known[o.id] = o
	}
	found := 0
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			found++
			o := known[op.OperationID]
			want := operation{op.OperationID, path, reads}
			switch {
			case op.Parameters.GetByInAndName("header", "X-Idempotency-Key") != nil:
				want.kind = creates
			case method != http.MethodGet && op.OperationID != "previewTransaction": // changes nothing
				want.kind = sets
			}
			if o == nil || *o != want {
				t.Errorf("%s is %+v, want %+v: correct it in operations.go, and name it in operations of this file", op.OperationID, o, want)
			}
			name := strings.ToUpper(op.OperationID[:1]) + op.OperationID[1:]
			if _, ok := reflect.TypeFor[*Client]().MethodByName(name); !ok {
				t.Errorf("there is no method %s: add it to operations.go, and to TestEveryMethodCallsItsOperation", name)
			}
		}
	}
	if found != len(operations) || found == 0 {
		t.Errorf("the contract has %d operations, this package %d", found, len(operations))
	}
}

func TestACallWithoutAKeyIsNotSent(t *testing.T) {
	t.Parallel()
	c, err := New("https://payouts.test", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdleConnections()
	dry := errors.New("no entropy")
	c.newKey = func() (string, error) { return "", dry }
	_, err = c.CreateUser(context.Background(), api.UserRequest{})
	if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, dry) || e.Attempts != 0 {
		t.Errorf("got %v", err)
	}
}

func FuzzErrorBody(f *testing.F) {
	for _, body := range []string{
		`{"status":400,"code":"BAD_REQUEST","message":"m","request_id":"r","details":[{"in":"body","field":"/a","reason":"b"}]}`,
		`{"status":400,"code":"BAD_REQUEST","message":"m","request_id":"r","doc_url":"/docs#a"}`,
		`{"code":7,"message":{},"details":[[],{"in":null}]}`, `<html>`, "", "null", `{"message":"\u0000\ud800\r\n"}`, `{"details":{}}`,
		`{"message":"` + strings.Repeat("ü ", 400) + `"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e := &Error{Operation: "getUser", Status: 400}
		e.parse(body, "https://payouts.example.com/", strings.Clone)
		if e.DocURL != "" && !strings.HasPrefix(e.DocURL, "http") {
			t.Errorf("DocURL is %q", e.DocURL)
		}
		for _, part := range []string{e.Message, string(e.Code), e.RequestID, e.DocURL} {
			checkText(t, part)
		}
		for _, d := range e.Details {
			checkText(t, string(d.In))
			checkText(t, d.Field)
			checkText(t, d.Reason)
		}
		if len(e.Details) > maxErrorDetails || len(e.Error()) > 32<<10 {
			t.Errorf("%d details in %d bytes", len(e.Details), len(e.Error()))
		}
	})
}

// The walk finds what encoding/json finds, member by member, and never panics.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"id":"0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11","items":[{"id":1,"name":"n","tags":{"a":"b"}}],"at":null}`,
		`{"id":"0b0c2c5e-54f4-4b0e-9d5b-5f5a4f7d2f11","items":[]}`, `{"i\u0064":"x","items":[null]}`, `[]`, `null`, `"a"`, ` { "items" : {} } `,
		`{"id":"\\\"","items":[{"id":1e3,"name":"]}\"","new":[[{}],"}"]}]}`, `{"items":[{"id":1}],"id":7}`, `{"ID":"","Items":[]}`,
	} {
		f.Add([]byte(body))
	}
	type item struct {
		ID   int               `json:"id"`
		Name string            `json:"name"`
		Tags map[string]string `json:"tags,omitempty"`
	}
	type resource struct {
		ID    uuid.UUID  `json:"id"`
		Items []item     `json:"items"`
		At    *time.Time `json:"at,omitempty"`
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		into := new(resource)
		e := (&call{operation: getUser, into: into}).decode(body)
		if !json.Valid(body) {
			if e == nil || !errors.Is(e, errDamaged) {
				t.Errorf("%q is no JSON: %v", body, e)
			}
			return
		}
		has := func(raw []byte, names ...string) bool {
			var members map[string]json.RawMessage
			if json.Unmarshal(raw, &members) != nil || members == nil {
				return false
			}
			return !slices.ContainsFunc(names, func(name string) bool { return members[name] == nil || string(members[name]) == "null" })
		}
		var list struct {
			Items []json.RawMessage `json:"items"`
		}
		whole := json.Unmarshal(body, new(resource)) == nil && has(body, "id", "items") && into.ID != uuid.Nil
		if whole && json.Unmarshal(body, &list) == nil {
			for _, raw := range list.Items {
				whole = whole && has(raw, "id", "name")
			}
		}
		// A repeated name, of which encoding/json takes the last, and one in another case are not of interest.
		if (e == nil) != whole && !repeats(body) {
			t.Errorf("%q: %v, want a success: %t", body, e, whole)
		}
	})
}

// repeats reports whether an object has two names that differ in their case only.
func repeats(body []byte) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	names := map[string]bool{}
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		name, ok := token.(string)
		if !ok {
			continue
		}
		if name = strings.ToLower(name); names[name] {
			return true
		}
		names[name] = true
	}
}

// checkText checks that text of a response is one short printable line.
func checkText(t *testing.T, text string) {
	t.Helper()
	if len([]rune(text)) > maxErrorText+len("...") || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("got %q", text)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "1", "-1", "1.5", "99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT", "Friday, 31-Dec-99 23:59:59 GMT"} {
		f.Add(value)
	}
	now := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		if wait := retryAfter(value, now); wait < 0 || wait > 24*time.Hour {
			t.Errorf("%q asks for %v", value, wait)
		}
	})
}

func TestContextEndsDuringTheWait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for asked, want := range map[time.Duration]bool{0: true, maxRetryAfter: true, maxRetryAfter + 1: false} {
		if got := pause(ctx, asked, time.Second); (got == asked+time.Second) != want {
			t.Errorf("asked for %v, waits %v", asked, got)
		}
	}
	if got := pause(ctx, 0, time.Hour); got >= 0 {
		t.Errorf("waits %v, beyond the deadline", got)
	}
}
