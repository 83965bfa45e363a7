package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
)

// queueVersion is the version of the schema of River, the job queue of package webhooks, that this version of payoutd needs.
// A newer River may need a newer one.
const queueVersion = 6

// QueueDriver returns a driver of River on the pool for writes. On SQLite that is one connection: who has a transaction open
// must use the driver with that transaction only.
func (s *Store) QueueDriver() riverdriver.Driver[*sql.Tx] { return s.engine.queue(s.writer) }

// migrateQueue brings the tables of River to queueVersion, under the lock of the other migrations if the engine has one.
func (s *Store) migrateQueue(ctx context.Context) error {
	if pending, err := s.queuePending(ctx); err != nil || !pending {
		return err
	}
	migrator, err := rivermigrate.New(s.QueueDriver(), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	err = s.engine.lockMigrations(ctx, s.writer, func() error {
		_, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{TargetVersion: queueVersion})
		return err
	})
	if pending, failed := s.queuePending(ctx); failed == nil && !pending { // perhaps another process has done it meanwhile
		return nil
	}
	return err
}

// queuePending reports whether the tables of River lack a migration. Later ones than queueVersion are no obstacle.
func (s *Store) queuePending(ctx context.Context) (bool, error) {
	if s.queueMigrated.Load() { // they do not disappear
		return false, nil
	}
	const table = "river_migration"
	exec := s.QueueDriver().GetExecutor()
	exists, err := exec.TableExists(ctx, &riverdriver.TableExistsParams{Table: table})
	if err == nil && exists { // a column of a later version than the first
		exists, err = exec.ColumnExists(ctx, &riverdriver.ColumnExistsParams{Table: table, Column: "line"})
	}
	if err != nil || !exists {
		return true, err
	}
	all, err := s.queueMigrations(ctx)
	done := len(all) >= queueVersion
	if err == nil && done {
		s.queueMigrated.Store(true)
	}
	return !done, err
}

// queueMigrations lists the migrations of River that were applied.
func (s *Store) queueMigrations(ctx context.Context) ([]Migration, error) {
	return list(ctx, s.reads, func(row scanner, v *Migration) error { return row.Scan(&v.Version, &v.Applied) },
		`select version, created_at from river_migration where line = 'main' order by version`)
}

// allQueueMigrations lists the migrations of River, pending ones included.
func (s *Store) allQueueMigrations(ctx context.Context) ([]Migration, error) {
	out := make([]Migration, queueVersion)
	for i := range out {
		out[i] = Migration{Version: int64(i + 1), Name: fmt.Sprintf("queue %d", i+1)}
	}
	if pending, err := s.queuePending(ctx); err != nil || pending {
		return out, err
	}
	applied, err := s.queueMigrations(ctx)
	for i, v := range applied[:min(len(applied), queueVersion)] {
		out[i].Applied = v.Applied
	}
	return out, err
}
