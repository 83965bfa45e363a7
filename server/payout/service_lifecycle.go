package payout

import (
	"context"
	"slices"
	"strings"
)

// MoveTransaction moves a transaction along the table of transitions (D-66) and returns it. A move to the status that it has
// changes nothing. It returns CodeBadRequest for a reason that is missing or out of place, CodeNotFound for an unknown
// transaction, CodeTransitionNotAllowed for a move that the table does not have, or CodeTransactionNotCancelable if it is one of
// the client, and for a release what senderMaySend returns, or CodeInformationRequired.
func (s *Service) MoveTransaction(ctx context.Context, c Client, userID UserID, id TransactionID, m Move) (Transaction, error) {
	if err := refused(m.Check()); err != nil {
		return Transaction{}, err
	}
	var t Transaction
	err := s.store.Write(ctx, func(tx Tx) (err error) {
		t, err = s.move(ctx, tx, c, userID, id, m)
		return err
	})
	return t, err
}

// CancelTransaction cancels a transaction for the client: MoveTransaction to StatusCanceled.
func (s *Service) CancelTransaction(ctx context.Context, c Client, userID UserID, id TransactionID) (Transaction, error) {
	return s.MoveTransaction(ctx, c, userID, id, Move{Status: StatusCanceled, By: ActorClient})
}

// move is MoveTransaction within a write, for a move that has been checked. It locks the transaction before the counters.
func (s *Service) move(ctx context.Context, tx Tx, c Client, userID UserID, id TransactionID, m Move) (Transaction, error) {
	before, ok, err := tx.LockTransaction(ctx, c.ID, userID, id)
	if err == nil && !ok {
		err = NotFound("transaction")
	}
	if err != nil {
		return Transaction{}, err
	}
	after, givesBack, err := s.moveLocked(ctx, tx, c, before, m)
	if err == nil && givesBack {
		_, err = tx.AddUsage(ctx, c.ID, after.usageKey(), -after.FromAmount)
	}
	return after, err
}

// moveLocked is move for a transaction that this write has locked. If the move gives its amount back to the limits, the caller
// has to do so.
func (s *Service) moveLocked(
	ctx context.Context, tx Tx, c Client, before Transaction, m Move,
) (after Transaction, givesBack bool, err error) {
	x, ok := m.find(before)
	if !ok {
		return Transaction{}, false, m.notAllowed(before)
	}
	if x.To == before.Status && x.Delivery == before.DeliveryStatus {
		return before, false, nil
	}
	if x.Guarded {
		if err := mayRelease(ctx, tx, c, before); err != nil {
			return Transaction{}, false, err
		}
	}
	after = before
	after.Status, after.DeliveryStatus, after.StatusReason = x.To, x.Delivery, m.Reason
	after.UpdatedAt = before.movedAt(s.now())
	if after.Status != StatusInitiated {
		after.RequiredInformation = nil
	}
	if err := tx.SetTransactionStatus(ctx, c.ID, after); err != nil {
		return Transaction{}, false, err
	}
	var types []EventType
	if after.Status != before.Status {
		types = append(types, TransactionStatusChanged)
	}
	if after.DeliveryStatus != before.DeliveryStatus {
		types = append(types, TransactionDeliveryStatusChanged)
	}
	moved, err := s.transactionEvents(after, types...)
	if err := insert(ctx, tx, c, moved, err); err != nil {
		return Transaction{}, false, err
	}
	return after, x.GivesBack, tx.Audit(ctx, Change{c.ID, "transaction", string(after.ID), newTransactionState(before), newTransactionState(after)})
}

// notAllowed returns the error for a move that the table does not have. It names the moves that there are.
func (m Move) notAllowed(t Transaction) error {
	if m.By == ActorClient {
		return NewError(CodeTransactionNotCancelable).saying(
			"The transaction is " + string(t.Status) + " and can no longer be canceled. Only one that is INITIATED can.")
	}
	message := "A transaction that is " + string(t.Status) + " with delivery " + string(t.DeliveryStatus)
	if next := m.next(t); len(next) > 0 {
		message += " can only become " + strings.Join(next, ", or ") + "."
	} else {
		message += " cannot change any more."
	}
	return NewError(CodeTransitionNotAllowed).saying(message)
}

// next returns what the actor of a move can make of a transaction.
func (m Move) next(t Transaction) (all []string) {
	for _, x := range transitions {
		if x.From == t.Status && (m.By == ActorSandbox || slices.Contains(x.By, m.By)) {
			all = append(all, string(x.To)+" with delivery "+string(x.Delivery))
		}
	}
	for _, x := range deliveryTransitions {
		if x.Status == t.Status && x.From == t.DeliveryStatus && x.Method == t.To.Method {
			all = append(all, string(x.Status)+" with delivery "+string(x.To))
		}
	}
	return all
}

// mayRelease checks that the sender may still send, and that no information is required.
func mayRelease(ctx context.Context, r Reader, c Client, t Transaction) error {
	u, err := findUser(ctx, r, c, t.UserID)
	if err != nil {
		return err
	}
	return releasable(c, u, t)
}

// releasable is mayRelease for a sender that was read.
func releasable(c Client, u User, t Transaction) error {
	if _, err := senderMaySend(c, u); err != nil {
		return err
	}
	if len(t.RequiredInformation) > 0 {
		return NewError(CodeInformationRequired).saying(
			"Information of the user must be verified first: " + listed(t.RequiredInformation) + ".")
	}
	return nil
}

// usageKey returns the counters in which the transaction was counted when it was created.
func (t Transaction) usageKey() UsageKey {
	return UsageKey{UserID: t.UserID, Destination: t.Destination, Currency: t.FromCurrency, At: t.CreatedAt}
}

// requiredInformation returns the tags that must become VERIFIED before a transaction above the limits of the user's tier is
// released: those that the user lacks for the lowest tier whose remaining limits cover the amount.
func requiredInformation(
	tiers []Tier, u User, tags map[string]CIPStatus, tier int, currency string, before Usage, amount int64,
) []string {
	for n := tier + 1; n <= len(tiers); n++ {
		if remaining(tiers, n, currency, before).covers(amount) {
			return slices.DeleteFunc(slices.Sorted(slices.Values(tiers[n-1].RequiredTags.of(u))),
				func(tag string) bool { return tags[tag] == CIPVerified })
		}
	}
	return nil // above the highest tier, which is refused
}
