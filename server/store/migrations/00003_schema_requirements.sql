-- Which versions of payoutd may write to this schema. A version of payoutd is known by the newest migration that it has; each
-- migration from here on states the oldest one that may write after it:
--
--   insert into schema_requirements (version, min_writer_version) values (4, 2);
--   delete from schema_requirements where version = 4;   -- in Down
--
-- A migration that only adds what older versions need not know, like an index, repeats the number of the one before, and
-- replicas can be upgraded one after the other. One after which an older version must not write, because it would ignore a
-- key, for example, states its own number. On PostgreSQL it begins with this statement, which waits for the writes that older
-- versions have begun; each write reads the table first:
--
--   lock table schema_requirements in access exclusive mode;
--
-- A migration that makes a table also places it on a distributed database: testdata/distributed has the form.
--
-- Versions 1 and 2 do not read this table. While they may still run, such a migration also renames a table to which each of
-- their writes refers, as migration 2 did with columns.

-- +goose Up
create table schema_requirements (
	version bigint not null primary key,
	min_writer_version bigint not null
);
insert into schema_requirements (version, min_writer_version) values (3, 2);

-- +goose Down
drop table schema_requirements;
