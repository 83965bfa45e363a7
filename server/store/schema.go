package store

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Errors of CheckSchema.
var (
	ErrMigrationsPending = errors.New("migrations are pending")
	ErrSchemaTooNew      = errors.New("a newer version of payoutd has migrated the database")
)

// Migrate brings the database to the newest migration, under a lock if the engine has one. Without a lock, each migration is
// one transaction: of two processes that start together one commits it, and the other fails and continues with the next. It
// returns ErrSchemaTooNew as CheckSchema does.
func (s *Store) Migrate(ctx context.Context) error {
	var err error
	for range len(s.migrator.ListSources()) + queueVersion + 1 {
		if _, err = s.migrator.Up(ctx); err == nil {
			err = s.migrateQueue(ctx)
		}
		if err == nil {
			return s.schemaAllows(ctx, s.reads)()
		}
	}
	return fmt.Errorf("migrate database: %w", err)
}

// CheckSchema returns nil if this version of payoutd may write to the schema of the database: it has all migrations, and none
// that requires a newer version. Otherwise it returns ErrMigrationsPending or ErrSchemaTooNew.
func (s *Store) CheckSchema(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	pending, err := s.migrator.HasPending(ctx)
	if err == nil && !pending {
		pending, err = s.queuePending(ctx)
	}
	switch {
	case err != nil:
		return fmt.Errorf("read migrations: %w", err)
	case pending:
		return ErrMigrationsPending
	}
	return s.schemaAllows(ctx, s.reads)()
}

// schemaAllows asks whether this version of payoutd may write. The function returns ErrSchemaTooNew if it must not any more.
// Each write asks first, and looks at the answer before it commits: on SQLite it has the write lock then; on PostgreSQL a
// migration that excludes older versions locks the table, so that it waits for the writes before it, and those after it read its
// row.
func (s *Store) schemaAllows(ctx context.Context, in reads) func() error {
	asked := askOne(ctx, in, func(row scanner, v *int64) error { return row.Scan(v) }, requiredVersion)
	return func() error {
		required, _, err := asked()
		if err == nil && required > s.newest() {
			err = fmt.Errorf("%w: it requires schema version %d, and this one has %d; start the newer version", ErrSchemaTooNew,
				required, s.newest())
		}
		return err
	}
}

// requiredVersion selects the newest migration that a version of payoutd must have to write.
const requiredVersion = `select max(min_writer_version) from schema_requirements`

// schemaExcludes reports whether this version of payoutd must not write any more. It is asked after an error that may have
// come from that, of a query for a column that a migration has renamed, for example.
func (s *Store) schemaExcludes() bool {
	ctx, cancel := context.WithTimeout(context.Background(), readyTime)
	defer cancel()
	var required int64
	err := s.reader.QueryRowContext(ctx, requiredVersion).Scan(&required)
	return err == nil && required > s.newest()
}

// unready returns CodeServiceUnavailable for a reason why the store cannot be written to.
func unready(reason error) error {
	e := payout.NewError(payout.CodeServiceUnavailable)
	switch {
	case errors.Is(reason, ErrMigrationsPending):
		e.Message = "The database does not have the newest migration."
	case errors.Is(reason, ErrSchemaTooNew):
		e.Message = "A newer version of the service has migrated the database."
	default:
		e.Message = "The database does not answer."
	}
	return e.Because(reason)
}

// newest returns the version of the newest migration of this program.
func (s *Store) newest() int64 {
	all := s.migrator.ListSources()
	return all[len(all)-1].Version
}

// SchemaVersion returns the version of the newest migration of this program, without a database.
func SchemaVersion() int64 {
	var newest int64
	files, _ := migrations.ReadDir("migrations") // they are in the program
	for _, file := range files {
		version, _ := goose.NumericComponent(file.Name())
		newest = max(newest, version)
	}
	return newest
}

// Migration is one version of the schema.
type Migration struct {
	Version int64     `json:"version"`
	Name    string    `json:"name,omitempty"`   // empty: unknown to this version of payoutd
	Applied time.Time `json:"applied,omitzero"` // zero: pending
}

// Migrations lists all migrations in their order, those of the job queue after ours, and those in the database that this version
// of payoutd does not know.
func (s *Store) Migrations(ctx context.Context) ([]Migration, error) {
	all, err := s.migrator.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	out := make([]Migration, 0, len(all))
	for _, v := range all {
		out = append(out, Migration{v.Source.Version, path.Base(v.Source.Path), v.AppliedAt})
	}
	queue, err := s.allQueueMigrations(ctx)
	if err != nil {
		return nil, err
	}
	out = append(out, queue...)
	unknown, err := list(ctx, s.reads, func(row scanner, v *Migration) error { return row.Scan(&v.Version, &v.Applied) },
		`select version_id, tstamp from goose_db_version where version_id > $1 order by version_id`, s.newest())
	return append(out, unknown...), err
}
