package operations_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// withoutRequestID returns an error body without the request id, for comparison.
func withoutRequestID(t testing.TB, a servertest.Answer, status int) api.Error {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %s", a.Status, status, a.Body)
	}
	var e api.Error
	if err := json.Unmarshal(a.Body, &e); err != nil {
		t.Fatalf("error body %s: %v", a.Body, err)
	}
	e.RequestID = ""
	return e
}

// sameRefusal fails the test unless an id of a stranger gets the same response as one that never existed.
func sameRefusal(t testing.TB, stranger, nowhere servertest.Answer, status int) api.Error {
	t.Helper()
	got, want := withoutRequestID(t, stranger, status), withoutRequestID(t, nowhere, status)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a stranger's answers %+v, one that never existed %+v", got, want)
	}
	return got
}

// ownedParameters returns the path parameters of an operation that identify data of a client.
func ownedParameters(op *contract.Operation) []string {
	return slices.DeleteFunc(servertest.PathParameters(op), func(name string) bool {
		_, reference := servertest.Reference[name]
		return reference
	})
}

// D-10: an identifier in the path that belongs to another client, or to another user of the same client, gets the same
// response as one that never existed.
func TestIdentifiersOfOthersInThePath(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	victim, sibling, other := servertest.NewWorld(t, s.Client), servertest.NewWorld(t, s.Client), servertest.NewWorld(t, s.Other)
	nowhere := servertest.Nowhere()
	watch := servertest.NewWatch(s.Beside(t))
	for _, op := range s.Contract.Operations() {
		owned := ownedParameters(op)
		if len(owned) == 0 {
			continue
		}
		compare := func(name string, stranger, unknown servertest.World, headers ...string) {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				watch.Unchanged(t, func() {
					e := sameRefusal(t, stranger.Send(t, s, op, headers...), unknown.Send(t, s, op, headers...), http.StatusNotFound)
					if e.Code != api.ErrorCodeNotFound {
						t.Errorf("code %s", e.Code)
					}
				})
			})
		}
		compare("all of another client", other.With(victim, owned...), other.With(nowhere, owned...), servertest.AsOther...)
		for _, name := range owned {
			compare(name+" of another client", other.With(victim, name), other.With(nowhere, name), servertest.AsOther...)
			if name != "user_id" && slices.Contains(owned, "user_id") {
				compare(name+" of another user", sibling.With(victim, name), sibling.With(nowhere, name))
			}
		}
	}
}

// Section 1, rule 2, and D-18: an identifier of reference data of a country that is not enabled for the client gets the same
// response as one that never existed.
func TestReferenceDataOfCountriesThatAreNotEnabled(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	servertest.Exec(t, s.Beside(t), `update clients set profile = '{}' where id = '`+server.SandboxClients[1].ID+`'`)
	nowhere := servertest.Nowhere()
	for _, op := range s.Contract.Operations() {
		names := servertest.PathParameters(op)
		if len(names) == 0 || len(ownedParameters(op)) > 0 {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			if a := servertest.Reference.Send(t, s, op); a.Status != http.StatusOK {
				t.Fatalf("status %d for the client that has it: %s", a.Status, a.Body)
			}
			sameRefusal(t, servertest.Reference.Send(t, s, op, servertest.AsOther...),
				servertest.Reference.With(nowhere, names...).Send(t, s, op, servertest.AsOther...), http.StatusNotFound)
		})
	}
	for _, op := range s.Contract.Operations() {
		if op.Method == http.MethodGet && len(servertest.PathParameters(op)) == 0 {
			t.Run(op.ID, func(t *testing.T) {
				if a := servertest.Reference.Send(t, s, op, servertest.AsOther...); string(a.Body) != "[]\n" && !bytes.HasPrefix(a.Body, []byte(`{"items":[]`)) {
					t.Errorf("lists %s", a.Body)
				}
			})
		}
	}
}

// D-09, D-10: an identifier in the body of a transaction that belongs to another client, to another user, or to another
// receive user of the same user, gets the same response as one that never existed.
func TestIdentifiersOfOthersInTheBody(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	own, sibling, other := servertest.NewWorld(t, s.Client), servertest.NewWorld(t, s.Client), servertest.NewWorld(t, s.Other)
	second := servertest.NewReceiver(t, s.Client, uuid.MustParse(own["user_id"]))
	secondReceiver := servertest.World{"bank": second.Bank.String(), "wallet": second.Wallet.String()}
	nowhere := servertest.Nowhere()
	watch := servertest.NewWatch(s.Beside(t))
	fields := []struct {
		name, thing, method, account string
		code                         api.ErrorCode
		pointer                      string
	}{
		{"from_fund_id", "funding_account_id", "BANK_DEPOSIT", "bank", api.ErrorCodeFundingAccountNotFound, "/from_fund_id"},
		{"to.id", "receive_user_id", "BANK_DEPOSIT", "bank", api.ErrorCodeReceiveUserNotFound, "/to/id"},
		{"to.fund_id of a bank account", "bank", "BANK_DEPOSIT", "bank", api.ErrorCodeReceiveAccountNotFound, "/to/fund_id"},
		{"to.fund_id of a wallet", "wallet", "WALLET", "wallet", api.ErrorCodeReceiveAccountNotFound, "/to/fund_id"},
	}
	strangers := []struct {
		name  string
		world servertest.World
	}{{"another client", other}, {"another user", sibling}, {"another receive user", secondReceiver}}
	for _, f := range fields {
		for _, stranger := range strangers {
			if _, has := stranger.world[f.thing]; !has {
				continue
			}
			t.Run(f.name+" of "+stranger.name, func(t *testing.T) {
				send := func(w servertest.World) servertest.Answer {
					w = own.With(w, f.thing)
					return servertest.Call(t, s, http.MethodPost, "/users/"+own["user_id"]+"/transactions", []byte(w.Transfer(f.method, w[f.account])))
				}
				watch.Unchanged(t, func() {
					e := sameRefusal(t, send(stranger.world), send(nowhere), http.StatusUnprocessableEntity)
					if e.Code != f.code || !servertest.Names(e, api.ErrorDetailInBody, f.pointer) {
						t.Errorf("answers %+v, want %s at %s", e, f.code, f.pointer)
					}
				})
			})
		}
	}
}

// An account of the right receive user but of the wrong kind is not found (section 1, rule 4).
func TestAccountsOfTheOtherKind(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	own := servertest.NewWorld(t, s.Client)
	for method, account := range map[string]string{"BANK_DEPOSIT": "wallet", "WALLET": "bank"} {
		t.Run(method, func(t *testing.T) {
			a := servertest.Call(t, s, http.MethodPost, "/users/"+own["user_id"]+"/transactions", []byte(own.Transfer(method, own[account])))
			e := a.Refusal(t, http.StatusUnprocessableEntity, api.ErrorCodeReceiveAccountNotFound)
			if !servertest.Names(e, api.ErrorDetailInBody, "/to/fund_id") {
				t.Errorf("details %+v", e.Details)
			}
		})
	}
}

// The tests above cover every identifier that the contract has in a body.
func TestEveryIdentifierInABodyIsTested(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, item := range document.Paths.Map() {
		for _, op := range item.Operations() {
			if op.RequestBody == nil {
				continue
			}
			for _, media := range op.RequestBody.Value.Content {
				err := media.Schema.WalkSubtree(func(pointer string, ref *openapi3.SchemaRef) error {
					if ref.Value.Format == "uuid" {
						found[op.OperationID+" "+pointer[strings.LastIndex(pointer, "/")+1:]] = true
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	want := map[string]bool{
		"createTransaction from_fund_id": true, "createTransaction id": true, "createTransaction fund_id": true,
		"previewTransaction from_fund_id": true, "previewTransaction id": true, "previewTransaction fund_id": true, // the same rules
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("identifiers in bodies: %v", found)
	}
}

// D-16: an idempotency key belongs to its client. The same key of two clients creates two transactions.
func TestIdempotencyKeysBelongToTheirClient(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	const key = "the-same-key"
	ids := map[string]bool{}
	for i, c := range []*api.ClientWithResponses{s.Client, s.Other} {
		sender := servertest.NewSender(t, c)
		body := servertest.Deposit(t, sender, servertest.NewReceiver(t, c, sender.ID), "100")
		for _, replayed := range []string{"", "true"} {
			r := servertest.Send(t, c, sender.ID, key, body)
			created := servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, nil)
			if got := r.HTTPResponse.Header.Get("Idempotent-Replayed"); got != replayed {
				t.Errorf("client %d: Idempotent-Replayed is %q, want %q", i, got, replayed)
			}
			ids[fmt.Sprint(i, created.ID)] = true
			if created.UserID != sender.ID {
				t.Errorf("client %d got a transaction of user %s, its own is %s", i, created.UserID, sender.ID)
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("transactions %v, want one of each client", ids)
	}
}
