package storetest

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// scope says whose rows are read.
type scope struct {
	client   payout.ClientID
	user     payout.UserID
	receiver payout.ReceiveUserID
}

func (w world) scope() scope {
	return scope{w.client.ID, w.user.ID, w.receiver.ID}
}

// tenantRead is a read that takes a client id, and reports whether it found anything.
type tenantRead struct {
	name string
	read func(context.Context, payout.Reader, scope) (bool, error)
}

func some[T any](all []T, err error) (bool, error) { return len(all) > 0, err }

func maybe[T any](_ T, ok bool, err error) (bool, error) { return ok, err }

// tenantReads read the rows of a world in a scope.
func tenantReads(w world) []tenantRead {
	return []tenantRead{
		{"User", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.User(ctx, s.client, s.user))
		}},
		{"Users", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			all, _, err := r.Users(ctx, s.client, payout.UserFilter{Email: w.user.Profile.Email}, payout.Page{Limit: 10})
			return len(all) > 0, err
		}},
		{"ClientTransactions", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			all, _, err := r.ClientTransactions(ctx, s.client, payout.TransactionFilter{UserID: s.user}, payout.Page{Limit: 10})
			return len(all) > 0, err
		}},
		{"UserDocuments", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.UserDocuments(ctx, s.client, s.user))
		}},
		{"CIPTags", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			tags, err := r.CIPTags(ctx, s.client, s.user)
			return len(tags) > 0, err
		}},
		{"Usage", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			key := w.usage
			key.UserID = s.user
			used, err := r.Usage(ctx, s.client, key)
			return used != payout.Usage{}, err
		}},
		{"FundingAccounts", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.FundingAccounts(ctx, s.client, s.user, payout.Page{}))
		}},
		{"FundingAccount", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.FundingAccount(ctx, s.client, s.user, w.funding.ID))
		}},
		{"ReceiveUsers", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.ReceiveUsers(ctx, s.client, s.user, payout.Page{}))
		}},
		{"ReceiveUser", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.ReceiveUser(ctx, s.client, s.user, w.receiver.ID))
		}},
		{"BankAccounts", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.BankAccounts(ctx, s.client, s.receiver, payout.Page{}))
		}},
		{"BankAccount", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.BankAccount(ctx, s.client, s.receiver, w.bank.ID))
		}},
		{"WalletAccounts", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.WalletAccounts(ctx, s.client, s.receiver, payout.Page{}))
		}},
		{"WalletAccount", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.WalletAccount(ctx, s.client, s.receiver, w.wallet.ID))
		}},
		{"Sides", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			deposit, err := r.Sides(ctx, s.client, s.user, w.funding.ID, payout.ReceiveSide{
				ReceiveUserID: s.receiver, Method: payout.BankDeposit, FundID: w.bank.ID,
			})
			if err != nil {
				return false, err
			}
			wallet, err := r.Sides(ctx, s.client, s.user, w.funding.ID, payout.ReceiveSide{
				ReceiveUserID: s.receiver, Method: payout.Wallet, FundID: w.wallet.ID,
			})
			return deposit.FundingAccount != nil && deposit.BankAccount != nil || wallet.Receiver != nil && wallet.WalletAccount != nil, err
		}},
		{"Transaction", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.Transaction(ctx, s.client, s.user, w.transfer.ID))
		}},
		{"IdempotencyKey", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.IdempotencyKey(ctx, s.client, w.key.Key))
		}},
		{"Transactions", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.Transactions(ctx, s.client, s.user, payout.Page{Limit: 10}))
		}},
		{"WebhookEndpoints", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			all, err := r.WebhookEndpoints(ctx, s.client, payout.Page{})
			return slices.ContainsFunc(all, func(e payout.WebhookEndpoint) bool { return e.ID == w.endpoint.ID }), err
		}},
		{"WebhookEndpoint", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.WebhookEndpoint(ctx, s.client, w.endpoint.ID))
		}},
		{"WebhookRotation", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.WebhookRotation(ctx, s.client, w.rotation.ID))
		}},
		{"WebhookDeliveries", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.WebhookDeliveries(ctx, s.client, w.endpoint.ID, "", payout.Page{}))
		}},
		{"WebhookDelivery", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return maybe(r.WebhookDelivery(ctx, s.client, w.endpoint.ID, w.delivery.EventID))
		}},
	}
}

// sharedReads are the other reads: reference data, which has no client, and the client itself.
func sharedReads() []tenantRead {
	everywhere := []string{"NP", "JP"}
	return []tenantRead{
		{"Client", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			_, secrets, ok, err := r.Client(ctx, s.client, origin)
			return ok || len(secrets) > 0, err
		}},
		{"ClientsOf", func(ctx context.Context, r payout.Reader, s scope) (bool, error) {
			return some(r.ClientsOf(ctx, []payout.ClientID{s.client}, origin))
		}},
		{"Payers", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) {
			return some(r.Payers(ctx, everywhere, ""))
		}},
		{"Payer", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) { return maybe(r.Payer(ctx, 1)) }},
		{"Banks", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) {
			return some(r.Banks(ctx, everywhere))
		}},
		{"Bank", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) { return maybe(r.Bank(ctx, 1)) }},
		{"States", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) {
			return some(r.States(ctx, everywhere))
		}},
		{"State", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) {
			return maybe(r.State(ctx, "NP", "P3"))
		}},
		{"StateByID", func(ctx context.Context, r payout.Reader, _ scope) (bool, error) { return maybe(r.StateByID(ctx, 1)) }},
	}
}

// finds runs reads in a scope, on the store and within a write, and compares each with want.
func finds(t *testing.T, db Database, reads []tenantRead, s scope, want func(name string) bool) {
	t.Helper()
	check := func(where string, r payout.Reader) {
		for _, read := range reads {
			if got, err := read.read(t.Context(), r, s); err != nil || got != want(read.name) {
				t.Errorf("%s %s of %+v: found %t, %v", where, read.name, s, got, err)
			}
		}
	}
	check("on the store,", db)
	write(t, db, func(_ context.Context, tx payout.Tx) error { check("within a write,", tx); return nil })
}

func all(string) bool  { return true }
func none(string) bool { return false }

func missingRows(t *testing.T, db Database) {
	w := newWorld("nobody")
	finds(t, db, append(tenantReads(w), sharedReads()...), w.scope(), none)
	if tags := must(db.CIPTags(t.Context(), "nobody", "nobody"))(t); tags == nil {
		t.Error("no tags are nil, and cannot be written to")
	}
	if _, secrets, ok, err := db.Client(t.Context(), "", origin); ok || secrets != nil || err != nil {
		t.Errorf("a client without id: %v, %t, %v", secrets, ok, err)
	}
}

func readsAreComplete(t *testing.T, _ Database) {
	var named []string
	for _, r := range slices.Concat(tenantReads(world{}), feedReads(world{}), sharedReads()) {
		named = append(named, r.name)
	}
	for method := range reflect.TypeFor[payout.Reader]().Methods() {
		if !slices.Contains(named, method.Name) {
			t.Errorf("%s is not held by this suite", method.Name)
		}
	}
}

func clientIsolation(t *testing.T, db Database) {
	mine, other := newWorld("mine"), newWorld("other")
	mine.put(t, db)
	putClient(t, db, other.client, "hash")
	finds(t, db, tenantReads(mine), mine.scope(), all)
	finds(t, db, tenantReads(mine), scope{other.client.ID, mine.user.ID, mine.receiver.ID}, none)
	finds(t, db, tenantReads(mine), scope{"", mine.user.ID, mine.receiver.ID}, none)
	write(t, db, other.insert)
	finds(t, db, tenantReads(mine), scope{other.client.ID, mine.user.ID, mine.receiver.ID}, none)
	finds(t, db, tenantReads(other), scope{mine.client.ID, other.user.ID, other.receiver.ID}, none)
	finds(t, db, tenantReads(other), other.scope(), all)
}

func userIsolation(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	second := payout.User{ID: "second", CreatedAt: origin}
	receiver := payout.ReceiveUser{ID: "second receiver", UserID: second.ID, CreatedAt: origin}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.InsertUser(ctx, w.client.ID, second); err != nil {
			return err
		}
		return tx.InsertReceiveUser(ctx, w.client.ID, receiver)
	})
	finds(t, db, tenantReads(w), scope{w.client.ID, second.ID, receiver.ID}, func(name string) bool {
		// Its own two rows; keys (D-16) and webhooks belong to the client.
		return name == "User" || name == "Users" || name == "ReceiveUsers" || name == "IdempotencyKey" || strings.HasPrefix(name, "Webhook")
	})
}

// hasSides wants the sides of a transaction by each payout method.
func (w world) hasSides(t *testing.T, ctx context.Context, r payout.Reader) { //nolint:revive // as t comes first everywhere
	t.Helper()
	for _, to := range []payout.ReceiveSide{
		{Method: payout.BankDeposit, FundID: w.bank.ID}, {Method: payout.Wallet, FundID: w.wallet.ID},
		{Method: payout.CashPickup, PayerID: w.wallet.PayerID}, {Method: payout.HomeDelivery, PayerID: w.wallet.PayerID},
	} {
		to.ReceiveUserID = w.receiver.ID
		s, err := r.Sides(ctx, w.client.ID, w.user.ID, w.funding.ID, to)
		if err != nil {
			t.Fatal(err)
		}
		if s.Sender == nil || s.FundingAccount == nil || s.Receiver == nil {
			t.Fatalf("%s: the sides are %+v", to.Method, s)
		}
		same(t, "country of the sender", s.Sender.Country, w.user.Country)
		same(t, "funding account", *s.FundingAccount, w.funding)
		same(t, "receive user", *s.Receiver, w.receiver)
		if is := s.BankAccount != nil; is != (to.Method == payout.BankDeposit) || is && *s.BankAccount != w.bank {
			t.Errorf("%s: the bank account is %+v", to.Method, s.BankAccount)
		}
		if is := s.WalletAccount != nil; is != (to.Method == payout.Wallet) || is && *s.WalletAccount != w.wallet {
			t.Errorf("%s: the wallet account is %+v", to.Method, s.WalletAccount)
		}
		if is := s.Payer != nil; is != (to.Method != payout.BankDeposit) || is && s.Payer.ID != w.wallet.PayerID {
			t.Errorf("%s: the payer is %+v", to.Method, s.Payer)
		}
	}
}

func sameIDs(t *testing.T, db Database) {
	mine := newWorld("mine")
	other := mine
	other.client.ID, other.used = "other", 1
	other.user.Country, other.funding.Label, other.receiver.City = "1", "2", "3"
	other.bank.AccountNumber, other.wallet.WalletNumber, other.transfer.FundingType = "4", "5", "6"
	other.key.Fingerprint = "7"
	mine.put(t, db)
	other.put(t, db)
	ctx := t.Context()
	if err := db.PutReference(ctx, store.Reference{Payers: []payout.Payer{{ID: mine.wallet.PayerID}}}); err != nil {
		t.Fatal(err)
	}
	for _, w := range []world{mine, other} {
		id, user, receiver := w.client.ID, w.user.ID, w.receiver.ID
		same(t, "user", found(db.User(ctx, id, user))(t).Country, w.user.Country)
		same(t, "funding account", found(db.FundingAccount(ctx, id, user, w.funding.ID))(t), w.funding)
		same(t, "receive user", found(db.ReceiveUser(ctx, id, user, receiver))(t), w.receiver)
		same(t, "bank account", found(db.BankAccount(ctx, id, receiver, w.bank.ID))(t), w.bank)
		same(t, "wallet account", found(db.WalletAccount(ctx, id, receiver, w.wallet.ID))(t), w.wallet)
		write(t, db, func(ctx context.Context, tx payout.Tx) error { w.hasSides(t, ctx, tx); return nil })
		w.hasSides(t, ctx, db)
		same(t, "transaction", found(db.Transaction(ctx, id, user, w.transfer.ID))(t), asRead(w.transfer))
		same(t, "key", found(db.IdempotencyKey(ctx, id, w.key.Key))(t).Fingerprint, w.key.Fingerprint)
		same(t, "usage", must(db.Usage(ctx, id, w.usage))(t), payout.Usage{Daily: w.used, Monthly: w.used, Annual: w.used})
	}
}

func oldestFirst(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	id, user, receiver := w.client.ID, w.user.ID, w.receiver.ID
	for _, minutes := range []int{3, 1, 4, 2} { // later than those of the world, which come first
		at := origin.AddDate(1, 0, 0).Add(time.Duration(minutes) * time.Minute)
		name := string(rune('z' - minutes)) // so that ids are in the reverse order
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			f, r, b, l := w.funding, w.receiver, w.bank, w.wallet
			f.ID, r.ID, b.ID, l.ID = payout.FundingAccountID(name), payout.ReceiveUserID(name), payout.ReceiveAccountID(name), payout.ReceiveAccountID(name)
			f.CreatedAt, r.CreatedAt, b.CreatedAt, l.CreatedAt = at, at, at, at
			for _, err := range []error{
				tx.InsertFundingAccount(ctx, id, f), tx.InsertReceiveUser(ctx, id, r),
				tx.InsertBankAccount(ctx, id, b), tx.InsertWalletAccount(ctx, id, l),
			} {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	later := []string{"y", "x", "w", "v"}
	same(t, "funding accounts", idsOf(must(db.FundingAccounts(ctx, id, user, payout.Page{}))(t)), append([]string{string(w.funding.ID)}, later...))
	same(t, "receive users", idsOf(must(db.ReceiveUsers(ctx, id, user, payout.Page{}))(t)), append([]string{string(receiver)}, later...))
	same(t, "bank accounts", idsOf(must(db.BankAccounts(ctx, id, receiver, payout.Page{}))(t)), append([]string{string(w.bank.ID)}, later...))
	same(t, "wallet accounts", idsOf(must(db.WalletAccounts(ctx, id, receiver, payout.Page{}))(t)), append([]string{string(w.wallet.ID)}, later...))
}

// idsOf returns the field ID of each row.
func idsOf[T any](rows []T) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = reflect.ValueOf(row).FieldByName("ID").String()
	}
	return ids
}

// pagedList is a list that comes in pages, and how to add an entry to it.
type pagedList struct {
	name   string
	newest bool      // first
	first  string    // the entry of the world
	at     time.Time // when it was created
	page   func(payout.Page) []string
	insert func(ctx context.Context, tx payout.Tx, id string, at time.Time) error
}

// pagedLists are those of a world.
func (w world) pagedLists(t *testing.T, db Database) []pagedList {
	ctx, id, user, receiver := t.Context(), w.client.ID, w.user.ID, w.receiver.ID
	return []pagedList{
		{
			"transactions", true, string(w.transfer.ID), w.transfer.CreatedAt,
			func(p payout.Page) []string { return idsOf(must(db.Transactions(ctx, id, user, p))(t)) },
			func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
				v := w.another(payout.TransactionID(entry))
				v.CreatedAt = at
				return tx.InsertTransaction(ctx, id, v)
			},
		},
		{
			"funding accounts", false, string(w.funding.ID), w.funding.CreatedAt,
			func(p payout.Page) []string { return idsOf(must(db.FundingAccounts(ctx, id, user, p))(t)) },
			func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
				v := w.funding
				v.ID, v.CreatedAt = payout.FundingAccountID(entry), at
				return tx.InsertFundingAccount(ctx, id, v)
			},
		},
		{
			"receive users", false, string(w.receiver.ID), w.receiver.CreatedAt,
			func(p payout.Page) []string { return idsOf(must(db.ReceiveUsers(ctx, id, user, p))(t)) },
			func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
				v := w.receiver
				v.ID, v.CreatedAt = payout.ReceiveUserID(entry), at
				return tx.InsertReceiveUser(ctx, id, v)
			},
		},
		{
			"bank accounts", false, string(w.bank.ID), w.bank.CreatedAt,
			func(p payout.Page) []string { return idsOf(must(db.BankAccounts(ctx, id, receiver, p))(t)) },
			func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
				v := w.bank
				v.ID, v.CreatedAt = payout.ReceiveAccountID(entry), at
				return tx.InsertBankAccount(ctx, id, v)
			},
		},
		{
			"wallet accounts", false, string(w.wallet.ID), w.wallet.CreatedAt,
			func(p payout.Page) []string { return idsOf(must(db.WalletAccounts(ctx, id, receiver, p))(t)) },
			func(ctx context.Context, tx payout.Tx, entry string, at time.Time) error {
				v := w.wallet
				v.ID, v.CreatedAt = payout.ReceiveAccountID(entry), at
				return tx.InsertWalletAccount(ctx, id, v)
			},
		},
		w.pagedEndpoints(t, db), w.pagedDeliveries(t, db, ""), w.pagedDeliveries(t, db, w.delivery.Status),
	}
}

func paging(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	for _, l := range w.pagedLists(t, db) {
		l.comesInPages(t, db)
	}
}

// comesInPages adds nine entries, three at a time in no order of their ids, and reads them in pages of each length.
func (l pagedList) comesInPages(t *testing.T, db Database) {
	t.Helper()
	times := map[string]time.Time{l.first: l.at}
	insert := func(id string, at time.Time) {
		times[id] = at
		write(t, db, func(ctx context.Context, tx payout.Tx) error { return l.insert(ctx, tx, id, at) })
	}
	later := origin.AddDate(1, 0, 0)
	for _, id := range []string{"b", "c", "a", "f", "e", "d", "h", "g", "i"} {
		insert(id, later.Add(time.Duration((id[0]-'a')/3)*time.Microsecond))
	}
	want := []string{l.first, "a", "b", "c", "d", "e", "f", "g", "h", "i"}
	if l.newest {
		slices.Reverse(want)
	}
	same(t, l.name+" on one page", l.page(payout.Page{Limit: 100}), want)
	same(t, l.name+" without a limit", l.page(payout.Page{}), want)
	after := func(n int) payout.Position { return payout.Position{CreatedAt: times[want[n]], ID: want[n]} }
	same(t, l.name+" without a limit after the third", l.page(payout.Page{After: after(2)}), want[3:])
	for limit := 1; limit <= len(want)+1; limit++ {
		var got []string
		var next payout.Position
		for n := 0; ; n++ {
			rows := l.page(payout.Page{After: next, Limit: limit})
			if got = append(got, rows...); len(rows) < limit {
				break
			}
			last := rows[len(rows)-1]
			next = payout.Position{CreatedAt: times[last], ID: last}
			if l.newest { // what is new comes before the pages that follow
				insert("newer "+string(rune('A'+limit))+string(rune('A'+n)), later.AddDate(1, 0, limit*100+n))
			}
		}
		same(t, l.name+" in pages", got[len(got)-len(want):], want)
		if limit == 1 {
			same(t, "the first pages of "+l.name, len(got), len(want))
		}
	}
}

func referenceLists(t *testing.T, db Database) {
	ctx := t.Context()
	ref := store.Reference{
		States: []payout.State{{ID: 3, Country: "NP", Code: "P3"}, {ID: 1, Country: "NP", Code: "P1"}, {ID: 2, Country: "JP", Code: "13"}},
		Payers: []payout.Payer{
			{ID: 3, Country: "NP", Method: payout.Wallet}, {ID: 1, Country: "NP", Method: payout.CashPickup}, {ID: 2, Country: "JP", Method: payout.Wallet},
		},
		Banks: []payout.Bank{{ID: 3, Country: "NP"}, {ID: 1, Country: "NP"}, {ID: 2, Country: "JP"}},
	}
	if err := db.PutReference(ctx, ref); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		countries []string
		want      []int64
	}{
		{nil, nil}, {[]string{}, nil}, {[]string{"XX"}, nil}, {[]string{""}, nil}, {[]string{"np"}, nil}, {[]string{"JP"}, []int64{2}},
		{[]string{"NP"}, []int64{1, 3}}, {[]string{"NP", "JP"}, []int64{1, 2, 3}}, {[]string{"JP", "XX", "NP", "NP"}, []int64{1, 2, 3}},
	} {
		same(t, "states", numbersOf(must(db.States(ctx, c.countries))(t)), c.want)
		same(t, "banks", numbersOf(must(db.Banks(ctx, c.countries))(t)), c.want)
		same(t, "payers", numbersOf(must(db.Payers(ctx, c.countries, ""))(t)), c.want)
	}
	both := []string{"NP", "JP"}
	same(t, "wallets", numbersOf(must(db.Payers(ctx, both, payout.Wallet))(t)), []int64{2, 3})
	same(t, "wallets of one", numbersOf(must(db.Payers(ctx, []string{"NP"}, payout.Wallet))(t)), []int64{3})
	same(t, "deliveries", numbersOf(must(db.Payers(ctx, both, payout.HomeDelivery))(t)), nil)
	finds(t, db, sharedReads()[2:], scope{}, all)
}

func numbersOf[T any](rows []T) []int64 {
	var ids []int64
	for _, row := range rows {
		ids = append(ids, reflect.ValueOf(row).FieldByName("ID").Int())
	}
	return ids
}
