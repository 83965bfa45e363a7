package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// mostPrepared is how many statements a connection of SQLite keeps prepared; the service has fewer.
const mostPrepared = 200

// preparingConnector makes connections of SQLite that keep statements by key prepared: to parse one and plan it takes longer
// than to run it.
type preparingConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (c preparingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := conn.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a connection of type %T", conn), conn.Close())
	}
	return &preparing{plain, map[string]sqliteStmt{}}, nil
}

// sqliteConn is what a connection of the driver implements.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

// sqliteStmt is what a statement of the driver implements.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// preparing is a connection that keeps statements which are marked as byKey. SQLite itself prepares one anew if the tables have
// changed.
type preparing struct {
	sqliteConn
	kept map[string]sqliteStmt // by their text, those that nobody uses
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *preparing) CheckNamedValue(v *driver.NamedValue) error {
	if _, ok := v.Value.(byKey); ok {
		return nil
	}
	return driver.ErrSkip // as without a checker
}

// ExecContext implements driver.ExecerContext.
func (c *preparing) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !isByKey(args) {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := s.ExecContext(ctx, withoutMark(args))
	return result, c.give(query, s, err)
}

// QueryContext implements driver.QueryerContext.
func (c *preparing) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !isByKey(args) {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, withoutMark(args))
	if err != nil {
		return nil, c.give(query, s, err)
	}
	return preparedRows{rows, func(err error) error { return c.give(query, s, err) }}, nil
}

// take returns a statement for the caller alone.
func (c *preparing) take(ctx context.Context, query string) (sqliteStmt, error) {
	if s, ok := c.kept[query]; ok {
		delete(c.kept, query)
		return s, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s, ok := prepared.(sqliteStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a statement of type %T", prepared), prepared.Close())
	}
	return s, nil
}

// give keeps a statement for its next use, unless this one failed, and returns the error.
func (c *preparing) give(query string, s sqliteStmt, err error) error {
	if _, again := c.kept[query]; again || err != nil || len(c.kept) == mostPrepared {
		return errors.Join(err, s.Close())
	}
	c.kept[query] = s
	return nil
}

// Close implements driver.Conn.
func (c *preparing) Close() error {
	var failed error
	for s := range maps.Values(c.kept) {
		failed = errors.Join(failed, s.Close())
	}
	clear(c.kept)
	return errors.Join(failed, c.sqliteConn.Close())
}

// preparedRows are the rows of a statement that is given back after them.
type preparedRows struct {
	driver.Rows
	done func(error) error
}

// Close implements driver.Rows.
func (r preparedRows) Close() error { return r.done(r.Rows.Close()) }

func isByKey(args []driver.NamedValue) bool {
	if len(args) == 0 {
		return false
	}
	_, ok := args[0].Value.(byKey)
	return ok
}

// withoutMark returns the arguments after the mark.
func withoutMark(args []driver.NamedValue) []driver.NamedValue {
	args = slices.Clone(args[1:])
	for i := range args {
		args[i].Ordinal = i + 1
	}
	return args
}
