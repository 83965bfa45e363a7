package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/crossborder-payouts/payouts/server/store"
)

// database is the flag of every command that works on the database.
type database struct {
	Database string `help:"Database: sqlite:FILE, or the URL of a PostgreSQL database, postgres://USER@HOST/NAME. Required; only serve --sandbox has a default, sqlite:sandbox.db." placeholder:"URL"`
}

// errNoDatabase is returned if no database is named. There is no default, because a forgotten variable would create an empty
// database and reject every caller.
var errNoDatabase = usageError{"database", errors.New("is missing; name the database: sqlite:FILE or postgres://USER@HOST/NAME")}

// with runs fn on the database, which must have all migrations and allow this version. It may be read-only: many commands only
// read.
func (d database) with(ctx context.Context, fn func(*store.Store) error) error {
	return d.connected(ctx, func(db *store.Store) error {
		switch err := db.CheckSchema(ctx); {
		case err == nil:
			return fn(db)
		case errors.Is(err, store.ErrMigrationsPending):
			return fmt.Errorf("%w; run payoutd migrate up", store.ErrMigrationsPending)
		default:
			return err
		}
	})
}

// connected runs fn on the database, whatever its migrations.
func (d database) connected(ctx context.Context, fn func(*store.Store) error) error {
	return d.opened(ctx, store.Connect, fn)
}

type opener = func(ctx context.Context, databaseURL string) (*store.Store, error)

func (d database) opened(ctx context.Context, open opener, fn func(*store.Store) error) (err error) {
	if d.Database == "" {
		return errNoDatabase
	}
	db, err := open(ctx, d.Database)
	if errors.Is(err, store.ErrDatabaseURL) {
		return usageError{"database", err}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

// listing is the flag of every command that lists.
type listing struct {
	JSON bool `help:"Print JSON instead of a table."`
}

// print writes rows as JSON, or as a table with a title for each column.
func (l listing) print(out io.Writer, rows any, titles []string, cells [][]string) error {
	if l.JSON {
		return printJSON(out, rows)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, line := range append([][]string{titles}, cells...) {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(line, "\t"), "\t"))
	}
	return w.Flush()
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
