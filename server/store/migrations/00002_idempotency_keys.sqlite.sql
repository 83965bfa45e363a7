-- SQLite cannot drop a column that is in a unique constraint, and PostgreSQL should not copy a table without need: each
-- has a file of its own.

-- +goose Up
create table idempotency_keys (
	client_id text not null,
	idempotency_key text not null,
	fingerprint text not null,
	resource_id text not null,
	primary key (client_id, idempotency_key)
);
insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)
	select client_id, idempotency_key, fingerprint, id from transactions where idempotency_key is not null;
create unique index idempotency_keys_by_resource on idempotency_keys (client_id, resource_id);

-- Documents refer to transactions, and do again before the migration ends.
pragma defer_foreign_keys = on;
create table transactions_before as select
	client_id, id, user_id, created_at, status, delivery_status, from_amount, from_currency, to_amount,
	to_currency, fee_amount, bonus_amount, exchange_rate, from_fund_id, funding_type, destination, notes,
	receive_user_id, payout_method, calculation_mode, fund_id, payer_id, pickup_location, receiver
from transactions;
drop table transactions;
create table transactions (
	client_id text not null,
	id text not null,
	user_id text not null,
	created_at bigint not null,
	status text not null,
	delivery_status text not null,
	from_amount bigint not null,
	from_currency text not null,
	to_amount bigint not null,
	to_currency text not null,
	fee_amount bigint not null,
	bonus_amount bigint not null,
	exchange_rate text not null,
	from_fund_id text not null,
	funding_type text not null,
	destination text not null,
	notes text not null,
	receive_user_id text not null,
	payout_method text not null,
	calculation_mode text not null,
	fund_id text not null,
	payer_id bigint not null,
	pickup_location bigint not null,
	receiver text not null,
	primary key (client_id, id),
	foreign key (client_id, user_id) references users (client_id, id),
	foreign key (client_id, from_fund_id) references funding_accounts (client_id, id),
	foreign key (client_id, receive_user_id) references receive_users (client_id, id)
);
insert into transactions select * from transactions_before;
drop table transactions_before;
create index transactions_by_user on transactions (client_id, user_id, created_at, id);

-- +goose Down
-- The keys of all but transactions are lost: the version before has no place for them.
pragma defer_foreign_keys = on;
create table transactions_before as select t.*, k.idempotency_key, coalesce(k.fingerprint, '') as fingerprint from transactions t
	left join idempotency_keys k on k.client_id = t.client_id and k.resource_id = t.id;
drop table idempotency_keys;
drop table transactions;
create table transactions (
	client_id text not null,
	id text not null,
	user_id text not null,
	created_at bigint not null,
	status text not null,
	delivery_status text not null,
	from_amount bigint not null,
	from_currency text not null,
	to_amount bigint not null,
	to_currency text not null,
	fee_amount bigint not null,
	bonus_amount bigint not null,
	exchange_rate text not null,
	from_fund_id text not null,
	funding_type text not null,
	destination text not null,
	notes text not null,
	receive_user_id text not null,
	payout_method text not null,
	calculation_mode text not null,
	fund_id text not null,
	payer_id bigint not null,
	pickup_location bigint not null,
	receiver text not null,
	idempotency_key text,
	fingerprint text not null,
	primary key (client_id, id),
	unique (client_id, idempotency_key),
	foreign key (client_id, user_id) references users (client_id, id),
	foreign key (client_id, from_fund_id) references funding_accounts (client_id, id),
	foreign key (client_id, receive_user_id) references receive_users (client_id, id)
);
insert into transactions select * from transactions_before;
drop table transactions_before;
create index transactions_by_user on transactions (client_id, user_id, created_at, id);
