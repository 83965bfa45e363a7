package console

import (
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server/lifecycle"
)

// move is a move that a payout can make, as a button.
type move struct{ lifecycle.Move }

// stateOf is what of a transaction decides about its moves, and what it waits for; sender and tags may be nil.
func stateOf(t *api.Transaction, sender *api.User, tags map[string]api.CipStatus) lifecycle.Payout {
	p := lifecycle.Payout{Status: t.Status, Delivery: t.DeliveryStatus, Method: t.To.PayoutMethod, Required: t.RequiredInformation}
	if sender != nil {
		p.Sender = &lifecycle.Sender{Status: sender.Status, Tags: tags}
	}
	return p
}

// movesOf returns the moves that a transaction can make now.
func (c *Console) movesOf(t *api.Transaction) (all []move) {
	for _, m := range c.moves.Moves(stateOf(t, nil, nil)) {
		all = append(all, move{m})
	}
	return all
}

// Label is the text of the button of a move.
func (m move) Label() string {
	switch m.To {
	case m.From:
		return "Make ready for pickup"
	case api.TransactionStatusProcessing:
		return "Release"
	case api.TransactionStatusCompleted:
		return "Complete"
	case api.TransactionStatusFailed:
		return "Fail"
	case api.TransactionStatusCanceled:
		return "Cancel"
	case api.TransactionStatusReturned:
		return "Return"
	}
	return "Move to " + string(m.To)
}

// statuses are the columns of the board.
var statuses = []api.TransactionStatus{
	api.TransactionStatusInitiated, api.TransactionStatusProcessing, api.TransactionStatusCompleted,
	api.TransactionStatusFailed, api.TransactionStatusCanceled, api.TransactionStatusReturned,
}

var reasons = []api.StatusReason{
	api.StatusReasonAccountInvalid, api.StatusReasonAccountCannotReceive, api.StatusReasonNotCollected,
	api.StatusReasonPayoutReturned, api.StatusReasonComplianceRejected, api.StatusReasonOther,
}

// waitingOf explains a transaction; sender and tags may be nil.
func (c *Console) waitingOf(t *api.Transaction, sender *api.User, tags map[string]api.CipStatus) lifecycle.Waiting {
	return c.moves.Explain(stateOf(t, sender, tags))
}
