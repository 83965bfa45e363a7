-- The form of a migration that makes a table: it places it before foreign keys refer to other tables. Where the database is not
-- distributed that does nothing. distribute.go lists the table as well.

-- +goose Up
create table examples (
	client_id text not null,
	id text not null,
	user_id text not null,
	primary key (client_id, id)
);
-- +goose StatementBegin
do $$ begin
	if to_regclass('two_phases') is not null then
		perform create_distributed_table('examples', 'client_id', colocate_with => 'users');
	end if;
end $$;
-- +goose StatementEnd
alter table examples add foreign key (client_id, user_id) references users (client_id, id);

-- +goose Down
drop table examples;
