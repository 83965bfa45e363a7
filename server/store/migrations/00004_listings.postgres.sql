-- Indexes for the listings of operators. PostgreSQL builds them while replicas write, which it cannot do in a transaction. An
-- interrupted build leaves an invalid index, which the next attempt drops.

-- +goose NO TRANSACTION
-- +goose Up
drop index concurrently if exists users_by_time;
create index concurrently users_by_time on users (client_id, created_at, id);
drop index concurrently if exists users_by_status;
create index concurrently users_by_status on users (client_id, status, created_at, id);
drop index concurrently if exists transactions_by_time;
create index concurrently transactions_by_time on transactions (client_id, created_at, id);
insert into schema_requirements (version, min_writer_version) values (4, 2) on conflict (version) do nothing;

-- +goose Down
delete from schema_requirements where version = 4;
drop index concurrently if exists users_by_time;
drop index concurrently if exists users_by_status;
drop index concurrently if exists transactions_by_time;
