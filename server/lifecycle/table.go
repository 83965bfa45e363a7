package lifecycle

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Move is a row of the table of transitions in the contract.
type Move struct {
	From, To api.TransactionStatus
	Who      []Actor
	Reason   string             // needed, optional or none
	Delivery api.DeliveryStatus // after it
	// A move within a status follows a delivery status, with a payout method.
	After  api.DeliveryStatus
	Method api.PayoutMethod
}

// Actor is who makes a move.
type Actor string

// The actors of the table.
const (
	Client   Actor = "client"
	Operator Actor = "operator"
)

// Table has all moves.
type Table []Move

var quoted = regexp.MustCompile("`([^`]+)`")

// ReadTable reads the table in the description of the contract.
func ReadTable(contract string) (table Table, err error) {
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
		m := Move{
			From: api.TransactionStatus(names(1)[0]), To: api.TransactionStatus(names(2)[0]), Reason: strings.TrimSpace(cells[5]),
			Delivery: api.DeliveryStatus(names(4)[0]), After: api.DeliveryStatus(names(4)[1]), Method: api.PayoutMethod(names(4)[2]),
		}
		for who := range strings.SplitSeq(cells[3], ",") {
			m.Who = append(m.Who, Actor(strings.TrimSpace(who)))
		}
		table = append(table, m)
	}
	if len(table) == 0 {
		return nil, errors.New("lifecycle: the contract has no table of transitions")
	}
	return table, nil
}

// Moves returns the moves that a payout in its present state can make.
func (t Table) Moves(p Payout) Table {
	return slices.DeleteFunc(slices.Clone(t), func(m Move) bool {
		return m.From != p.Status || m.From == m.To && (m.After != p.Delivery || m.Method != p.Method)
	})
}
