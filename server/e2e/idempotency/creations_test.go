package idempotency_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/contract"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// backwards returns JSON with the members of each object in reverse order, and with white space.
func backwards(t testing.TB, body []byte) []byte {
	t.Helper()
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	text := []byte("{")
	for i, name := range slices.SortedFunc(maps.Keys(members), func(a, b string) int { return cmp.Compare(b, a) }) {
		text = fmt.Appendf(text, "%.*s\n\t%q : %s ", min(i, 1), ",", name, backwards(t, members[name]))
	}
	return append(text, '}')
}

// changes has for each operation equivalent requests, and requests that differ in one value.
var changes = map[string]struct{ same, other [][2]string }{
	"createUser": {
		[][2]string{{`{`, `{"business":false,`}, {`Asha`, `A\u0073ha`}},
		[][2]string{{`Asha`, `Usha`}, {`asha@`, `usha@`}, {`"US"`, `"GB"`}, {`,"type":"SEND"`, ``}, {`{`, `{"business":true,`}, {`{`, `{"city":"Town",`}},
	},
	"createDocuments": {
		[][2]string{{`SSN`, `S\u0053N`}},
		[][2]string{{`SSN`, `PASSPORT`}, {`000000000`, `000000001`}, {`"SSN"`, `"SSN","country":"US"`}, {`{`, `{"physical_documents":[],`}},
	},
	"createFundingAccount": {
		[][2]string{{`CARD`, `C\u0041RD`}},
		[][2]string{{`CARD`, `BANK_ACCOUNT`}, {`CARD`, `CARDS`}, {`{`, `{"label":"Main",`}},
	},
	"createReceiveUser": {
		[][2]string{{`Bina`, `B\u0069na`}},
		[][2]string{{`Bina`, `Dina`}, {`"NP"`, `"IN"`}, {`"NP"`, `"DE"`}, {`{`, `{"last_name":"Example",`}}, // DE is not enabled
	},
	"createBankAccount": {
		[][2]string{{`"NPR"`, `"N\u0050R"`}},
		[][2]string{{`2001`, `2002`}, {`2001`, `9999999`}, {`0001234567`, `001234567`}, {`"NPR"`, `"USD"`}, {`{`, `{"branch_id":20010,`}},
	},
	"createWalletAccount": {
		[][2]string{{`"NPR"`, `"N\u0050R"`}},
		[][2]string{{`1004`, `1005`}, {`1004`, `9999999`}, {`9800000000`, `9800000001`}, {`"NPR"`, `"INR"`}},
	},
	"createWebhookEndpoint": {
		[][2]string{{`example`, `ex\u0061mple`}},
		[][2]string{{`example`, `another`}, {`{`, `{"description":"Ledger",`}, {`{`, `{"event_types":["transaction.created"],`}},
	},
	"createTransaction": {
		[][2]string{{`{`, `{"fee_amount":0.00,`}, {`1.00`, `1`}},
		[][2]string{{`1.00`, `1.01`}, {`"USD"`, `"GBP"`}, {`{`, `{"note":"a",`}},
	},
}

// Every creation answers an equivalent repeat with what it created before, and rejects the key for any other request of the
// client. The same key of another client is another key (D-16, D-54).
func TestEveryCreationIsReplayed(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, second, stranger := servertest.NewWorld(t, s.Client), servertest.NewWorld(t, s.Client), servertest.NewWorld(t, s.Other)
	watch := servertest.NewWatch(s.Beside(t))
	ops := servertest.Creations(t, s)
	for _, op := range ops {
		t.Run(op.ID, func(t *testing.T) {
			key, body := "the key of "+op.ID, w.Body(t, op)
			first := w.Create(t, s, op, key, body).First(t)
			changed := func(change [2]string) []byte {
				if !bytes.Contains(body, []byte(change[0])) {
					t.Fatalf("%s has no %s", body, change[0])
				}
				return bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1)
			}
			watch.Unchanged(t, func() {
				w.Create(t, s, op, key, body).Replays(t, first)
				w.Create(t, s, op, key, backwards(t, body)).Replays(t, first)
				for _, same := range changes[op.ID].same {
					w.Create(t, s, op, key, changed(same)).Replays(t, first)
				}
				for _, name := range servertest.PathParameters(op) {
					upper := servertest.World{name: strings.ToUpper(w[name])}
					w.With(upper, name).Create(t, s, op, key, body).Replays(t, first)
					w.With(second, name).Create(t, s, op, key, body).Reused(t)
					w.With(servertest.World{name: uuid.NewString()}, name).Create(t, s, op, key, body).Reused(t)
				}
				for _, other := range changes[op.ID].other {
					w.Create(t, s, op, key, changed(other)).Reused(t)
				}
				for _, another := range ops {
					if another != op {
						w.Create(t, s, another, key, w.Body(t, another)).Reused(t)
					}
				}
			})
			theirs := stranger.Create(t, s, op, key, stranger.Body(t, op), servertest.AsOther...).First(t)
			stranger.Create(t, s, op, key, stranger.Body(t, op), servertest.AsOther...).Replays(t, theirs)
			w.Create(t, s, op, key, body).Replays(t, first)
			one, two := w.Create(t, s, op, "", body).First(t), w.Create(t, s, op, "", body).First(t)
			ids := map[string]bool{createdID(t, first): true, createdID(t, theirs): true, createdID(t, one): true, createdID(t, two): true}
			if len(ids) != 4 {
				t.Errorf("a key, the same key of another client, and twice none created %v", ids)
			}
		})
	}
}

// createdID is the id of what an operation created, or the new secret, which has none: the answer to further documents is the
// user, with them at the end.
func createdID(t testing.TB, body []byte) string {
	t.Helper()
	answer := servertest.Parse[struct {
		ID        uuid.UUID
		Secret    string
		Documents []struct{ ID uuid.UUID } `json:"virtual_documents"`
	}](t, body)
	if n := len(answer.Documents); n > 0 {
		return answer.Documents[n-1].ID.String()
	}
	if answer.ID == uuid.Nil {
		return answer.Secret
	}
	return answer.ID.String()
}

// A rejected creation does not use its key, which works for a valid request (D-16).
func TestKeyAfterARefusedCreation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, nowhere := servertest.NewWorld(t, s.Client), servertest.Nowhere()
	for id, row := range map[string]struct {
		change [2]string
		status int
	}{
		"createUser":            {[2]string{`"US"`, `"DE"`}, 422},
		"createFundingAccount":  {[2]string{`CARD`, ``}, 400},
		"createReceiveUser":     {[2]string{`"NP"`, `"DE"`}, 422},
		"createBankAccount":     {[2]string{`2001`, `9999999`}, 400},
		"createWalletAccount":   {[2]string{`1004`, `9999999`}, 422},
		"createTransaction":     {[2]string{`"USD"`, `"GBP"`}, 422},
		"createDocuments":       {[2]string{`"SSN"`, `"SSN","country":"XX"`}, 400},
		"createWebhookEndpoint": {[2]string{`example.com`, `user@example.com`}, 400},
	} {
		op := servertest.Creations(t, s)[slices.IndexFunc(servertest.Creations(t, s), func(op *contract.Operation) bool { return op.ID == id })]
		t.Run(id, func(t *testing.T) {
			body := w.Body(t, op)
			for range 2 {
				if a := w.Create(t, s, op, id, bytes.Replace(body, []byte(row.change[0]), []byte(row.change[1]), 1)); a.Status != row.status {
					t.Fatalf("status %d, want %d: %s", a.Status, row.status, a.Body)
				}
				for _, name := range servertest.PathParameters(op) {
					w.With(nowhere, name).Create(t, s, op, id, body).Refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
				}
			}
			first := w.Create(t, s, op, id, body).First(t)
			w.Create(t, s, op, id, body).Replays(t, first)
		})
	}
}

// A repeat returns the current state of what was created, even if it could not be created any more, as a new key shows
// (D-54).
func TestReplayOfWhatHasChanged(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	firsts := map[string][]byte{}
	for _, op := range servertest.Creations(t, s) {
		firsts[op.ID] = w.Create(t, s, op, op.ID, w.Body(t, op)).First(t)
	}
	user, account := createdID(t, firsts["createUser"]), createdID(t, firsts["createFundingAccount"])
	servertest.OKBody(t, servertest.Call(t, s, "POST", "/sandbox/users/"+user+"/verification", []byte(`{"kyc_status":"VERIFIED"}`)))
	servertest.OKBody(t, servertest.Call(t, s, "POST", "/sandbox/users/"+w["user_id"]+"/funding-accounts/"+account+"/status", []byte(`{"status":"ACTIVE"}`)))
	servertest.Verify(t, s.Client, uuid.MustParse(w["user_id"]), api.KycStatusSuspended)
	servertest.SetProfile(t, s, []payout.Corridor{{Country: "GB", Currency: "GBP"}}, payout.Destination{Country: "IN"})
	servertest.Exec(t, s.Beside(t), `delete from banks where id = 2001`, `delete from payers where id = 1004`)
	for id, change := range map[string][2]string{
		"createUser": {`"UNVERIFIED"`, `"VERIFIED"`}, "createFundingAccount": {`"PENDING"`, `"ACTIVE"`},
		"createDocuments": {`"VERIFIED"`, `"SUSPENDED"`},
	} {
		if !bytes.Contains(firsts[id], []byte(change[0])) {
			t.Errorf("%s answered %s", id, firsts[id])
		}
		firsts[id] = bytes.Replace(firsts[id], []byte(change[0]), []byte(change[1]), 1)
	}
	possible := []string{"createFundingAccount", "createDocuments", "createWebhookEndpoint", "rotateWebhookSecret"}
	for _, op := range servertest.Creations(t, s) {
		t.Run(op.ID, func(t *testing.T) {
			w.Create(t, s, op, op.ID, w.Body(t, op)).Replays(t, firsts[op.ID])
			if a := w.Create(t, s, op, "new "+op.ID, w.Body(t, op)); !slices.Contains(possible, op.ID) && a.Status/100 != 4 {
				t.Errorf("a new one answers %d: %s", a.Status, a.Body)
			}
		})
	}
}
