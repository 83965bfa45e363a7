-- Webhook endpoints, what is to be delivered to each, and every attempt of it. Secrets are sealed: without the keyset nobody
-- can read them here.

-- +goose Up
create table webhook_endpoints (
	client_id text not null references clients (id),
	id text not null,
	url text not null,
	event_types text not null,
	description text not null,
	disabled boolean not null,
	disabled_reason text not null,
	failing_since bigint,
	secret bytea not null,
	old_secret bytea,
	old_secret_expires_at bigint,
	created_at bigint not null,
	updated_at bigint not null,
	primary key (client_id, id)
);
create index webhook_endpoints_by_time on webhook_endpoints (client_id, created_at, id);

-- What an idempotency key of a rotation refers to.
create table webhook_rotations (
	client_id text not null,
	id text not null,
	endpoint_id text not null,
	created_at bigint not null,
	primary key (client_id, id),
	foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id)
);
create index webhook_rotations_by_endpoint on webhook_rotations (client_id, endpoint_id);

create table webhook_deliveries (
	client_id text not null,
	endpoint_id text not null,
	event_id text not null,
	event_type text not null,
	position bigint not null,
	payload text,
	status text not null,
	attempts bigint not null,
	next_attempt_at bigint,
	created_at bigint not null,
	primary key (client_id, endpoint_id, event_id),
	foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id)
);
create index webhook_deliveries_by_time on webhook_deliveries (client_id, endpoint_id, created_at, event_id);
create index webhook_deliveries_by_status on webhook_deliveries (client_id, endpoint_id, status, created_at, event_id);
create index webhook_deliveries_by_event on webhook_deliveries (client_id, event_id);

create table webhook_attempts (
	client_id text not null,
	endpoint_id text not null,
	event_id text not null,
	number bigint not null,
	at bigint not null,
	duration_ms bigint not null,
	http_status bigint not null,
	error text not null,
	primary key (client_id, endpoint_id, event_id, number),
	foreign key (client_id, endpoint_id, event_id) references webhook_deliveries (client_id, endpoint_id, event_id)
);
create index webhook_attempts_by_event on webhook_attempts (client_id, event_id);
insert into schema_requirements (version, min_writer_version) values (7, 6);

-- +goose Down
delete from schema_requirements where version = 7;
drop table webhook_attempts;
drop table webhook_deliveries;
delete from idempotency_keys where exists (
	select 1 from webhook_endpoints e where e.client_id = idempotency_keys.client_id and e.id = idempotency_keys.resource_id
) or exists (
	select 1 from webhook_rotations r where r.client_id = idempotency_keys.client_id and r.id = idempotency_keys.resource_id
);
drop table webhook_rotations;
drop table webhook_endpoints;
