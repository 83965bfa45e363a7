package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govalues/decimal"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// soundWorld returns a consistent world; its transaction is by wallet.
func soundWorld(name string) world {
	w := newWorld(name)
	w.user.Status, w.funding.Status = payout.KYCVerified, payout.FundingActive
	w.user.Business = false
	w.endpoint.EventTypes, w.endpoint.DisabledReason = payout.EventTypes(), ""
	w.delivery.Status = payout.WebhookDelivered
	w.bank.BankID, w.bank.Currency, w.wallet.PayerID, w.wallet.Currency = 1, "NPR", 1, "NPR"
	for _, documents := range [][]payout.Document{w.user.Documents, w.transfer.Documents} {
		for i := range documents {
			documents[i].Kind = []payout.DocumentKind{payout.PhysicalDocument, payout.VirtualDocument}[i%2]
		}
	}
	t := &w.transfer
	t.FromAmount, t.FromCurrency, t.ToAmount, t.ToCurrency, t.Destination = w.used, "USD", 100, "NPR", "NP"
	t.ExchangeRate, t.CreatedAt, t.UpdatedAt = decimal.MustParse("132.25"), origin, origin
	t.DeliveryStatus, t.StatusReason, t.RequiredInformation = payout.DeliveryNone, "", []string{"OCCUPATION"}
	t.To.Method, t.To.Mode, t.To.FundID, t.To.PayerID = payout.Wallet, payout.SenderAmount, w.wallet.ID, 1
	return w
}

// further adds a transaction that counts, without a key.
func further(t *testing.T, db Database, w world, id string, at time.Time, change func(*payout.Transaction)) {
	t.Helper()
	v := w.another(payout.TransactionID(id))
	v.CreatedAt, v.UpdatedAt = at, at
	if change != nil {
		change(&v)
	}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.InsertTransaction(ctx, w.client.ID, v); err != nil {
			return err
		}
		_, err := tx.AddUsage(ctx, w.client.ID, payout.UsageKey{
			UserID: v.UserID, Destination: v.Destination, Currency: v.FromCurrency, At: v.CreatedAt,
		}, v.FromAmount)
		return err
	})
}

// putSound writes two sound clients with transactions of each method, at the edges of days and years.
func putSound(t *testing.T, db Database) world {
	t.Helper()
	if err := db.PutReference(t.Context(), store.Reference{
		States: []payout.State{{ID: 1}},
		Payers: []payout.Payer{{ID: 1, Method: payout.Wallet, Currency: "NPR"}, {ID: 2, Method: payout.CashPickup, Currency: "NPR"}},
		Banks:  []payout.Bank{{ID: 1, Currencies: []string{"NPR", "USD"}}, {ID: 2, Currencies: []string{"NPR"}}},
	}); err != nil {
		t.Fatal(err)
	}
	w, other := soundWorld("a"), soundWorld("b")
	w.put(t, db)
	other.put(t, db)
	edge := time.Date(2026, 12, 31, 23, 59, 59, 999999000, time.UTC)
	further(t, db, w, "bank", edge, func(v *payout.Transaction) {
		v.To.Method, v.To.FundID, v.To.PayerID = payout.BankDeposit, w.bank.ID, 0
	})
	further(t, db, w, "cash", edge.Add(time.Microsecond), func(v *payout.Transaction) {
		v.To.Method, v.To.FundID, v.To.PayerID, v.To.Mode = payout.CashPickup, "", 2, payout.ReceiverAmount
	})
	further(t, db, w, "keyless", origin.AddDate(0, 0, -3), func(v *payout.Transaction) {
		v.To.PayerID, v.Destination, v.FromCurrency = 0, "IN", "GBP"
	})
	write(t, db, func(ctx context.Context, tx payout.Tx) error { // a key of each kind of resource
		for _, id := range []string{string(w.user.ID), string(w.funding.ID), string(w.receiver.ID), string(w.bank.ID), string(w.wallet.ID)} {
			key := payout.Idempotency{Key: "key of " + id, Fingerprint: "f"}
			if err := keep(tx.InsertIdempotencyKey(ctx, w.client.ID, key, id)()); err != nil {
				return err
			}
		}
		return nil
	})
	return w
}

// differences returns what a check finds.
func differences(t *testing.T, db Database) (store.Checked, []string) {
	t.Helper()
	var all []string
	done, err := db.Check(t.Context(), func(d store.Difference) error {
		all = append(all, d.String())
		return nil
	})
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	if done.Differences != len(all) {
		t.Errorf("%d differences are counted, %d reported", done.Differences, len(all))
	}
	return done, all
}

func checkSound(t *testing.T, db Database) {
	done, all := differences(t, db)
	same(t, "an empty database", done, store.Checked{})
	same(t, "an empty database", all, nil)
	putSound(t, db)
	done, all = differences(t, db)
	same(t, "differences", all, nil)
	same(t, "checked", done, store.Checked{
		Clients: 2, Users: 2, Accounts: 6, Transactions: 5, Documents: 8, Keys: 2 + 5, Counters: 2*3 + 2 + 3 + 3, Reference: 5,
	})
	stop := errors.New("stop")
	damage(t, db, `update users set status = 'x'`)
	if done, err := db.Check(t.Context(), func(store.Difference) error { return stop }); !errors.Is(err, stop) || done.Differences != 1 {
		t.Errorf("after a stop: %v, %+v", err, done)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := db.Check(ended, func(store.Difference) error { return nil })
	outage(t, "a context that ended", err)
}

// damage changes a database behind the back of the store.
func damage(t *testing.T, db Database, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.SQL.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Rows of one user must not refer to rows of another user of the same client.
func checkOwners(t *testing.T, db Database) {
	w := putSound(t, db)
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		return tx.InsertUser(ctx, "a", payout.User{ID: "other", Status: payout.KYCUnverified, CreatedAt: origin})
	})
	damage(t, db, `update funding_accounts set user_id = 'other' where client_id = 'a'`,
		`update receive_users set user_id = 'other' where client_id = 'a'`,
		`update documents set user_id = 'other' where client_id = 'a' and transaction_id is not null and kind = 'physical'`)
	want := []string{"documents " + string(w.transfer.Documents[0].ID) + " of client a: its transaction is not of its user"}
	for _, id := range []string{string(w.transfer.ID), "bank", "cash", "keyless"} {
		want = append(want, "transactions "+id+" of client a: its funding account is not of its user",
			"transactions "+id+" of client a: its receive user is not of its user")
	}
	_, all := differences(t, db)
	slices.Sort(all)
	slices.Sort(want)
	same(t, "differences", all, want)
}

// A violated foreign key is rejected by the database or found by the check: a program may open a SQLite file without them.
func checkOrphans(t *testing.T, db Database) {
	putSound(t, db)
	for _, d := range []struct{ damage, want string }{
		{
			`insert into users (client_id, id, created_at, status, business, sending, country, profile)
				values ('ghost', 'u', 0, 'VERIFIED', false, true, 'US', '{}')`,
			"users u of client ghost: its client does not exist",
		},
		{
			`insert into cip_tags (client_id, user_id, tag, status) values ('a', 'ghost', 'EMAIL', 'SUBMIT')`,
			"cip_tags ghost of client a: its user does not exist",
		},
		{
			`insert into limit_usage (client_id, user_id, destination, currency, period, used) values ('a', 'spirit', 'NP', 'USD', '2026', 1)`,
			"limit_usage spirit of client a: its user does not exist",
		},
		{
			`update funding_accounts set user_id = 'ghost' where client_id = 'a'`,
			"funding_accounts " + string(soundWorld("a").funding.ID) + " of client a: its user does not exist",
		},
		{
			`update receive_users set user_id = 'ghost' where client_id = 'a'`,
			"receive_users " + string(soundWorld("a").receiver.ID) + " of client a: its user does not exist",
		},
		{
			`update bank_accounts set receive_user_id = 'ghost' where client_id = 'a'`,
			"bank_accounts " + string(soundWorld("a").bank.ID) + " of client a: its receive user does not exist",
		},
		{
			`update wallet_accounts set receive_user_id = 'ghost' where client_id = 'a'`,
			"wallet_accounts " + string(soundWorld("a").wallet.ID) + " of client a: its receive user does not exist",
		},
		{`update transactions set user_id = 'ghost' where id = 'bank'`, "transactions bank of client a: its user does not exist"},
		{`update transactions set from_fund_id = 'ghost' where id = 'bank'`, "transactions bank of client a: its funding account does not exist"},
		{`update transactions set receive_user_id = 'ghost' where id = 'bank'`, "transactions bank of client a: its receive user does not exist"},
		{
			`update documents set user_id = 'ghost' where client_id = 'b' and transaction_id is null`,
			"documents " + string(soundWorld("b").user.Documents[0].ID) + " of client b: its user does not exist",
		},
		{
			`update documents set transaction_id = 'ghost' where client_id = 'b' and transaction_id is not null`,
			"documents " + string(soundWorld("b").transfer.Documents[0].ID) + " of client b: its transaction does not exist",
		},
	} {
		if _, err := db.SQL.ExecContext(t.Context(), d.damage); err != nil {
			continue // refused
		}
		if _, all := differences(t, db); !slices.Contains(all, d.want) {
			t.Errorf("after %s\ngot  %s\nwant %s", d.damage, strings.Join(all, "\n     "), d.want)
		}
	}
}

// Users are checked in ranges without gaps.
func checkManyUsers(t *testing.T, db Database) {
	w := putSound(t, db)
	const users = 1203
	var insert, count strings.Builder
	for i := range users {
		comma := map[bool]string{true: ", "}[i > 0]
		fmt.Fprintf(&insert, "%s('a', 'user-%05d', 0, 'VERIFIED', false, true, 'US', '{}')", comma, i)
		fmt.Fprintf(&count, "%s('a', 'user-%05d', 'NP', 'USD', '2026', 5)", comma, i)
	}
	damage(t, db,
		`insert into users (client_id, id, created_at, status, business, sending, country, profile) values `+insert.String(),
		`insert into limit_usage (client_id, user_id, destination, currency, period, used) values `+count.String())
	done, all := differences(t, db)
	same(t, "users", done.Users, users+2)
	same(t, "transactions", done.Transactions, 5)
	if len(all) != users || !strings.Contains(all[0], "user-00000") || !strings.Contains(all[users-1], fmt.Sprintf("user-%05d", users-1)) {
		t.Errorf("%d differences, want one of each of %d users", len(all), users)
	}
	damage(t, db, `delete from limit_usage where user_id like 'user-%'`)
	for i := range 3 {
		v := w.another(payout.TransactionID(fmt.Sprint("t", i)))
		v.UserID = payout.UserID(fmt.Sprintf("user-%05d", i*600))
		write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.InsertTransaction(ctx, "a", v) })
	}
	missing := 0
	for _, line := range func() []string { _, all := differences(t, db); return all }() {
		if strings.Contains(line, " is missing, the transactions are 12345") {
			missing++
		}
	}
	same(t, "missing counters", missing, 3*3)
}

// A check reads one snapshot while others write.
func checkMoment(t *testing.T, db Database) {
	if db.Nodes {
		t.Skip("a check of several nodes is for times without writes")
	}
	w := putSound(t, db)
	damage(t, db, `update clients set profile = '' where id = 'a'`)
	reports := 0
	done, err := db.Check(t.Context(), func(store.Difference) error {
		reports++ // at the first part of the check; the transactions come last
		further(t, db, w, "meanwhile", origin, nil)
		damage(t, db, `update limit_usage set used = 1`)
		return nil
	})
	if err != nil || reports != 1 || done.Transactions != 5 {
		t.Errorf("%v; %d differences, %+v", err, reports, done)
	}
}

// A row that cannot be read is an error, counted like any other.
func checkFails(t *testing.T, db Database) {
	putSound(t, db)
	damage(t, db, `alter table idempotency_keys rename to gone`)
	_, _, before := db.Failures()
	if _, err := db.Check(t.Context(), func(store.Difference) error { return nil }); payout.CodeOf(err) != payout.CodeInternalError {
		t.Errorf("without a table: %v", err)
	}
	_, _, after := db.Failures()
	same(t, "failures", after-before, 1)
}
