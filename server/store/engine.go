package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver"
)

// engine is what differs between databases.
type engine struct {
	dialect   goose.Dialect
	hosts     int  // that the URL names; 0 if the database is a file
	oneWriter bool // writes are committed in groups
	// foreign is the pattern of the migrations for other engines.
	foreign string
	// migrations has further options of the migrations.
	migrations []goose.ProviderOption
	// lockMigrations runs fn under the lock of the migrations, if the engine has one.
	lockMigrations func(ctx context.Context, db *sql.DB, fn func() error) error
	// queue returns a driver of the job queue.
	queue func(*sql.DB) riverdriver.Driver[*sql.Tx]
	// jobArgs are the arguments of a job in the table of the queue, as what ->> takes a member from.
	jobArgs string
	// open returns a pool for writes and one for reads, which may be the same; create allows it to create a file.
	open func(ctx context.Context, create bool) (writer, reader *sql.DB, err error)
	// close closes the pools.
	close func(writer, reader *sql.DB) error
	// kept is appended to a select whose rows must not be lost any more when it returns, although another transaction that
	// wrote them may still wait for a synchronous standby.
	kept string
	// locked is appended to a select of rows that no other transaction may change before this one ends. Other rows may refer to
	// them meanwhile.
	locked string
	// exclusive is the same for rows to which no other transaction may refer either.
	exclusive string
	// keyed are the first arguments of a statement that finds its rows by their key, whatever its values are. The
	// connection keeps its plan, unless a pooler is in between.
	keyed []any
	// later are those of such a statement in a transaction whose result is wanted later: it is sent with the next one that is
	// wanted, or with the commit. They are nil for an engine without round trips.
	later []any
	// binary returns the first arguments of a statement in a transaction that writes much binary data.
	binary func() []any
	// unavailable reports whether the database is unreachable or overloaded, as opposed to a wrong statement.
	unavailable func(error) bool
	// conflict reports whether a transaction lost against a concurrent one, and may succeed if it is repeated.
	conflict func(error) bool
	// writable returns why writes would fail, as a sentence for /readyz; empty if they would succeed. The error means that it
	// could not find out.
	writable func(ctx context.Context, writer *sql.DB) (refusal string, err error)
	// commitRefusal returns why a commit that the database accepts would be lost, as a sentence; empty if it would not.
	commitRefusal func() string
	// exposed returns the files that other users of the machine may read or write.
	exposed func() []string
	// outOfRange reports whether a number does not fit its column or violates a check constraint.
	outOfRange func(error) bool
}

// ErrDatabaseURL is returned for a database URL of an unknown form.
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

// isTimeout reports whether the deadline of a call passed, or its caller cancelled it.
func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
