package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/crossborder-payouts/payouts/server/payout"
)

// Errors of Remove.
var (
	ErrInUse     = errors.New("the database is in use; stop the program that has it open")
	ErrNotSQLite = errors.New("must be sqlite:FILE, because only a file can be removed")
)

// Remove deletes an SQLite database if mayGo returns nil for the ids of its clients. It returns the name of the file, empty if
// there is none. It returns ErrInUse while another connection has the file open, and ErrNotSQLite for another database.
func Remove(ctx context.Context, databaseURL string, mayGo func([]payout.ClientID) error) (removed string, err error) {
	file, ok := strings.CutPrefix(databaseURL, "sqlite:")
	if !ok || file == "" {
		return "", ErrNotSQLite
	}
	path, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("SQLite file %s: %w", file, err)
	}
	db, err := openSQLite(path, "_txlock=immediate", 1)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	clients, err := clientsOf(ctx, db)
	if err != nil {
		return "", fmt.Errorf("SQLite file %s is no database of the service: %w", file, err)
	}
	if err := mayGo(clients); err != nil {
		return "", err
	}
	// No other connection can have the file open while one leaves the mode WAL, and none can open it afterwards.
	for _, pragma := range []string{`busy_timeout = 0`, `locking_mode = exclusive`, `journal_mode = delete`} {
		if _, err := db.ExecContext(ctx, `pragma `+pragma); sqliteCode(err)&0xff == sqlite3.SQLITE_BUSY {
			return "", ErrInUse
		} else if err != nil {
			return "", fmt.Errorf("SQLite file %s: %w", file, err)
		}
	}
	return file, os.Remove(path)
}

// clientsOf returns the ids of the clients, whatever migrations the database has.
func clientsOf(ctx context.Context, db *sql.DB) (clients []payout.ClientID, err error) {
	var tables int
	// A program that ended at once leaves an empty file.
	if err := db.QueryRowContext(ctx, `select count(*) from sqlite_schema`).Scan(&tables); err != nil || tables == 0 {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `select id from clients`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // it was read
	for rows.Next() {
		var id payout.ClientID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		clients = append(clients, id)
	}
	return clients, rows.Err()
}
