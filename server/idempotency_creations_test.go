package server_test

import (
	"bytes"
	"cmp"
	"database/sql"
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

// creationTables has the table of what each operation that takes a key creates.
var creationTables = map[string]string{
	"createUser": "users", "createFundingAccount": "funding_accounts", "createReceiveUser": "receive_users",
	"createBankAccount": "bank_accounts", "createWalletAccount": "wallet_accounts", "createTransaction": "transactions",
}

// creations lists the operations that take a key.
func creations(t testing.TB, s *servertest.Server) []*contract.Operation {
	t.Helper()
	var all []*contract.Operation
	for _, op := range s.Contract.Operations() {
		if takesKey(op) {
			all = append(all, op)
		}
	}
	if len(all) != len(creationTables) {
		t.Fatalf("%d operations take a key, the tests know %d", len(all), len(creationTables))
	}
	return all
}

// create sends a body to an operation with a key.
func (w isolationWorld) create(t testing.TB, s *servertest.Server, op *contract.Operation, key string, body []byte, headers ...string) answer {
	t.Helper()
	return call(t, s, op.Method, w.path(t, op), body, append([]string{idempotencyKey, key}, headers...)...)
}

// creationBackwards writes JSON with the members of each object in the reverse order, and with white space.
func creationBackwards(t testing.TB, body []byte) []byte {
	t.Helper()
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	text := []byte("{")
	for i, name := range slices.SortedFunc(maps.Keys(members), func(a, b string) int { return cmp.Compare(b, a) }) {
		text = fmt.Appendf(text, "%.*s\n\t%q : %s ", min(i, 1), ",", name, creationBackwards(t, members[name]))
	}
	return append(text, '}')
}

// creationChanges has for each operation the same request in other words, and requests that differ in one thing.
var creationChanges = map[string]struct{ same, other [][2]string }{
	"createUser": {
		[][2]string{{`{`, `{"business":false,`}, {`Asha`, `A\u0073ha`}},
		[][2]string{{`Asha`, `Usha`}, {`asha@`, `usha@`}, {`"US"`, `"GB"`}, {`,"type":"SEND"`, ``}, {`{`, `{"business":true,`}, {`{`, `{"city":"Town",`}},
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
	"createTransaction": {
		[][2]string{{`{`, `{"fee_amount":0.00,`}, {`1.00`, `1`}},
		[][2]string{{`1.00`, `1.01`}, {`"USD"`, `"GBP"`}, {`{`, `{"note":"a",`}},
	},
}

// Every creation answers a repeat with what it created before, however it is written, and refuses the key to any other
// request of the client. Another client's key of the same text is another key (D-16, D-54).
func TestIdempotencyOfEveryCreation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, second, stranger := isolationNew(t, s.Client), isolationNew(t, s.Client), isolationNew(t, s.Other)
	watch := badWatch{s.Beside(t)}
	ops := creations(t, s)
	for _, op := range ops {
		t.Run(op.ID, func(t *testing.T) {
			key, body := "the key of "+op.ID, w.body(t, op)
			first := w.create(t, s, op, key, body).first(t)
			changed := func(change [2]string) []byte {
				if !bytes.Contains(body, []byte(change[0])) {
					t.Fatalf("%s has no %s", body, change[0])
				}
				return bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1)
			}
			watch.unchanged(t, func() {
				w.create(t, s, op, key, body).replays(t, first)
				w.create(t, s, op, key, creationBackwards(t, body)).replays(t, first)
				for _, same := range creationChanges[op.ID].same {
					w.create(t, s, op, key, changed(same)).replays(t, first)
				}
				for _, name := range isolationParameters(op) {
					upper := isolationWorld{name: strings.ToUpper(w[name])}
					w.with(upper, name).create(t, s, op, key, body).replays(t, first)
					w.with(second, name).create(t, s, op, key, body).reused(t)
					w.with(isolationWorld{name: uuid.NewString()}, name).create(t, s, op, key, body).reused(t)
				}
				for _, other := range creationChanges[op.ID].other {
					w.create(t, s, op, key, changed(other)).reused(t)
				}
				for _, another := range ops {
					if another != op {
						w.create(t, s, another, key, w.body(t, another)).reused(t)
					}
				}
			})
			theirs := stranger.create(t, s, op, key, stranger.body(t, op), asOther...).first(t)
			stranger.create(t, s, op, key, stranger.body(t, op), asOther...).replays(t, theirs)
			w.create(t, s, op, key, body).replays(t, first)
			one, two := w.create(t, s, op, "", body).first(t), w.create(t, s, op, "", body).first(t)
			ids := map[string]bool{creationID(t, first): true, creationID(t, theirs): true, creationID(t, one): true, creationID(t, two): true}
			if len(ids) != 4 {
				t.Errorf("a key, the same key of another client, and twice none created %v", ids)
			}
		})
	}
}

// creationID is the id of what an operation created.
func creationID(t testing.TB, body []byte) string {
	t.Helper()
	return rowParse[struct{ ID uuid.UUID }](t, body).ID.String()
}

// A refused creation uses up no key: the same key serves a request that is right (D-16).
func TestIdempotencyKeyAfterARefusalOfEveryCreation(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w, nowhere := isolationNew(t, s.Client), isolationNowhere()
	for id, row := range map[string]struct {
		change [2]string
		status int
	}{
		"createUser":           {[2]string{`"US"`, `"DE"`}, 422},
		"createFundingAccount": {[2]string{`CARD`, ``}, 400},
		"createReceiveUser":    {[2]string{`"NP"`, `"DE"`}, 422},
		"createBankAccount":    {[2]string{`2001`, `9999999`}, 400},
		"createWalletAccount":  {[2]string{`1004`, `9999999`}, 422},
		"createTransaction":    {[2]string{`"USD"`, `"GBP"`}, 422},
	} {
		op := creations(t, s)[slices.IndexFunc(creations(t, s), func(op *contract.Operation) bool { return op.ID == id })]
		t.Run(id, func(t *testing.T) {
			body := w.body(t, op)
			for range 2 {
				if a := w.create(t, s, op, id, bytes.Replace(body, []byte(row.change[0]), []byte(row.change[1]), 1)); a.status != row.status {
					t.Fatalf("status %d, want %d: %s", a.status, row.status, a.body)
				}
				for _, name := range isolationParameters(op) {
					w.with(nowhere, name).create(t, s, op, id, body).refusal(t, http.StatusNotFound, api.ErrorCodeNotFound)
				}
			}
			first := w.create(t, s, op, id, body).first(t)
			w.create(t, s, op, id, body).replays(t, first)
		})
	}
}

// A repeat answers what was created as it is now, and also where it could not be created any more; a new key then shows
// that it could not (D-54).
func TestIdempotencyReplayOfWhatHasChanged(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := isolationNew(t, s.Client)
	firsts := map[string][]byte{}
	for _, op := range creations(t, s) {
		firsts[op.ID] = w.create(t, s, op, op.ID, w.body(t, op)).first(t)
	}
	user, account := creationID(t, firsts["createUser"]), creationID(t, firsts["createFundingAccount"])
	rowBody(t, call(t, s, "POST", "/sandbox/users/"+user+"/verification", []byte(`{"kyc_status":"VERIFIED"}`)))
	rowBody(t, call(t, s, "POST", "/sandbox/users/"+w["user_id"]+"/funding-accounts/"+account+"/status", []byte(`{"status":"ACTIVE"}`)))
	servertest.Verify(t, s.Client, uuid.MustParse(w["user_id"]), api.KycStatusSuspended)
	ruleProfile(t, s, []payout.Corridor{{Country: "GB", Currency: "GBP"}}, payout.Destination{Country: "IN"})
	faultRun(t, s.Beside(t), `delete from banks where id = 2001`, `delete from payers where id = 1004`)
	for id, change := range map[string][2]string{
		"createUser": {`"UNVERIFIED"`, `"VERIFIED"`}, "createFundingAccount": {`"PENDING"`, `"ACTIVE"`},
	} {
		if !bytes.Contains(firsts[id], []byte(change[0])) {
			t.Errorf("%s answered %s", id, firsts[id])
		}
		firsts[id] = bytes.Replace(firsts[id], []byte(change[0]), []byte(change[1]), 1)
	}
	for _, op := range creations(t, s) {
		t.Run(op.ID, func(t *testing.T) {
			w.create(t, s, op, op.ID, w.body(t, op)).replays(t, firsts[op.ID])
			if a := w.create(t, s, op, "new "+op.ID, w.body(t, op)); op.ID != "createFundingAccount" && a.status/100 != 4 {
				t.Errorf("a new one answers %d: %s", a.status, a.body)
			}
		})
	}
}

// creationCount counts the rows of a table.
func creationCount(t testing.TB, db *sql.DB, table string) (n int) {
	t.Helper()
	replicasRows(t, db, `select count(*) from `+table, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n
}
