package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

func sqliteEngine(path string) engine {
	file := &sqliteFile{path: path, probing: make(chan struct{}, 1)}
	return engine{
		dialect: goose.DialectSQLite3,
		foreign: "*.postgres.sql", oneWriter: true,
		// Each migration is one transaction: of two processes one commits it.
		lockMigrations: func(_ context.Context, _ *sql.DB, fn func() error) error { return fn() },
		queue:          func(db *sql.DB) riverdriver.Driver[*sql.Tx] { return riversqlite.New(db) },
		jobArgs:        `cast(args as text)`,
		open: func(ctx context.Context, create bool) (writer, reader *sql.DB, err error) {
			find := file.find
			if create {
				find = file.create
			}
			if err := find(); err != nil {
				return nil, nil, fmt.Errorf("SQLite file %s: %w", path, err)
			}
			// One writer, because SQLite has one write lock: waiting for a connection is fair and never SQLITE_BUSY.
			// FULL, because an acknowledged transaction must survive a power cut.
			// What a write of a group could take back is kept in memory, not in a temporary file.
			if writer, err = openSQLite(path, "_txlock=immediate&_synchronous=FULL&_pragma=temp_store(memory)", 1); err != nil {
				return nil, nil, err
			}
			// The file must be in WAL mode before readers open it. Switching a new file to WAL is the one operation that
			// ignores the busy timeout, so it is retried here.
			if _, err := backoff.Retry(ctx, func() (struct{}, error) {
				err := writer.PingContext(ctx)
				if err != nil && sqliteCode(err)&0xff != sqlite3.SQLITE_BUSY {
					err = backoff.Permanent(err)
				}
				return struct{}{}, err
			}, backoff.WithBackOff(backoff.NewConstantBackOff(10*time.Millisecond)), backoff.WithMaxElapsedTime(5*time.Second)); err != nil {
				return nil, nil, errors.Join(fmt.Errorf("SQLite file %s: %w", path, err), writer.Close())
			}
			if reader, err = openSQLite(path, "_query_only=1", max(4, 2*runtime.NumCPU())); err != nil {
				return nil, nil, errors.Join(err, writer.Close())
			}
			if err := file.watch(ctx); err != nil {
				return nil, nil, errors.Join(fmt.Errorf("SQLite file %s: %w", path, err), reader.Close(), writer.Close())
			}
			return writer, reader, nil
		},
		close: file.close,
		unavailable: func(err error) bool {
			switch sqliteCode(err) & 0xff {
			case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL,
				sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT:
				return true
			}
			return false
		},
		keyed:         []any{byKey{}},
		writable:      file.writable,
		commitRefusal: file.commitRefusal,
		exposed:       file.exposed,
		binary:        func() []any { return nil },
		outOfRange:    func(err error) bool { return sqliteCode(err) == sqlite3.SQLITE_CONSTRAINT_CHECK },
		conflict:      func(error) bool { return false }, // there is one writer
	}
}

func openSQLite(file, options string, connections int) (*sql.DB, error) {
	name := (&url.URL{Scheme: "file", Opaque: url.PathEscape(file)}).String()
	name = strings.ReplaceAll(name, "%2F", "/")
	// The mode creates no file: a connection that is opened later must not replace a file that was deleted.
	connector, err := sqlite.NewConnector(name + "?mode=rw&_journal_mode=WAL&_busy_timeout=5000&_foreign_keys=1&_dqs=0&" + options)
	if err != nil {
		return nil, fmt.Errorf("open SQLite file: %w", err)
	}
	db := sql.OpenDB(preparingConnector{connector})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

func sqliteCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}
