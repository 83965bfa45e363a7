package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteFile is an open SQLite database: its file, the write-ahead log and the shared memory beside it. SQLite goes on
// writing to files that were deleted, and what it acknowledges then is lost when the process ends.
type sqliteFile struct {
	path string
	// keeper has a connection that is never used. It keeps the log, which SQLite deletes with the last connection.
	keeper *sql.DB
	opened map[string]os.FileInfo

	probing chan struct{} // has room for the one probe at a time, which guards wrote
	wrote   time.Time     // when the last successful probe was
}

// create makes the file if it does not exist. Nobody else may read it; SQLite gives the files beside it the same mode.
func (f *sqliteFile) create() error {
	// Only a new file may be opened here: closing it would release the locks of other connections of this process.
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case err == nil:
		return file.Close() // empty
	case errors.Is(err, fs.ErrExist):
		return f.find()
	}
	folder := filepath.Dir(f.path)
	if _, missing := os.Stat(folder); errors.Is(missing, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s does not exist; create it, or name another file", folder)
	}
	return fmt.Errorf("unable to create it in %s: %w", folder, errors.Unwrap(err))
}

// find rejects a name at which there is no file. SQLite says only that it cannot open it.
func (f *sqliteFile) find() error {
	switch info, err := os.Stat(f.path); {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file; payoutd serve and payoutd migrate up create it")
	case err == nil && info.IsDir():
		return errors.New("it is a folder; name a file in it")
	}
	return nil
}

// watch remembers the files as they were opened.
func (f *sqliteFile) watch(ctx context.Context) (err error) {
	if f.keeper, err = openSQLite(f.path, "_query_only=1", 1); err != nil {
		return err
	}
	var tables int
	if err := f.keeper.QueryRowContext(ctx, `select count(*) from sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	path, err := filepath.EvalSymlinks(f.path) // the log is beside the file itself
	if err != nil {
		return err
	}
	f.opened = map[string]os.FileInfo{}
	for _, name := range []string{f.path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(name); err == nil {
			f.opened[name] = info
		}
	}
	return nil
}

// lost returns the name of a file that was deleted, moved or replaced; empty if none was.
func (f *sqliteFile) lost() string {
	for name, opened := range f.opened {
		if info, err := os.Stat(name); err != nil || !os.SameFile(info, opened) {
			return name
		}
	}
	return ""
}

// exposed returns the files that other users of the machine may read or write.
func (f *sqliteFile) exposed() []string {
	var names []string
	for name, info := range f.opened {
		if info.Mode().Perm()&0o077 != 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

const (
	sqliteLost     = "The database file was deleted, moved or replaced."
	sqliteFull     = "The disk of the database is full."
	sqliteReadOnly = "The database is read-only."
	sqliteFailed   = "The disk of the database fails."
)

// commitRefusal returns why a write must not be acknowledged.
func (f *sqliteFile) commitRefusal() string {
	if f.lost() != "" {
		return sqliteLost
	}
	return ""
}

// writable writes to the database, at most once a second while that succeeds, because anybody may call /readyz.
func (f *sqliteFile) writable(ctx context.Context, writer *sql.DB) (string, error) {
	if reason := f.commitRefusal(); reason != "" {
		return reason, nil
	}
	select {
	case f.probing <- struct{}{}:
		defer func() { <-f.probing }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if time.Since(f.wrote) < time.Second {
		return "", nil
	}
	// Writes a page to the log and syncs it. Nothing else uses this number.
	_, err := writer.ExecContext(ctx, `pragma user_version = 0`)
	if err == nil {
		f.wrote = time.Now()
		return "", nil
	}
	switch sqliteCode(err) & 0xff {
	case sqlite3.SQLITE_FULL:
		return sqliteFull, nil
	case sqlite3.SQLITE_READONLY:
		return sqliteReadOnly, nil
	case sqlite3.SQLITE_IOERR:
		return sqliteFailed, nil
	}
	return "", err
}

// close closes the pools. It leaves them open if a file was lost: with its last connection SQLite deletes the log by name,
// and by then that may be the log of another database.
func (f *sqliteFile) close(writer, reader *sql.DB) error {
	if name := f.lost(); name != "" {
		return fmt.Errorf("SQLite file %s was deleted, moved or replaced", name)
	}
	return errors.Join(f.keeper.Close(), reader.Close(), writer.Close())
}
