package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Options of a statement, before its arguments.
type (
	// byKey marks a statement that finds its rows by their key, whatever its values are.
	byKey struct{}
	// later marks one by key whose result is not wanted yet, in a transaction. It is sent with the next one by key that is
	// wanted, or with the commit.
	later struct{}
)

// pipelinedConnector makes connections that send several statements at once.
type pipelinedConnector struct {
	driver.Connector
	pool *postgresPool
}

// Connect implements driver.Connector.
func (c pipelinedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	plain, ok := conn.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("a connection of type %T", conn)
	}
	return &pipelined{Conn: plain, pool: c.pool}, nil
}

// pipelined is a connection that saves round trips to the server: the statement that begins a transaction, and those that are
// marked as later, wait for the next one, and are sent with it. Their order is that of the calls.
type pipelined struct {
	*stdlib.Conn
	pool    *postgresPool
	begin   *pgx.TxOptions // of a transaction that is not sent yet
	tx      pgx.Tx         // that was sent
	waiting []*asked
	stale   bool // a prepared statement does not fit the tables any more
}

// asked is a statement by key and, once it was sent, its result.
type asked struct {
	query    string
	args     []any
	answered bool
	err      error
	columns  []string
	rows     [][]driver.Value
	affected int64
}

// IsValid lets the pool close a connection that cannot be used again.
func (c *pipelined) IsValid() bool { return !c.stale && !c.Conn.Conn().IsClosed() }

// BeginTx implements driver.ConnBeginTx. It sends nothing.
func (c *pipelined) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn
	}
	begin := &pgx.TxOptions{}
	switch sql.IsolationLevel(o.Isolation) { //nolint:exhaustive // no other is used
	case sql.LevelDefault:
	case sql.LevelRepeatableRead:
		begin.IsoLevel = pgx.RepeatableRead
	default:
		return nil, fmt.Errorf("unexpected isolation level %d", o.Isolation)
	}
	if o.ReadOnly {
		begin.AccessMode = pgx.ReadOnly
	}
	c.begin, c.tx, c.waiting = begin, nil, nil
	return pipelinedTx{ctx, c}, nil
}

// QueryContext implements driver.QueryerContext.
func (c *pipelined) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	a, now, args := c.ask(query, args)
	if now {
		if err := c.send(ctx); err != nil {
			return nil, err
		}
	}
	if a == nil {
		return c.Conn.QueryContext(ctx, query, args)
	}
	return &answer{ctx: ctx, conn: c, asked: a}, nil
}

// ExecContext implements driver.ExecerContext. The result of a statement that is sent later is zero.
func (c *pipelined) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	a, now, args := c.ask(query, args)
	if now {
		if err := c.send(ctx); err != nil {
			return nil, err
		}
	}
	if a == nil {
		return c.Conn.ExecContext(ctx, query, args)
	}
	return driver.RowsAffected(a.affected), nil
}

// ask lets a statement by key wait with others, and reports whether they are to be sent now. It returns nil for a statement
// that is sent alone, after those that wait, with its arguments for pgx.
func (c *pipelined) ask(query string, args []driver.NamedValue) (a *asked, now bool, alone []driver.NamedValue) {
	waits := c.begin != nil || len(c.waiting) > 0
	if len(args) == 0 {
		return nil, waits, nil
	}
	_, byKey := args[0].Value.(byKey)
	_, later := args[0].Value.(later)
	switch {
	case later, byKey && waits:
		a = &asked{query: query, args: make([]any, len(args)-1)}
		for i, v := range args[1:] {
			a.args[i] = v.Value
		}
		c.waiting = append(c.waiting, a)
		return a, !later, nil
	case byKey && c.pool.keepsPlans():
		args[0].Value = pgx.QueryExecModeCacheStatement
	case byKey:
		args = args[1:]
	}
	return nil, waits, args
}

// send sends all that waits in one round trip, and reads the results.
func (c *pipelined) send(ctx context.Context) error {
	conn, all, batch := c.Conn.Conn(), c.waiting, &pgx.Batch{}
	c.waiting = nil
	if c.begin != nil {
		batch.BeginTx(*c.begin)
	}
	for _, a := range all {
		if c.pool.keepsPlans() {
			if _, err := conn.Prepare(ctx, a.query, a.query); err != nil { // once on each connection
				return c.fail(all, err)
			}
		}
		batch.Queue(a.query, a.args...)
	}
	results := conn.SendBatch(ctx, batch)
	err := c.receive(results, all)
	return c.fail(all, cmp.Or(err, results.Close()))
}

// fail gives an error to the statements that have no result.
func (c *pipelined) fail(all []*asked, err error) error {
	c.stale = c.stale || isStale(err)
	for _, a := range all {
		if !a.answered {
			a.answered, a.err = true, err
		}
	}
	return err
}

// receive reads the results of what was sent.
func (c *pipelined) receive(results pgx.BatchResults, all []*asked) error {
	if c.begin != nil {
		if _, err := results.Exec(); err != nil {
			return err
		}
		c.begin, c.tx = nil, results.Tx()
	}
	for _, a := range all {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		if err := a.read(rows); err != nil {
			return err
		}
	}
	return nil
}

// read reads the result of a statement.
func (a *asked) read(rows pgx.Rows) error {
	defer rows.Close()
	fields := rows.FieldDescriptions()
	for _, f := range fields {
		a.columns = append(a.columns, f.Name)
	}
	types := rows.Conn().TypeMap()
	for rows.Next() {
		row := make([]driver.Value, len(fields))
		for i, raw := range rows.RawValues() {
			t, ok := types.TypeForOID(fields[i].DataTypeOID)
			if !ok {
				return fmt.Errorf("column %s has a type that is not known", fields[i].Name)
			}
			var err error
			if row[i], err = t.Codec.DecodeDatabaseSQLValue(types, t.OID, fields[i].Format, raw); err != nil {
				return fmt.Errorf("read column %s: %w", fields[i].Name, err)
			}
		}
		a.rows = append(a.rows, row)
	}
	rows.Close()
	a.affected = rows.CommandTag().RowsAffected()
	a.answered = rows.Err() == nil
	return rows.Err()
}

// answer is the result of a statement, which is sent, with all that waits, when its result is wanted.
type answer struct {
	ctx   context.Context //nolint:containedctx // of the statement
	conn  *pipelined
	asked *asked
	next  int
}

func (r *answer) wanted() error {
	if !r.asked.answered {
		_ = r.conn.send(r.ctx) // it is the error of the statement, too
	}
	return r.asked.err
}

// Columns implements driver.Rows.
func (r *answer) Columns() []string {
	_ = r.wanted() // Next returns it
	return r.asked.columns
}

// Next implements driver.Rows.
func (r *answer) Next(dest []driver.Value) error {
	if err := r.wanted(); err != nil {
		return err
	}
	if r.next == len(r.asked.rows) {
		return io.EOF
	}
	copy(dest, r.asked.rows[r.next])
	r.next++
	return nil
}

// Close implements driver.Rows.
func (r *answer) Close() error { return nil }

// pipelinedTx is the transaction of a connection.
type pipelinedTx struct {
	ctx  context.Context //nolint:containedctx // of the transaction
	conn *pipelined
}

// Commit implements driver.Tx. It sends what waits, and the commit, in one round trip.
func (t pipelinedTx) Commit() error {
	c := t.conn
	if len(c.waiting) == 0 {
		tx := c.tx
		if c.begin, c.tx = nil, nil; tx == nil { // nothing was sent
			return nil
		}
		return tx.Commit(t.ctx)
	}
	// A statement before it that fails ends the batch, so that this is no commit that rolls back.
	c.waiting = append(c.waiting, &asked{query: `commit`})
	err := c.send(t.ctx)
	if err != nil && c.Conn.Conn().PgConn().TxStatus() != 'I' {
		return errors.Join(err, t.Rollback())
	}
	c.tx = nil
	return err
}

// Rollback implements driver.Tx. It forgets what waits.
func (t pipelinedTx) Rollback() error {
	tx := t.conn.tx
	t.conn.begin, t.conn.tx, t.conn.waiting = nil, nil, nil
	if tx == nil {
		return nil
	}
	return tx.Rollback(t.ctx)
}
