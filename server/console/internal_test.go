package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
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

// The lists of the console have all statuses and reasons of the service.
func TestNothingIsMissingFromTheLists(t *testing.T) {
	t.Parallel()
	for _, s := range domain.TransactionStatuses() {
		if !slices.Contains(statuses, api.TransactionStatus(s)) {
			t.Errorf("the board has no column %s", s)
		}
	}
	for _, r := range domain.StatusReasons() {
		if !slices.Contains(reasons, api.StatusReason(r)) {
			t.Errorf("the reason %s cannot be chosen", r)
		}
	}
	for _, s := range domain.CIPStatuses() {
		if !slices.Contains(tagStatuses, api.CipStatus(s)) {
			t.Errorf("a tag cannot become %s", s)
		}
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
