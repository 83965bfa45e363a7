package lifecycle

import (
	"maps"
	"slices"
	"strings"

	"github.com/crossborder-payouts/payouts/gen/api"
)

// Payout is what the explanation of a payout depends on.
type Payout struct {
	Status   api.TransactionStatus
	Delivery api.DeliveryStatus
	Method   api.PayoutMethod
	Required []api.CipTag // that must be VERIFIED before it is released
	Sender   *Sender      // nil: not known
}

// Sender is what is known of the sender of a payout.
type Sender struct {
	Status api.KycStatus
	Tags   map[api.CipTag]api.CipStatus // nil: not known
	Barred bool                         // it is VERIFIED, and the profile of the client does not let it send any more
}

// Waiting says what a payout waits for, and what each side can do now.
type Waiting struct {
	For      string   // sentences
	Client   []string // such as "cancel it"
	Operator []string

	Verify       []api.CipTag // what the operator is to verify, because it was submitted
	VerifySender bool         // the operator is to verify the sender as a whole
	Send         []api.CipTag // what the client is to send first
	Releasable   bool         // nothing but the operator's release is waited for
}

// Who says in sentences who can do what.
func (w Waiting) Who() string {
	var all []string
	for _, side := range []struct {
		who Actor
		can []string
	}{{Client, w.Client}, {Operator, w.Operator}} {
		if len(side.can) > 0 {
			all = append(all, "The "+string(side.who)+" can "+Can(side.can)+".")
		}
	}
	if all == nil {
		return "Nobody can move it any more."
	}
	return strings.Join(all, " ")
}

// Explain says what a payout waits for.
func (t Table) Explain(p Payout) Waiting {
	var w Waiting
	if p.Status == api.TransactionStatusInitiated {
		w.initiated(p)
	} else {
		w.For = released(p)
	}
	w.can(t.Moves(p))
	return w
}

// initiated explains a payout that was not released yet.
func (w *Waiting) initiated(p Payout) {
	var says []string
	wanted := p.Required
	if len(wanted) > 0 {
		says = append(says, "It is held, because the amount is above the limit of the sender's tier. Before it can be released, these must be VERIFIED: "+
			strings.Join(wanted, ", ")+".")
	}
	s := p.Sender
	if s != nil && s.Status != api.KycStatusVerified {
		says = append(says, "The sender is "+string(s.Status)+" and must be VERIFIED before it can be released.")
		w.VerifySender = true
		for _, tag := range slices.Sorted(maps.Keys(s.Tags)) {
			if s.Tags[tag] != api.CipStatusVerified && !slices.Contains(wanted, tag) {
				wanted = append(slices.Clip(wanted), tag)
			}
		}
	}
	if s != nil && s.Barred {
		says = append(says, "The profile of the client no longer allows the country of the sender.")
		w.Operator = append(w.Operator, "allow that country in the profile of the client")
	}
	w.tags(wanted, s)
	if len(says) == 0 {
		w.Releasable = true
		says = append(says, "It waits for the operator to release it.")
	}
	w.For = strings.Join(says, " ")
}

// tags tells what the client is to send from what the operator is to verify.
func (w *Waiting) tags(wanted []api.CipTag, s *Sender) {
	if s == nil || s.Tags == nil { // who has to act first is not known
		if len(wanted) > 0 {
			w.Client = append(w.Client, "send what is missing of that")
			w.Operator = append(w.Operator, "verify what was sent")
		}
	} else {
		for _, tag := range wanted {
			switch s.Tags[tag] {
			case api.CipStatusSubmit, api.CipStatusReviewing:
				w.Verify = append(w.Verify, tag)
			default: // REQUESTED, FAILED, or absent
				w.Send = append(w.Send, tag)
			}
		}
		if len(w.Send) > 0 {
			w.Client = append(w.Client, "send information for "+strings.Join(w.Send, ", "))
		}
		if len(w.Verify) > 0 {
			w.Operator = append(w.Operator, "verify "+strings.Join(w.Verify, ", "))
		}
	}
	if w.VerifySender {
		w.Operator = append(w.Operator, "verify the sender")
	}
}

// released explains a payout that was released, or is over.
func released(p Payout) string {
	switch p.Status {
	case api.TransactionStatusProcessing:
		if p.Delivery == api.DeliveryStatusReadyForPickup {
			return "The cash waits at the counter. When it is collected, the operator completes the payout."
		}
		return "It is on its way. The operator records what the bank or payer reports."
	case api.TransactionStatusCompleted:
		return "It is paid out and waits for nothing. A bank or payer may still send the funds back."
	case api.TransactionStatusFailed:
		return "It could not be paid out. This is final; send it again as a new payout."
	case api.TransactionStatusCanceled:
		return "It was canceled before it was released. This is final."
	case api.TransactionStatusReturned:
		return "The funds came back after it was paid out. This is final."
	}
	return ""
}

// can adds the moves that each side can make now. What the operator records from reports is one thing to do.
func (w *Waiting) can(moves Table) {
	var recorded []string
	for _, m := range moves {
		switch {
		case m.To == api.TransactionStatusProcessing && m.From != m.To:
			if w.Releasable {
				w.add(m, "release it")
			}
		case m.To == api.TransactionStatusCanceled:
			w.add(m, "cancel it")
		case m.From == m.To:
			recorded = append(recorded, string(m.Delivery))
		default:
			recorded = append(recorded, string(m.To))
		}
	}
	if recorded != nil {
		w.Operator = append(w.Operator, "record it as "+listed(recorded, " or "))
	}
}

func (w *Waiting) add(m Move, what string) {
	if slices.Contains(m.Who, Client) {
		w.Client = append(w.Client, what)
	}
	if slices.Contains(m.Who, Operator) {
		w.Operator = append(w.Operator, what)
	}
}

// Can lists what one side can do, each of which may be a list of its own: "send information for A, B, or cancel it".
func Can(all []string) string { return listed(all, ", or ") }

func listed(all []string, or string) string {
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:last], ", ") + or + all[last]
}
