-- What support searches: the request that created a user or a transaction, receive users by email address, and the events of
-- one resource. request_id is null in rows of older versions. PostgreSQL builds indexes while replicas write, which it cannot
-- do in a transaction. An interrupted build leaves an invalid index, which the next attempt drops.

-- +goose NO TRANSACTION
-- +goose Up
alter table users add column if not exists request_id text;
alter table transactions add column if not exists request_id text;
drop index concurrently if exists users_by_request;
create index concurrently users_by_request on users (client_id, request_id) where request_id is not null;
drop index concurrently if exists transactions_by_request;
create index concurrently transactions_by_request on transactions (client_id, request_id) where request_id is not null;
drop index concurrently if exists receive_users_by_email;
create index concurrently receive_users_by_email on receive_users (client_id, email, created_at, id) where email <> '';
drop index concurrently if exists events_by_resource;
create index concurrently events_by_resource on events (client_id, resource_id, position);
drop index concurrently if exists events_of_creation;
insert into schema_requirements (version, min_writer_version) values (11, 8) on conflict (version) do nothing;

-- +goose Down
delete from schema_requirements where version = 11;
drop index concurrently if exists events_of_creation;
create index concurrently events_of_creation on events (client_id, resource_id) where type = 'transaction.created';
drop index concurrently if exists events_by_resource;
drop index concurrently if exists receive_users_by_email;
drop index concurrently if exists transactions_by_request;
drop index concurrently if exists users_by_request;
alter table transactions drop column if exists request_id;
alter table users drop column if exists request_id;
