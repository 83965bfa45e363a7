-- +goose Up
create table clients (
	id text not null primary key,
	name text not null,
	profile text not null,
	disabled boolean not null default false,
	created_at bigint not null
);

create table client_secrets (
	client_id text not null references clients (id),
	hash text not null,
	created_at bigint not null,
	expires_at bigint,
	primary key (client_id, hash)
);

create table states (
	id bigint not null primary key,
	country text not null,
	code text not null,
	name text not null,
	unique (country, code)
);

create table payers (
	id bigint not null primary key,
	code text not null,
	name text not null,
	country text not null,
	method text not null,
	currency text not null,
	network_limits text not null,
	pickup_locations text not null
);
create index payers_by_country on payers (country, id);

create table banks (
	id bigint not null primary key,
	name text not null,
	country text not null,
	branches text not null,
	txn_supported_types text not null,
	currencies text not null
);
create index banks_by_country on banks (country, id);

create table users (
	client_id text not null references clients (id),
	id text not null,
	created_at bigint not null,
	status text not null,
	business boolean not null,
	sending boolean not null,
	country text not null,
	profile text not null,
	primary key (client_id, id)
);

create table cip_tags (
	client_id text not null,
	user_id text not null,
	tag text not null,
	status text not null,
	primary key (client_id, user_id, tag),
	foreign key (client_id, user_id) references users (client_id, id)
);

create table limit_usage (
	client_id text not null,
	user_id text not null,
	destination text not null,
	currency text not null,
	period text not null,
	used bigint not null constraint limit_usage_range check (used between 0 and 9000000000000000000),
	primary key (client_id, user_id, destination, currency, period),
	foreign key (client_id, user_id) references users (client_id, id)
);

create table funding_accounts (
	client_id text not null,
	id text not null,
	user_id text not null,
	type text not null,
	label text not null,
	status text not null,
	created_at bigint not null,
	primary key (client_id, id),
	foreign key (client_id, user_id) references users (client_id, id)
);
create index funding_accounts_by_user on funding_accounts (client_id, user_id, created_at, id);

create table receive_users (
	client_id text not null,
	id text not null,
	user_id text not null,
	first_name text not null,
	last_name text not null,
	email text not null,
	mobile_phone text not null,
	address_line1 text not null,
	city text not null,
	state text not null,
	zipcode text not null,
	country text not null,
	created_at bigint not null,
	primary key (client_id, id),
	foreign key (client_id, user_id) references users (client_id, id)
);
create index receive_users_by_user on receive_users (client_id, user_id, created_at, id);

create table bank_accounts (
	client_id text not null,
	id text not null,
	receive_user_id text not null,
	bank_id bigint not null,
	branch_id bigint not null,
	account_number text not null,
	currency text not null,
	created_at bigint not null,
	primary key (client_id, id),
	foreign key (client_id, receive_user_id) references receive_users (client_id, id)
);
create index bank_accounts_by_receive_user on bank_accounts (client_id, receive_user_id, created_at, id);

create table wallet_accounts (
	client_id text not null,
	id text not null,
	receive_user_id text not null,
	payer_id bigint not null,
	wallet_number text not null,
	currency text not null,
	created_at bigint not null,
	primary key (client_id, id),
	foreign key (client_id, receive_user_id) references receive_users (client_id, id)
);
create index wallet_accounts_by_receive_user on wallet_accounts (client_id, receive_user_id, created_at, id);

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
create index transactions_by_user on transactions (client_id, user_id, created_at, id);

create table documents (
	client_id text not null,
	id text not null,
	user_id text not null,
	transaction_id text,
	position bigint not null,
	kind text not null,
	type text not null,
	value text not null,
	media_type text not null,
	content bytea,
	expiry_date text not null,
	issuing_authority text not null,
	country text not null,
	state text not null,
	primary key (client_id, id),
	foreign key (client_id, user_id) references users (client_id, id),
	foreign key (client_id, transaction_id) references transactions (client_id, id)
);
create index documents_by_user on documents (client_id, user_id, position) where transaction_id is null;
create index documents_by_transaction on documents (client_id, transaction_id, position);

-- +goose Down
drop table documents;
drop table transactions;
drop table wallet_accounts;
drop table bank_accounts;
drop table receive_users;
drop table funding_accounts;
drop table limit_usage;
drop table cip_tags;
drop table users;
drop table banks;
drop table payers;
drop table states;
drop table client_secrets;
drop table clients;
