package checks

import (
	"context"
	"fmt"
	"slices"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
)

// amountOne is an amount that every sender may send.
var amountOne = wire.MustAmount("1.00")

func lifecycleCancel() []probe.Check {
	canceling := []string{"createTransaction", "cancelTransaction", "getTransaction"}
	return []probe.Check{
		{
			ID: "lifecycle.cancel.initiated", Title: "A transaction that is INITIATED is canceled, and again with the same answer",
			Clauses: []string{"D-66"}, Operations: canceling, Needs: probe.Extensions,
			Fix: "Answer 200 with CANCELED and delivery NONE, and the same transaction with the same updated_at to a repeat.",
			Run: func(t *probe.T) {
				p := newPayouts(t)
				made := p.in(initial)
				r, err := p.cancel(made)
				v := probe.OK(t, r, err)
				t.Expect(v.Status == api.TransactionStatusCanceled && v.DeliveryStatus == api.DeliveryStatusNone && v.ID == made.ID,
					"it became %s %s, or is another transaction", v.Status, v.DeliveryStatus)
				t.Expect(v.StatusReason == nil, "it has the status_reason %q", textOf(v.StatusReason))
				p.wantKept("canceled", v)
				again, err := p.cancel(made)
				t.Expect(equalTransactions(t, probe.OK(t, again, err), v), "a repeat answers another transaction, or one that changed")

				made = p.in(initial)
				byOperator, err := p.move(made, api.TransactionMoveRequest{
					Status: api.TransactionStatusCanceled, StatusReason: probe.Ptr(api.StatusReasonComplianceRejected),
				})
				v = probe.Setup(t, byOperator, err)
				again, err = p.cancel(made)
				t.Expect(equalTransactions(t, probe.OK(t, again, err), v), "of what the operator canceled another transaction is answered, or one that changed")
			},
		},
		{
			ID: "lifecycle.cancel.representation", Title: "A transaction is answered whole when it is moved or canceled",
			Clauses: []string{"2.6-response", "2.6-to-response", "D-66"}, Operations: append(canceling, "setTransactionStatus"), Needs: probe.Extensions,
			Fix: "Answer the same representation as when the transaction is read.",
			Run: func(t *probe.T) {
				s := t.NewSender()
				p := purse{Sender: s, t: t}
				for _, made := range transactionsToRead(t, s) {
					t.Case(fmt.Sprintf("%s in %s", made.To.PayoutMethod, made.ToCurrency), func() {
						same, err := p.move(made, api.TransactionMoveRequest{Status: made.Status})
						t.Expect(equalTransactions(t, probe.OK(t, same, err), made), "its own status answers another transaction than its creation")
						canceled, err := p.cancel(made)
						v := probe.OK(t, canceled, err)
						p.wantKept("canceled", v)
						v.Status, v.UpdatedAt = made.Status, made.UpdatedAt
						t.Expect(equalTransactions(t, v, made), "more than status and updated_at changed")
					})
				}
			},
		},
		{
			ID: "lifecycle.cancel.too-late", Title: "What is on its way, or has ended, is not canceled: TRANSACTION_NOT_CANCELABLE",
			Clauses: []string{"D-66"}, Operations: append(canceling, "setTransactionStatus"), Needs: probe.Extensions,
			Fix: "Refuse with 422 TRANSACTION_NOT_CANCELABLE unless the transaction is INITIATED or CANCELED, and change nothing.",
			Run: func(t *probe.T) {
				p := newPayouts(t)
				for _, s := range lifecycleStates() {
					if s == initial || s.status == api.TransactionStatusCanceled {
						continue
					}
					t.Case(s.String(), func() {
						v := p.in(s)
						r, err := p.cancel(v)
						t.Refused(r, err, 422, api.ErrorCodeTransactionNotCancelable)
						p.wantKept("refused", v)
					})
				}
			},
		},
		{
			ID: "lifecycle.cancel.key", Title: "The key of a canceled transaction answers it as it is, and creates nothing",
			Clauses: []string{"4-note-3", "D-16", "D-66"}, Operations: []string{"createTransaction", "setTransactionStatus", "listTransactions"}, Needs: probe.Extensions,
			Fix: "Keep the key of a transaction whatever becomes of it, and answer a repeat with the transaction as it is now.",
			Run: func(t *probe.T) {
				p, key := newPurse(t), probe.NewKey()
				body := t.Payout(p.Sender, p.receiver, "1.00", rateOne)
				r, err := t.Create(p.UserID, key, body)
				made := probe.Setup(t, r, err)
				canceled, err := p.move(made, api.TransactionMoveRequest{
					Status: api.TransactionStatusCanceled, StatusReason: probe.Ptr(api.StatusReasonComplianceRejected),
				})
				v := probe.Setup(t, canceled, err)
				r, err = t.Create(p.UserID, key, body)
				t.Expect(equalTransactions(t, probe.OK(t, r, err), v), "a repeat of the creation answers another transaction than the canceled one")
				list, err := t.Client().ListTransactionsWithResponse(t.Context(), p.UserID, nil)
				all := probe.OK(t, list, err).Items
				t.Expect(len(all) == 1 && equalTransactions(t, all[0], v), "%d transactions are listed, or another one than the canceled one", len(all))
			},
		},
		{
			ID: "lifecycle.cancel.at-once", Title: "Of moves at the same time one is made, and the amount is given back once",
			Clauses: []string{"D-17", "D-66"}, Operations: append(canceling, "setTransactionStatus", "getTransactionLimit"), Needs: probe.Extensions,
			Fix: "Judge and make a move in one step, for example under a lock on the transaction.",
			Run: movesAtOnce,
		},
	}
}

// movesAtOnce cancels and releases a transaction at the same time. Another one, which still counts, would show an amount that
// is given back twice.
func movesAtOnce(t *probe.T) {
	p := newPurse(t)
	before := p.remaining()
	p.sent("1.00")
	r, err := p.send(amountOne)
	v, client := probe.Setup(t, r, err), t.Client()
	canceled, released := make([]bool, 8), make([]bool, 8)
	t.Together(len(canceled)+len(released), func(ctx context.Context, i int) {
		if i%2 == 0 {
			if r, err := client.CancelTransactionWithResponse(ctx, p.UserID, v.ID); err == nil {
				canceled[i/2] = r.StatusCode() == 200
			}
		} else {
			m := api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}
			if r, err := client.SetTransactionStatusWithResponse(ctx, p.UserID, v.ID, m); err == nil {
				released[i/2] = r.StatusCode() == 200
			}
		}
	})
	t.Expect(slices.Contains(canceled, true) != slices.Contains(released, true), "it was canceled and released, or neither")
	if slices.Contains(canceled, true) {
		p.wantUsed(before, "1.00")
	} else {
		p.wantUsed(before, "1.00", "1.00")
	}
}

func lifecycleRules() []probe.Check {
	holding := []string{"createTransaction", "setTransactionStatus", "setVerification", "getTransaction", "listTransactions"}
	return []probe.Check{
		{
			ID: "lifecycle.limits", Title: "The amount is given back with the moves for which the table says so, once, and with no other",
			Clauses: []string{"2.8", "8-tier-limits", "D-17", "D-66"}, Operations: []string{"createTransaction", "setTransactionStatus", "getTransactionLimit"}, Needs: probe.Extensions,
			Fix: "Take from_amount off the counters of the day, month and year of the creation, together with the move.",
			Run: limitsGivenBack,
		},
		{
			ID: "lifecycle.new", Title: "A new transaction has updated_at of its creation, no reason, and requires nothing within the limits of the tier",
			Clauses: []string{"D-66"}, Operations: []string{"createTransaction", "getTransaction", "listTransactions"}, Needs: probe.Extensions,
			Fix: "Answer updated_at and required_information always, [] where nothing is missing, and status_reason only where there is one.",
			Run: func(t *probe.T) {
				p := newPurse(t)
				r, err := p.send(amountOne)
				v := probe.OK(t, r, err)
				t.Expect(v.UpdatedAt != nil && *v.UpdatedAt == v.CreatedAt, "updated_at is not created_at")
				t.Expect(v.RequiredInformation != nil && len(v.RequiredInformation) == 0, "required_information is not []")
				t.Expect(v.StatusReason == nil, "there is a status_reason")
				p.wantKept("created", v)
				list, err := t.Client().ListTransactionsWithResponse(t.Context(), p.UserID, nil)
				all := probe.OK(t, list, err).Items
				t.Expect(len(all) == 1 && equalTransactions(t, all[0], v), "it is listed otherwise than it was answered")
			},
		},
		{
			ID: "lifecycle.held", Title: "A transaction above the tier names the tags that it waits for, and is released when they are VERIFIED, not before",
			Clauses: []string{"2.7", "3-cip-requested", "D-17", "D-25", "D-66"}, Operations: holding, Needs: probe.Extensions,
			Fix: "Keep the tags of the lowest tier that covers the amount and that are not VERIFIED at creation; answer those that are not VERIFIED now, and refuse PROCESSING with 422 INFORMATION_REQUIRED while there are any.",
			Run: heldUntilVerified,
		},
		{
			ID: "lifecycle.held.canceled", Title: "A transaction that waits for information can be canceled, and then waits no more",
			Clauses: []string{"D-66"}, Operations: append(holding, "cancelTransaction"), Needs: probe.Extensions,
			Fix: "Let a cancellation depend on the status alone, and answer [] once the transaction is not INITIATED.",
			Run: func(t *probe.T) {
				p := newLowPurse(t)
				r, err := p.send(plus(t, smallest(p.remaining()), cent))
				canceled, err := p.cancel(probe.Setup(t, r, err))
				v := probe.OK(t, canceled, err)
				t.Expect(v.Status == api.TransactionStatusCanceled && len(v.RequiredInformation) == 0, "it is %s and requires %v", v.Status, v.RequiredInformation)
			},
		},
		{
			ID: "lifecycle.sender", Title: "A transaction of a sender who may no longer send is not released, for that reason first, and can be canceled",
			Clauses: []string{"1-rule-3a", "D-09", "D-66"}, Operations: append(holding, "cancelTransaction"), Needs: probe.Extensions,
			Fix: "Refuse PROCESSING with the code that a new transaction of the sender would get, before INFORMATION_REQUIRED.",
			Run: func(t *probe.T) {
				p := newLowPurse(t)
				r, err := p.send(plus(t, smallest(p.remaining()), cent))
				v := probe.Setup(t, r, err)
				for _, status := range []api.KycStatus{api.KycStatusSuspended, api.KycStatusInProgress, api.KycStatusUnverified} {
					t.Verify(p.UserID, status, nil)
					moved, err := p.move(v, api.TransactionMoveRequest{Status: api.TransactionStatusProcessing})
					t.Refused(moved, err, 422, api.ErrorCodeKycNotEligible)
				}
				canceled, err := p.cancel(v)
				v = probe.OK(t, canceled, err)
				t.Expect(v.Status == api.TransactionStatusCanceled, "it became %s", v.Status)
			},
		},
	}
}

func limitsGivenBack(t *probe.T) {
	p := newPayouts(t)
	for _, s := range lifecycleStates() {
		for _, x := range transitions() {
			if !x.allows(s) {
				continue
			}
			t.Case(fmt.Sprintf("%s to %s", s, x.reached()), func() {
				start := p.remaining()
				v := p.in(s)
				before := p.remaining()
				wantRemaining(t, before, used(t, start, amountOne))
				for range 2 {
					r, err := p.move(v, x.request())
					probe.OK(t, r, err)
					if x.givesBack {
						p.wantUsed(start)
					} else {
						p.wantUsed(before)
					}
				}
			})
		}
	}
}

// heldUntilVerified sends what only a higher tier covers, and verifies one tag after the other.
func heldUntilVerified(t *probe.T) {
	p := newLowPurse(t)
	own := p.tags()
	r, err := p.send(plus(t, smallest(p.remaining()), cent))
	v := probe.OK(t, r, err)
	required := v.RequiredInformation
	if len(required) == 0 {
		t.Fatalf("required_information is empty for an amount above the remaining limit")
	}
	t.Expect(slices.IsSorted(required), "required_information is not in alphabetical order")
	for _, tag := range required {
		t.Expect(own[tag] != api.CipStatusVerified, "%s is required and was VERIFIED", tag)
	}
	for _, tag := range requestedTags(p.tags()) {
		t.Expect(slices.Contains(required, tag), "%s became REQUESTED and is not required", tag)
	}
	unmoved, err := p.move(v, api.TransactionMoveRequest{Status: v.Status})
	t.Expect(equalTransactions(t, probe.OK(t, unmoved, err), v), "its own status answers another transaction than its creation")
	release := api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}
	for i, tag := range required {
		p.wantRequired(v, required[i:])
		moved, err := p.move(v, release)
		t.Refused(moved, err, 422, api.ErrorCodeInformationRequired)
		p.verify(tagsWith([]string{tag}, api.CipStatusReviewing))
		p.wantRequired(v, required[i:])
		p.verify(tagsWith([]string{tag}, api.CipStatusVerified))
	}
	p.wantRequired(v, nil)
	p.verify(tagsWith(required[:1], api.CipStatusFailed))
	p.wantRequired(v, required[:1])
	p.verify(tagsWith(required[:1], api.CipStatusVerified))
	moved, err := p.move(v, release)
	v = probe.OK(t, moved, err)
	t.Expect(v.Status == api.TransactionStatusProcessing, "it became %s", v.Status)
	p.verify(tagsWith(required[:1], api.CipStatusFailed))
	p.wantRequired(v, nil)
}

// wantRequired reads a transaction, also in the list, and compares what it waits for.
func (p purse) wantRequired(v api.Transaction, want []string) {
	r, err := p.t.Client().GetTransactionWithResponse(p.t.Context(), p.UserID, v.ID)
	list, listErr := p.t.Client().ListTransactionsWithResponse(p.t.Context(), p.UserID, nil)
	for _, x := range append(probe.OK(p.t, list, listErr).Items, probe.OK(p.t, r, err)) {
		p.t.Expect(x.ID != v.ID || slices.Equal(x.RequiredInformation, want) && x.RequiredInformation != nil,
			"required_information is %v, want %v", x.RequiredInformation, want)
	}
}
