package store

import (
	"context"
	"slices"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// What operators search in the rows of all clients, which the service never does.

// Kind is a kind of row that has an id.
type Kind string

// The kinds of rows that Find knows.
const (
	KindUser            Kind = "user"
	KindFundingAccount  Kind = "funding account"
	KindReceiveUser     Kind = "receive user"
	KindBankAccount     Kind = "bank account"
	KindWalletAccount   Kind = "wallet account"
	KindTransaction     Kind = "transaction"
	KindUserDocument    Kind = "document of a user"
	KindPaymentDocument Kind = "document of a transaction"
	KindEvent           Kind = "event"
	KindWebhookEndpoint Kind = "webhook endpoint"
	KindWebhookRotation Kind = "rotation of a webhook secret"
	KindFile            Kind = "payout file"
	KindAuditEntry      Kind = "entry of the audit log"
)

// Found is a row of a client, or of none: a payout file, and some entries of the audit log. Shown is the id with which a command
// shows it, such as that of the user or the transaction.
type Found struct {
	ClientID payout.ClientID
	Kind     Kind
	ID       string
	Shown    string
}

// kinds has the expression of Found.Shown for each kind of row, r, and the tables in which it is.
var kinds = []struct {
	kind        Kind
	shown, from string
}{
	{KindUser, `r.id`, `users r where true`},
	{KindFundingAccount, `r.user_id`, `funding_accounts r where true`},
	{KindReceiveUser, `r.user_id`, `receive_users r where true`},
	{KindBankAccount, `u.user_id`, `bank_accounts r, receive_users u where u.client_id = r.client_id and u.id = r.receive_user_id`},
	{KindWalletAccount, `u.user_id`, `wallet_accounts r, receive_users u where u.client_id = r.client_id and u.id = r.receive_user_id`},
	{KindTransaction, `r.id`, `transactions r where true`},
	{KindUserDocument, `r.user_id`, `documents r where r.transaction_id is null`},
	{KindPaymentDocument, `r.transaction_id`, `documents r where r.transaction_id is not null`},
	{KindEvent, `r.resource_id`, `events r where true`},
	{KindWebhookEndpoint, `r.id`, `webhook_endpoints r where true`},
	{KindWebhookRotation, `r.endpoint_id`, `webhook_rotations r where true`},
}

// operatorKinds are the kinds of rows that operators make, whose ids alone are their keys.
var operatorKinds = []struct {
	kind  Kind
	query string
}{
	{KindFile, `select '', f.id from payout_files f where f.id = $1 and $2 = ''`},
	{KindAuditEntry, `select a.client_id, a.object_id from audit_log a where a.id = $1 and ($2 = '' or a.client_id = $2)`},
}

// clientsPerSearch is how many clients one statement searches.
const clientsPerSearch = 1000

// ofClients runs a query for the rows r of one client or, with an empty id, of all, and scans each. The query ends in a condition,
// with $1. All clients are named, because their id leads each key, and one by one: Citus refuses a subquery for each.
func ofClients(
	ctx context.Context, r reads, clientID payout.ClientID, scan func(scanner, *Found) error, query, value string,
) (all []Found, err error) {
	ids := []payout.ClientID{clientID}
	if clientID == "" {
		if ids, err = list(ctx, r, func(s scanner, id *payout.ClientID) error { return s.Scan(id) }, `select id from clients order by id`); err != nil {
			return nil, err
		}
	}
	for some := range slices.Chunk(ids, clientsPerSearch) {
		in, args := inList(some, value)
		rows, err := list(ctx, r, scan, query+` and r.client_id in `+in+` order by r.client_id`, args...)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// Find returns the rows that have an id, of one client or, with an empty id, of all.
func (r reads) Find(ctx context.Context, clientID payout.ClientID, id string) ([]Found, error) {
	var all []Found
	for _, k := range kinds {
		// One row at most for each client, by the primary key: all of them lead with the client.
		rows, err := ofClients(ctx, r, clientID, func(s scanner, f *Found) error {
			f.Kind, f.ID = k.kind, id
			return s.Scan(&f.ClientID, &f.Shown)
		}, `select r.client_id, `+k.shown+` from `+k.from+` and r.id = $1`, id)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	for _, k := range operatorKinds {
		rows, err := list(ctx, r, func(s scanner, f *Found) error {
			f.Kind, f.ID = k.kind, id
			return s.Scan(&f.ClientID, &f.Shown)
		}, k.query, id, string(clientID))
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// FindKey returns what an idempotency key created, of one client or, with an empty id, of all. Shown is empty for what is no
// longer there.
func (r reads) FindKey(ctx context.Context, clientID payout.ClientID, key string) ([]Found, error) {
	used, err := ofClients(ctx, r, clientID, func(s scanner, f *Found) error { return s.Scan(&f.ClientID, &f.ID) },
		`select r.client_id, r.resource_id from idempotency_keys r where r.idempotency_key = $1`, key)
	if err != nil {
		return nil, err
	}
	var all []Found
	for _, u := range used {
		found, err := r.Find(ctx, u.ClientID, u.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// FindRequest returns what a request created, of one client or, with an empty id, of all: a user or a transaction.
func (r reads) FindRequest(ctx context.Context, clientID payout.ClientID, requestID string) ([]Found, error) {
	var all []Found
	for _, k := range []struct {
		kind  Kind
		table string
	}{{KindUser, "users"}, {KindTransaction, "transactions"}} {
		rows, err := ofClients(ctx, r, clientID, func(s scanner, f *Found) error {
			f.Kind = k.kind
			err := s.Scan(&f.ClientID, &f.ID)
			f.Shown = f.ID
			return err
		}, `select r.client_id, r.id from `+k.table+` r where r.request_id = $1`, requestID)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// FindReceivers returns the receive users of a client with an email address, newest first.
func (r reads) FindReceivers(ctx context.Context, clientID payout.ClientID, email string, most int) ([]Found, error) {
	return list(ctx, r, func(s scanner, f *Found) error {
		f.ClientID, f.Kind = clientID, KindReceiveUser
		return s.Scan(&f.ID, &f.Shown)
	}, `select id, user_id from receive_users where client_id = $1 and email = $2 and email <> ''
		order by created_at desc, id desc limit $3`, clientID, email, most)
}

// ResourceEvents returns the newest events of a transaction, user or funding account, oldest first: those that are published,
// and after them those that wait for the publisher, which have no position.
func (r reads) ResourceEvents(ctx context.Context, clientID payout.ClientID, id string, most int) ([]payout.Event, error) {
	// The queue is read first: an event that is published between the two statements is then in both results, else in neither.
	queued, err := list(ctx, r, scanEvent, `select `+eventColumns+`, 0 from event_queue where client_id = $1 and resource_id = $2
		order by seq limit $3`, clientID, id, most)
	if err != nil {
		return nil, err
	}
	all, err := list(ctx, r, scanEvent, `select `+eventColumns+`, position from events where client_id = $1 and resource_id = $2
		order by position desc limit $3`, clientID, id, most)
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	for _, waiting := range queued {
		if !slices.ContainsFunc(all, func(e payout.Event) bool { return e.ID == waiting.ID }) {
			all = append(all, waiting)
		}
	}
	return all[max(0, len(all)-most):], nil
}

// EventDeliveries returns what became of events at an endpoint, with the attempts.
func (r reads) EventDeliveries(
	ctx context.Context, clientID payout.ClientID, id payout.WebhookEndpointID, events []payout.EventID,
) ([]payout.WebhookDelivery, error) {
	in, args := inList(events, clientID, id)
	all, err := list(ctx, r, scanWebhookDelivery, `select `+webhookDeliveryColumns+` from webhook_deliveries
		where client_id = $1 and endpoint_id = $2 and event_id in `+in+` order by created_at, event_id`, args...)
	if err != nil {
		return nil, err
	}
	return all, r.attempts(ctx, clientID, id, all)
}

// DocumentContent reads the content of a physical document of a user.
func (r reads) DocumentContent(ctx context.Context, clientID payout.ClientID, id payout.DocumentID) ([]byte, bool, error) {
	return one(ctx, r, func(s scanner, content *[]byte) error { return s.Scan(content) },
		`select content from documents where client_id = $1 and id = $2`, clientID, id)
}
