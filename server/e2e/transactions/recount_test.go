package transactions_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/openapi/wire"
	"github.com/crossborder-payouts/payouts/server/servertest"
)

// recountedUser is one user of the recount with the limits of its tier, in cents.
type recountedUser struct {
	servertest.CashSender
	currency string
	tier     int
	limits   [3]int64          // day, month, year
	listed   []api.Transaction // as it was after the user's last step
}

// givenBack are the statuses of transactions that no longer count (D-66).
var givenBack = []api.TransactionStatus{api.TransactionStatusCanceled, api.TransactionStatusFailed, api.TransactionStatusReturned}

// usedBy sums the listed transactions in a currency of the day, month and year of now.
func usedBy(all []api.Transaction, currency string, now time.Time) (used [3]int64) {
	layouts := [3]string{"2006-01-02", "2006-01", "2006"}
	for _, x := range all {
		if x.ToCurrency != currency || slices.Contains(givenBack, x.Status) {
			continue
		}
		for i, layout := range layouts {
			if x.CreatedAt.Format(layout) == now.UTC().Format(layout) {
				used[i] += cents(x.FromAmount)
			}
		}
	}
	return used
}

func cents(a wire.Amount) int64 {
	whole, cents, ok := a.Decimal().Int64(2)
	if !ok {
		panic("not in cents: " + a.String())
	}
	return whole*100 + cents
}

// Remaining limits are those of the tier minus the sum of the listed transactions, after each step of a random walk through
// users, destinations, amounts and time.
func TestLimitIsThatOfANaiveRecount(t *testing.T) {
	t.Parallel()
	const steps = 120
	s := servertest.New(t)
	tiers := [][3]int64{{1_000_00, 3_000_00, 10_000_00}, {5_000_00, 15_000_00, 60_000_00}, {20_000_00, 60_000_00, 250_000_00}}
	var users []*recountedUser
	for tier, tags := range [][]string{nil, servertest.MiddleTier, servertest.TopTier} {
		country := []string{"US", "GB", "US"}[tier]
		currency := map[string]string{"US": "USD", "GB": "GBP"}[country]
		u := &recountedUser{CashSender: servertest.NewCashSender(t, s, country), currency: currency, tier: tier + 1, limits: tiers[tier]}
		servertest.VerifyTags(t, s.Client, u.Sender.ID, tags...)
		users = append(users, u)
	}
	random, moves := rand.New(rand.NewPCG(2026, 3)), rand.New(rand.NewPCG(2026, 4))
	refused := 0
	for step := range steps {
		u, c := users[random.IntN(len(users))], servertest.CashCorridors[random.IntN(len(servertest.CashCorridors))]
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
		used := usedBy(u.listed, c.Currency, now)
		left := min(u.limits[0]-used[0], u.limits[1]-used[1], u.limits[2]-used[2])
		amount := 1 + random.Int64N(u.limits[0])
		if random.IntN(2) == 0 && left > 0 {
			amount = left + random.Int64N(4)/3 // exactly the rest, or a cent more
		}
		request := servertest.PickupAt(t, u.Sender, u.Users[c.Country], c.Payer, servertest.Dollars(amount), "100", c.Currency)
		request.FromCurrency = u.currency
		r := servertest.Send(t, s.Client, u.Sender.ID, "", request)
		if u.tier == len(tiers) && amount > left {
			refused++
			servertest.WantRefused(t, r, api.ErrorCodeLimitExceeded, "/from_amount")
		} else {
			servertest.Created(t, r)
		}
		if len(u.listed) > 0 && moves.IntN(3) == 0 {
			u.move(t, u.listed[moves.IntN(len(u.listed))], moves)
		}
		u.listed = servertest.List(t, s.Client, u.Sender.ID, 7)
		u.recount(t, now)
		if t.Failed() {
			t.Fatalf("at step %d: tier %d, %s to %s at %s", step, u.tier, servertest.Dollars(amount), c.Country, now)
		}
	}
	if refused < 5 || refused > steps/4 {
		t.Errorf("the walk met the highest limit %d times in %d steps", refused, steps)
	}
	moved := 0
	for _, u := range users {
		for _, x := range u.listed {
			if slices.Contains(givenBack, x.Status) {
				moved++
			}
		}
	}
	if moved < 5 {
		t.Errorf("%d transactions were given back", moved)
	}
	servertest.WantExactUsage(t, s.Beside(t))
	servertest.WantSound(t, s.Database)
	if end := s.Clock.Now(); end.Year() == 2026 {
		t.Errorf("the walk ended at %s, before the year did", end)
	}
}

// move moves a transaction to any status; most moves are refused.
func (u *recountedUser) move(t testing.TB, x api.Transaction, random *rand.Rand) {
	t.Helper()
	m := api.TransactionMoveRequest{Status: givenBack[random.IntN(len(givenBack))]}
	if random.IntN(2) == 0 {
		m.Status = []api.TransactionStatus{api.TransactionStatusProcessing, api.TransactionStatusCompleted}[random.IntN(2)]
	} else {
		m.StatusReason = servertest.Ptr(api.StatusReasonOther)
	}
	r, err := u.Client.SetTransactionStatusWithResponse(t.Context(), u.Sender.ID, x.ID, m)
	if err != nil || r.StatusCode() != 200 && r.StatusCode() != 422 {
		t.Fatalf("%s to %s: %v, %d %s", x.Status, m.Status, err, r.StatusCode(), r.Body)
	}
}

// recount compares every limit of the user with the listed transactions.
func (u *recountedUser) recount(t testing.TB, now time.Time) {
	t.Helper()
	for _, c := range servertest.CashCorridors {
		used := usedBy(u.listed, c.Currency, now)
		left := func(i int) string { return servertest.Dollars(max(0, u.limits[i]-used[i])) }
		servertest.WantLimit(t, u.Client, u.Sender.ID, c.Country, fmt.Sprintf("%d: %s %s %s", u.tier, left(0), left(1), left(2)))
	}
}
