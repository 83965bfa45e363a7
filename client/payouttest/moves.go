package payouttest

import (
	"slices"

	"github.com/google/uuid"

	"github.com/crossborder-payouts/payouts/client"
	"github.com/crossborder-payouts/payouts/gen/api"
)

// The methods of this file do what the operator does with a transaction of Client (decision D-66). Each makes the moves before
// it too, unless they were made, and returns the transaction as it then is. A move that the service refuses fails the test.

// Release starts a payout: it becomes PROCESSING.
func (s *Sandbox) Release(transaction uuid.UUID) *api.Transaction {
	s.t.Helper()
	return s.move(transaction, released)
}

// ReadyForPickup lets the cash of a CASH_PICKUP wait at the counter: it is PROCESSING, and its delivery READY_FOR_PICKUP.
func (s *Sandbox) ReadyForPickup(transaction uuid.UUID) *api.Transaction {
	s.t.Helper()
	waiting := api.TransactionMoveRequest{Status: api.TransactionStatusProcessing, DeliveryStatus: new(api.DeliveryStatusReadyForPickup)}
	return s.move(transaction, released, waiting)
}

// Settle pays a payout: it becomes COMPLETED.
func (s *Sandbox) Settle(transaction uuid.UUID) *api.Transaction {
	s.t.Helper()
	return s.move(transaction, released, settled)
}

// Fail ends a payout that could not be paid: it becomes FAILED, and its limit is given back.
func (s *Sandbox) Fail(transaction uuid.UUID, reason api.StatusReason) *api.Transaction {
	s.t.Helper()
	return s.move(transaction, released, api.TransactionMoveRequest{Status: api.TransactionStatusFailed, StatusReason: &reason})
}

// Return sends a payout back that was paid: it becomes RETURNED, and its limit is given back.
func (s *Sandbox) Return(transaction uuid.UUID, reason api.StatusReason) *api.Transaction {
	s.t.Helper()
	returned := api.TransactionMoveRequest{Status: api.TransactionStatusReturned, StatusReason: &reason}
	return s.move(transaction, released, settled, returned)
}

var (
	released = api.TransactionMoveRequest{Status: api.TransactionStatusProcessing}
	settled  = api.TransactionMoveRequest{Status: api.TransactionStatusCompleted}
)

// way are the statuses in the order in which a payout goes through them.
var way = []api.TransactionStatus{
	api.TransactionStatusInitiated, api.TransactionStatusProcessing, api.TransactionStatusCompleted,
}

func (s *Sandbox) move(id uuid.UUID, moves ...api.TransactionMoveRequest) *api.Transaction {
	s.t.Helper()
	v, last := s.transaction(id), moves[len(moves)-1]
	for i, m := range moves {
		made := v.Status == last.Status || slices.Index(way, v.Status) >= slices.Index(way, m.Status)
		if made && i < len(moves)-1 {
			continue
		}
		s.set(func() (err error) {
			v, err = s.direct.SetTransactionStatus(s.t.Context(), v.UserID, id, m)
			return err
		})
	}
	return v
}

// transaction returns a transaction of Client.
func (s *Sandbox) transaction(id uuid.UUID) *api.Transaction {
	s.t.Helper()
	for v, err := range s.direct.ClientTransactions(s.t.Context(), nil) {
		if err != nil {
			s.t.Fatal(err)
		}
		if v.ID == id {
			return &v
		}
	}
	s.t.Fatalf("Client has no transaction %s", id)
	return nil
}

// HeldPayout is a request like that of [Sandbox.Payout] for an amount just above the limits of the sender's tier. The transaction
// is created, and cannot be released before [Sandbox.VerifyRequired].
func (s *Sandbox) HeldPayout(from Sender, to ReceiveUser, method api.PayoutMethod) api.TransactionRequest {
	s.t.Helper()
	limit := must(s.direct.GetTransactionLimit(s.t.Context(), from.ID, to.Country))(s.t).RemainingLimit
	least := limit.DailyLimit
	for _, other := range []api.Amount{limit.MonthlyLimit, limit.AnnualLimit} {
		if other.Decimal().Cmp(least.Decimal()) < 0 {
			least = other
		}
	}
	above, err := least.Decimal().Add(client.MustAmount("0.01").Decimal())
	if err != nil {
		s.t.Fatal(err)
	}
	request := s.Payout(from, to, method, above.String())
	preview, err := s.direct.PreviewTransaction(s.t.Context(), from.ID, request)
	if err != nil || len(preview.RequiredInformation) == 0 {
		s.t.Fatalf("no payout of this sender can be held, for example because it is in the highest tier: %v", err)
	}
	return request
}

// VerifyRequired verifies all information that a held payout requires, as a reviewer does after it was submitted, whether it was
// or not.
func (s *Sandbox) VerifyRequired(transaction uuid.UUID) {
	s.t.Helper()
	v := s.transaction(transaction)
	verified := map[string]api.CipStatus{}
	for _, tag := range v.RequiredInformation {
		verified[tag] = api.CipStatusVerified
	}
	if len(verified) > 0 {
		s.verify(v.UserID, api.VerificationRequest{CipInfo: verified})
	}
}
