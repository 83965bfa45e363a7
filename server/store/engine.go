package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/pressly/goose/v3"
)

// engine is what differs between databases.
type engine struct {
	dialect goose.Dialect
	// foreign is the pattern of the migrations that are written for another engine.
	foreign string
	// migrations adds to how migrations are run.
	migrations []goose.ProviderOption
	// open gives a pool for writes and one for reads; they may be the same. create tells whether a file may be made.
	open func(ctx context.Context, create bool) (writer, reader *sql.DB, err error)
	// unavailable tells a database that is away or overloaded from a statement that is wrong.
	unavailable func(error) bool
	// outOfRange tells a number that does not fit its column or violates a check constraint.
	outOfRange func(error) bool
}

// ErrDatabaseURL is returned for a database URL that is not understood.
var ErrDatabaseURL = errors.New("must be sqlite:FILE or postgres://USER:PASSWORD@HOST/DATABASE")

func engineFor(databaseURL string) (engine, error) {
	scheme, rest, _ := strings.Cut(databaseURL, ":")
	switch {
	case scheme == "sqlite" && rest != "":
		return sqliteEngine(rest), nil
	case scheme == "postgres" || scheme == "postgresql":
		return postgresEngine(databaseURL)
	}
	return engine{}, ErrDatabaseURL
}

// isTimeout tells that the time for a call, or the caller's patience, ended.
func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
