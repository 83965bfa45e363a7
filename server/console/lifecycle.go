package console

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// move is a row of the table of transitions in the contract.
type move struct {
	From, To api.TransactionStatus
	Who      string
	Reason   string             // needed, optional or none
	Delivery api.DeliveryStatus // after it
	// A move within a status follows a delivery status, with a payout method.
	After  api.DeliveryStatus
	Method api.PayoutMethod
}

var quoted = regexp.MustCompile("`([^`]+)`")

// readMoves reads the table of the contract, so that the console offers the moves that the service makes.
func readMoves(contract string) (moves []move, err error) {
	_, text, _ := strings.Cut(contract, "<!-- transitions -->")
	text, _, _ = strings.Cut(text, "<!-- end -->")
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) != 8 || !strings.Contains(cells[1], "`") { // the head, and the line below it
			continue
		}
		names := func(cell int) []string {
			var all []string
			for _, match := range quoted.FindAllStringSubmatch(cells[cell], -1) {
				all = append(all, match[1])
			}
			return append(all, "", "", "")
		}
		delivery := names(4)
		moves = append(moves, move{
			From: api.TransactionStatus(names(1)[0]), To: api.TransactionStatus(names(2)[0]), Who: strings.TrimSpace(cells[3]),
			Reason: strings.TrimSpace(cells[5]), Delivery: api.DeliveryStatus(delivery[0]),
			After: api.DeliveryStatus(delivery[1]), Method: api.PayoutMethod(delivery[2]),
		})
	}
	if len(moves) == 0 {
		return nil, errors.New("console: the contract has no table of transitions")
	}
	return moves, nil
}

// movesOf returns the moves that a transaction can make now.
func (c *Console) movesOf(t *api.Transaction) []move {
	return slices.DeleteFunc(slices.Clone(c.moves), func(m move) bool {
		return m.From != t.Status || m.From == m.To && (m.After != t.DeliveryStatus || m.Method != t.To.PayoutMethod)
	})
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

// lists are the values of the contract that can be chosen. The statuses are the columns of the board.
type lists struct {
	statuses []api.TransactionStatus
	reasons  []api.StatusReason
	kyc      []api.KycStatus
	tags     []api.CipStatus
}

func readLists(contract *openapi3.T) lists {
	return lists{
		values[api.TransactionStatus](contract, "TransactionStatusRequest"), values[api.StatusReason](contract, "StatusReasonRequest"),
		values[api.KycStatus](contract, "KycStatusRequest"), values[api.CipStatus](contract, "CipStatusRequest"),
	}
}

// waiting says what a payout waits for, and who can move it.
type waiting struct {
	For, Who string
	Tags     []string // that must be VERIFIED first
	Sender   bool     // must be VERIFIED first
}

// waitingOf explains a transaction; sender may be nil.
func (c *Console) waitingOf(t *api.Transaction, sender *api.User) waiting {
	w := waiting{Who: c.movers(t)}
	switch {
	case t.Status == api.TransactionStatusInitiated && len(t.RequiredInformation) > 0:
		w.Tags = t.RequiredInformation
		w.For = "It is held, because the amount is above the limit of the sender's tier. Before it can be released, the operator must verify: " +
			strings.Join(t.RequiredInformation, ", ") + "."
	case t.Status == api.TransactionStatusInitiated && sender != nil && sender.Status != api.KycStatusVerified:
		w.Sender = true
		w.For = "The sender is " + string(sender.Status) + " and must be VERIFIED before it can be released."
	case t.Status == api.TransactionStatusInitiated:
		w.For = "It waits for the operator to release it."
	case t.Status == api.TransactionStatusProcessing && t.DeliveryStatus == api.DeliveryStatusReadyForPickup:
		w.For = "The cash waits at the counter. When it is collected, the operator completes the payout."
	case t.Status == api.TransactionStatusProcessing:
		w.For = "It is on its way. The operator records what the bank or payer reports."
	case t.Status == api.TransactionStatusCompleted:
		w.For = "It is paid out and waits for nothing. A bank or payer may still send the funds back."
	case t.Status == api.TransactionStatusFailed:
		w.For = "It could not be paid out. This is final; send it again as a new payout."
	case t.Status == api.TransactionStatusCanceled:
		w.For = "It was canceled before it was released. This is final."
	case t.Status == api.TransactionStatusReturned:
		w.For = "The funds came back after it was paid out. This is final."
	}
	return w
}

// movers lists who can make which move, by the table.
func (c *Console) movers(t *api.Transaction) string {
	var clauses []string
	for _, m := range c.movesOf(t) {
		to := string(m.To)
		if m.From == m.To {
			to = string(m.Delivery)
		}
		clauses = append(clauses, to+" (by the "+strings.ReplaceAll(m.Who, ", ", " or the ")+")")
	}
	if clauses == nil {
		return "Nobody can move it any more."
	}
	return "It can move to " + strings.Join(clauses, " or ") + ". In this sandbox, you play the operator too."
}
