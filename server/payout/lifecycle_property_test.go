package payout_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Random payouts, moves and jumps of the clock, also into the past: after each, every counter is what a recount of the
// transactions says, and at the end a check finds nothing.
func TestCountersAreARecount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := w.newSender(t, individual("US"))
			w.verify(t, s.user, tags(payout.CIPVerified, "ID_DOC", "OCCUPATION", "MIDDLE_NAME"))
			all := map[payout.TransactionID]payout.Transaction{}
			var ids []payout.TransactionID
			random := rand.New(rand.NewPCG(seed, 0))
			moves := 0
			for range 120 {
				switch random.IntN(5) {
				case 0:
					w.clock.set(w.clock.Now().Add(time.Duration(random.IntN(60*24)-10*24) * time.Hour))
				case 1:
					v, err := s.send(t, s.deposit(fmt.Sprintf("%d.%02d", random.IntN(40), 1+random.IntN(99))))
					if payout.CodeOf(err) == payout.CodeLimitExceeded {
						break
					}
					ok(t, v, err)
					all[v.ID], ids = v, append(ids, v.ID)
				default:
					if len(ids) == 0 {
						break
					}
					id := ids[random.IntN(len(ids))]
					to := payout.TransactionStatuses()[random.IntN(6)]
					v, err := s.move(t, id, payout.Move{Status: to})
					if payout.CodeOf(err) == payout.CodeTransitionNotAllowed {
						break
					}
					ok(t, v, err)
					if v.Status != all[id].Status {
						moves++
					}
					all[id] = v
				}
				recount(t, w, s, all)
			}
			if len(ids) < 5 || moves < 5 {
				t.Errorf("%d transactions and %d moves", len(ids), moves)
			}
			done, err := w.store.Check(t.Context(), func(d store.Difference) error { t.Error(d); return nil })
			if ok(t, done, err); done.Transactions != len(ids) {
				t.Errorf("checked %+v", done)
			}
		})
	}
}

// recount compares the counters of each day, month and year that has a transaction.
func recount(t *testing.T, w *world, s *sender, all map[payout.TransactionID]payout.Transaction) {
	t.Helper()
	want := map[string]int64{}
	for _, v := range all {
		for _, layout := range []string{"2006", "2006-01", "2006-01-02"} {
			amount := v.FromAmount
			if v.Status == "CANCELED" || v.Status == "FAILED" || v.Status == "RETURNED" {
				amount = 0
			}
			want[v.CreatedAt.Format(layout)] += amount
		}
	}
	for _, v := range all {
		day, month, year := v.CreatedAt.Format("2006-01-02"), v.CreatedAt.Format("2006-01"), v.CreatedAt.Format("2006")
		got, err := w.store.Usage(t.Context(), w.acme.ID, payout.UsageKey{UserID: s.user.ID, Destination: "NP", Currency: "USD", At: v.CreatedAt})
		if ok(t, got, err); got != (payout.Usage{Daily: want[day], Monthly: want[month], Annual: want[year]}) {
			t.Fatalf("on %s %+v is counted, want %d, %d and %d", day, got, want[day], want[month], want[year])
		}
	}
}
