package payouttest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/client/payouttest"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// today returns what the sender may send to Nepal today.
func today(t *testing.T, r ready) string {
	t.Helper()
	limit, err := r.Client.GetTransactionLimit(t.Context(), r.sender.ID, "NP")
	if err != nil {
		t.Fatal(err)
	}
	return limit.RemainingLimit.DailyLimit.String()
}

// Each move makes those before it, and can be made after them.
func TestMoves(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	cash := r.Payout(r.sender, r.ReceiveUser(r.sender, "NP"), api.PayoutMethodCashPickup, "100")
	invalid := api.StatusReasonAccountInvalid
	for name, row := range map[string]struct {
		move     func(uuid.UUID) *api.Transaction
		request  api.TransactionRequest
		status   api.TransactionStatus
		delivery api.DeliveryStatus
		left     string // of the limit of 1000 a day, of which the payout needs 100
	}{
		"Release":        {r.Release, r.payout, api.TransactionStatusProcessing, api.DeliveryStatusPending, "900.00"},
		"ReadyForPickup": {r.ReadyForPickup, cash, api.TransactionStatusProcessing, api.DeliveryStatusReadyForPickup, "900.00"},
		"Settle":         {r.Settle, cash, api.TransactionStatusCompleted, api.DeliveryStatusDelivered, "900.00"},
		"Fail": {
			func(id uuid.UUID) *api.Transaction { return r.Fail(id, invalid) }, r.payout,
			api.TransactionStatusFailed, api.DeliveryStatusFailed, "1000.00",
		},
		"Return": {
			func(id uuid.UUID) *api.Transaction { return r.Return(id, invalid) }, r.payout,
			api.TransactionStatusReturned, api.DeliveryStatusReturned, "1000.00",
		},
	} {
		made := send(t, r.Client, r.sender, row.request)
		for range 2 { // the second time nothing is left to do
			got := row.move(made)
			if got.ID != made || got.Status != row.status || got.DeliveryStatus != row.delivery {
				t.Errorf("%s: %s %s", name, got.Status, got.DeliveryStatus)
			}
		}
		if left := today(t, r); left != row.left {
			t.Errorf("%s: %s are left today, want %s", name, left, row.left)
		}
		if row.left != "1000.00" {
			r.Return(made, invalid)
		}
	}
	id := send(t, r.Client, r.sender, cash)
	r.Release(id)
	r.ReadyForPickup(id)
	if got := r.Settle(id); got.DeliveryStatus != api.DeliveryStatusDelivered {
		t.Errorf("step by step: %+v", got)
	}
}

// A payout above the tier waits for information, whatever the sender has sent before.
func TestAHeldPayout(t *testing.T) {
	t.Parallel()
	r := newReady(t)
	send(t, r.Client, r.sender, r.payout)
	request := r.HeldPayout(r.sender, r.ReceiveUser(r.sender, "NP"), api.PayoutMethodWallet)
	made, err := r.Client.CreateTransaction(t.Context(), r.sender.ID, request)
	if err != nil || !slices.Equal(made.RequiredInformation, []string{"ADDRESS_LINE1", "DATE_OF_BIRTH", "ID_DOC"}) {
		t.Fatalf("created %+v, %v", made, err)
	}
	_, err = r.once.SetTransactionStatus(t.Context(), r.sender.ID, made.ID, api.TransactionMoveRequest{Status: api.TransactionStatusProcessing})
	if !errors.Is(err, client.InformationRequired) {
		t.Errorf("released before: %v", err)
	}
	r.VerifyRequired(made.ID)
	if got := r.Release(made.ID); got.Status != api.TransactionStatusProcessing {
		t.Errorf("released: %+v", got)
	}
	r.VerifyRequired(made.ID) // nothing is left to do
}

func TestMisuseOfMovesFailsTheTest(t *testing.T) {
	t.Parallel()
	unknown := uuid.New()
	for says, do := range map[string]func(*payouttest.Sandbox){
		"Client has no transaction " + unknown.String(): func(s *payouttest.Sandbox) { s.Release(unknown) },
		"TRANSITION_NOT_ALLOWED": func(s *payouttest.Sandbox) {
			sender := s.VerifiedSender()
			id := send(t, s.Client, sender, s.Payout(sender, s.ReceiveUser(sender, "NP"), api.PayoutMethodWallet, "1"))
			s.Settle(id)
			s.Fail(id, api.StatusReasonOther)
		},
		"no payout of this sender can be held": func(s *payouttest.Sandbox) {
			sender := s.VerifiedSender()
			s.TopTier(sender)
			s.HeldPayout(sender, s.ReceiveUser(sender, "NP"), api.PayoutMethodWallet)
		},
	} {
		if got := witnessed(t, do); !strings.Contains(got, says) {
			t.Errorf("the test says %q, want %q", got, says)
		}
	}
}
