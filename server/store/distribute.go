package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/pressly/goose/v3"
)

// Errors of Distribute.
var (
	ErrNotPostgres   = errors.New("only PostgreSQL can be distributed")
	ErrNoCitus       = errors.New("the database does not have the extension citus")
	ErrNoCoordinator = errors.New("the coordinator is not one of the nodes of citus")
)

// Where Citus keeps each table. Those that are not here stay on the coordinator: the queue of jobs, whose statements are those of
// another project, and what belongs to migrations. A new table comes here, and its migration places it in the form of testdata/distributed.
var (
	// byClient are distributed by client_id and placed together: all rows of a client are on one node, and what a request writes
	// is committed there alone.
	byClient = []string{
		"users", "cip_tags", "limit_usage", "funding_accounts", "receive_users", "bank_accounts", "wallet_accounts", "transactions",
		"documents", "idempotency_keys", "event_queue", "events", "event_head", "webhook_endpoints", "webhook_rotations",
		"webhook_deliveries", "webhook_attempts", "payout_file_lines",
	}
	// onEveryNode have a copy on each node. They are read far more often than written. Who updates the row of a lock keeps other
	// writers of that table away until the commit has ended on all nodes.
	onEveryNode = []string{
		"clients", "client_secrets", "states", "payers", "banks", "schema_requirements", "audit_log", "payout_files",
		"event_publisher", "payout_file_turn",
	}
)

// Citus commits the nodes before the coordinator, and not in two phases, if of the coordinator only tables were written that it
// does not know, as those of the queue: a crash in between would lose a job. It knows the table of this trigger, and no row is
// there to wait for.
var twoPhases = []string{
	`create table two_phases (id bigint not null primary key)`,
	`select citus_add_local_table_to_metadata('two_phases')`,
	`create function commit_in_two_phases() returns trigger language plpgsql as
		$$ begin update two_phases set id = id; return null; end $$`,
	`create trigger commit_in_two_phases after insert on river_job for each statement execute function commit_in_two_phases()`,
}

// Distribute spreads the tables over the nodes of Citus, and returns the names of those that were not before. Rows are copied,
// and the tables locked meanwhile. All or nothing is done. It returns ErrNotPostgres, ErrNoCitus and ErrNoCoordinator.
func (s *Store) Distribute(ctx context.Context) (placed []string, err error) {
	if s.engine.dialect != goose.DialectPostgres {
		return nil, ErrNotPostgres
	}
	var installed, coordinator bool
	if err := s.reader.QueryRowContext(ctx, `select exists (select 1 from pg_extension where extname = 'citus')`).Scan(&installed); err != nil {
		return nil, s.failed(err)
	}
	if !installed {
		return nil, ErrNoCitus
	}
	if err := s.reader.QueryRowContext(ctx, `select exists (select 1 from pg_dist_node where groupid = 0)`).Scan(&coordinator); err != nil {
		return nil, s.failed(err)
	}
	if !coordinator {
		return nil, ErrNoCoordinator
	}
	err = s.engine.lockMigrations(ctx, s.writer, func() error {
		t, err := s.writer.BeginTx(ctx, nil)
		if err != nil {
			return s.failed(err)
		}
		defer t.Rollback() //nolint:errcheck // the first error is the one that counts
		if placed, err = distribute(ctx, t); err != nil {
			return fmt.Errorf("distribute: %w", err)
		}
		return t.Commit()
	})
	return placed, err
}

// distributed reports whether Distribute was here.
func (s *Store) distributed(ctx context.Context) (bool, error) {
	if s.engine.dialect != goose.DialectPostgres {
		return false, nil
	}
	is, _, err := oneAny(ctx, s.reads, func(row scanner, v *bool) error { return row.Scan(v) }, `select to_regclass('two_phases') is not null`)
	return is, err
}

// foreignKey is a constraint that a table must not have while it or the other one is placed.
type foreignKey struct{ table, name, definition string }

func distribute(ctx context.Context, t *sql.Tx) ([]string, error) {
	known, err := texts(ctx, t, `select logicalrelid::text from pg_dist_partition`)
	if err != nil {
		return nil, err
	}
	missing := func(tables []string) []string {
		return slices.DeleteFunc(slices.Clone(tables), func(name string) bool { return slices.Contains(known, name) })
	}
	everywhere, sharded := missing(onEveryNode), missing(byClient)
	placed := slices.Concat(everywhere, sharded)
	if len(placed) == 0 {
		return nil, nil
	}
	keys, err := foreignKeys(ctx, t, placed)
	if err != nil {
		return nil, err
	}
	// Some steps use what others have just placed, which parallel connections would not see.
	statements := []string{`set local citus.multi_shard_modify_mode to 'sequential'`}
	for _, k := range keys {
		statements = append(statements, fmt.Sprintf(`alter table %s drop constraint %s`, k.table, k.name))
	}
	if slices.Contains(sharded, "event_queue") {
		// Citus wants the client in each key. The index has the order of the publisher.
		statements = append(statements, `alter table event_queue drop constraint event_queue_pkey, add primary key (client_id, seq)`,
			`create index event_queue_by_seq on event_queue (seq)`)
		statements = append(statements, twoPhases...)
	}
	for _, table := range everywhere {
		statements = append(statements, fmt.Sprintf(`select create_reference_table('%s')`, table))
	}
	for _, table := range sharded {
		with := byClient[0]
		if table == with {
			with = "none"
		}
		statements = append(statements, fmt.Sprintf(`select create_distributed_table('%s', 'client_id', colocate_with => '%s')`, table, with))
	}
	// The rows that were copied are still in the tables of the coordinator.
	for _, table := range placed {
		statements = append(statements, fmt.Sprintf(`select truncate_local_data_after_distributing_table('%s')`, table))
	}
	for _, k := range keys {
		statements = append(statements, fmt.Sprintf(`alter table %s add constraint %s %s`, k.table, k.name, k.definition))
	}
	for _, statement := range statements {
		if _, err := t.ExecContext(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	return placed, nil
}

// foreignKeys lists the foreign keys of and to the tables.
func foreignKeys(ctx context.Context, t *sql.Tx, tables []string) ([]foreignKey, error) {
	rows, err := t.QueryContext(ctx, `select conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) from pg_constraint
		where contype = 'f' and (conrelid::regclass::text = any($1) or confrelid::regclass::text = any($1)) order by 1, 2`, tables)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has what matters
	var all []foreignKey
	for rows.Next() {
		var k foreignKey
		if err := rows.Scan(&k.table, &k.name, &k.definition); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, rows.Err()
}

// texts runs a query for one column.
func texts(ctx context.Context, t *sql.Tx, query string) ([]string, error) {
	rows, err := t.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has what matters
	var all []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}
