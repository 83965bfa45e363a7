package checks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/crossborder-payouts/payouts/conformance/probe"
	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi"
)

func lifecycle() []probe.Check {
	return slices.Concat(lifecycleMoves(), lifecycleCancel(), lifecycleRules())
}

// state is the status and the delivery status of a transaction.
type state struct {
	status   api.TransactionStatus
	delivery api.DeliveryStatus
}

func (s state) String() string { return fmt.Sprintf("%s with delivery %s", s.status, s.delivery) }

var initial = state{api.TransactionStatusInitiated, api.DeliveryStatusNone}

// transition is a row of the table in the guide of the contract (D-66).
type transition struct {
	from, to  api.TransactionStatus
	after     api.DeliveryStatus // that it needs; empty: any
	delivery  api.DeliveryStatus // that it sets
	method    api.PayoutMethod   // that it needs; empty: any
	byClient  bool
	reason    string // none, optional or needed
	givesBack bool
}

// transitions reads the table.
var transitions = sync.OnceValue(func() []transition {
	document, err := openapi.Document()
	if err != nil {
		panic(err) // the contract is part of the program
	}
	_, table, _ := strings.Cut(document.Info.Description, "<!-- transitions -->")
	table, _, _ = strings.Cut(table, "<!-- end -->")
	word := regexp.MustCompile("`([A-Z_]+)`")
	var all []transition
	for _, line := range strings.Split(strings.TrimSpace(table), "\n")[2:] {
		cells := strings.Split(line, "|")
		words := word.FindAllStringSubmatch(line, -1)
		x := transition{
			from: api.TransactionStatus(words[0][1]), to: api.TransactionStatus(words[1][1]), delivery: api.DeliveryStatus(words[2][1]),
			byClient: strings.Contains(cells[3], "client"), reason: strings.TrimSpace(cells[5]), givesBack: strings.Contains(cells[6], "given back"),
		}
		if len(words) == 5 { // a move of the delivery alone
			x.after, x.method = api.DeliveryStatus(words[3][1]), api.PayoutMethod(words[4][1])
		}
		all = append(all, x)
	}
	return all
})

// allows reports whether the transition leads on from a state of a transaction in cash.
func (x transition) allows(s state) bool {
	return x.from == s.status && (x.after == "" || x.after == s.delivery)
}

func (x transition) reached() state { return state{x.to, x.delivery} }

// request is the request for the transition.
func (x transition) request() api.TransactionMoveRequest {
	m := api.TransactionMoveRequest{Status: x.to}
	if x.after != "" {
		m.DeliveryStatus = &x.delivery
	}
	if x.reason == "needed" {
		m.StatusReason = probe.Ptr(api.StatusReasonNotCollected)
	}
	return m
}

// ways returns each state that a transaction in cash can have, with the transitions that lead there.
var ways = sync.OnceValue(func() map[state][]transition {
	all := map[state][]transition{initial: {}}
	for reaching := []state{initial}; len(reaching) > 0; reaching = reaching[1:] {
		for _, x := range transitions() {
			if _, known := all[x.reached()]; x.allows(reaching[0]) && !known {
				all[x.reached()] = append(slices.Clone(all[reaching[0]]), x)
				reaching = append(reaching, x.reached())
			}
		}
	}
	return all
})

// lifecycleStates lists the states in the order of their names.
func lifecycleStates() []state {
	var all []state
	for s := range ways() {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b state) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// payouts makes transactions of one sender.
type payouts struct {
	purse
	cash probe.Receiver
}

func newPayouts(t *probe.T) payouts {
	p := newPurse(t)
	return payouts{p, t.Receiver(p.Sender, api.PayoutMethodCashPickup)}
}

// in makes a transaction in cash and moves it to a state, as a set-up.
func (p payouts) in(s state) api.Transaction {
	r, err := p.t.Create(p.UserID, "", p.t.Payout(p.Sender, p.cash, "1.00"))
	v := probe.Setup(p.t, r, err)
	for _, x := range ways()[s] {
		r, err := p.move(v, x.request())
		v = probe.Setup(p.t, r, err)
	}
	if got := (state{v.Status, v.DeliveryStatus}); got != s {
		p.t.Brokenf("set-up: the transaction is %s, want %s", got, s)
	}
	return v
}

func (p purse) move(v api.Transaction, m api.TransactionMoveRequest) (*api.SetTransactionStatusResponse, error) {
	return p.t.Client().SetTransactionStatusWithResponse(p.t.Context(), p.UserID, v.ID, m)
}

func (p purse) cancel(v api.Transaction) (*api.CancelTransactionResponse, error) {
	return p.t.Client().CancelTransactionWithResponse(p.t.Context(), p.UserID, v.ID)
}

// wantKept expects a transaction to be read as it was answered.
func (p purse) wantKept(what string, want api.Transaction) {
	r, err := p.t.Client().GetTransactionWithResponse(p.t.Context(), p.UserID, want.ID)
	p.t.Expect(equalTransactions(p.t, probe.OK(p.t, r, err), want), "%s: the transaction that is read is not the one that was answered", what)
}

func lifecycleMoves() []probe.Check {
	moving := []string{"createTransaction", "setTransactionStatus", "getTransaction"}
	return []probe.Check{
		{
			ID: "lifecycle.moves.allowed", Title: "Each move of the table sets status, delivery status and reason, and is kept",
			Clauses: []string{"D-66"}, Operations: moving, Needs: probe.Extensions,
			Fix: "Take status and delivery_status from the table of D-66, keep status_reason, and set updated_at to the time of the move.",
			Run: movesAllowed,
		},
		{
			ID: "lifecycle.moves.forbidden", Title: "A move that the table does not have is refused with TRANSITION_NOT_ALLOWED, and changes nothing",
			Clauses: []string{"D-66"}, Operations: moving, Needs: probe.Extensions,
			Fix: "Refuse every move that is not in the table of D-66 with 422, those with another delivery_status than it sets as well.",
			Run: movesForbidden,
		},
		{
			ID: "lifecycle.moves.same", Title: "The status that a transaction has changes nothing and answers 200",
			Clauses: []string{"D-66"}, Operations: moving, Needs: probe.Extensions,
			Fix: "Answer the transaction as it is, with its status_reason and updated_at, whether delivery_status is sent or not.",
			Run: movesSame,
		},
		{
			ID: "lifecycle.moves.reasons", Title: "A status_reason that is missing or out of place is a bad request",
			Clauses: []string{"D-66"}, Operations: moving, Needs: probe.Extensions,
			Fix: "Reject with 400 and a detail for /status_reason: needed with FAILED and RETURNED, optional with CANCELED, none with all others.",
			Run: reasonsJudged,
		},
		{
			ID: "lifecycle.moves.each-reason", Title: "Each status_reason is taken and shown",
			Clauses: []string{"D-66"}, Operations: moving, Needs: probe.Extensions,
			Fix: "Take every status_reason that the contract lists, and answer it unchanged.",
			Run: func(t *probe.T) {
				p := newPayouts(t)
				for _, reason := range []api.StatusReason{
					api.StatusReasonAccountInvalid, api.StatusReasonAccountCannotReceive, api.StatusReasonNotCollected,
					api.StatusReasonPayoutReturned, api.StatusReasonComplianceRejected, api.StatusReasonOther,
				} {
					t.Case(string(reason), func() {
						v := p.in(state{api.TransactionStatusProcessing, api.DeliveryStatusPending})
						r, err := p.move(v, api.TransactionMoveRequest{Status: api.TransactionStatusFailed, StatusReason: &reason})
						v = probe.OK(t, r, err)
						t.Expect(textOf(v.StatusReason) == reason, "status_reason is %q", textOf(v.StatusReason))
					})
				}
			},
		},
		{
			ID: "lifecycle.moves.ready-for-pickup", Title: "Only cash becomes READY_FOR_PICKUP",
			Clauses: []string{"D-66"}, Operations: moving, Needs: probe.Extensions,
			Fix: "Refuse READY_FOR_PICKUP for any other payout method than CASH_PICKUP.",
			Run: func(t *probe.T) {
				p := newPurse(t)
				r, err := p.send(amountOne)
				v := probe.Setup(t, r, err)
				for _, x := range transitions() {
					if x.method == "" {
						continue
					}
					moved, err := p.move(v, api.TransactionMoveRequest{Status: x.from})
					v = probe.Setup(t, moved, err)
					moved, err = p.move(v, x.request())
					t.Refused(moved, err, 422, api.ErrorCodeTransitionNotAllowed)
					p.wantKept("refused", v)
				}
			},
		},
	}
}

func movesAllowed(t *probe.T) {
	p := newPayouts(t)
	for _, s := range lifecycleStates() {
		for _, x := range transitions() {
			if !x.allows(s) {
				continue
			}
			t.Case(fmt.Sprintf("%s to %s", s, x.reached()), func() {
				before, m := p.in(s), x.request()
				if x.reason == "optional" {
					m.StatusReason = probe.Ptr(api.StatusReasonComplianceRejected)
				}
				r, err := p.move(before, m)
				v := probe.OK(t, r, err)
				t.Expect(state{v.Status, v.DeliveryStatus} == x.reached(), "it became %s %s", v.Status, v.DeliveryStatus)
				t.Expect(textOf(v.StatusReason) == textOf(m.StatusReason), "status_reason is %q, want %q", textOf(v.StatusReason), textOf(m.StatusReason))
				t.Expect(v.ID == before.ID && v.CreatedAt == before.CreatedAt, "id or created_at changed")
				if v.UpdatedAt == nil || before.UpdatedAt == nil || !v.UpdatedAt.After(before.UpdatedAt.Time) {
					t.Failf("updated_at is missing, or that of the state before")
				} else {
					isNow(t, v.UpdatedAt.Time, r.HTTPResponse.Header)
				}
				t.Expect(v.RequiredInformation != nil && len(v.RequiredInformation) == 0, "required_information is not []")
				p.wantKept("moved", v)
			})
		}
	}
}

// movesForbidden tries every status, without a delivery status and with each that the table does not set there.
func movesForbidden(t *probe.T) {
	p := newPayouts(t)
	for _, s := range lifecycleStates() {
		v := p.in(s)
		for _, to := range statuses() {
			for _, with := range append(deliveries(), "") {
				allowed := to == s.status && (with == "" || with == s.delivery) || slices.ContainsFunc(transitions(), func(x transition) bool {
					return x.allows(s) && x.to == to && (with == x.delivery || with == "" && x.after == "")
				})
				if allowed {
					continue
				}
				t.Case(fmt.Sprintf("%s to %s %s", s, to, with), func() {
					m := api.TransactionMoveRequest{Status: to}
					if with != "" {
						m.DeliveryStatus = &with
					}
					if slices.ContainsFunc(transitions(), func(x transition) bool { return x.to == to && x.reason == "needed" }) {
						m.StatusReason = probe.Ptr(api.StatusReasonOther)
					}
					r, err := p.move(v, m)
					t.Refused(r, err, 422, api.ErrorCodeTransitionNotAllowed)
				})
			}
		}
		p.wantKept(s.String(), v)
	}
}

func movesSame(t *probe.T) {
	p := newPayouts(t)
	for _, s := range lifecycleStates() {
		v := p.in(s)
		for _, with := range []*api.DeliveryStatus{nil, &s.delivery} {
			m := api.TransactionMoveRequest{Status: s.status, DeliveryStatus: with}
			if v.StatusReason != nil {
				m.StatusReason = probe.Ptr(api.StatusReasonOther)
			}
			r, err := p.move(v, m)
			t.Expect(equalTransactions(t, probe.OK(t, r, err), v), "%s: the same status changed the transaction", s)
		}
		p.wantKept(s.String(), v)
	}
}

func reasonsJudged(t *probe.T) {
	p := newPayouts(t)
	v := p.in(initial)
	for _, to := range statuses() {
		m := api.TransactionMoveRequest{Status: to}
		switch i := slices.IndexFunc(transitions(), func(x transition) bool { return x.to == to }); {
		case i >= 0 && transitions()[i].reason == "optional":
			continue
		case i < 0 || transitions()[i].reason == "none":
			m.StatusReason = probe.Ptr(api.StatusReasonOther)
		}
		r, err := p.move(v, m)
		t.Refused(r, err, 400, api.ErrorCodeBadRequest, "body /status_reason")
	}
	p.wantKept("refused", v)
}

// statuses lists those that the contract knows.
func statuses() []api.TransactionStatus {
	return []api.TransactionStatus{
		api.TransactionStatusInitiated, api.TransactionStatusProcessing, api.TransactionStatusCompleted,
		api.TransactionStatusFailed, api.TransactionStatusCanceled, api.TransactionStatusReturned,
	}
}

func deliveries() []api.DeliveryStatus {
	return []api.DeliveryStatus{
		api.DeliveryStatusNone, api.DeliveryStatusPending, api.DeliveryStatusReadyForPickup,
		api.DeliveryStatusDelivered, api.DeliveryStatusFailed, api.DeliveryStatusReturned,
	}
}

// textOf returns what an optional text says, empty if it is absent.
func textOf[S ~string](s *S) S {
	if s == nil {
		return ""
	}
	return *s
}
