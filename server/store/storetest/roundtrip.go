package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

func clientRoundTrip(t *testing.T, db Database) {
	for start, id := range []string{"first", "second"} {
		want := filled[payout.Client](&filler{prefix: id, start: start})
		want.ID = payout.ClientID(id)
		putClient(t, db, want, "hash")
		got, secrets, ok, err := db.Client(t.Context(), payout.ClientID(id), origin)
		same(t, "client", found(got, ok, err)(t), want)
		same(t, "secrets", secrets, []payout.Secret{{Hash: "hash"}})
	}
	same(t, "ids", must(db.ClientIDs(t.Context()))(t), []payout.ClientID{"first", "second"})
}

func referenceRoundTrip(t *testing.T, db Database) {
	f := filler{prefix: "ref"}
	want := filled[store.Reference](&f)
	want.Payers = append(want.Payers, payout.Payer{ID: 1}) // neither limits nor locations
	want.Banks = append(want.Banks, payout.Bank{ID: 1})
	if err := db.PutReference(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	for _, v := range want.States {
		same(t, "state by code", found(db.State(t.Context(), v.Country, v.Code))(t), v)
		same(t, "state by id", found(db.StateByID(t.Context(), v.ID))(t), v)
		same(t, "states", must(db.States(t.Context(), []string{v.Country}))(t), []payout.State{v})
	}
	for _, v := range want.Payers {
		same(t, "payer", found(db.Payer(t.Context(), v.ID))(t), v)
		same(t, "payers", must(db.Payers(t.Context(), []string{v.Country}, v.Method))(t), []payout.Payer{v})
	}
	for _, v := range want.Banks {
		same(t, "bank", found(db.Bank(t.Context(), v.ID))(t), v)
		same(t, "banks", must(db.Banks(t.Context(), []string{v.Country}))(t), []payout.Bank{v})
	}
}

// withoutContent returns documents of a user as they are read.
func withoutContent(documents []payout.Document) []payout.Document {
	var read []payout.Document
	for _, d := range documents {
		d.Content = nil
		read = append(read, d)
	}
	return read
}

// withoutDocuments returns a user as it is read.
func withoutDocuments(u payout.User) payout.User {
	u.Documents = nil
	return u
}

func userRoundTrip(t *testing.T, db Database) {
	for start := range 2 {
		w := newWorld([]string{"first", "second"}[start])
		w.user = filled[payout.User](&filler{prefix: string(w.client.ID), start: start})
		putClient(t, db, w.client, "hash")
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			if err := tx.InsertUser(ctx, w.client.ID, w.user); err != nil {
				return err
			}
			return tx.SetCIPTags(ctx, w.client.ID, w.user.ID, w.tags)
		})
		same(t, "user", found(db.User(t.Context(), w.client.ID, w.user.ID))(t), withoutDocuments(w.user))
		same(t, "documents", must(db.UserDocuments(t.Context(), w.client.ID, w.user.ID))(t), withoutContent(w.user.Documents))
		same(t, "tags", must(db.CIPTags(t.Context(), w.client.ID, w.user.ID))(t), w.tags)
	}
}

func accountRoundTrip(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	id, user, receiver := w.client.ID, w.user.ID, w.receiver.ID
	same(t, "funding account", found(db.FundingAccount(ctx, id, user, w.funding.ID))(t), w.funding)
	same(t, "funding accounts", must(db.FundingAccounts(ctx, id, user, payout.Page{}))(t), []payout.FundingAccount{w.funding})
	same(t, "receive user", found(db.ReceiveUser(ctx, id, user, receiver))(t), w.receiver)
	same(t, "receive users", must(db.ReceiveUsers(ctx, id, user, payout.Page{}))(t), []payout.ReceiveUser{w.receiver})
	same(t, "bank account", found(db.BankAccount(ctx, id, receiver, w.bank.ID))(t), w.bank)
	same(t, "bank accounts", must(db.BankAccounts(ctx, id, receiver, payout.Page{}))(t), []payout.BankAccount{w.bank})
	same(t, "wallet account", found(db.WalletAccount(ctx, id, receiver, w.wallet.ID))(t), w.wallet)
	same(t, "wallet accounts", must(db.WalletAccounts(ctx, id, receiver, payout.Page{}))(t), []payout.WalletAccount{w.wallet})
	same(t, "usage", must(db.Usage(ctx, id, w.usage))(t), payout.Usage{Daily: w.used, Monthly: w.used, Annual: w.used})
}

// asRead returns a transaction as it is read: with only the id and the type of its documents.
func asRead(t payout.Transaction) payout.Transaction {
	var documents []payout.Document
	for _, d := range t.Documents {
		documents = append(documents, payout.Document{ID: d.ID, Type: d.Type})
	}
	t.Documents = documents
	return t
}

func transactionRoundTrip(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	id, user, want := w.client.ID, w.user.ID, asRead(w.transfer)
	same(t, "by id", found(db.Transaction(ctx, id, user, want.ID))(t), want)
	same(t, "its key", found(db.IdempotencyKey(ctx, id, w.key.Key))(t),
		payout.UsedKey{Fingerprint: w.key.Fingerprint, ResourceID: string(want.ID)})
	same(t, "in a list", must(db.Transactions(ctx, id, user, payout.Page{Limit: 10}))(t), []payout.Transaction{want})
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		same(t, "within a write", found(tx.Transaction(ctx, id, user, want.ID))(t), want)
		return nil
	})
}

// documentRoundTrip reads the columns themselves, because the service never reads contents back.
func documentRoundTrip(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	for _, want := range append(append([]payout.Document{}, w.user.Documents...), w.transfer.Documents...) {
		var got payout.Document
		if err := db.SQL.QueryRowContext(t.Context(), `select id, kind, type, value, media_type, content, expiry_date,
			issuing_authority, country, state from documents where client_id = $1 and id = $2`, w.client.ID, want.ID,
		).Scan(&got.ID, &got.Kind, &got.Type, &got.Value, &got.MediaType, &got.Content, &got.ExpiryDate,
			&got.IssuingAuthority, &got.Country, &got.State); err != nil {
			t.Fatal(err)
		}
		same(t, "document", got, want)
	}
}

func absentRoundTrip(t *testing.T, db Database) {
	w, empty := newWorld("a"), ""
	w.put(t, db)
	for name, profile := range map[string]payout.UserProfile{
		"nothing":                   {},
		"a mailing address, empty":  {MailingAddress: &payout.MailingAddress{}},
		"address_line2 null (D-46)": {MailingAddress: &payout.MailingAddress{AddressLine2: payout.NullableText{Sent: true}}},
		"address_line2 empty":       {MailingAddress: &payout.MailingAddress{AddressLine2: payout.NullableText{Sent: true, Text: &empty}}},
	} {
		want := payout.User{ID: payout.UserID(name), CreatedAt: origin, Profile: profile}
		write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.InsertUser(ctx, w.client.ID, want) })
		same(t, name, found(db.User(t.Context(), w.client.ID, payout.UserID(name)))(t), want)
	}
	for name, notes := range map[string]payout.Notes{"no notes": {}, "empty notes": {Note: &empty, Purpose: &empty}} {
		want := payout.Transaction{
			ID: payout.TransactionID(name), UserID: w.user.ID, CreatedAt: origin, UpdatedAt: origin, FromFundID: w.funding.ID, Notes: notes,
			To: payout.ReceiveSide{ReceiveUserID: w.receiver.ID},
		}
		write(t, db, func(ctx context.Context, tx payout.Tx) error {
			return tx.InsertTransaction(ctx, w.client.ID, want)
		})
		same(t, name, found(db.Transaction(t.Context(), w.client.ID, w.user.ID, payout.TransactionID(name)))(t), want)
	}
}

func timeRoundTrip(t *testing.T, db Database) {
	w := newWorld("a")
	w.put(t, db)
	for name, at := range map[string]time.Time{
		"one microsecond":   time.Date(2026, 1, 1, 0, 0, 0, 1000, time.UTC),
		"the last of a day": time.Date(2026, 12, 31, 23, 59, 59, 999999000, time.UTC),
		"another zone":      time.Date(2026, 1, 1, 5, 44, 59, 123456000, time.FixedZone("", 5*3600+45*60)),
		"long ago":          time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC),
	} {
		user := payout.User{ID: payout.UserID(name), CreatedAt: at}
		write(t, db, func(ctx context.Context, tx payout.Tx) error { return tx.InsertUser(ctx, w.client.ID, user) })
		same(t, name, found(db.User(t.Context(), w.client.ID, payout.UserID(name)))(t).CreatedAt, at.UTC())
	}
}
