-- Changes of tables need nothing else on a distributed database.

-- +goose Up
lock table schema_requirements in access exclusive mode;
alter table users add column nickname text not null default '';
update users set nickname = id;
insert into schema_requirements (version, min_writer_version) values (90002, 8);

-- +goose Down
delete from schema_requirements where version = 90002;
alter table users drop column nickname;
