package server_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// limitAtOnce runs n calls at the same time and gives their answers in order. A call that gets no answer fails the test.
func limitAtOnce[T any](t testing.TB, n int, send func(ctx context.Context, i int) (T, error)) []T {
	t.Helper()
	answers, start := make([]T, n), make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			r, err := send(t.Context(), i)
			if err != nil {
				t.Errorf("call %d: %v", i, err)
				return
			}
			answers[i] = r
		})
	}
	close(start)
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return answers
}

// 64 callers share what is left in the highest tier: exactly as many as fit are created, and never is it below 0.
func TestLimitHoldsForConcurrentTransactions(t *testing.T) {
	t.Parallel()
	const callers = 64
	for _, row := range []struct {
		amount, left string
		fit          int
	}{
		{"1000", "3: 0.00 40000.00 230000.00", 20},
		{"700", "3: 400.00 40400.00 230400.00", 28},
		{"20000", "3: 0.00 40000.00 230000.00", 1},
		{"312.50", "3: 0.00 40000.00 230000.00", 64},
		{"20000.01", "3: 20000.00 60000.00 250000.00", 0},
	} {
		t.Run(row.amount, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			w := modeNew(t, s, "US")
			limitVerify(t, s.Client, w.sender.ID, limitTopTier...)
			request := rulePickup(t, w.sender, w.users["NP"], servertest.CashPayer, row.amount, "1", "NPR")
			created := 0
			for _, r := range limitAtOnce(t, callers, func(ctx context.Context, i int) (*api.CreateTransactionResponse, error) {
				params := &api.CreateTransactionParams{}
				if i%2 == 0 { // with and without keys
					params.XIdempotencyKey = servertest.Ptr(fmt.Sprintf("%s-%d", row.amount, i))
				}
				return s.Client.CreateTransactionWithResponse(ctx, w.sender.ID, params, request)
			}) {
				if r.StatusCode() == 200 {
					created++
					continue
				}
				ruleRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
			}
			if listed := len(rowList(t, s.Client, w.sender.ID, 10)); created != row.fit || listed != row.fit {
				t.Errorf("%d created, %d listed, want %d", created, listed, row.fit)
			}
			limitIs(t, s.Client, w.sender.ID, "NP", row.left)
		})
	}
}

// limitUser is one user of the recount with the limits of its tier, in cents.
type limitUser struct {
	modeWorld
	currency string
	tier     int
	limits   [3]int64          // day, month, year
	listed   []api.Transaction // as it was after the user's last step
}

// limitUsed adds up what a user sent to a country in the day, month and year of an instant, from nothing but the list.
func limitUsed(all []api.Transaction, currency string, now time.Time) (used [3]int64) {
	layouts := [3]string{"2006-01-02", "2006-01", "2006"}
	for _, x := range all {
		if x.ToCurrency != currency {
			continue
		}
		for i, layout := range layouts {
			if x.CreatedAt.Format(layout) == now.UTC().Format(layout) {
				used[i] += limitCents(x.FromAmount)
			}
		}
	}
	return used
}

func limitCents(a wire.Amount) int64 {
	whole, cents, ok := a.Decimal().Int64(2)
	if !ok {
		panic("not in cents: " + a.String())
	}
	return whole*100 + cents
}

func limitText(cents int64) string { return payout.Major(cents, "USD").String() }

// The limits are at any time those of the tier minus the sum of the listed transactions, recounted after each step of a
// random walk through users, destinations, amounts and time.
func TestLimitIsThatOfANaiveRecount(t *testing.T) {
	t.Parallel()
	steps := recountSteps
	if servertest.OnPostgreSQL(t) {
		steps = min(steps, 120) // the sums are the same, and lists take longer
	}
	s := servertest.New(t)
	tiers := [][3]int64{{1_000_00, 3_000_00, 10_000_00}, {5_000_00, 15_000_00, 60_000_00}, {20_000_00, 60_000_00, 250_000_00}}
	var users []*limitUser
	for tier, tags := range [][]string{nil, limitMiddleTier, limitTopTier} {
		country := []string{"US", "GB", "US"}[tier]
		currency := map[string]string{"US": "USD", "GB": "GBP"}[country]
		u := &limitUser{modeWorld: modeNew(t, s, country), currency: currency, tier: tier + 1, limits: tiers[tier]}
		limitVerify(t, s.Client, u.sender.ID, tags...)
		users = append(users, u)
	}
	random := rand.New(rand.NewPCG(2026, 3))
	refused := 0
	for step := range steps {
		u, c := users[random.IntN(len(users))], modeCorridors[random.IntN(len(modeCorridors))]
		now := s.Clock.Now().UTC()
		switch random.IntN(10) {
		case 0:
			now = now.Add(time.Duration(random.IntN(20)) * time.Hour)
		case 1:
			now = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC).Add(-time.Microsecond)
		case 2:
			now = now.Add(time.Microsecond)
		case 3:
			now = now.AddDate(0, 0, random.IntN(4))
		case 4:
			now = time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, -1000, time.UTC)
		}
		s.Clock.Set(now)
		used := limitUsed(u.listed, c.currency, now)
		left := min(u.limits[0]-used[0], u.limits[1]-used[1], u.limits[2]-used[2])
		amount := 1 + random.Int64N(u.limits[0])
		if random.IntN(2) == 0 && left > 0 {
			amount = left + random.Int64N(4)/3 // exactly the rest, or a cent more
		}
		request := rulePickup(t, u.sender, u.users[c.country], c.payer, limitText(amount), "100", c.currency)
		request.FromCurrency = u.currency
		r := servertest.Send(t, s.Client, u.sender.ID, "", request)
		if u.tier == len(tiers) && amount > left {
			refused++
			ruleRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
		} else {
			ruleCreated(t, r)
		}
		u.listed = rowList(t, s.Client, u.sender.ID, 7)
		u.recount(t, now)
		if t.Failed() {
			t.Fatalf("at step %d: tier %d, %s to %s at %s", step, u.tier, limitText(amount), c.country, now)
		}
	}
	if refused < 5 || refused > steps/4 {
		t.Errorf("the walk met the highest limit %d times in %d steps", refused, steps)
	}
	if end := s.Clock.Now(); end.Year() == 2026 {
		t.Errorf("the walk ended at %s, before the year did", end)
	}
}

// recount holds every limit of the user against the list.
func (u *limitUser) recount(t testing.TB, now time.Time) {
	t.Helper()
	for _, c := range modeCorridors {
		used := limitUsed(u.listed, c.currency, now)
		left := func(i int) string { return limitText(max(0, u.limits[i]-used[i])) }
		limitIs(t, u.client, u.sender.ID, c.country, fmt.Sprintf("%d: %s %s %s", u.tier, left(0), left(1), left(2)))
	}
}
