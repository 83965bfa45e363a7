-- Events (D-67). A write adds them to event_queue; the publisher moves them to events, with positions that have no gaps and
-- are committed in their order. An older version would change resources without an event.

-- +goose Up
-- seq orders the events of one resource: each write locks the resource before it takes one.
create table event_queue (
	seq integer primary key autoincrement,
	client_id text not null,
	id text not null,
	type text not null,
	resource_id text not null,
	user_id text not null,
	created_at bigint not null,
	data text not null
);
create index event_queue_by_client on event_queue (client_id);
create table events (
	client_id text not null,
	position bigint not null,
	id text not null,
	seq bigint not null,
	type text not null,
	resource_id text not null,
	user_id text not null,
	created_at bigint not null,
	data text not null,
	primary key (client_id, position),
	unique (client_id, id)
);
create index events_by_type on events (client_id, type, position);
create index events_of_creation on events (client_id, resource_id) where type = 'transaction.created';
-- The last position of each client. What was created before kept_since may have no events: it is older than this migration,
-- or they were deleted.
create table event_head (
	client_id text not null primary key,
	position bigint not null,
	kept_since bigint not null default 0
);
insert into event_head (client_id, position, kept_since)
	select c.id, 0, coalesce((select max(t.created_at) + 1 from transactions t where t.client_id = c.id), 0) from clients c;
-- The one row that a publisher locks, so that there is one at a time.
create table event_publisher (
	id bigint not null primary key,
	batches bigint not null
);
insert into event_publisher (id, batches) values (1, 0);
insert into schema_requirements (version, min_writer_version) values (6, 6);

-- +goose Down
delete from schema_requirements where version = 6;
drop table event_publisher;
drop table event_head;
drop table events;
drop table event_queue;
