-- What support searches: the request that created a user or a transaction, receive users by email address, and the events of
-- one resource. request_id is null in rows of older versions.

-- +goose Up
alter table users add column request_id text;
alter table transactions add column request_id text;
create index users_by_request on users (client_id, request_id) where request_id is not null;
create index transactions_by_request on transactions (client_id, request_id) where request_id is not null;
create index receive_users_by_email on receive_users (client_id, email, created_at, id) where email <> '';
create index events_by_resource on events (client_id, resource_id, position);
drop index events_of_creation;
insert into schema_requirements (version, min_writer_version) values (11, 8);

-- +goose Down
delete from schema_requirements where version = 11;
create index events_of_creation on events (client_id, resource_id) where type = 'transaction.created';
drop index events_by_resource;
drop index receive_users_by_email;
drop index transactions_by_request;
drop index users_by_request;
alter table transactions drop column request_id;
alter table users drop column request_id;
