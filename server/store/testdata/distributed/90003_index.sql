-- Indexes are built while replicas write.

-- +goose NO TRANSACTION
-- +goose Up
drop index concurrently if exists users_by_nickname;
create index concurrently users_by_nickname on users (client_id, nickname);

-- +goose Down
drop index concurrently if exists users_by_nickname;
