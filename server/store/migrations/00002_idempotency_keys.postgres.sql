-- +goose Up
-- What a replica of the version before wrote between these statements would lose its key; afterwards it fails.
lock table transactions in access exclusive mode;
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
alter table transactions drop column idempotency_key, drop column fingerprint;

-- +goose Down
-- The keys of all but transactions are lost: the version before has no place for them.
alter table transactions add column idempotency_key text, add column fingerprint text not null default '';
update transactions set idempotency_key = k.idempotency_key, fingerprint = k.fingerprint
	from idempotency_keys k where k.client_id = transactions.client_id and k.resource_id = transactions.id;
alter table transactions alter column fingerprint drop default, add unique (client_id, idempotency_key);
drop table idempotency_keys;
