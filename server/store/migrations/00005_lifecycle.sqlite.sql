-- What becomes of a transaction after its creation. Versions before must not write any more: they would count the limits of a
-- canceled transaction, and release one that waits for information.

-- +goose Up
alter table transactions add column updated_at bigint; -- null in rows from before that have not changed since
alter table transactions add column status_reason text not null default '';
alter table transactions add column required_information text not null default '[]';

-- Versions before made the tags REQUESTED of users whose transactions were above their tier, and did not note of which.
update transactions set required_information = (select '["' || string_agg(g.tag, '","' order by g.tag) || '"]' from cip_tags g
		where g.client_id = transactions.client_id and g.user_id = transactions.user_id and g.status in ('REQUESTED', 'FAILED'))
	where status = 'INITIATED' and exists (select 1 from cip_tags r where r.client_id = transactions.client_id
		and r.user_id = transactions.user_id and r.status = 'REQUESTED');
insert into schema_requirements (version, min_writer_version) values (5, 5);

-- +goose Down
delete from schema_requirements where version = 5;
alter table transactions drop column updated_at;
alter table transactions drop column status_reason;
alter table transactions drop column required_information;
