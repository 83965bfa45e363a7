-- References of clients, and indexes for lists by them, by email address and by status. email is that of the profile; an
-- older version would not write it. PostgreSQL builds indexes while replicas write, which it cannot do in a transaction. An
-- interrupted build leaves an invalid index, which the next attempt drops.

-- +goose NO TRANSACTION
-- +goose Up
alter table users add column if not exists email text not null default '', add column if not exists client_reference text;
alter table receive_users add column if not exists client_reference text;
alter table transactions add column if not exists client_reference text;
update users set email = coalesce(profile::json ->> 'email', '') where email = '';
drop index concurrently if exists users_by_email;
create index concurrently users_by_email on users (client_id, email, created_at, id);
drop index concurrently if exists users_by_reference;
create index concurrently users_by_reference on users (client_id, client_reference, created_at, id) where client_reference is not null;
drop index concurrently if exists transactions_by_status;
create index concurrently transactions_by_status on transactions (client_id, status, created_at, id);
drop index concurrently if exists transactions_by_delivery_status;
create index concurrently transactions_by_delivery_status on transactions (client_id, delivery_status, created_at, id);
drop index concurrently if exists transactions_by_reference;
create index concurrently transactions_by_reference on transactions (client_id, client_reference, created_at, id) where client_reference is not null;
-- One transaction for the users that were written meanwhile.
-- +goose StatementBegin
do $$ begin
	lock table schema_requirements in access exclusive mode;
	update users set email = profile::json ->> 'email' where email = '' and coalesce(profile::json ->> 'email', '') <> '';
	insert into schema_requirements (version, min_writer_version) values (8, 8) on conflict (version) do nothing;
end $$;
-- +goose StatementEnd

-- +goose Down
delete from schema_requirements where version = 8;
drop index concurrently if exists users_by_email;
drop index concurrently if exists users_by_reference;
drop index concurrently if exists transactions_by_status;
drop index concurrently if exists transactions_by_delivery_status;
drop index concurrently if exists transactions_by_reference;
alter table users drop column if exists email, drop column if exists client_reference;
alter table receive_users drop column if exists client_reference;
alter table transactions drop column if exists client_reference;
