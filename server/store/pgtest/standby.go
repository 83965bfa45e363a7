package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// Pair starts a primary and a synchronous standby for one test, which listen on ports of the loopback interface, and returns
// the URL that names both. A transaction is acknowledged when the standby has it: promoting it loses none. Without PostgreSQL
// the test ends as with Database.
func Pair(t testing.TB) (primary, standby *Cluster, both string) {
	t.Helper()
	primary = Listening(t)
	standby, err := folder(primary.bin, os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := standby.program("pg_basebackup", "-D", standby.Dir, "-d", primary.URL, "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		t.Fatal(err)
	}
	standby.port = freePort(t)
	if err := standby.start([]string{"listen_addresses=127.0.0.1"}); err != nil {
		t.Fatal(err)
	}
	stopAtEnd(t, standby)
	if err := primary.waitForStandby(t.Context()); err != nil {
		t.Fatal(err)
	}
	hosts := primary.Address() + "," + standby.Address()
	return primary, standby, "postgres://postgres@" + hosts + "/postgres?target_session_attrs=read-write"
}

// Listening starts a server as Private does that listens on a port of the loopback interface.
func Listening(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	bin, err := Programs()
	if err != nil {
		Missing(t, err)
	}
	c, err := folder(bin, os.TempDir())
	if err != nil {
		Missing(t, err)
	}
	if err := c.initialize(); err != nil {
		t.Fatal(err)
	}
	c.port = freePort(t)
	if err := c.start(append([]string{"listen_addresses=127.0.0.1"}, settings...)); err != nil {
		t.Fatal(err)
	}
	stopAtEnd(t, c)
	return c
}

// Address returns where a cluster listens.
func (c *Cluster) Address() string { return net.JoinHostPort("127.0.0.1", c.port) }

// waitForStandby makes commits wait for a standby, and returns when there is one.
func (c *Cluster) waitForStandby(ctx context.Context) error {
	db, err := sql.Open("pgx", c.URL)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost
	if _, err := db.ExecContext(ctx, `alter system set synchronous_standby_names = '*'`); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, `select pg_reload_conf()`); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		var standbys int
		err := db.QueryRowContext(ctx, `select count(*) from pg_stat_replication where sync_state = 'sync'`).Scan(&standbys)
		if err != nil || standbys > 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("the standby does not connect")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Promote makes a standby a primary, and returns when it accepts writes.
func (c *Cluster) Promote() error { return c.program("pg_ctl", "promote", "-D", c.Dir, "-w") }
