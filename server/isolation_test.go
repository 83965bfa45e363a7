package server_test

import (
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

// asOther are the headers of the second client.
var asOther = []string{"X-Client-Id", server.SandboxClients[1].ID, "X-Client-Secret", server.SandboxClients[1].Secret}

// isolationRefusal reads an error body for comparison: everything in it but the id of the exchange.
func isolationRefusal(t testing.TB, a answer, status int) api.Error {
	t.Helper()
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	var e api.Error
	if err := json.Unmarshal(a.body, &e); err != nil {
		t.Fatalf("error body %s: %v", a.body, err)
	}
	e.RequestID = ""
	return e
}

// isolationSame fails the test unless a thing of a stranger is refused in the very words for a thing that never existed.
func isolationSame(t testing.TB, stranger, nowhere answer, status int) api.Error {
	t.Helper()
	got, want := isolationRefusal(t, stranger, status), isolationRefusal(t, nowhere, status)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a stranger's answers %+v, one that never existed %+v", got, want)
	}
	return got
}

// isolationOwned names the path parameters of an operation that name what a client owns.
func isolationOwned(op *contract.Operation) []string {
	return slices.DeleteFunc(isolationParameters(op), func(name string) bool {
		_, reference := isolationReference[name]
		return reference
	})
}

// D-10: an identifier in the path that belongs to another client, or to another user of the same client, answers what
// an identifier answers that never existed.
func TestIsolationOfIdentifiersInThePath(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	victim, sibling, other := isolationNew(t, s.Client), isolationNew(t, s.Client), isolationNew(t, s.Other)
	nowhere := isolationNowhere()
	watch := badWatch{s.Beside(t)}
	for _, op := range s.Contract.Operations() {
		owned := isolationOwned(op)
		if len(owned) == 0 {
			continue
		}
		compare := func(name string, stranger, unknown isolationWorld, headers ...string) {
			t.Run(op.ID+"/"+name, func(t *testing.T) {
				watch.unchanged(t, func() {
					e := isolationSame(t, stranger.send(t, s, op, headers...), unknown.send(t, s, op, headers...), http.StatusNotFound)
					if e.Code != api.ErrorCodeNotFound {
						t.Errorf("code %s", e.Code)
					}
				})
			})
		}
		compare("all of another client", other.with(victim, owned...), other.with(nowhere, owned...), asOther...)
		for _, name := range owned {
			compare(name+" of another client", other.with(victim, name), other.with(nowhere, name), asOther...)
			if name != "user_id" {
				compare(name+" of another user", sibling.with(victim, name), sibling.with(nowhere, name))
			}
		}
	}
}

// Section 1, rule 2, and D-18: reference data of a country that is not enabled for a client answers what an identifier
// answers that never existed.
func TestIsolationOfReferenceData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	faultRun(t, s.Beside(t), `update clients set profile = '{}' where id = '`+server.SandboxClients[1].ID+`'`)
	nowhere := isolationNowhere()
	for _, op := range s.Contract.Operations() {
		names := isolationParameters(op)
		if len(names) == 0 || len(isolationOwned(op)) > 0 {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			if a := isolationReference.send(t, s, op); a.status != http.StatusOK {
				t.Fatalf("status %d for the client that has it: %s", a.status, a.body)
			}
			isolationSame(t, isolationReference.send(t, s, op, asOther...),
				isolationReference.with(nowhere, names...).send(t, s, op, asOther...), http.StatusNotFound)
		})
	}
	for _, op := range s.Contract.Operations() {
		if op.Method == http.MethodGet && len(isolationParameters(op)) == 0 {
			t.Run(op.ID, func(t *testing.T) {
				if a := isolationReference.send(t, s, op, asOther...); string(a.body) != "[]\n" {
					t.Errorf("lists %s", a.body)
				}
			})
		}
	}
}

// D-09, D-10: an identifier in the body of a transaction that belongs to another client, to another user, or to another
// receive user of the same user, answers what an identifier answers that never existed.
func TestIsolationOfIdentifiersInTheBody(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	own, sibling, other := isolationNew(t, s.Client), isolationNew(t, s.Client), isolationNew(t, s.Other)
	second := servertest.NewReceiver(t, s.Client, uuid.MustParse(own["user_id"]))
	secondReceiver := isolationWorld{"bank": second.Bank.String(), "wallet": second.Wallet.String()}
	nowhere := isolationNowhere()
	watch := badWatch{s.Beside(t)}
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
		world isolationWorld
	}{{"another client", other}, {"another user", sibling}, {"another receive user", secondReceiver}}
	for _, f := range fields {
		for _, stranger := range strangers {
			if _, has := stranger.world[f.thing]; !has {
				continue
			}
			t.Run(f.name+" of "+stranger.name, func(t *testing.T) {
				send := func(w isolationWorld) answer {
					w = own.with(w, f.thing)
					return call(t, s, http.MethodPost, "/users/"+own["user_id"]+"/transactions", []byte(w.transfer(f.method, w[f.account])))
				}
				watch.unchanged(t, func() {
					e := isolationSame(t, send(stranger.world), send(nowhere), http.StatusUnprocessableEntity)
					if e.Code != f.code || !names(e, api.ErrorDetailInBody, f.pointer) {
						t.Errorf("answers %+v, want %s at %s", e, f.code, f.pointer)
					}
				})
			})
		}
	}
}

// An account of the right receive user and of the wrong kind is none (section 1, rule 4).
func TestIsolationOfAccountsOfTheOtherKind(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	own := isolationNew(t, s.Client)
	for method, account := range map[string]string{"BANK_DEPOSIT": "wallet", "WALLET": "bank"} {
		t.Run(method, func(t *testing.T) {
			a := call(t, s, http.MethodPost, "/users/"+own["user_id"]+"/transactions", []byte(own.transfer(method, own[account])))
			e := a.refusal(t, http.StatusUnprocessableEntity, api.ErrorCodeReceiveAccountNotFound)
			if !names(e, api.ErrorDetailInBody, "/to/fund_id") {
				t.Errorf("details %+v", e.Details)
			}
		})
	}
}

// The two tests above know every identifier of the contract that can be in a body.
func TestIsolationKnowsEveryIdentifierInABody(t *testing.T) {
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
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("identifiers in bodies: %v", found)
	}
}

// D-16: an idempotency key belongs to its client. The same one of two clients creates two transactions.
func TestIsolationOfIdempotencyKeys(t *testing.T) {
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
