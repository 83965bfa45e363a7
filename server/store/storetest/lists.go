package storetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
)

func clientLists(t *testing.T, db Database) {
	mine, other := newWorld("mine"), newWorld("other")
	documents := mine.user.Documents
	mine.user.Documents, mine.transfer.Documents, mine.transfer.RequiredInformation = nil, nil, nil
	mine.transfer.CreatedAt = origin.AddDate(-1, 0, 0) // out of the days below
	mine.put(t, db)
	other.put(t, db)
	ctx, id := t.Context(), mine.client.ID
	users := []payout.User{mine.user}
	transfers := []payout.Transaction{mine.transfer}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		for i, n := range []string{"3", "2", "1"} { // ids are in the reverse order of time
			u := mine.user
			u.ID, u.Status, u.CreatedAt = mine.user.ID+payout.UserID(n), payout.KYCStatus("status "+n), origin.AddDate(1, 0, i/2)
			u.ClientReference, u.Profile.Email = "user "+n, "Shared@example.com"
			if i == 1 {
				u.Documents = documents
			}
			if err := tx.InsertUser(ctx, id, u); err != nil {
				return err
			}
			v := mine.another(mine.transfer.ID + payout.TransactionID(n))
			v.UserID, v.CreatedAt = u.ID, origin.AddDate(0, 0, i)
			v.ClientReference, v.Status, v.DeliveryStatus = "order "+n, payout.TransactionStatus("status "+n), "delivery"
			if err := tx.InsertTransaction(ctx, id, v); err != nil {
				return err
			}
			u.Documents = withoutContent(u.Documents)
			users, transfers = append(users, u), append(transfers, asRead(v))
		}
		return nil
	})
	userAt := func(n int) payout.Position {
		return payout.Position{CreatedAt: users[n].CreatedAt, ID: string(users[n].ID)}
	}
	for _, c := range []struct {
		filter payout.UserFilter
		page   payout.Page
		want   []int
		more   bool
	}{
		{payout.UserFilter{}, payout.Page{}, []int{3, 1, 2, 0}, false}, // 1 and 2 at the same time
		{payout.UserFilter{}, payout.Page{Limit: 2}, []int{3, 1}, true},
		{payout.UserFilter{}, payout.Page{Limit: 4}, []int{3, 1, 2, 0}, false},
		{payout.UserFilter{}, payout.Page{After: userAt(1), Limit: 2}, []int{2, 0}, false},
		{payout.UserFilter{Status: users[2].Status}, payout.Page{Limit: 2}, []int{2}, false},
		{payout.UserFilter{Status: users[2].Status}, payout.Page{After: userAt(2), Limit: 2}, nil, false},
		{payout.UserFilter{Email: users[2].Profile.Email}, payout.Page{Limit: 2}, []int{3, 1}, true},
		{payout.UserFilter{Email: users[2].Profile.Email}, payout.Page{}, []int{3, 1, 2}, false},
		{payout.UserFilter{Email: users[2].Profile.Email, Status: users[2].Status}, payout.Page{Limit: 1}, []int{2}, false},
		{payout.UserFilter{Email: users[2].Profile.Email, ClientReference: users[1].ClientReference, Status: users[1].Status}, payout.Page{}, []int{1}, false},
		{payout.UserFilter{Email: strings.ToUpper(users[2].Profile.Email)}, payout.Page{}, nil, false},
		{payout.UserFilter{ClientReference: users[1].ClientReference}, payout.Page{}, []int{1}, false},
		{payout.UserFilter{ClientReference: users[1].ClientReference, Status: users[2].Status}, payout.Page{}, nil, false},
		{payout.UserFilter{ClientReference: users[1].ClientReference, Email: users[2].Profile.Email}, payout.Page{}, []int{1}, false},
	} {
		var want []payout.User
		for _, n := range c.want {
			want = append(want, users[n])
		}
		got, next, err := db.Users(ctx, id, c.filter, c.page)
		same(t, "users", must(got, err)(t), want)
		if more := next != (payout.Position{}); more != c.more || more && next != userAt(c.want[len(c.want)-1]) {
			t.Errorf("%+v, %+v: the next page begins after %+v", c.filter, c.page, next)
		}
	}
	at := func(n int) payout.Position {
		return payout.Position{CreatedAt: transfers[n].CreatedAt, ID: string(transfers[n].ID)}
	}
	for _, c := range []struct {
		filter payout.TransactionFilter
		page   payout.Page
		want   []int
	}{
		{payout.TransactionFilter{From: origin}, payout.Page{Limit: 10}, []int{3, 2, 1}},
		{payout.TransactionFilter{From: origin}, payout.Page{Limit: 2}, []int{3, 2}},
		{payout.TransactionFilter{From: origin}, payout.Page{Limit: 2, After: at(2)}, []int{1}},
		{payout.TransactionFilter{UserID: users[2].ID}, payout.Page{Limit: 2}, []int{2}},
		{payout.TransactionFilter{From: origin.AddDate(0, 0, 1)}, payout.Page{Limit: 9}, []int{3, 2}},
		{payout.TransactionFilter{From: origin, To: origin.AddDate(0, 0, 1)}, payout.Page{Limit: 9}, []int{1}},
		{payout.TransactionFilter{From: origin, To: origin.AddDate(0, 0, 1)}, payout.Page{Limit: 9, After: at(3)}, []int{1}},
		{payout.TransactionFilter{From: origin, To: origin.AddDate(0, 0, 2)}, payout.Page{Limit: 9, After: at(2)}, []int{1}},
		{payout.TransactionFilter{UserID: users[2].ID}, payout.Page{Limit: 9, After: at(3)}, []int{2}},
		{payout.TransactionFilter{UserID: users[2].ID}, payout.Page{Limit: 9, After: at(2)}, nil},
		{payout.TransactionFilter{UserID: "nobody"}, payout.Page{Limit: 9}, nil},
		{payout.TransactionFilter{ClientReference: transfers[1].ClientReference, From: origin}, payout.Page{}, []int{1}},
		{payout.TransactionFilter{Status: transfers[2].Status, From: origin}, payout.Page{}, []int{2}},
		{payout.TransactionFilter{DeliveryStatus: transfers[3].DeliveryStatus, From: origin}, payout.Page{}, []int{3, 2, 1}},
		{payout.TransactionFilter{DeliveryStatus: transfers[3].DeliveryStatus, Status: transfers[2].Status, From: origin}, payout.Page{}, []int{2}},
		{payout.TransactionFilter{UserID: users[3].ID, Status: transfers[2].Status, From: origin}, payout.Page{}, nil},
	} {
		var want []payout.Transaction
		for _, n := range c.want {
			want = append(want, transfers[n])
		}
		c.filter.To = cmpTime(c.filter.To, origin.AddDate(1, 0, 0))
		got, _, err := db.ClientTransactions(ctx, id, c.filter, c.page)
		same(t, "transactions", must(got, err)(t), want)
	}
	same(t, "transaction", found(db.ClientTransaction(ctx, id, transfers[2].ID))(t), transfers[2])
	for _, other := range []payout.ClientID{other.client.ID, ""} {
		if _, ok, err := db.ClientTransaction(ctx, other, transfers[2].ID); ok || err != nil {
			t.Errorf("of another client: %t, %v", ok, err)
		}
	}
}

// cmpTime is t, or the other one where t is zero.
func cmpTime(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

// boundedLists has 1,500 users and transactions that meet one filter, of which the oldest meets the other one.
func boundedLists(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	id := w.client.ID
	for _, insert := range []string{
		`insert into users (client_id, id, created_at, status, business, sending, country, profile, email)
			with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < 1499)
			select client_id, 'u' || (10000 + i), i, case when i = 0 then 'RARE' else 'COMMON' end, business, sending, country, profile, 'same'
			from users, numbers where client_id = 'a'`,
		`insert into transactions (client_id, id, user_id, created_at, status, delivery_status, from_amount, from_currency, to_amount,
			to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes, receive_user_id,
			payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver, updated_at, status_reason, required_information, client_reference)
			with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < 1499)
			select client_id, 't' || (10000 + i), user_id, i, case when i = 0 then 'RARE' else 'COMMON' end, delivery_status, from_amount,
			from_currency, to_amount, to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination,
			notes, receive_user_id, payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver, updated_at, status_reason, required_information, 'same'
			from transactions, numbers where client_id = 'a'`,
	} {
		if _, err := db.SQL.ExecContext(ctx, insert); err != nil {
			t.Fatal(err)
		}
	}
	position := func(prefix string, i int64) payout.Position {
		return payout.Position{CreatedAt: time.UnixMicro(i).UTC(), ID: fmt.Sprintf("%s%d", prefix, 10000+i)}
	}
	users, next, err := db.Users(ctx, id, payout.UserFilter{Email: "same", Status: "RARE"}, payout.Page{Limit: 10})
	if err != nil || len(users) != 0 || next != position("u", 500) {
		t.Errorf("the first page has %d users and ends at %+v, %v", len(users), next, err)
	}
	users, next, err = db.Users(ctx, id, payout.UserFilter{Email: "same", Status: "RARE"}, payout.Page{Limit: 10, After: next})
	same(t, "the second page", idsOf(must(users, err)(t)), []string{"u10000"})
	same(t, "its next", next, payout.Position{})
	users, next, err = db.Users(ctx, id, payout.UserFilter{Email: "same", Status: "COMMON"}, payout.Page{Limit: 2})
	same(t, "a full page", idsOf(must(users, err)(t)), []string{"u11499", "u11498"})
	same(t, "its next", next, position("u", 1498))
	f := payout.TransactionFilter{ClientReference: "same", Status: "RARE"}
	transactions, next, err := db.ClientTransactions(ctx, id, f, payout.Page{Limit: 10})
	if err != nil || len(transactions) != 0 || next != position("t", 500) {
		t.Errorf("the first page has %d transactions and ends at %+v, %v", len(transactions), next, err)
	}
	transactions, next, err = db.ClientTransactions(ctx, id, f, payout.Page{Limit: 10, After: next})
	same(t, "the second page", idsOf(must(transactions, err)(t)), []string{"t10000"})
	same(t, "its next", next, payout.Position{})
	f.From = time.UnixMicro(600).UTC() // less than 1,000 follow
	transactions, next, err = db.ClientTransactions(ctx, id, f, payout.Page{Limit: 10})
	same(t, "a page with a bound", idsOf(must(transactions, err)(t)), []string{})
	same(t, "its next", next, payout.Position{})
}

// snapshot reads before and after a write of another transaction.
func snapshot(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	read := func(r payout.Reader) payout.KYCStatus {
		return found(r.User(ctx, w.client.ID, w.user.ID))(t).Status
	}
	if err := db.Read(ctx, func(r payout.Reader) error {
		before := read(r)
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			return tx.SetUserStatus(ctx, w.client.ID, w.user.ID, "CHANGED")
		})
		same(t, "after the write, within", read(r), before)
		same(t, "after the write, outside", read(db), "CHANGED")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
