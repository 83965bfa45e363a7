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
	SQL   *sql.DB
	Nodes bool // its rows are on several nodes, each of which has snapshots of its own
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
		{"published events are read by their client alone", eventIsolation},
		{"the feed comes in pages, and of one type", feedPages},
		{"users and transactions are found by each filter, in pages", clientLists},
		{"a page with several filters looks at 1,000 rows", boundedLists},
		{"a read reads one snapshot", snapshot},
		// Writing.
		{"a write sees itself, others see it after the commit", visibility},
		{"an error rolls a write back", rollbackOnError},
		{"a panic rolls a write back", rollbackOnPanic},
		{"a writer cannot reach the rows of another client", writeIsolation},
		{"statuses and tags change alone", changes},
		{"only lacking tags are requested", requests},
		{"further information is added", furtherInformation},
		{"an idempotency key is taken once", uniqueKeys},
		{"an id is used once", uniqueIDs},
		{"usage is counted per day, month and year", usageCounters},
		{"usage beyond the range is refused", usageRange},
		{"usage is taken back where it was counted", usageTakenBack},
		{"the status of a transaction changes alone", transactionStatus},
		{"required information is what is not verified yet", requiredInformation},
		{"reference data is changed, or not at all", referenceUpsert},
		{"events are published once, in their order", publishing},
		{"what a publisher's fan-out refuses stays in the queue", fanoutFails},
		{"a write with events is a signal", queuedSignal},
		{"an operator finds an event while it is published", foundWhilePublished},
		{"the oldest events are deleted up to a time", eventRetention},
		{"a client is changed and gets a further secret", clientUpsert},
		{"a secret expires at its time", secretExpiry},
		{"every field of a webhook endpoint and its deliveries is stored", webhookRoundTrip},
		{"a webhook endpoint is changed, its secrets apart from the rest", webhookChanges},
		{"a client has at most so many webhook endpoints", webhookRace},
		{"a webhook endpoint is deleted with all that is its own", webhookDeletion},
		{"what waits for a webhook endpoint is canceled in parts", webhookCancelation},
		{"of a webhook delivery the last attempts are kept", webhookAttempts},
		// What only operators need.
		{"an applied client is made once and then changed", clientApply},
		{"a client is disabled and enabled", clientDisable},
		{"at most two secrets are active", secretRotation},
		{"a secret is revoked, the last one by force", secretRevocation},
		{"of concurrent rotations one succeeds", rotationRace},
		{"of concurrent creations of a client one is new", applyRace},
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
		{"concurrent publishers leave nothing out and publish nothing twice", publisherRace},
		{"an event of a write that commits late is published later", lateCommit},
		{"a locked user is changed later", userLock},
		{"a locked transaction is changed later", transactionLock},
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
	event    payout.Event
	key      payout.Idempotency // of the transfer
	usage    payout.UsageKey
	used     int64
	endpoint payout.WebhookEndpoint
	rotation payout.WebhookRotation // of its secret
	delivery payout.WebhookDelivery // to the endpoint
}

// newWorld returns a world whose ids, keys and texts begin with the name of its client.
func newWorld(name string) world {
	f := filler{prefix: name}
	w := world{
		client: filled[payout.Client](&f), user: filled[payout.User](&f), funding: filled[payout.FundingAccount](&f),
		receiver: filled[payout.ReceiveUser](&f), bank: filled[payout.BankAccount](&f),
		wallet: filled[payout.WalletAccount](&f), transfer: filled[payout.Transaction](&f),
		event: filled[payout.Event](&f), key: filled[payout.Idempotency](&f),
		tags: map[string]payout.CIPStatus{"ID_DOC": payout.CIPSubmit, "EMAIL": payout.CIPFailed}, used: 12345,
	}
	w.endpoint, w.rotation, w.delivery = filled[payout.WebhookEndpoint](&f), filled[payout.WebhookRotation](&f), newDelivery(&f)
	w.rotation.EndpointID, w.delivery.EndpointID = w.endpoint.ID, w.endpoint.ID
	w.client.ID = payout.ClientID(name)
	w.funding.UserID, w.receiver.UserID = w.user.ID, w.user.ID
	w.bank.ReceiveUserID, w.wallet.ReceiveUserID = w.receiver.ID, w.receiver.ID
	w.transfer.UserID, w.transfer.FromFundID, w.transfer.To.ReceiveUserID = w.user.ID, w.funding.ID, w.receiver.ID
	w.event.ResourceID, w.event.UserID, w.event.Type = string(w.transfer.ID), w.user.ID, payout.TransactionCreated
	w.event.CreatedAt, w.event.Data, w.event.Position = w.transfer.CreatedAt, []byte(`{"transaction":{"note":"\u003c né "}}`), 0
	w.transfer.Status = payout.StatusInitiated // others have no required information
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
		func() error { return keep(tx.InsertIdempotencyKey(ctx, id, w.key, string(w.transfer.ID))()) },
		func() error { return tx.InsertTransaction(ctx, id, w.transfer) },
		func() error { return tx.InsertEvents(ctx, id, w.event) },
		func() error { _, err := tx.AddUsage(ctx, id, w.usage, w.used); return err },
		func() error { return w.insertWebhooks(ctx, tx) },
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
