-- Indexes for the listings of operators.

-- +goose Up
create index users_by_time on users (client_id, created_at, id);
create index users_by_status on users (client_id, status, created_at, id);
create index transactions_by_time on transactions (client_id, created_at, id);
insert into schema_requirements (version, min_writer_version) values (4, 2);

-- +goose Down
delete from schema_requirements where version = 4;
drop index users_by_time;
drop index users_by_status;
drop index transactions_by_time;
