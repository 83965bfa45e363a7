package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	domain "github.com/crossborder-payouts/payouts/server/payout"
)

// The console offers the moves that the service makes: the table of the contract is read as it is meant.
func TestMovesAreThoseOfTheService(t *testing.T) {
	t.Parallel()
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readMoves(document.Info.Description)
	if err != nil {
		t.Fatal(err)
	}
	var want []move
	for _, x := range domain.Transitions() {
		m := move{From: api.TransactionStatus(x.From), To: api.TransactionStatus(x.To), Reason: "none", Delivery: api.DeliveryStatus(x.Delivery)}
		if x.GivesBack {
			m.Reason = "optional"
		}
		if x.NeedsReason {
			m.Reason = "needed"
		}
		for i, actor := range x.By {
			if i > 0 {
				m.Who += ", "
			}
			m.Who += string(actor)
		}
		want = append(want, m)
	}
	for _, x := range domain.DeliveryTransitions() {
		status := api.TransactionStatus(x.Status)
		want = append(want, move{
			From: status, To: status, Who: "operator", Reason: "none", Delivery: api.DeliveryStatus(x.To), After: api.DeliveryStatus(x.From), Method: api.PayoutMethod(x.Method),
		})
	}
	if !slices.Equal(got, want) {
		t.Errorf("the table is read as\n%+v\nwant\n%+v", got, want)
	}
	for _, m := range got {
		if strings.HasPrefix(m.Label(), "Move to") {
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
