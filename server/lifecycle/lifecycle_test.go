package lifecycle_test

import (
	"reflect"
	"testing"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
	"github.com/crossborder-payouts/payouts/server/lifecycle"
	"github.com/crossborder-payouts/payouts/server/payout"
)

func table(t *testing.T) lifecycle.Table {
	t.Helper()
	got, err := lifecycle.ReadTable(string(openapi.YAML()))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// The table of the contract is read as it is meant: it has the moves that the service makes.
func TestTheTableIsThatOfTheService(t *testing.T) {
	t.Parallel()
	var want lifecycle.Table
	for _, x := range payout.Transitions() {
		m := lifecycle.Move{From: api.TransactionStatus(x.From), To: api.TransactionStatus(x.To), Reason: "none", Delivery: api.DeliveryStatus(x.Delivery)}
		if x.GivesBack {
			m.Reason = "optional"
		}
		if x.NeedsReason {
			m.Reason = "needed"
		}
		for _, actor := range x.By {
			m.Who = append(m.Who, lifecycle.Actor(actor))
		}
		want = append(want, m)
	}
	for _, x := range payout.DeliveryTransitions() {
		status := api.TransactionStatus(x.Status)
		want = append(want, lifecycle.Move{
			From: status, To: status, Who: []lifecycle.Actor{lifecycle.Operator}, Reason: "none", Delivery: api.DeliveryStatus(x.To),
			After: api.DeliveryStatus(x.From), Method: api.PayoutMethod(x.Method),
		})
	}
	if got := table(t); !reflect.DeepEqual(got, want) {
		t.Errorf("the table is read as\n%+v\nwant\n%+v", got, want)
	}
	document, err := openapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := lifecycle.ReadTable(document.Info.Description); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the description has\n%+v, %v", got, err)
	}
	if got, err := lifecycle.ReadTable("no table"); err == nil {
		t.Errorf("a text without a table has %+v", got)
	}
}

// Each state of a payout says what it waits for and who can move it, and names whoever has to act first.
func TestWhatAPayoutWaitsFor(t *testing.T) {
	t.Parallel()
	const (
		held     = "It is held, because the amount is above the limit of the sender's tier. Before it can be released, these must be VERIFIED: ID_DOC, OCCUPATION."
		unproven = "The sender is IN PROGRESS and must be VERIFIED before it can be released."
		nobody   = "Nobody can move it any more."
	)
	both := []api.CipTag{"ID_DOC", "OCCUPATION"}
	verified := &lifecycle.Sender{Status: api.KycStatusVerified, Tags: map[string]api.CipStatus{"ID_DOC": api.CipStatusSubmit, "OCCUPATION": api.CipStatusRequested}}
	inProgress := &lifecycle.Sender{Status: api.KycStatusInProgress, Tags: map[string]api.CipStatus{
		"CITY": api.CipStatusVerified, "STATE": api.CipStatusFailed, "EMAIL": api.CipStatusReviewing, "GENDER": api.CipStatusSubmit,
	}}
	for name, c := range map[string]struct {
		payout   lifecycle.Payout
		waits    string
		who      string
		released bool
	}{
		"ready":         {lifecycle.Payout{Status: "INITIATED", Sender: verified}, "It waits for the operator to release it.", "The client can cancel it. The operator can release it, or cancel it.", true},
		"not looked at": {lifecycle.Payout{Status: "INITIATED"}, "It waits for the operator to release it.", "The client can cancel it. The operator can release it, or cancel it.", true},
		"held": {
			lifecycle.Payout{Status: "INITIATED", Required: both, Sender: verified}, held,
			"The client can send information for OCCUPATION, or cancel it. The operator can verify ID_DOC, or cancel it.", false,
		},
		"held, of somebody": {
			lifecycle.Payout{Status: "INITIATED", Required: both}, held,
			"The client can send what is missing of that, or cancel it. The operator can verify what was sent, or cancel it.", false,
		},
		"of a sender in progress": {
			lifecycle.Payout{Status: "INITIATED", Sender: inProgress}, unproven,
			"The client can send information for STATE, or cancel it. The operator can verify EMAIL, GENDER, verify the sender, or cancel it.", false,
		},
		"held, of a sender in progress": {
			lifecycle.Payout{Status: "INITIATED", Required: both, Sender: inProgress}, held + " " + unproven,
			"The client can send information for ID_DOC, OCCUPATION, STATE, or cancel it. The operator can verify EMAIL, GENDER, verify the sender, or cancel it.", false,
		},
		"of a country that was disabled": {
			lifecycle.Payout{Status: "INITIATED", Sender: &lifecycle.Sender{Status: "VERIFIED", Barred: true}},
			"The profile of the client no longer allows the country of the sender.",
			"The client can cancel it. The operator can allow that country in the profile of the client, or cancel it.", false,
		},
		"on its way": {
			lifecycle.Payout{Status: "PROCESSING", Delivery: "PENDING", Method: "BANK_DEPOSIT", Required: both}, "It is on its way. The operator records what the bank or payer reports.",
			"The operator can record it as COMPLETED or FAILED.", false,
		},
		"cash on its way": {
			lifecycle.Payout{Status: "PROCESSING", Delivery: "PENDING", Method: "CASH_PICKUP"}, "It is on its way. The operator records what the bank or payer reports.",
			"The operator can record it as COMPLETED, FAILED or READY_FOR_PICKUP.", false,
		},
		"cash at the counter": {
			lifecycle.Payout{Status: "PROCESSING", Delivery: "READY_FOR_PICKUP", Method: "CASH_PICKUP"}, "The cash waits at the counter. When it is collected, the operator completes the payout.",
			"The operator can record it as COMPLETED or FAILED.", false,
		},
		"paid out": {lifecycle.Payout{Status: "COMPLETED", Delivery: "DELIVERED"}, "It is paid out and waits for nothing. A bank or payer may still send the funds back.", "The operator can record it as RETURNED.", false},
		"failed":   {lifecycle.Payout{Status: "FAILED"}, "It could not be paid out. This is final; send it again as a new payout.", nobody, false},
		"canceled": {lifecycle.Payout{Status: "CANCELED"}, "It was canceled before it was released. This is final.", nobody, false},
		"returned": {lifecycle.Payout{Status: "RETURNED"}, "The funds came back after it was paid out. This is final.", nobody, false},
	} {
		got := table(t).Explain(c.payout)
		if got.For != c.waits || got.Who() != c.who || got.Releasable != c.released {
			t.Errorf("%s: releasable %t\n%s\n%s\nwant %t\n%s\n%s", name, got.Releasable, got.For, got.Who(), c.released, c.waits, c.who)
		}
	}
	for _, status := range payout.TransactionStatuses() {
		if table(t).Explain(lifecycle.Payout{Status: api.TransactionStatus(status)}).For == "" {
			t.Errorf("%s has no words", status)
		}
	}
}
