-- What operators did: each change by a command, and the files by which payouts are released and settled.

-- +goose Up
create table audit_log (
	id text not null primary key,
	at bigint not null,
	actor text not null,
	command text not null,
	client_id text not null,
	object text not null,
	object_id text not null,
	state_before text not null,
	state_after text not null
);
create index audit_log_by_time on audit_log (at, id);
create index audit_log_by_actor on audit_log (actor, at, id);
create index audit_log_by_client on audit_log (client_id, at, id);
create index audit_log_by_object on audit_log (object_id, at, id);

create table payout_files (
	id text not null primary key,
	direction text not null,
	sha256 text not null,
	name text not null,
	actor text not null,
	at bigint not null,
	lines bigint not null,
	totals text not null,
	unique (direction, sha256)
);

create table payout_file_lines (
	client_id text not null,
	transaction_id text not null,
	file_id text not null references payout_files (id),
	line bigint not null,
	primary key (client_id, transaction_id, file_id),
	foreign key (client_id, transaction_id) references transactions (client_id, id)
);

-- Files are applied one after the other: each write of one updates this row first.
create table payout_file_turn (
	id bigint not null primary key
);
insert into payout_file_turn (id) values (1);
insert into schema_requirements (version, min_writer_version) values (10, 8);

-- +goose Down
delete from schema_requirements where version = 10;
drop table payout_file_turn;
drop table payout_file_lines;
drop table payout_files;
drop table audit_log;
