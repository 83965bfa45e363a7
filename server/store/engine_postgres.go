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
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// postgresConnections bounds the pool of one process; a call waits for a connection until its time ends.
var postgresConnections = max(16, 4*runtime.NumCPU())

func postgresEngine(databaseURL string) (engine, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return engine{}, ErrDatabaseURL // the cause may quote the password
	}
	if !strings.Contains(databaseURL, "default_query_exec_mode=") {
		// No prepared statements, because a pooler in transaction mode hands out another connection each time.
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	// A row in a table, because an advisory lock of a session means nothing behind such a pooler either.
	locker, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(100*time.Millisecond, 600))
	if err != nil {
		return engine{}, fmt.Errorf("make migration lock: %w", err)
	}
	return engine{
		dialect:    goose.DialectPostgres,
		foreign:    "*.sqlite.sql",
		migrations: []goose.ProviderOption{goose.WithLocker(locker)},
		open: func(ctx context.Context, _ bool) (writer, reader *sql.DB, err error) {
			db := stdlib.OpenDB(*config)
			db.SetMaxOpenConns(postgresConnections)
			db.SetMaxIdleConns(postgresConnections)
			db.SetConnMaxLifetime(30 * time.Minute)
			if err := db.PingContext(ctx); err != nil {
				return nil, nil, errors.Join(fmt.Errorf("PostgreSQL at %s: %w", config.Host, err), db.Close())
			}
			return db, db, nil
		},
		unavailable: postgresUnavailable,
		outOfRange: func(err error) bool {
			code := postgresCode(err)
			return code == "23514" || code == "22003" // check_violation, numeric_value_out_of_range
		},
	}, nil
}

// postgresUnavailable tells a server that is away, starting, stopping or out of resources, and a transaction that lost
// against another one: all that a caller may try again.
func postgresUnavailable(err error) bool {
	if code := postgresCode(err); code != "" {
		switch code[:2] {
		case "08", "40", "53", "57": // connection, rollback, resources, operator intervention
			return true
		}
		// Lock not available, read-only (a standby), a transaction that stood still or took too long.
		return slices.Contains([]string{"55P03", "25006", "25P03", "25P04"}, code)
	}
	var network net.Error
	var connecting *pgconn.ConnectError
	// A connection that broke between two statements of a transaction is no more than driver.ErrBadConn.
	return pgconn.SafeToRetry(err) || errors.As(err, &network) || errors.As(err, &connecting) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

func postgresCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
