package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/lifecycle"
	domain "github.com/crossborder-payouts/payouts/server/payout"
)

// Each move has a button with a text of its own.
func TestEachMoveHasAButton(t *testing.T) {
	t.Parallel()
	table, err := lifecycle.ReadTable(string(openapi.YAML()))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range table {
		if label := (move{m}).Label(); strings.HasPrefix(label, "Move to") {
			t.Errorf("the button to %s has no text of its own", m.To)
		}
	}
}

// The lists of the console have the values of the service, in their order.
func TestListsAreThoseOfTheService(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	got := readLists(document)
	same(t, got.statuses, domain.TransactionStatuses())
	same(t, got.reasons, domain.StatusReasons())
	same(t, got.tags, domain.CIPStatuses())
	if len(got.kyc) != 4 {
		t.Errorf("the statuses of users are %q", got.kyc)
	}
}

func same[A, B ~string](t *testing.T, got []A, want []B) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a A, b B) bool { return string(a) == string(b) }) {
		t.Errorf("the list is %q, want %q", got, want)
	}
}

// A ring keeps the newest entries, newest first.
func TestRing(t *testing.T) {
	t.Parallel()
	var r ring
	for i := range 10 {
		r.add(entry{Request: Request{Status: i}}, 4)
		var got []int
		for e := range r.newest() {
			got = append(got, e.Status)
		}
		want := []int{i, i - 1, i - 2, i - 3}[:min(i+1, 4)]
		if !slices.Equal(got, want) {
			t.Errorf("after %d the ring has %d, want %d", i, got, want)
		}
	}
}

// What an idempotency key created is known for longer than the request.
func TestCreationsAreKeptLonger(t *testing.T) {
	t.Parallel()
	var j journal
	j.add(Request{Method: "POST", RequestID: "first", Key: "order", Created: "payout"}, false)
	for range keptRequests {
		j.add(Request{Method: "GET"}, false)
	}
	if found := j.find(func(r Request) bool { return r.Key == "order" }); len(found) != 1 || found[0].Created != "payout" {
		t.Errorf("found %v", found)
	}
}
