package store

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// fullTime is how long a server counts as full after a write found no space.
const fullTime = 10 * time.Second

// postgresPool is what the connections of a pool have in common. The times are microseconds since 1970.
type postgresPool struct {
	readOnly atomic.Int64 // when a write found its server read-only; connections opened before are not used any more
	full     atomic.Int64 // when a write found no space
	prepares bool         // statements by key are prepared,
	pooled   atomic.Bool  // but not where a pooler may run the next one on another connection
}

// open returns a pool that recovers from servers that hang and from those that are not the primary any more.
func (p *postgresPool) open(config *pgx.ConnConfig) *sql.DB {
	config = config.Copy()
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTime)
	lookup := config.LookupFunc
	config.LookupFunc = func(ctx context.Context, host string) ([]string, error) { // pgconn does not limit it
		ctx, cancel := context.WithTimeout(ctx, config.ConnectTimeout)
		defer cancel()
		return lookup(ctx, host)
	}
	keep := config.OnPgError
	config.OnPgError = func(c *pgconn.PgConn, e *pgconn.PgError) bool { p.note(e); return keep(c, e) }
	stop := watchConnections(&config.Config)
	connector := stdlib.GetConnector(*config, stdlib.OptionAfterConnect(p.opened), stdlib.OptionResetSession(p.mayBeUsed))
	db := sql.OpenDB(watchedConnector{pipelinedConnector{connector, p}, stop})
	db.SetMaxOpenConns(postgresConnections)
	db.SetMaxIdleConns(postgresConnections)
	db.SetConnMaxLifetime(30 * time.Minute)
	return db
}

// note keeps what an error says about the server.
func (p *postgresPool) note(e *pgconn.PgError) {
	switch now := time.Now().UnixMicro(); e.Code {
	case diskFull:
		p.full.Store(now)
	case readOnlyTransaction:
		p.readOnly.Store(now)
	}
}

// openedAt is the key of the time when a connection was opened.
const openedAt = "opened"

func (p *postgresPool) opened(ctx context.Context, c *pgx.Conn) error {
	c.PgConn().CustomData()[openedAt] = time.Now().UnixMicro()
	if !p.prepares || p.pooled.Load() {
		return nil
	}
	var process uint32
	if err := c.QueryRow(ctx, `select pg_backend_pid()`).Scan(&process); err != nil {
		return err
	}
	if process != c.PgConn().PID() { // a pooler gives its clients numbers of its own
		p.pooled.Store(true)
	}
	return nil
}

// keepsPlans reports whether statements by key are prepared.
func (p *postgresPool) keepsPlans() bool { return p.prepares && !p.pooled.Load() }

// mayBeUsed refuses idle connections of the time before the server was found read-only. A new one looks for the primary.
func (p *postgresPool) mayBeUsed(_ context.Context, c *pgx.Conn) error {
	if at, ok := c.PgConn().CustomData()[openedAt].(int64); ok && at <= p.readOnly.Load() {
		return driver.ErrBadConn
	}
	return nil
}

// writable runs a write that changes no row, and so writes nothing, but is refused as others are. Its table is one that Citus keeps
// on the coordinator: without one of the nodes the service still serves the clients of the others. A full disk is known from writes
// of requests alone, because one write may find space where another does not.
func (p *postgresPool) writable(ctx context.Context, writer *sql.DB) (string, error) {
	_, err := writer.ExecContext(ctx, `update river_job set attempt = attempt where id = 0`)
	switch {
	case postgresCode(err) == readOnlyTransaction:
		return "The database is read-only.", nil
	case err == nil && time.Since(time.UnixMicro(p.full.Load())) < fullTime:
		return "The disk of the database is full.", nil
	}
	return "", err
}

// connectFailure returns an error of one line that names all hosts, and no password.
func connectFailure(config *pgx.ConnConfig, err error) error {
	hosts := []string{fmt.Sprintf("%s:%d", config.Host, config.Port)}
	for _, f := range config.Fallbacks {
		hosts = append(hosts, fmt.Sprintf("%s:%d", f.Host, f.Port))
	}
	text := err.Error()
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		text = errors.Unwrap(connecting).Error()
	}
	text = strings.NewReplacer("\n", "; ", "timeout: context deadline exceeded", "no answer").Replace(text)
	return fmt.Errorf("no connection to PostgreSQL at %s: %s", strings.Join(slices.Compact(hosts), ","), text)
}
