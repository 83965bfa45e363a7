package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
)

// postgresConnections limits the pool of one process; a call waits for a connection until its deadline.
var postgresConnections = max(16, 4*runtime.NumCPU())

func postgresEngine(databaseURL string) (engine, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return engine{}, ErrDatabaseURL // the cause may quote the password
	}
	var pool postgresPool
	if !strings.Contains(databaseURL, "default_query_exec_mode=") {
		// No prepared statements, because a pooler in transaction mode changes the connection between transactions, and because
		// a plan that PostgreSQL keeps suits the lists of most clients, not those of one with far more rows.
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		pool.prepares = true
	}
	// A table lock, because an advisory lock belongs to a session, which such a pooler does not keep either.
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(100*time.Millisecond, 600))
	if err != nil {
		return engine{}, fmt.Errorf("make migration lock: %w", err)
	}
	return engine{
		dialect:    goose.DialectPostgres,
		hosts:      hostsOf(config),
		foreign:    "*.sqlite.sql",
		migrations: []goose.ProviderOption{goose.WithLocker(locker)},
		lockMigrations: func(ctx context.Context, db *sql.DB, fn func() error) error {
			if err := locker.Lock(ctx, db); err != nil {
				return fmt.Errorf("lock migrations: %w", err)
			}
			return errors.Join(fn(), locker.Unlock(context.WithoutCancel(ctx), db))
		},
		queue:   func(db *sql.DB) riverdriver.Driver[*sql.Tx] { return riverdatabasesql.New(db) },
		jobArgs: `args`,
		open: func(ctx context.Context, _ bool) (writer, reader *sql.DB, err error) {
			db := pool.open(config)
			if err := db.PingContext(ctx); err != nil {
				return nil, nil, errors.Join(connectFailure(config, err), db.Close())
			}
			return db, db, nil
		},
		// A wait for a standby that is cancelled, because the caller went away, makes the transaction visible. A lock is written
		// after it and waits for the standby again.
		kept:      " for key share",
		locked:    " for no key update",
		exclusive: " for update",
		keyed:     []any{byKey{}},
		later:     []any{later{}},
		binary: func() []any {
			if config.DefaultQueryExecMode != pgx.QueryExecModeExec {
				return nil
			}
			// That mode writes all values as text: a document would be in memory in hexadecimal, several times. This one costs one
			// round trip more. A pooler in transaction mode allows it, in a transaction.
			if pool.keepsPlans() {
				return []any{byKey{}}
			}
			return []any{pgx.QueryExecModeDescribeExec}
		},
		unavailable: postgresUnavailable,
		writable:    pool.writable,
		// One pool is both, and no file is ours.
		close:         func(db, _ *sql.DB) error { return db.Close() },
		commitRefusal: func() string { return "" },
		exposed:       func() []string { return nil },
		conflict: func(err error) bool {
			code := postgresCode(err)
			// serialization_failure, deadlock_detected, and out_of_memory, with which PostgreSQL says that it cannot record
			// another conflict between serializable transactions, and that the transaction may be run again.
			return code == "40001" || code == "40P01" || code == "53200" || isStale(err)
		},
		outOfRange: func(err error) bool {
			code := postgresCode(err)
			return code == "23514" || code == "22003" // check_violation, numeric_value_out_of_range
		},
	}, nil
}

// isStale reports whether a prepared statement does not fit the tables any more after a migration, or is not there any more. It
// is prepared anew when it is run again.
func isStale(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "26000" || e.Code == "0A000" && e.Routine == "RevalidateCachedQuery")
}

// SQLSTATEs of writes: in a standby, or where default_transaction_read_only is on; and without space for them.
const (
	readOnlyTransaction = "25006"
	diskFull            = "53100"
)

// postgresUnavailable reports whether a caller may retry: the server is unreachable, starting, stopping or out of
// resources, refuses this service, or the transaction lost against another one.
func postgresUnavailable(err error) bool {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) { // whatever its SQLSTATE: wrong credentials are no fault of the statement
		return true
	}
	if code := postgresCode(err); code != "" {
		switch code[:2] {
		case "08", "40", "53", "57": // connection, rollback, resources, operator intervention
			return true
		}
		// Lock not available, read-only, idle in transaction or transaction timeout.
		return slices.Contains([]string{"55P03", readOnlyTransaction, "25P03", "25P04"}, code) || lostNode(err)
	}
	var network net.Error
	// A connection that broke between two statements of a transaction is reported as driver.ErrBadConn only.
	return pgconn.SafeToRetry(err) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// lostNode reports whether a node of Citus went away during the commit, which may have succeeded there. Citus has no SQLSTATE for it.
func lostNode(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "XX000" && (strings.HasPrefix(e.Message, "could not commit transaction for shard ") ||
		strings.HasPrefix(e.Message, "failure on connection marked as essential"))
}

func postgresCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
