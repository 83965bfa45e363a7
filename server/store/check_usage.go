package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// checkUsers is the number of users whose counters are in memory at a time.
const checkUsers = 500

// counterKey is a row of limit_usage.
type counterKey struct {
	clientID                      payout.ClientID
	userID                        payout.UserID
	destination, currency, period string
}

func (k counterKey) String() string { return k.destination + " " + k.currency + " " + k.period }

// usage compares the counters with the transactions, client by client. It finds the clients in the rows themselves, so that
// those of a client who does not exist are covered as well.
func (c *checking) usage(ctx context.Context) error {
	var clientID payout.ClientID
	for {
		next, ok, err := oneAny(ctx, c.reads, func(s scanner, id *payout.ClientID) error { return s.Scan(id) }, `select client_id from (
			select * from (select client_id from transactions where client_id > $1 order by client_id limit 1) t
			union all select * from (select client_id from limit_usage where client_id > $1 order by client_id limit 1) u
			) n order by client_id limit 1`, clientID)
		if err != nil || !ok {
			return err
		}
		clientID = next
		if err := c.usageOf(ctx, clientID); err != nil {
			return err
		}
	}
}

// usageOf goes through one range of users of a client after the other. The ranges have no gaps, so that rows of users who do
// not exist are covered as well. Each range names one client: PostgreSQL estimates a range of (client_id, user_id) by the
// first column alone, and without statistics it then reads all rows of the client for each.
func (c *checking) usageOf(ctx context.Context, clientID payout.ClientID) error {
	var after payout.UserID
	for {
		last, ok, err := oneAny(ctx, c.reads, func(s scanner, id *payout.UserID) error { return s.Scan(id) },
			`select id from users where client_id = $1 and id > $2 order by id limit 1 offset $3`, clientID, after, checkUsers-1)
		if err != nil {
			return err
		}
		within := ` client_id = $1 and user_id > $2`
		args := []any{clientID, after}
		if ok {
			within += ` and user_id <= $3`
			args = append(args, last)
		}
		if err := c.usageWithin(ctx, within, args); err != nil {
			return err
		}
		if !ok {
			return nil
		}
		after = last
	}
}

// usageWithin compares the counters of a range of users with their transactions.
func (c *checking) usageWithin(ctx context.Context, within string, args []any) error {
	sums := map[counterKey]int64{}
	n, err := c.rows(ctx, "transactions", func(s scanner, v *rowCheck) error { return scanChecked(s, v, sums) },
		`select client_id, id, user_id, created_at, from_amount, from_currency, to_amount, to_currency, fee_amount,
			exchange_rate, destination, payout_method, calculation_mode, notes, receiver, status, delivery_status, status_reason,
			updated_at, required_information
		from transactions where`+within+` order by user_id, created_at, id`, args...)
	if err != nil {
		return err
	}
	c.done.Transactions += n
	type counted struct {
		counterKey
		used int64
	}
	for v, err := range each(ctx, c.reads, func(s scanner, v *counted) error {
		return s.Scan(&v.clientID, &v.userID, &v.destination, &v.currency, &v.period, &v.used)
	}, `select client_id, user_id, destination, currency, period, used from limit_usage where`+within+`
		order by user_id, destination, currency, period`, args...) {
		if err != nil {
			return err
		}
		c.done.Counters++
		sum, ok := sums[v.counterKey]
		delete(sums, v.counterKey)
		switch {
		case !ok:
			err = c.differs("limit_usage", v.clientID, string(v.userID), "counter %s is %d, but there are no transactions", v.counterKey, v.used)
		case sum != v.used:
			err = c.differs("limit_usage", v.clientID, string(v.userID), "counter %s is %d, the transactions are %d", v.counterKey, v.used, sum)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(sums), func(a, b counterKey) int {
		return strings.Compare(fmt.Sprint(a.clientID, a.userID, a), fmt.Sprint(b.clientID, b.userID, b))
	}) {
		if err := c.differs("limit_usage", key.clientID, string(key.userID), "counter %s is missing, the transactions are %d", key, sums[key]); err != nil {
			return err
		}
	}
	return nil
}

// scanChecked checks a transaction and adds what it counts to its three counters.
func scanChecked(s scanner, v *rowCheck, sums map[counterKey]int64) error {
	var t payout.Transaction
	var rate string
	var updated sql.NullInt64
	if err := s.Scan(&v.clientID, &v.id, &t.UserID, timeColumn{&t.CreatedAt}, &t.FromAmount, &t.FromCurrency, &t.ToAmount,
		&t.ToCurrency, &t.FeeAmount, &rate, &t.Destination, &t.To.Method, &t.To.Mode, v.parses("notes", notesOf(&t.Notes)),
		v.parses("receiver", receiverOf(&t.Receiver)), &t.Status, &t.DeliveryStatus, &t.StatusReason, &updated,
		v.parses("required_information", textsColumn(&t.RequiredInformation))); err != nil {
		return err
	}
	t.UpdatedAt = updatedAt(t, updated)
	for _, problem := range t.LifecycleProblems() {
		v.when(true, problem)
	}
	v.currency("from_currency", t.FromCurrency)
	v.currency("to_currency", t.ToCurrency)
	v.when(t.FromAmount <= 0, "from_amount is not above zero")
	v.when(t.ToAmount <= 0, "to_amount is not above zero")
	v.when(t.FeeAmount < 0, "fee_amount is below zero")
	exchange, err := decimal.Parse(rate)
	v.when(err != nil || !exchange.IsPos(), "exchange_rate is not a number above zero")
	v.when(!slices.Contains(payout.PayoutMethods(), t.To.Method), "payout_method is unknown")
	v.when(!slices.Contains(payout.CalculationModes(), t.To.Mode), "calculation_mode is unknown")

	// What was given back leaves its counters behind, which may be zero.
	counted := t.FromAmount
	if !t.Status.Counts() {
		counted = 0
	}
	day, month, year := payout.UsageKey{At: t.CreatedAt}.Periods()
	for _, period := range []string{day, month, year} {
		key := counterKey{v.clientID, t.UserID, t.Destination, t.FromCurrency, period}
		sum := sums[key]
		if counted > 0 && sum > math.MaxInt64-counted {
			v.when(true, "the sum of the transactions of "+period+" exceeds the range of a counter")
			continue
		}
		sums[key] = sum + counted
	}
	return nil
}
