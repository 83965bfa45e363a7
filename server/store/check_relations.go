package store

import (
	"context"
	"strings"
)

// relation is a constraint between two tables that no foreign key enforces. Its query returns the client id and the id of
// each row that violates it.
type relation struct{ table, problem, query string }

// Foreign keys enforce the same client; these enforce the same user.
var relations = []relation{
	{"bank_accounts", "its bank does not exist", `select a.client_id, a.id from bank_accounts a
		where not exists (select 1 from banks b where b.id = a.bank_id)`},
	{"wallet_accounts", "its payer does not exist", `select a.client_id, a.id from wallet_accounts a
		where not exists (select 1 from payers p where p.id = a.payer_id)`},
	{"transactions", "its bank account does not exist, or is not of its receive user", `select t.client_id, t.id
		from transactions t where t.payout_method = 'BANK_DEPOSIT' and not exists (select 1 from bank_accounts a
		where a.client_id = t.client_id and a.id = t.fund_id and a.receive_user_id = t.receive_user_id)`},
	{"transactions", "its wallet account does not exist, or is not of its receive user", `select t.client_id, t.id
		from transactions t where t.payout_method = 'WALLET' and not exists (select 1 from wallet_accounts a
		where a.client_id = t.client_id and a.id = t.fund_id and a.receive_user_id = t.receive_user_id)`},
	{"transactions", "its payer is not that of its wallet account", `select t.client_id, t.id
		from transactions t join wallet_accounts a on a.client_id = t.client_id and a.id = t.fund_id
		where t.payout_method = 'WALLET' and t.payer_id <> 0 and t.payer_id <> a.payer_id`},
	{"transactions", "its payer does not exist", `select t.client_id, t.id from transactions t
		where (t.payer_id <> 0 or t.payout_method in ('CASH_PICKUP', 'HOME_DELIVERY'))
		and not exists (select 1 from payers p where p.id = t.payer_id)`},
	{"transactions", "its funding account is not of its user", `select t.client_id, t.id from transactions t
		join funding_accounts a on a.client_id = t.client_id and a.id = t.from_fund_id where a.user_id <> t.user_id`},
	{"transactions", "its receive user is not of its user", `select t.client_id, t.id from transactions t
		join receive_users r on r.client_id = t.client_id and r.id = t.receive_user_id where r.user_id <> t.user_id`},
	{"documents", "its transaction is not of its user", `select d.client_id, d.id from documents d
		join transactions t on t.client_id = d.client_id and t.id = d.transaction_id where t.user_id <> d.user_id`},
	{"idempotency_keys", "what it created does not exist", withoutResource()},
	// The others have foreign keys, but a program that opens a SQLite file must ask for their enforcement.
	{"users", "its client does not exist", `select u.client_id, u.id from users u
		where not exists (select 1 from clients c where c.id = u.client_id)`},
	{"cip_tags", "its user does not exist", orphans("cip_tags", "user_id", "users", "user_id")},
	{"limit_usage", "its user does not exist", orphans("limit_usage", "user_id", "users", "user_id")},
	{"funding_accounts", "its user does not exist", orphans("funding_accounts", "id", "users", "user_id")},
	{"receive_users", "its user does not exist", orphans("receive_users", "id", "users", "user_id")},
	{"bank_accounts", "its receive user does not exist", orphans("bank_accounts", "id", "receive_users", "receive_user_id")},
	{"wallet_accounts", "its receive user does not exist", orphans("wallet_accounts", "id", "receive_users", "receive_user_id")},
	{"transactions", "its user does not exist", orphans("transactions", "id", "users", "user_id")},
	{"transactions", "its funding account does not exist", orphans("transactions", "id", "funding_accounts", "from_fund_id")},
	{"transactions", "its receive user does not exist", orphans("transactions", "id", "receive_users", "receive_user_id")},
	{"documents", "its user does not exist", orphans("documents", "id", "users", "user_id")},
	{"documents", "its transaction does not exist", orphans("documents", "id", "transactions", "transaction_id")},
	{"webhook_deliveries", "its endpoint does not exist", orphans("webhook_deliveries", "event_id", "webhook_endpoints", "endpoint_id")},
}

// withoutResource selects the keys whose resource is in none of the tables.
func withoutResource() string {
	tables := []string{"users", "funding_accounts", "receive_users", "bank_accounts", "wallet_accounts", "transactions", "documents",
		"webhook_endpoints", "webhook_rotations"}
	for i, table := range tables {
		tables[i] = `not exists (select 1 from ` + table + ` r where r.client_id = k.client_id and r.id = k.resource_id)`
	}
	return `select k.client_id, k.resource_id from idempotency_keys k where ` + strings.Join(tables, " and ")
}

// orphans selects the rows of a table whose parent is missing, each id once.
func orphans(table, id, parent, reference string) string {
	return `select distinct c.client_id, c.` + id + ` from ` + table + ` c where c.` + reference + ` is not null
		and not exists (select 1 from ` + parent + ` p where p.client_id = c.client_id and p.id = c.` + reference + `)`
}

func (c *checking) relations(ctx context.Context) error { return c.related(ctx, relations) }

// related reports the rows that violate one of the constraints.
func (c *checking) related(ctx context.Context, all []relation) error {
	for _, r := range all {
		if _, err := c.rows(ctx, r.table, func(s scanner, v *rowCheck) error {
			v.when(true, r.problem)
			return s.Scan(&v.clientID, &v.id)
		}, r.query+` order by 1, 2`); err != nil {
			return err
		}
	}
	return nil
}
