package payout_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// The table of D-66 once more, written by hand: what the code must not change by accident.
var lifecycle = map[string]string{ // status and delivery status before and after: by whom
	"INITIATED/NONE > PROCESSING/PENDING":                       "operator",
	"INITIATED/NONE > CANCELED/NONE":                            "client operator",
	"PROCESSING/PENDING > PROCESSING/READY_FOR_PICKUP":          "operator",
	"PROCESSING/PENDING > COMPLETED/DELIVERED":                  "operator",
	"PROCESSING/READY_FOR_PICKUP > COMPLETED/DELIVERED":         "operator",
	"PROCESSING/PENDING > FAILED/FAILED":                        "operator",
	"PROCESSING/READY_FOR_PICKUP > FAILED/FAILED":               "operator",
	"COMPLETED/DELIVERED > RETURNED/RETURNED":                   "operator",
	"INITIATED/NONE > INITIATED/NONE":                           "nothing changes",
	"PROCESSING/PENDING > PROCESSING/PENDING":                   "nothing changes",
	"PROCESSING/READY_FOR_PICKUP > PROCESSING/READY_FOR_PICKUP": "nothing changes",
	"COMPLETED/DELIVERED > COMPLETED/DELIVERED":                 "nothing changes",
	"FAILED/FAILED > FAILED/FAILED":                             "nothing changes",
	"CANCELED/NONE > CANCELED/NONE":                             "nothing changes",
	"RETURNED/RETURNED > RETURNED/RETURNED":                     "nothing changes",
}

// move moves a transaction as the operator does, unless the move says otherwise.
func (s *sender) move(t *testing.T, id payout.TransactionID, m payout.Move) (payout.Transaction, error) {
	t.Helper()
	if m.By == "" {
		m.By = payout.ActorOperator
	}
	if m.Reason == "" && (m.Status == payout.StatusFailed || m.Status == payout.StatusReturned) {
		m.Reason = payout.ReasonOther
	}
	return s.w.MoveTransaction(t.Context(), s.w.acme, s.user.ID, id, m)
}

// moved moves a transaction through statuses.
func (s *sender) moved(t *testing.T, id payout.TransactionID, through ...payout.TransactionStatus) (v payout.Transaction) {
	t.Helper()
	for _, status := range through {
		var err error
		v, err = s.move(t, id, payout.Move{Status: status})
		ok(t, v, err)
	}
	return v
}

// cash is a request for 50.00 USD in cash.
func (s *sender) cash() payout.NewTransaction {
	n := s.request(payout.ReceiveSide{Method: payout.CashPickup, PayerID: cashNP})
	n.FromAmount, n.ExchangeRate = amount("50"), amount("130")
	return n
}

// Every actor tries every move from every state, with every delivery status: what the table has is done, all else refused.
func TestMovesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	made := s.sent(t, s.cash())
	key := payout.UsageKey{UserID: s.user.ID, Destination: "NP", Currency: "USD", At: made.CreatedAt}
	states := map[string]bool{}
	for move := range lifecycle {
		from, _, _ := strings.Cut(move, " > ")
		states[from] = true
	}
	tried := 0
	for from := range states {
		status, delivery, _ := strings.Cut(from, "/")
		before := made
		before.Status, before.DeliveryStatus = payout.TransactionStatus(status), payout.DeliveryStatus(delivery)
		if before.Status == payout.StatusFailed || before.Status == payout.StatusReturned || before.Status == payout.StatusCanceled {
			before.StatusReason = payout.ReasonAccountInvalid
		}
		for _, to := range payout.TransactionStatuses() {
			for _, with := range append(payout.DeliveryStatuses(), "") {
				for _, by := range []payout.Actor{payout.ActorClient, payout.ActorOperator, payout.ActorSandbox} {
					tried++
					want := before
					target := ""
					for move := range lifecycle {
						if after, found := strings.CutPrefix(move, from+" > "+string(to)+"/"); found && (with == payout.DeliveryStatus(after) || with == "" && (target == "" || after == delivery)) {
							target = after
						}
					}
					who := lifecycle[from+" > "+string(to)+"/"+target]
					allowed := who == "nothing changes" || who != "" && by == payout.ActorSandbox || strings.Contains(who, string(by))
					set(t, w, before)
					got, err := s.move(t, made.ID, payout.Move{Status: to, Delivery: with, By: by})
					name := fmt.Sprintf("%s moves %s to %s with %q", by, from, to, with)
					if allowed {
						want.Status, want.DeliveryStatus = to, payout.DeliveryStatus(target)
						if who != "nothing changes" {
							want.StatusReason = got.StatusReason
						}
						if err != nil || got.Status != want.Status || got.DeliveryStatus != want.DeliveryStatus || got.StatusReason != want.StatusReason {
							t.Fatalf("%s: %s %s %s, %v", name, got.Status, got.DeliveryStatus, got.StatusReason, err)
						}
					} else if code := payout.CodeOf(err); err == nil || by == payout.ActorClient && code != payout.CodeTransactionNotCancelable ||
						by != payout.ActorClient && code != payout.CodeTransitionNotAllowed {
						t.Fatalf("%s: %v", name, err)
					}
					kept, err := w.Transaction(t.Context(), w.acme, s.user.ID, made.ID)
					if ok(t, kept, err); kept.Status != want.Status || kept.DeliveryStatus != want.DeliveryStatus {
						t.Fatalf("%s: stored as %s %s", name, kept.Status, kept.DeliveryStatus)
					}
					used, err := w.store.Usage(t.Context(), w.acme.ID, key)
					ok(t, used, err)
					gone := allowed && to != before.Status && (to == payout.StatusCanceled || to == payout.StatusFailed || to == payout.StatusReturned)
					if gone != (used == payout.Usage{}) {
						t.Fatalf("%s: the counters are %v", name, used)
					}
					if gone {
						count(t, w, key, made.FromAmount)
					}
				}
			}
		}
	}
	if tried != 7*6*7*3 {
		t.Errorf("%d moves were tried", tried)
	}
}

// set gives a transaction a state that no move led to.
func set(t *testing.T, w *world, v payout.Transaction) {
	t.Helper()
	if err := w.store.Write(t.Context(), func(tx payout.Tx) error {
		return tx.SetTransactionStatus(t.Context(), w.acme.ID, v)
	}); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, w *world, key payout.UsageKey, amount int64) {
	t.Helper()
	if err := w.store.Write(t.Context(), func(tx payout.Tx) error {
		_, err := tx.AddUsage(t.Context(), w.acme.ID, key, amount)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// A reason is needed, optional or out of place by the status alone.
func TestReasonsOfMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	for status, rule := range map[payout.TransactionStatus]string{
		payout.StatusInitiated: "none", payout.StatusProcessing: "none", payout.StatusCompleted: "none",
		payout.StatusFailed: "needed", payout.StatusReturned: "needed", payout.StatusCanceled: "optional",
	} {
		for _, reason := range append(payout.StatusReasons(), "") {
			_, err := w.MoveTransaction(t.Context(), w.acme, s.user.ID, "nothing", payout.Move{Status: status, Reason: reason, By: payout.ActorOperator})
			if rule == "needed" && reason == "" || rule == "none" && reason != "" {
				refused(t, err, payout.CodeBadRequest, "/status_reason")
			} else {
				refused(t, err, payout.CodeNotFound, "")
			}
		}
	}
	made := s.sent(t, s.deposit("1"))
	w.clock.set(startOfTests.Add(time.Hour))
	s.moved(t, made.ID, payout.StatusProcessing)
	w.clock.set(startOfTests.Add(time.Hour + time.Minute))
	v, err := s.move(t, made.ID, payout.Move{Status: payout.StatusFailed, Reason: payout.ReasonAccountInvalid})
	if ok(t, v, err); v.StatusReason != payout.ReasonAccountInvalid || !v.UpdatedAt.Equal(startOfTests.Add(time.Hour+time.Minute).Truncate(time.Microsecond)) ||
		!v.CreatedAt.Equal(made.CreatedAt) {
		t.Errorf("failed: %+v", v)
	}
	w.clock.set(startOfTests.Add(2 * time.Hour))
	again, err := s.move(t, made.ID, payout.Move{Status: payout.StatusFailed, Reason: payout.ReasonOther})
	if ok(t, again, err); again.StatusReason != v.StatusReason || again.UpdatedAt != v.UpdatedAt {
		t.Errorf("the same status changed %+v to %+v", v, again)
	}
}

// Receivers of webhooks tell by updated_at which of two states is newer, so each move makes it later, whatever the clock shows.
func TestEachMoveIsLaterThanTheOneBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	made := s.sent(t, s.deposit("1"))
	for i, clock := range []time.Time{startOfTests, startOfTests.Add(-time.Hour), startOfTests.Add(time.Hour)} {
		w.clock.set(clock)
		m := payout.Move{Status: []payout.TransactionStatus{payout.StatusProcessing, payout.StatusCompleted, payout.StatusReturned}[i]}
		if m.Status == payout.StatusReturned {
			m.Reason = payout.ReasonPayoutReturned
		}
		v, err := s.move(t, made.ID, m)
		want := clock.Truncate(time.Microsecond)
		if next := made.UpdatedAt.Add(time.Microsecond); want.Before(next) {
			want = next
		}
		if ok(t, v, err); !v.UpdatedAt.Equal(want) {
			t.Errorf("%s at %v, want %v", v.Status, v.UpdatedAt, want)
		}
		made = v
	}
}

// READY_FOR_PICKUP is for cash alone.
func TestOnlyCashWaitsAtACounter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	made := s.sent(t, s.deposit("1"))
	s.moved(t, made.ID, payout.StatusProcessing)
	_, err := s.move(t, made.ID, payout.Move{Status: payout.StatusProcessing, Delivery: payout.DeliveryReadyForPickup})
	refused(t, err, payout.CodeTransitionNotAllowed, "")
}

// A payout above the tier waits for the tags of the lowest tier that covers it, whatever the limits are later.
func TestAHeldPayoutIsReleasedAfterVerification(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	within, second := s.sent(t, s.deposit("100")), s.sent(t, s.deposit("150"))
	third := s.sent(t, s.deposit("1"))
	for _, c := range []struct {
		made payout.Transaction
		want []string
	}{{within, nil}, {second, []string{"ID_DOC", "OCCUPATION"}}, {third, []string{"ID_DOC", "MIDDLE_NAME", "OCCUPATION"}}} {
		if !slices.Equal(c.made.RequiredInformation, c.want) {
			t.Errorf("%s requires %q, want %q", c.made.ID, c.made.RequiredInformation, c.want)
		}
	}
	required := func(id payout.TransactionID, want ...string) {
		t.Helper()
		v, err := w.Transaction(t.Context(), w.acme, s.user.ID, id)
		if ok(t, v, err); !slices.Equal(v.RequiredInformation, want) {
			t.Errorf("%s requires %q, want %q", id, v.RequiredInformation, want)
		}
	}
	release := func(id payout.TransactionID) error {
		_, err := s.move(t, id, payout.Move{Status: payout.StatusProcessing})
		return err
	}
	refused(t, release(second.ID), payout.CodeInformationRequired, "")
	w.verify(t, s.user, tags(payout.CIPVerified, "ID_DOC"))
	required(second.ID, "OCCUPATION")
	w.verify(t, s.user, tags(payout.CIPFailed, "ID_DOC"))
	required(second.ID, "ID_DOC", "OCCUPATION")
	w.verify(t, s.user, tags(payout.CIPVerified, "ID_DOC", "OCCUPATION"))
	required(second.ID)
	required(third.ID, "MIDDLE_NAME")
	refused(t, release(third.ID), payout.CodeInformationRequired, "")
	if err := release(second.ID); err != nil {
		t.Error(err)
	}
	w.verify(t, s.user, tags(payout.CIPFailed, "ID_DOC"))
	required(second.ID) // it is on its way
	if _, err := s.move(t, third.ID, payout.Move{Status: payout.StatusCanceled}); err != nil {
		t.Error(err)
	}
	required(third.ID)
}

// The rules about the sender hold at the release as they do at the creation, and come before the information.
func TestOnlyAnEligibleSenderIsReleased(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	made := s.sent(t, s.deposit("101"))
	w.verify(t, s.user, payout.Verification{Status: payout.KYCSuspended})
	_, err := s.move(t, made.ID, payout.Move{Status: payout.StatusProcessing})
	refused(t, err, payout.CodeKYCNotEligible, "")
	w.verify(t, s.user, payout.Verification{Status: payout.KYCVerified})
	corridors := w.acme.Corridors
	w.acme.Corridors = nil
	_, err = s.move(t, made.ID, payout.Move{Status: payout.StatusProcessing})
	refused(t, err, payout.CodeCorridorNotEnabled, "")
	w.verify(t, s.user, payout.Verification{Status: payout.KYCSuspended})
	v, err := w.CancelTransaction(t.Context(), w.acme, s.user.ID, made.ID)
	if ok(t, v, err); v.Status != payout.StatusCanceled { // needs no rule
		t.Errorf("canceled: %+v", v)
	}
	w.acme.Corridors = corridors
}

// A repeat of the key answers the canceled transaction, and creates none.
func TestACanceledTransactionKeepsItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	key := payout.Idempotency{Key: "k", Fingerprint: "f"}
	made, _, err := w.CreateTransaction(t.Context(), w.acme, key, s.user.ID, s.deposit("10"))
	ok(t, made, err)
	s.remaining(t, 1, 90_00, 190_00, 290_00)
	for range 2 {
		v, err := w.CancelTransaction(t.Context(), w.acme, s.user.ID, made.ID)
		if ok(t, v, err); v.Status != payout.StatusCanceled {
			t.Errorf("canceled: %+v", v)
		}
		s.remaining(t, 1, 100_00, 200_00, 300_00)
	}
	again, replayed, err := w.CreateTransaction(t.Context(), w.acme, key, s.user.ID, s.deposit("10"))
	if ok(t, again, err); !replayed || again.ID != made.ID || again.Status != payout.StatusCanceled {
		t.Errorf("replayed %t: %+v", replayed, again)
	}
	s.remaining(t, 1, 100_00, 200_00, 300_00)
}

// What was counted is given back where it was counted, on whatever day that happens.
func TestLimitsAreGivenBackWhereTheyWereCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	at := func(year int, month time.Month, day int) {
		w.clock.set(time.Date(year, month, day, 12, 0, 0, 0, time.UTC))
	}
	at(2026, time.November, 29)
	first := s.sent(t, s.deposit("10"))
	at(2026, time.November, 30)
	second := s.sent(t, s.deposit("20"))
	s.moved(t, second.ID, payout.StatusProcessing, payout.StatusCompleted)
	at(2026, time.December, 1)
	third := s.sent(t, s.deposit("40"))
	s.remaining(t, 1, 60_00, 160_00, 230_00)
	s.moved(t, first.ID, payout.StatusCanceled) // two days and a month later
	s.remaining(t, 1, 60_00, 160_00, 240_00)
	at(2027, time.January, 2)
	s.moved(t, second.ID, payout.StatusReturned) // the year after
	s.remaining(t, 1, 100_00, 200_00, 300_00)
	s.moved(t, third.ID, payout.StatusProcessing, payout.StatusFailed)
	for _, month := range []time.Month{time.November, time.December} {
		at(2026, month, 30)
		s.remaining(t, 1, 100_00, 200_00, 300_00)
	}
}

// Of many moves at the same time one wins, and the amount is given back once.
func TestOfConcurrentMovesOneWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSender(t, individual("US"))
	s.sent(t, s.deposit("5")) // a second give-back would show
	made := s.sent(t, s.deposit("10"))
	results := make(chan error, 64)
	var movers sync.WaitGroup
	for i := range 64 {
		movers.Go(func() {
			m := payout.Move{Status: payout.StatusCanceled, By: payout.ActorClient}
			if i%2 == 0 {
				m = payout.Move{Status: payout.StatusProcessing, By: payout.ActorOperator}
			}
			_, err := w.MoveTransaction(context.WithoutCancel(t.Context()), w.acme, s.user.ID, made.ID, m)
			results <- err
		})
	}
	movers.Wait()
	close(results)
	won := 0
	for err := range results {
		switch code := payout.CodeOf(err); {
		case err == nil:
			won++
		case code != payout.CodeTransactionNotCancelable && code != payout.CodeTransitionNotAllowed:
			t.Error(err)
		}
	}
	v, err := w.Transaction(t.Context(), w.acme, s.user.ID, made.ID)
	if ok(t, v, err); won != 32 {
		t.Errorf("%d moves succeeded, want those to %s", won, v.Status)
	}
	if v.Status == payout.StatusCanceled {
		s.remaining(t, 1, 95_00, 195_00, 295_00)
	} else {
		s.remaining(t, 1, 85_00, 185_00, 285_00)
	}
}
