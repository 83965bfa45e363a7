package operations_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store"
)

// A user and a transaction are found by the X-Request-Id of the answer that created them, also after a restart; a repeat and a
// rejection have ids of their own, which find nothing.
func TestRequestIDsOfCreations(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	w := servertest.NewWorld(t, s.Client)
	wanted := map[string]store.Kind{"createUser": store.KindUser, "createTransaction": store.KindTransaction}
	created := map[string]store.Found{} // by the id of the request
	var others []string
	for _, op := range s.Contract.Operations() {
		kind, ok := wanted[op.ID]
		if !ok {
			continue
		}
		for range 2 {
			a := w.Send(t, s, op, servertest.IdempotencyKey, op.ID)
			id := a.Header.Get("X-Request-Id")
			if a.Status != http.StatusOK || id == "" {
				t.Fatalf("%s: status %d, request %q", op.ID, a.Status, id)
			}
			if a.Header.Get("Idempotent-Replayed") != "" {
				others = append(others, id)
				continue
			}
			var row struct{ ID string }
			if err := json.Unmarshal(a.Body, &row); err != nil {
				t.Fatal(err)
			}
			created[id] = store.Found{ClientID: "sandbox", Kind: kind, ID: row.ID, Shown: row.ID}
		}
		others = append(others, servertest.Call(t, s, http.MethodPost, "/users", []byte(`{}`)).Header.Get("X-Request-Id"))
	}
	if len(created) != len(wanted) || len(others) != 2*len(wanted) {
		t.Fatalf("created %v, other requests %q", created, others)
	}
	db, err := store.Connect(t.Context(), s.Database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for id, want := range created {
		for _, client := range []payout.ClientID{"", "sandbox"} {
			if all, err := db.FindRequest(t.Context(), client, id); err != nil || len(all) != 1 || all[0] != want {
				t.Errorf("%s of %q: found %v, %v; want %v", id, client, all, err, want)
			}
		}
		if all, err := db.FindRequest(t.Context(), "sandbox-2", id); err != nil || len(all) != 0 {
			t.Errorf("another client has %v, %v", all, err)
		}
	}
	for _, id := range others {
		if all, err := db.FindRequest(t.Context(), "", id); err != nil || id == "" || len(all) != 0 {
			t.Errorf("request %q found %v, %v", id, all, err)
		}
	}
}
