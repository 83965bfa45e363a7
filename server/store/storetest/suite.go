package storetest

import (
	"context"
	"database/sql"
	"reflect"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/payout"
	"github.com/crossborder-payouts/payouts/server/store"
)

// Database is an empty store under test, and a second way to its database for what the store has no method for.
type Database struct {
	*store.Store
	SQL *sql.DB
}

// Run runs the suite. open returns a new database for each test, and closes it when the test ends.
func Run(t *testing.T, open func(t *testing.T) Database) {
	t.Helper()
	topics := []struct {
		name string
		test func(*testing.T, Database)
	}{
		// What is written is what is read.
		{"every field of a client is stored", clientRoundTrip},
		{"every field of reference data is stored", referenceRoundTrip},
		{"every field of a user is stored", userRoundTrip},
		{"every field of an account is stored", accountRoundTrip},
		{"every field of a transaction is stored", transactionRoundTrip},
		{"every field of a document is written", documentRoundTrip},
		{"not sent, null and empty are distinguished", absentRoundTrip},
		{"times are microseconds in UTC", timeRoundTrip},
		// Reading.
		{"a missing row is not an error", missingRows},
		{"reads are named in this suite", readsAreComplete},
		{"a row of another client does not exist", clientIsolation},
		{"a row of another user does not exist", userIsolation},
		{"clients may use the same ids and keys", sameIDs},
		{"lists are oldest first", oldestFirst},
		{"transactions and accounts come in pages", paging},
		{"reference data is listed by id for the countries", referenceLists},
		// Writing.
		{"a write sees itself, others see it after the commit", visibility},
		{"an error rolls a write back", rollbackOnError},
		{"a panic rolls a write back", rollbackOnPanic},
		{"a writer cannot reach the rows of another client", writeIsolation},
		{"statuses and tags change alone", changes},
		{"only lacking tags are requested", requests},
		{"an idempotency key is taken once", uniqueKeys},
		{"an id is used once", uniqueIDs},
		{"usage is counted per day, month and year", usageCounters},
		{"usage beyond the range is refused", usageRange},
		{"reference data is changed, or not at all", referenceUpsert},
		{"a client is changed and gets a further secret", clientUpsert},
		{"a secret expires at its time", secretExpiry},
		// What only operators need.
		{"an applied client is made once and then changed", clientApply},
		{"a client is disabled and enabled", clientDisable},
		{"at most two secrets are active", secretRotation},
		{"a secret is revoked, the last one by force", secretRevocation},
		{"of concurrent rotations one succeeds", rotationRace},
		{"of concurrent creations of a client one is new", applyRace},
		{"operators list users and transactions in pages", operatorLists},
		{"an import counts new, changed, unchanged and removed rows", importCounts},
		{"an import sees each column change", importColumns},
		{"an import removes nothing that is in use", importInUse},
		{"an import may swap codes of states", importCodes},
		{"an import may be larger than a statement", importMany},
		{"an import is committed whole, or not at all", importAtomic},
		{"a check of sound data finds nothing", checkSound},
		{"a check finds each kind of damage", checkDamage},
		{"a check finds references to rows of another user", checkOwners},
		{"a check finds violated foreign keys", checkOrphans},
		{"a check leaves no user out", checkManyUsers},
		{"a check reads one snapshot", checkMoment},
		{"a check of a broken database fails", checkFails},
		// Concurrency.
		{"the second of two writes with a key waits for the first", keyWaits},
		{"of many writes with a key one is committed", keyRace},
		{"concurrent usage adds up", usageRace},
		{"concurrent changes of tags wait for each other", tagRace},
		// Outages.
		{"a context that ended is an outage", endedContext},
		{"a context that ends within a write is an outage", contextEndsWithin},
		{"a closed store is an outage", closedStore},
		{"a store is ready", ready},
	}
	for _, topic := range topics {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			topic.test(t, open(t))
		})
	}
}

// origin is the time of the first row of every world.
var origin = time.Date(2026, 3, 14, 15, 9, 26, 535897000, time.UTC)

// world is one row of everything that a client can have.
type world struct {
	client   payout.Client
	user     payout.User
	tags     map[string]payout.CIPStatus
	funding  payout.FundingAccount
	receiver payout.ReceiveUser
	bank     payout.BankAccount
	wallet   payout.WalletAccount
	transfer payout.Transaction
	key      payout.Idempotency // of the transfer
	usage    payout.UsageKey
	used     int64
}

// newWorld returns a world whose ids, keys and texts begin with the name of its client.
func newWorld(name string) world {
	f := filler{prefix: name}
	w := world{
		client: filled[payout.Client](&f), user: filled[payout.User](&f), funding: filled[payout.FundingAccount](&f),
		receiver: filled[payout.ReceiveUser](&f), bank: filled[payout.BankAccount](&f),
		wallet: filled[payout.WalletAccount](&f), transfer: filled[payout.Transaction](&f),
		key:  filled[payout.Idempotency](&f),
		tags: map[string]payout.CIPStatus{"ID_DOC": payout.CIPSubmit, "EMAIL": payout.CIPFailed}, used: 12345,
	}
	w.client.ID = payout.ClientID(name)
	w.funding.UserID, w.receiver.UserID = w.user.ID, w.user.ID
	w.bank.ReceiveUserID, w.wallet.ReceiveUserID = w.receiver.ID, w.receiver.ID
	w.transfer.UserID, w.transfer.FromFundID, w.transfer.To.ReceiveUserID = w.user.ID, w.funding.ID, w.receiver.ID
	w.usage = payout.UsageKey{UserID: w.user.ID, Destination: "NP", Currency: "USD", At: origin}
	return w
}

// put writes the world.
func (w world) put(t *testing.T, db Database) {
	t.Helper()
	putClient(t, db, w.client, "hash of "+string(w.client.ID))
	write(t, db, w.insert)
}

// insert writes all but the client.
func (w world) insert(ctx context.Context, tx payout.Tx) error {
	id := w.client.ID
	steps := []func() error{
		func() error { return tx.InsertUser(ctx, id, w.user) },
		func() error { return tx.SetCIPTags(ctx, id, w.user.ID, w.tags) },
		func() error { return tx.InsertFundingAccount(ctx, id, w.funding) },
		func() error { return tx.InsertReceiveUser(ctx, id, w.receiver) },
		func() error { return tx.InsertBankAccount(ctx, id, w.bank) },
		func() error { return tx.InsertWalletAccount(ctx, id, w.wallet) },
		func() error { return keep(tx.InsertIdempotencyKey(ctx, id, w.key, string(w.transfer.ID))) },
		func() error { return tx.InsertTransaction(ctx, id, w.transfer) },
		func() error { _, err := tx.AddUsage(ctx, id, w.usage, w.used); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// another is a further transaction in the world, without documents.
func (w world) another(id payout.TransactionID) payout.Transaction {
	t := w.transfer
	t.ID, t.Documents = id, nil
	return t
}

func putClient(t *testing.T, db Database, c payout.Client, hash string) {
	t.Helper()
	if err := db.PutClient(t.Context(), c, hash, origin); err != nil {
		t.Fatalf("put client: %v", err)
	}
}

func write(t *testing.T, db Database, fn func(context.Context, payout.Tx) error) {
	t.Helper()
	ctx := t.Context()
	if err := db.Write(ctx, func(tx payout.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// same fails the test if two values differ.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\ngot  %+v\nwant %+v", what, got, want)
	}
}

// must returns a value that was read without an error: must(read())(t).
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%T: %v", v, err)
		}
		return v
	}
}

// found returns a row that must exist: found(read())(t).
func found[T any](v T, ok bool, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil || !ok {
			t.Fatalf("%T: found %t, %v", v, ok, err)
		}
		return v
	}
}

// outage fails the test for every error but CodeServiceUnavailable.
func outage(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil || payout.CodeOf(err) != payout.CodeServiceUnavailable {
		t.Errorf("%s: %v, want %s", what, err, payout.CodeServiceUnavailable)
	}
}
