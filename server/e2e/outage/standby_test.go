package outage_test

import (
	"bytes"
	"context"
	"database/sql"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/gen/api"
	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// A transaction that no synchronous standby has may be lost with the primary. The server shows it once the caller that
// created it has gone away, but a repeat with its key must not acknowledge it before a standby has it (D-16).
func TestARepeatWaitsForTheStandby(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	cluster := pgtest.Private(t)
	s := servertest.New(t, func(c *server.Config) { c.Database, c.WebhooksOff = cluster.URL, true })
	sender := servertest.NewSender(t, s.Client)
	request := servertest.Deposit(t, sender, servertest.NewReceiver(t, s.Client, sender.ID), "1")
	key, db := "one", s.Beside(t)
	create := func(ctx context.Context) (*api.CreateTransactionResponse, error) {
		return s.Client.CreateTransactionWithResponse(ctx, sender.ID, &api.CreateTransactionParams{XIdempotencyKey: &key}, request)
	}
	count := func(query string) (n int) {
		servertest.Rows(t, db, query, func(rows *sql.Rows) error { return rows.Scan(&n) })
		return n
	}
	shown := func() int { return count("select count(*) from transactions") }
	// leave sends the request, and goes away while its response waits for a standby.
	leave := func() {
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			if r, err := create(ctx); err == nil {
				t.Errorf("it was acknowledged without a standby: %d %s", r.StatusCode(), r.Body)
			}
		}()
		servertest.Await(t, time.Minute, "nothing waits for a standby", func() bool {
			select {
			case <-answered:
				return true
			default:
				return count("select count(*) from pg_stat_activity where wait_event = 'SyncRep'") == 1
			}
		})
		cancel()
		<-answered
		servertest.Await(t, time.Minute, "the server does not notice", func() bool {
			return count("select count(*) from pg_stat_activity where wait_event = 'SyncRep'") == 0
		})
	}
	holdPublisher(t, s.Beside(t))
	waitFor(t, db, "away")
	awaitWaiting(t, s.Beside(t))
	servertest.Await(t, time.Minute, "a commit still waits", func() bool {
		return count("select count(*) from pg_stat_activity where wait_event = 'SyncRep'") == 0
	})
	leave()
	servertest.Await(t, time.Minute, "the transaction is not shown", func() bool { return shown() == 1 })
	leave()
	waitFor(t, db, "")
	r, err := create(t.Context())
	servertest.OK(t, r.StatusCode(), r.Body, r.JSON200, err)
	if r.HTTPResponse.Header.Get("Idempotent-Replayed") != "true" || shown() != 1 {
		t.Errorf("there are %d transactions, and the answer is %v", shown(), r.HTTPResponse.Header)
	}
}

// awaitWaiting returns when commits wait for a standby that is away: another process of the server has read the setting by then.
func awaitWaiting(t *testing.T, db *sql.DB) {
	t.Helper()
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	servertest.Await(t, time.Minute, "commits do not wait for a standby", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := db.ExecContext(ctx, `select pg_logical_emit_message(true, 'waits', '')`)
		return err != nil
	})
}

// holdPublisher stops the publication of events, which waits for a standby as requests do, until the test ends.
func holdPublisher(t *testing.T, db *sql.DB) {
	t.Helper()
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	if _, err := tx.ExecContext(t.Context(), `update event_publisher set batches = batches`); err != nil {
		t.Fatal(err)
	}
}

// The service warns at start if there is a standby, or another host in the URL, and commits do not wait for one.
func TestAStartWarnsOfAnAsynchronousStandby(t *testing.T) {
	t.Parallel()
	servertest.NeedPostgreSQL(t)
	cluster := pgtest.Private(t)
	db := servertest.Beside(t, cluster.URL)
	twoHosts := strings.Replace(cluster.URL, "host=", "host=%2Fnowhere,", 1)
	warns := func(url string) bool {
		var log bytes.Buffer
		srv, err := server.New(t.Context(), server.Config{Database: url, Sandbox: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		return strings.Contains(log.String(), "level=WARN msg=\"a failover can lose acknowledged transactions")
	}
	if warns(cluster.URL) {
		t.Error("it warns of a single server")
	}
	if !warns(twoHosts) {
		t.Error("it does not warn of two hosts")
	}

	bin, err := pgtest.Programs()
	if err != nil {
		t.Fatal(err)
	}
	// It receives changes as a standby does, and confirms them.
	standby := exec.CommandContext(t.Context(), filepath.Join(bin, "pg_receivewal"), "--synchronous", "--dbname="+cluster.URL, "--directory="+t.TempDir())
	if err := standby.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = standby.Process.Kill(); _ = standby.Wait() }()
	servertest.Await(t, time.Minute, "the standby does not receive", func() (receives bool) {
		servertest.Rows(t, db, "select count(*) = 1 from pg_stat_replication where state = 'streaming'", func(rows *sql.Rows) error { return rows.Scan(&receives) })
		return receives
	})
	if !warns(cluster.URL) {
		t.Error("it does not warn of an asynchronous standby")
	}
	waitFor(t, db, "*")
	for _, url := range []string{cluster.URL, twoHosts} {
		if warns(url) {
			t.Errorf("it warns of a synchronous standby at %s", url)
		}
	}
}

// waitFor makes the server wait for standbys with these names.
func waitFor(t testing.TB, db *sql.DB, names string) {
	t.Helper()
	servertest.Exec(t, db, "alter system set synchronous_standby_names = '"+names+"'", "select pg_reload_conf()")
	servertest.Await(t, time.Minute, "the setting is not read", func() (set bool) {
		servertest.Rows(t, db, "select current_setting('synchronous_standby_names') = $1", func(rows *sql.Rows) error { return rows.Scan(&set) }, names)
		return set
	})
}
