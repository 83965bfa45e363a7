package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// keep makes an error of a key that was taken.
func keep(free bool, err error) error {
	if err == nil && !free {
		return errors.New("the key was taken")
	}
	return err
}

func visibility(t *testing.T, db Database) {
	w := newWorld("a")
	putClient(t, db, w.client, "hash")
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := w.insert(ctx, tx); err != nil {
			return err
		}
		for _, r := range tenantReads(w) {
			if inside, err := r.read(ctx, tx, w.scope()); err != nil || !inside {
				t.Errorf("%s within the write: found %t, %v", r.name, inside, err)
			}
			if outside, err := r.read(ctx, db, w.scope()); err != nil || outside {
				t.Errorf("%s beside the write: found %t, %v", r.name, outside, err)
			}
		}
		return nil
	})
	finds(t, db, tenantReads(w), w.scope(), all)
}

func rollbackOnError(t *testing.T, db Database) {
	w, refusal := newWorld("a"), payout.NewError(payout.CodeLimitExceeded)
	putClient(t, db, w.client, "hash")
	err := db.Write(t.Context(), func(tx payout.Tx) error {
		if err := w.insert(t.Context(), tx); err != nil {
			t.Errorf("insert: %v", err)
		}
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("the error %v came back as %v", refusal, err)
	}
	finds(t, db, tenantReads(w), w.scope(), none)
	documentCount(t, db, 0)
	write(t, db, w.insert) // and nothing is in the way
}

func rollbackOnPanic(t *testing.T, db Database) {
	w := newWorld("a")
	putClient(t, db, w.client, "hash")
	func() {
		defer func() { same(t, "panic", recover(), any("on purpose")) }()
		_ = db.Write(t.Context(), func(tx payout.Tx) error {
			if err := w.insert(t.Context(), tx); err != nil {
				t.Errorf("insert: %v", err)
			}
			panic("on purpose")
		})
	}()
	finds(t, db, tenantReads(w), w.scope(), none)
	documentCount(t, db, 0)
	write(t, db, w.insert)
}

func documentCount(t *testing.T, db Database, want int) {
	t.Helper()
	var got int
	if err := db.SQL.QueryRowContext(t.Context(), `select count(*) from documents`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	same(t, "documents", got, want)
}

// writeIsolation: no write with the ids of another client changes its rows or refers to them.
func writeIsolation(t *testing.T, db Database) {
	mine, other := newWorld("mine"), newWorld("other")
	mine.put(t, db)
	putClient(t, db, other.client, "hash")
	id := other.client.ID
	funding, receiver, bank, wallet, transfer := mine.funding, mine.receiver, mine.bank, mine.wallet, mine.transfer
	funding.ID, receiver.ID, bank.ID, wallet.ID, transfer.ID = "f", "r", "b", "w", "t"
	ctx := t.Context()
	for name, attempt := range map[string]func(payout.Tx) error{
		"SetUserStatus": func(tx payout.Tx) error { return tx.SetUserStatus(ctx, id, mine.user.ID, payout.KYCVerified) },
		"SetCIPTags": func(tx payout.Tx) error {
			return tx.SetCIPTags(ctx, id, mine.user.ID, map[string]payout.CIPStatus{"ID_DOC": payout.CIPVerified})
		},
		"SetUserProfile": func(tx payout.Tx) error {
			return tx.SetUserProfile(ctx, id, mine.user.ID, payout.UserProfile{FirstName: "another"})
		},
		"InsertUserDocuments": func(tx payout.Tx) error {
			return tx.InsertUserDocuments(ctx, id, mine.user.ID, 0, []payout.Document{{ID: "new"}})
		},
		"RequestCIPTags":       func(tx payout.Tx) error { return tx.RequestCIPTags(ctx, id, mine.user.ID, []string{"ID_DOC"}) },
		"InsertFundingAccount": func(tx payout.Tx) error { return tx.InsertFundingAccount(ctx, id, funding) },
		"SetFundingAccountStatus": func(tx payout.Tx) error {
			return second(tx.SetFundingAccountStatus(ctx, id, mine.user.ID, mine.funding.ID, payout.FundingActive))
		},
		"InsertReceiveUser":   func(tx payout.Tx) error { return tx.InsertReceiveUser(ctx, id, receiver) },
		"InsertBankAccount":   func(tx payout.Tx) error { return tx.InsertBankAccount(ctx, id, bank) },
		"InsertWalletAccount": func(tx payout.Tx) error { return tx.InsertWalletAccount(ctx, id, wallet) },
		"InsertTransaction":   func(tx payout.Tx) error { return tx.InsertTransaction(ctx, id, transfer) },
		"SetTransactionStatus": func(tx payout.Tx) error {
			changed := mine.transfer
			changed.Status = payout.StatusCanceled
			return tx.SetTransactionStatus(ctx, id, changed)
		},
		"AddUsage":      func(tx payout.Tx) error { _, err := tx.AddUsage(ctx, id, mine.usage, 1); return err },
		"SetWebhook...": func(tx payout.Tx) error { return mine.damageWebhooks(ctx, tx, id) },
	} {
		err := db.Write(ctx, attempt)
		if changes := name[:3] == "Set" && name != "SetCIPTags"; changes != (err == nil) {
			t.Errorf("%s of another client's rows: %v", name, err)
		}
	}
	finds(t, db, tenantReads(mine), scope{id, mine.user.ID, mine.receiver.ID}, none)
	same(t, "webhook endpoint", found(db.WebhookEndpoint(ctx, mine.client.ID, mine.endpoint.ID))(t), mine.endpoint)
	same(t, "webhook delivery", found(db.WebhookDelivery(ctx, mine.client.ID, mine.endpoint.ID, mine.delivery.EventID))(t), mine.delivery)
	user := found(db.User(ctx, mine.client.ID, mine.user.ID))(t)
	same(t, "status", user.Status, mine.user.Status)
	same(t, "status of the transaction", found(db.Transaction(ctx, mine.client.ID, mine.user.ID, mine.transfer.ID))(t).Status, mine.transfer.Status)
	same(t, "profile", user.Profile, mine.user.Profile)
	same(t, "tags", must(db.CIPTags(ctx, mine.client.ID, mine.user.ID))(t), mine.tags)
	same(t, "funding", must(db.FundingAccounts(ctx, mine.client.ID, mine.user.ID, payout.Page{}))(t), []payout.FundingAccount{mine.funding})
	same(t, "usage", must(db.Usage(ctx, mine.client.ID, mine.usage))(t).Daily, mine.used)
}

// Further documents come after the others, and the profile is replaced (D-72).
func furtherInformation(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	further := newWorld("further").user
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.SetUserProfile(ctx, w.client.ID, w.user.ID, further.Profile); err != nil {
			return err
		}
		return tx.InsertUserDocuments(ctx, w.client.ID, w.user.ID, len(w.user.Documents), further.Documents)
	})
	user := withoutDocuments(w.user)
	user.Profile = further.Profile
	same(t, "user", found(db.User(ctx, w.client.ID, w.user.ID))(t), user)
	var want []payout.Document
	for _, d := range append(slices.Clone(w.user.Documents), further.Documents...) {
		d.Content = nil
		want = append(want, d)
	}
	same(t, "documents", must(db.UserDocuments(ctx, w.client.ID, w.user.ID))(t), want)
}

// A tag is requested if it is absent or FAILED; all others are unchanged (D-25).
func requests(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.SetCIPTags(ctx, w.client.ID, w.user.ID, map[string]payout.CIPStatus{
			"ID_DOC": payout.CIPFailed, "EMAIL": payout.CIPVerified, "CITY": payout.CIPReviewing, "STATE": payout.CIPSubmit,
		}); err != nil {
			return err
		}
		return tx.RequestCIPTags(ctx, w.client.ID, w.user.ID, []string{"ID_DOC", "EMAIL", "CITY", "STATE", "OCCUPATION"})
	})
	tags := maps.Clone(w.tags)
	maps.Copy(tags, map[string]payout.CIPStatus{
		"ID_DOC": payout.CIPRequested, "EMAIL": payout.CIPVerified, "CITY": payout.CIPReviewing, "STATE": payout.CIPSubmit,
		"OCCUPATION": payout.CIPRequested,
	})
	same(t, "tags", must(db.CIPTags(ctx, w.client.ID, w.user.ID))(t), tags)
}

// second returns the error of a result that does not matter.
func second[T any](_ T, err error) error { return err }

func changes(t *testing.T, db Database) {
	w, second, ctx := newWorld("a"), newWorld("a second one"), t.Context()
	w.put(t, db)
	second.client = w.client
	write(t, db, second.insert)
	id := w.client.ID
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		if err := tx.SetUserStatus(ctx, id, w.user.ID, payout.KYCSuspended); err != nil {
			return err
		}
		for _, want := range []bool{true, false} {
			changed, err := tx.SetFundingAccountStatus(ctx, id, w.user.ID, w.funding.ID, payout.FundingInactive)
			if err != nil || changed != want {
				t.Errorf("the account changed: %t, %v, want %t", changed, err, want)
			}
		}
		if err := tx.SetCIPTags(ctx, id, w.user.ID, nil); err != nil {
			return err
		}
		return tx.SetCIPTags(ctx, id, w.user.ID, map[string]payout.CIPStatus{"ID_DOC": payout.CIPVerified, "CITY": payout.CIPRequested})
	})
	user, funding, tags := withoutDocuments(w.user), w.funding, maps.Clone(w.tags)
	user.Status = payout.KYCSuspended
	funding.Status = payout.FundingInactive
	tags["ID_DOC"], tags["CITY"] = payout.CIPVerified, payout.CIPRequested // EMAIL stays
	same(t, "user", found(db.User(ctx, id, w.user.ID))(t), user)
	same(t, "funding account", found(db.FundingAccount(ctx, id, w.user.ID, w.funding.ID))(t), funding)
	same(t, "tags", must(db.CIPTags(ctx, id, w.user.ID))(t), tags)

	same(t, "status of another", found(db.User(ctx, id, second.user.ID))(t).Status, second.user.Status)
	same(t, "account of another", found(db.FundingAccount(ctx, id, second.user.ID, second.funding.ID))(t), second.funding)
	same(t, "tags of another", must(db.CIPTags(ctx, id, second.user.ID))(t), second.tags)
	write(t, db, func(ctx context.Context, tx payout.Tx) error { // an account of another user of the client
		changed, err := tx.SetFundingAccountStatus(ctx, id, w.user.ID, second.funding.ID, payout.FundingActive)
		same(t, "the account changed", changed, false)
		return err
	})
	same(t, "account of another", found(db.FundingAccount(ctx, id, second.user.ID, second.funding.ID))(t), second.funding)
}

// uniqueKeys: the second write learns that the key is taken, and can still read the first resource.
func uniqueKeys(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	id, used := w.client.ID, payout.UsedKey{Fingerprint: w.key.Fingerprint, ResourceID: string(w.transfer.ID)}
	another := payout.Idempotency{Key: "another key", Fingerprint: "f"}
	write(t, db, func(ctx context.Context, tx payout.Tx) error {
		for _, fingerprint := range []string{w.key.Fingerprint, "another fingerprint"} {
			repeat := payout.Idempotency{Key: w.key.Key, Fingerprint: fingerprint}
			if free, err := tx.InsertIdempotencyKey(ctx, id, repeat, "repeat")(); free || err != nil {
				t.Errorf("the second with a key: free %t, %v", free, err)
			}
		}
		same(t, "the first", found(tx.IdempotencyKey(ctx, id, w.key.Key))(t), used)
		return keep(tx.InsertIdempotencyKey(ctx, id, another, string(w.user.ID))())
	})
	same(t, "the first", found(db.IdempotencyKey(ctx, id, w.key.Key))(t), used)
	if _, ok, err := db.IdempotencyKey(ctx, id, ""); ok || err != nil {
		t.Errorf("no key was used: %t, %v", ok, err)
	}
	resources := append([]string{string(w.transfer.ID), string(w.user.ID), string(w.funding.ID)}, slices.Repeat([]string{"repeat"}, 70000)...)
	same(t, "keys of resources", must(db.ResourceKeys(ctx, id, resources))(t),
		map[string]payout.Idempotency{string(w.transfer.ID): w.key, string(w.user.ID): another})
	same(t, "keys of nothing", must(db.ResourceKeys(ctx, id, nil))(t), map[string]payout.Idempotency{})
	same(t, "keys of another client", must(db.ResourceKeys(ctx, "", resources))(t), map[string]payout.Idempotency{})
}

func uniqueIDs(t *testing.T, db Database) {
	w, ctx := newWorld("a"), t.Context()
	w.put(t, db)
	id := w.client.ID
	for name, insert := range map[string]func(payout.Tx) error{
		"user":            func(tx payout.Tx) error { return tx.InsertUser(ctx, id, w.user) },
		"funding account": func(tx payout.Tx) error { return tx.InsertFundingAccount(ctx, id, w.funding) },
		"receive user":    func(tx payout.Tx) error { return tx.InsertReceiveUser(ctx, id, w.receiver) },
		"bank account":    func(tx payout.Tx) error { return tx.InsertBankAccount(ctx, id, w.bank) },
		"wallet account":  func(tx payout.Tx) error { return tx.InsertWalletAccount(ctx, id, w.wallet) },
		"transaction":     func(tx payout.Tx) error { return tx.InsertTransaction(ctx, id, w.another(w.transfer.ID)) },
		"key of one resource": func(tx payout.Tx) error {
			return keep(tx.InsertIdempotencyKey(ctx, id, payout.Idempotency{Key: "another key", Fingerprint: "f"}, string(w.transfer.ID))())
		},
		"document": func(tx payout.Tx) error {
			return tx.InsertUser(ctx, id, payout.User{ID: "another", Documents: w.user.Documents[:1]})
		},
	} {
		// It is a defect of this service, neither an outage nor an error of its caller.
		if err := db.Write(ctx, insert); err == nil || payout.CodeOf(err) != payout.CodeInternalError {
			t.Errorf("a second %s of the same id: %v", name, err)
		}
	}
	if _, ok, err := db.User(ctx, id, "another"); ok || err != nil {
		t.Errorf("the user of a document that was refused: found %t, %v", ok, err)
	}
}
