-- References of clients, and indexes for lists by them, by email address and by status. email is that of the profile; only
-- versions that write it may write since migration 6.

-- +goose Up
alter table users add column email text not null default '';
alter table users add column client_reference text;
alter table receive_users add column client_reference text;
alter table transactions add column client_reference text;
update users set email = coalesce(profile ->> 'email', '');
create index users_by_email on users (client_id, email, created_at, id);
create index users_by_reference on users (client_id, client_reference, created_at, id) where client_reference is not null;
create index transactions_by_status on transactions (client_id, status, created_at, id);
create index transactions_by_delivery_status on transactions (client_id, delivery_status, created_at, id);
create index transactions_by_reference on transactions (client_id, client_reference, created_at, id) where client_reference is not null;
insert into schema_requirements (version, min_writer_version) values (8, 8);

-- +goose Down
delete from schema_requirements where version = 8;
drop index users_by_email;
drop index users_by_reference;
drop index transactions_by_status;
drop index transactions_by_delivery_status;
drop index transactions_by_reference;
alter table users drop column email;
alter table users drop column client_reference;
alter table receive_users drop column client_reference;
alter table transactions drop column client_reference;
