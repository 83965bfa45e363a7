package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river"

	"github.com/crossborder-payouts/payouts/server/payout"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Store is a payout.Store on a database.
type Store struct {
	reads
	writer, reader *sql.DB
	migrator       *goose.Provider
	queueMigrated  *atomic.Bool  // the tables of the queue have all migrations
	queuedEvents   chan struct{} // see Queued
	group          *group        // nil: the engine has many writers
}

var (
	_ payout.Store = (*Store)(nil)
	_ payout.Tx    = tx{}
)

// Open connects to the database, creates its file if it does not exist, and migrates it to the newest version. It returns
// ErrDatabaseURL as Connect does, and ErrSchemaTooNew as Migrate does.
func Open(ctx context.Context, databaseURL string) (*Store, error) {
	s, err := connect(ctx, databaseURL, true)
	if err != nil {
		return nil, err
	}
	if err := s.Migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Connect opens an existing database without migrating it. The URL is sqlite:FILE, or postgres://... as libpq accepts it. It
// returns ErrDatabaseURL for any other form.
func Connect(ctx context.Context, databaseURL string) (*Store, error) {
	return connect(ctx, databaseURL, false)
}

func connect(ctx context.Context, databaseURL string, create bool) (*Store, error) {
	e, err := engineFor(databaseURL)
	if err != nil {
		return nil, err
	}
	writer, reader, err := e.open(ctx, create)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	foreign, err := fs.Glob(files, e.foreign)
	if err != nil {
		return nil, err
	}
	migrator, err := goose.NewProvider(e.dialect, writer, files, append(e.migrations, goose.WithExcludeNames(foreign))...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read migrations: %w", err), e.close(writer, reader))
	}
	s := &Store{
		reads:  reads{db: reader, engine: e, closed: new(atomic.Bool), failures: new(failures)},
		writer: writer, reader: reader, migrator: migrator, queueMigrated: new(atomic.Bool),
		queuedEvents: make(chan struct{}, 1),
	}
	if e.oneWriter {
		s.group = &group{}
	}
	s.excluded = s.schemaExcludes
	// It inserts jobs only. Who works them has a client of its own.
	if s.queue, err = river.NewClient(s.QueueDriver(), &river.Config{Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, errors.Join(fmt.Errorf("make queue: %w", err), s.Close())
	}
	return s, nil
}

// Close closes the database. Later calls return CodeServiceUnavailable.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.engine.close(s.writer, s.reader)
}

// Exposed returns the files of an SQLite database that other users of the machine may read or write.
func (s *Store) Exposed() []string { return s.engine.exposed() }

// ErrNotWritable is returned if the database does not accept writes.
var ErrNotWritable = errors.New("the database does not accept writes")

// readyTime is how long Ready and CheckSchema wait for the database.
const readyTime = 2 * time.Second

// Ready returns nil if the database responds, has a schema that CheckSchema accepts, and accepts writes. Otherwise it returns
// CodeServiceUnavailable within two seconds, with a message that says which of these is not so; the error of CheckSchema or
// ErrNotWritable is the cause.
func (s *Store) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	if err := s.CheckSchema(ctx); err != nil {
		return unready(err)
	}
	refusal, err := s.engine.writable(ctx, s.writer)
	switch {
	case err != nil:
		return unready(err)
	case refusal != "":
		return refused(refusal)
	}
	return nil
}

// refused returns CodeServiceUnavailable for a database that does not accept writes, for a reason that is a sentence.
func refused(reason string) error {
	e := payout.NewError(payout.CodeServiceUnavailable)
	e.Message = reason
	return e.Because(ErrNotWritable)
}

// Engine returns sqlite or postgres.
func (s *Store) Engine() string {
	if s.engine.dialect == goose.DialectSQLite3 {
		return "sqlite"
	}
	return string(s.engine.dialect)
}

// Pools returns the statistics of each connection pool: writer and reader, or shared if one pool is both.
func (s *Store) Pools() map[string]sql.DBStats {
	if s.writer == s.reader {
		return map[string]sql.DBStats{"shared": s.writer.Stats()}
	}
	return map[string]sql.DBStats{"writer": s.writer.Stats(), "reader": s.reader.Stats()}
}

// Failures returns how many calls of the database have failed: because it was unreachable, overloaded or too slow; because of
// a concurrent transaction, most of which are repeated; and for any other reason. Calls that were cancelled are not counted.
func (s *Store) Failures() (unavailable, conflict, other int64) {
	return s.failures.unavailable.Load(), s.failures.conflict.Load(), s.failures.other.Load()
}

// failures has the counters of Failures.
type failures struct{ unavailable, conflict, other atomic.Int64 }

// Write runs fn in one transaction of the database, and commits if fn returns nil. If the transaction loses against another
// one, fn runs again in a new one: it must set all that it leaves behind anew.
func (s *Store) Write(ctx context.Context, fn func(payout.Tx) error) error {
	return s.together(ctx, func(t tx) error { return fn(t) })
}

// together is write, with other writes in one transaction if the engine has one writer.
func (s *Store) together(ctx context.Context, fn func(tx) error) error {
	if s.group != nil {
		return s.group.write(ctx, s, fn)
	}
	return s.write(ctx, fn)
}

// write is Write in a transaction of its own.
func (s *Store) write(ctx context.Context, fn func(tx) error) error {
	return s.Retry(ctx, func() error { return s.attempt(ctx, fn) })
}

func (s *Store) attempt(ctx context.Context, fn func(tx) error) error {
	t, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return s.failed(err)
	}
	// Does nothing after a commit; rolls back after an error or a panic.
	defer t.Rollback() //nolint:errcheck // the first error is the one that counts
	inside := s.reads
	inside.db = t
	allowed := s.schemaAllows(ctx, inside)
	var queued bool
	err = fn(tx{inside, &queued, t})
	refusal := allowed()
	if errors.Is(refusal, ErrSchemaTooNew) {
		return unready(refusal)
	}
	if err := cmp.Or(err, refusal); err != nil { // refusal may be due to a statement that was to be sent later
		return err
	}
	if reason := s.engine.commitRefusal(); reason != "" {
		return refused(reason)
	}
	if err := t.Commit(); err != nil {
		return s.failed(err)
	}
	if queued {
		s.signalQueued()
	}
	return nil
}

func (s *Store) signalQueued() {
	select {
	case s.queuedEvents <- struct{}{}:
	default: // the signal before is still there
	}
}

// Read runs fn in a transaction of the database that only reads, and reads one snapshot. fn may run again, as in Write.
func (s *Store) Read(ctx context.Context, fn func(payout.Reader) error) error {
	return s.Retry(ctx, func() error {
		t, err := s.snapshot(ctx)
		if err != nil {
			return err
		}
		defer t.Rollback() //nolint:errcheck // nothing was written
		inside := s.reads
		inside.db = t
		return fn(inside)
	})
}

// snapshot begins a transaction that only reads, and reads one snapshot: always in SQLite, from this isolation level on in
// PostgreSQL.
func (s *Store) snapshot(ctx context.Context) (*sql.Tx, error) {
	var options *sql.TxOptions
	if s.engine.dialect == goose.DialectPostgres {
		options = &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	}
	t, err := s.reader.BeginTx(ctx, options)
	return t, s.failed(err)
}

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// reads has all queries; they run on the pool of readers or in a transaction.
type reads struct {
	db       querier
	engine   engine
	closed   *atomic.Bool
	excluded func() bool // is schemaExcludes
	failures *failures
	operator *Operator // who writes, for the audit log; nil: the service
	queue    *river.Client[*sql.Tx]
}

// tx adds the writes.
type tx struct {
	reads
	queued *bool // events were added to the queue
	sql    *sql.Tx
}

// queueContext returns the context of a statement of the queue, which does not know of groups.
func (t tx) queueContext(ctx context.Context) context.Context {
	if _, grouped := t.db.(shared); grouped {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

// failed translates an error of the database: unreachable, overloaded, too slow or migrated by a newer version is
// CodeServiceUnavailable; any other remains unknown.
func (r reads) failed(err error) error {
	switch {
	case err == nil:
		return nil
	case r.engine.conflict(err):
		r.failures.conflict.Add(1)
		return payout.NewError(payout.CodeServiceUnavailable).Because(err)
	case r.closed.Load() || errors.Is(err, sql.ErrConnDone) || isTimeout(err) || r.engine.unavailable(err),
		// Only this package and the context end a transaction.
		errors.Is(err, sql.ErrTxDone):
		if !errors.Is(err, context.Canceled) {
			r.failures.unavailable.Add(1)
		}
		return payout.NewError(payout.CodeServiceUnavailable).Because(err)
	}
	if !r.engine.outOfRange(err) { // that is a limit that was reached
		if r.excluded() {
			r.failures.unavailable.Add(1)
			return unready(fmt.Errorf("%w: %w", ErrSchemaTooNew, err))
		}
		r.failures.other.Add(1)
	}
	return fmt.Errorf("database: %w", err)
}

// keyed returns the arguments of a statement that finds its rows by their key.
func (r reads) keyed(args ...any) []any { return slices.Concat(r.engine.keyed, args) }

// exec runs a statement that finds its rows by their key, or inserts them.
func (r reads) exec(ctx context.Context, query string, args ...any) (int64, error) {
	return r.execAny(ctx, query, r.keyed(args...)...)
}

// execLater is exec for a statement of which only the success matters. An engine with round trips runs it with the next one, or
// with the commit, which return its error.
func (t tx) execLater(ctx context.Context, query string, args ...any) error {
	if t.engine.later == nil {
		_, err := t.exec(ctx, query, args...)
		return err
	}
	_, err := t.execAny(ctx, query, slices.Concat(t.engine.later, args)...)
	return err
}

// execAny runs a statement that is planned for its values: that of a range, or one with a different text each time.
func (r reads) execAny(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := r.db.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, r.failed(err)
	}
	n, err := result.RowsAffected()
	return n, r.failed(err)
}

// list runs a query, which is planned for its values unless they are keyed, and scans each row.
func list[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args ...any) (all []T, err error) {
	if _, alone := r.db.(*sql.DB); !alone { // the transaction is repeated as a whole
		return collect(ctx, r, scan, query, args)
	}
	err = r.Retry(ctx, func() error {
		all, err = collect(ctx, r, scan, query, args)
		return err
	})
	return all, err
}

func collect[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args []any) ([]T, error) {
	rows, err := r.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, r.failed(err)
	}
	return scanAll(r, scan, rows)
}

func scanAll[T any](r reads, scan func(scanner, *T) error, rows *sql.Rows) ([]T, error) {
	defer rows.Close() //nolint:errcheck // rows.Err has what matters
	var all []T
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			return nil, r.failed(err)
		}
		all = append(all, v)
	}
	return all, r.failed(rows.Err())
}

// ask runs a query for rows of a key, whose result is wanted when the function is called, once. In a transaction of an engine
// with round trips all queries that were asked share one.
func ask[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args ...any) func() ([]T, error) {
	t, within := r.db.(*sql.Tx)
	if !within || r.engine.later == nil {
		return func() ([]T, error) { return list(ctx, r, scan, query, r.keyed(args...)...) }
	}
	rows, err := t.QueryContext(ctx, query, slices.Concat(r.engine.later, args)...) //nolint:rowserrcheck // scanAll does both, or the end of t
	return func() ([]T, error) {
		if err != nil {
			return nil, r.failed(err)
		}
		return scanAll(r, scan, rows)
	}
}

// askOne is ask for the row of a key, and returns false if there is none.
func askOne[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args ...any) func() (T, bool, error) {
	all := ask(ctx, r, scan, query, args...)
	return func() (T, bool, error) { return first(all()) }
}

// one runs a query for the row of a key, and returns false if there is none.
func one[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args ...any) (T, bool, error) {
	return oneAny(ctx, r, scan, query, r.keyed(args...)...)
}

// oneAny runs a query that is planned for its values, for at most one row, and returns false if there is none.
func oneAny[T any](ctx context.Context, r reads, scan func(scanner, *T) error, query string, args ...any) (T, bool, error) {
	return first(list(ctx, r, scan, query, args...))
}

func first[T any](all []T, err error) (v T, ok bool, _ error) {
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// inList returns the placeholders of an in list and all arguments. Without values the list matches nothing.
func inList[T ~string](values []T, before ...any) (string, []any) {
	if len(values) == 0 {
		return "(null)", before
	}
	marks := make([]string, len(values))
	for i, value := range values {
		before = append(before, value)
		marks[i] = fmt.Sprintf("$%d", len(before))
	}
	return "(" + strings.Join(marks, ", ") + ")", before
}

type scanner interface{ Scan(dest ...any) error }
