package payout

import (
	"slices"
	"time"
)

// TransactionStatus is the state of a transaction (D-66).
type TransactionStatus string

// The statuses of a transaction.
const (
	StatusInitiated  TransactionStatus = "INITIATED"
	StatusProcessing TransactionStatus = "PROCESSING"
	StatusCompleted  TransactionStatus = "COMPLETED"
	StatusFailed     TransactionStatus = "FAILED"
	StatusCanceled   TransactionStatus = "CANCELED"
	StatusReturned   TransactionStatus = "RETURNED"
)

// TransactionStatuses returns all of them.
func TransactionStatuses() []TransactionStatus {
	return []TransactionStatus{
		StatusInitiated, StatusProcessing, StatusCompleted, StatusFailed, StatusCanceled, StatusReturned,
	}
}

// DeliveryStatus is how far the delivery to the receive user is (D-66).
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryNone           DeliveryStatus = "NONE"
	DeliveryPending        DeliveryStatus = "PENDING"
	DeliveryReadyForPickup DeliveryStatus = "READY_FOR_PICKUP"
	DeliveryDelivered      DeliveryStatus = "DELIVERED"
	DeliveryFailed         DeliveryStatus = "FAILED"
	DeliveryReturned       DeliveryStatus = "RETURNED"
)

// DeliveryStatuses returns all of them.
func DeliveryStatuses() []DeliveryStatus {
	return []DeliveryStatus{
		DeliveryNone, DeliveryPending, DeliveryReadyForPickup, DeliveryDelivered, DeliveryFailed, DeliveryReturned,
	}
}

// StatusReason is why a transaction has its status (D-66).
type StatusReason string

// The reasons. ReasonOther is for what none of the others says.
const (
	ReasonAccountInvalid       StatusReason = "ACCOUNT_INVALID"
	ReasonAccountCannotReceive StatusReason = "ACCOUNT_CANNOT_RECEIVE"
	ReasonNotCollected         StatusReason = "NOT_COLLECTED"
	ReasonPayoutReturned       StatusReason = "PAYOUT_RETURNED"
	ReasonComplianceRejected   StatusReason = "COMPLIANCE_REJECTED"
	ReasonOther                StatusReason = "OTHER"
)

// StatusReasons returns all of them.
func StatusReasons() []StatusReason {
	return []StatusReason{
		ReasonAccountInvalid, ReasonAccountCannotReceive, ReasonNotCollected, ReasonPayoutReturned,
		ReasonComplianceRejected, ReasonOther,
	}
}

// Actor is who moves a transaction.
type Actor string

// The actors. The sandbox plays each of the others.
const (
	ActorClient   Actor = "client"
	ActorOperator Actor = "operator"
	ActorSandbox  Actor = "sandbox"
)

// Transition is a move from one status to another (D-66).
type Transition struct {
	From, To    TransactionStatus
	By          []Actor
	Delivery    DeliveryStatus // after it
	NeedsReason bool
	GivesBack   bool // the amount no longer counts against the limits of the sender
	Guarded     bool // only while the sender may send and no information is required
}

var transitions = []Transition{
	{
		From: StatusInitiated, To: StatusProcessing, By: []Actor{ActorOperator}, Delivery: DeliveryPending, Guarded: true,
	},
	{
		From: StatusInitiated, To: StatusCanceled, By: []Actor{ActorClient, ActorOperator}, Delivery: DeliveryNone,
		GivesBack: true,
	},
	{From: StatusProcessing, To: StatusCompleted, By: []Actor{ActorOperator}, Delivery: DeliveryDelivered},
	{
		From: StatusProcessing, To: StatusFailed, By: []Actor{ActorOperator}, Delivery: DeliveryFailed,
		NeedsReason: true, GivesBack: true,
	},
	{
		From: StatusCompleted, To: StatusReturned, By: []Actor{ActorOperator}, Delivery: DeliveryReturned,
		NeedsReason: true, GivesBack: true,
	},
}

// Transitions returns the moves between statuses. There are no others.
func Transitions() []Transition { return slices.Clone(transitions) }

// DeliveryTransition is a move of the delivery that leaves the status as it is; only the operator makes one.
type DeliveryTransition struct {
	Status   TransactionStatus
	From, To DeliveryStatus
	Method   PayoutMethod // of the transaction
}

var deliveryTransitions = []DeliveryTransition{
	{Status: StatusProcessing, From: DeliveryPending, To: DeliveryReadyForPickup, Method: CashPickup},
}

// DeliveryTransitions returns the moves of the delivery within a status. There are no others.
func DeliveryTransitions() []DeliveryTransition { return slices.Clone(deliveryTransitions) }

// Counts reports whether transactions of a status count against the limits of their senders: those that no transition into
// it gives back.
func (s TransactionStatus) Counts() bool {
	return !slices.ContainsFunc(transitions, func(t Transition) bool { return t.To == s && t.GivesBack })
}

// needsReason reports whether transactions of a status have a reason.
func (s TransactionStatus) needsReason() bool {
	return slices.ContainsFunc(transitions, func(t Transition) bool { return t.To == s && t.NeedsReason })
}

// Move is what is to become of a transaction.
type Move struct {
	Status   TransactionStatus
	Delivery DeliveryStatus // empty: the one that the transition sets, or, without a transition, as it is
	Reason   StatusReason   // empty: none
	By       Actor
}

// Check returns what is wrong with a move, whatever the transaction is.
func (m Move) Check() []Violation {
	switch {
	case m.Status.needsReason() && m.Reason == "":
		return []Violation{InBody("/status_reason", "is required with this status")}
	case m.Status.Counts() && m.Reason != "":
		return []Violation{InBody("/status_reason", "must not be sent with this status")}
	}
	return nil
}

// find returns the transition of a move. One that changes at most the delivery has the same status on both ends. ok is false
// if the table has none.
func (m Move) find(t Transaction) (_ Transition, ok bool) {
	if m.Status == t.Status {
		same := Transition{From: t.Status, To: t.Status, Delivery: t.DeliveryStatus}
		if m.Delivery == "" || m.Delivery == t.DeliveryStatus {
			return same, true
		}
		same.Delivery = m.Delivery
		return same, m.By != ActorClient && slices.Contains(deliveryTransitions,
			DeliveryTransition{t.Status, t.DeliveryStatus, m.Delivery, t.To.Method})
	}
	i := slices.IndexFunc(transitions, func(x Transition) bool {
		return x.From == t.Status && x.To == m.Status && (m.By == ActorSandbox || slices.Contains(x.By, m.By)) &&
			(m.Delivery == "" || m.Delivery == x.Delivery)
	})
	if i < 0 {
		return Transition{}, false
	}
	return transitions[i], true
}

// LifecycleProblems returns what is wrong with the status of a transaction, if anything: for checks of stored rows.
func (t Transaction) LifecycleProblems() []string {
	if !slices.Contains(TransactionStatuses(), t.Status) {
		return []string{"status is unknown"}
	}
	var found []string
	if !t.deliveryFits() {
		found = append(found, "delivery_status is not one of status "+string(t.Status))
	}
	if t.Status.needsReason() && t.StatusReason == "" {
		found = append(found, "status_reason is missing")
	}
	if t.StatusReason != "" && (t.Status.Counts() || !slices.Contains(StatusReasons(), t.StatusReason)) {
		found = append(found, "status_reason is unknown, or of another status")
	}
	if t.UpdatedAt.Before(t.CreatedAt) {
		found = append(found, "updated_at is before created_at")
	}
	return found
}

// deliveryFits reports whether a sequence of transitions leads to the status and the delivery status.
func (t Transaction) deliveryFits() bool {
	if t.Status == StatusInitiated {
		return t.DeliveryStatus == DeliveryNone
	}
	return slices.ContainsFunc(transitions, func(x Transition) bool { return x.To == t.Status && x.Delivery == t.DeliveryStatus }) ||
		slices.ContainsFunc(deliveryTransitions, func(x DeliveryTransition) bool {
			return x.Status == t.Status && x.To == t.DeliveryStatus && x.Method == t.To.Method
		})
}

// movedAt returns the time of a change, which is always after that of the one before it, even if the clock of another replica is
// ahead: receivers of webhooks tell by it which of two states is newer.
func (t Transaction) movedAt(now time.Time) time.Time {
	if next := t.UpdatedAt.Add(time.Microsecond); now.Before(next) {
		return next
	}
	return now
}
