package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/servertest"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// newer makes a database as a newer payoutd leaves it, whose schema requires a version to write.
func (o operator) newer(t *testing.T, minWriterVersion string) {
	t.Helper()
	servertest.Exec(t, servertest.Beside(t, o.url), `insert into goose_db_version (version_id, is_applied) values (9001, true)`,
		`insert into schema_requirements (version, min_writer_version) values (9001, `+minWriterVersion+`)`)
}

// wantUnknown fails the test unless migrate status lists migration 9001 and ends with a message.
func (o operator) wantUnknown(t *testing.T, says string) {
	t.Helper()
	code, out, errs := o.run(t, "migrate", "status")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if last := lines[len(lines)-1]; code != exitFailure || errs != "payoutd: "+says+"\n" || !strings.HasPrefix(last, "9001 ") ||
		!strings.Contains(last, "unknown to this version of payoutd  ") {
		t.Errorf("code %d, %s%s", code, out, errs)
	}
	code, out, _ = o.run(t, "migrate", "status", "--json")
	if last := out[strings.LastIndex(out, "{"):]; code != exitFailure || !strings.Contains(last, `"version": 9001,`) || strings.Contains(last, "name") {
		t.Errorf("code %d, %s", code, out)
	}
}

func TestASchemaThatExcludesThisVersion(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		t.Helper()
		o.newer(t, "9001")
		const says = "a newer version of payoutd has migrated the database: it requires schema version 9001, and this one has ..."
		for _, args := range [][]string{
			{"serve", "--listen=127.0.0.1:0"}, {"migrate", "up"}, {"clients", "rotate-secret", "acme"}, {"clients", "list"}, {"check"},
		} {
			o.refused(t, exitFailure, says, args...)
		}
		_, _, errs := o.run(t, "clients", "list")
		o.wantUnknown(t, strings.TrimSuffix(strings.TrimPrefix(errs, "payoutd: "), "\n"))
	})
}

func TestASchemaThatAllowsThisVersion(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o operator) {
		t.Helper()
		o.newer(t, "2")
		o.done(t, "migrate", "up")
		o.done(t, "clients", "list")
		o.wantUnknown(t, "1 unknown to this version of payoutd, which may still be used")
	})
}

// What is missing to distribute a database is said, with what to do.
func TestDistributingNeedsCitus(t *testing.T) {
	t.Parallel()
	sqlite := operator{"sqlite:" + filepath.Join(t.TempDir(), "payouts.db")}
	sqlite.done(t, "migrate", "up")
	if code, out, errs := sqlite.run(t, "migrate", "distribute"); code != exitFailure || out != "" || errs != "payoutd: only PostgreSQL can be distributed\n" {
		t.Errorf("SQLite: %d, %q, %q", code, out, errs)
	}
	postgres := operator{pgtest.Database(t)}
	postgres.done(t, "migrate", "up")
	if code, out, errs := postgres.run(t, "migrate", "distribute"); code != exitFailure || out != "" ||
		!strings.Contains(errs, "does not have the extension citus; install it on all nodes, and run CREATE EXTENSION citus") {
		t.Errorf("PostgreSQL: %d, %q, %q", code, out, errs)
	}
}

// On a cluster the command says what it placed, and that it placed nothing again; then commands find what is on the workers.
func TestDistributing(t *testing.T) {
	t.Parallel()
	o := operator{pgtest.Citus(t)}
	if code, _, errs := o.run(t, "migrate", "distribute"); code != exitFailure || !strings.Contains(errs, "run payoutd migrate up") {
		t.Errorf("without tables: %d, %q", code, errs)
	}
	o.done(t, "migrate", "up")
	if out := o.done(t, "migrate", "distribute"); !strings.HasPrefix(out, "Distributed ") || !strings.Contains(out, " transactions,") {
		t.Errorf("distributed: %q", out)
	}
	if out := o.done(t, "migrate", "distribute"); out != "All tables are distributed already.\n" {
		t.Errorf("again: %q", out)
	}
	s := servertest.New(t, func(c *server.Config) { c.Database = o.url })
	sender := servertest.NewSender(t, s.Client)
	servertest.Send(t, s.Client, sender.ID, "a-key", servertest.Deposit(t, sender, servertest.NewReceiver(t, s.Client, sender.ID), "1.00"))
	for _, args := range [][]string{{"find", sender.ID.String()}, {"find", "a-key"}, {"users", "show", sender.ID.String()}} {
		if out := o.done(t, args...); !strings.Contains(out, sender.ID.String()) {
			t.Errorf("%q: %s", args, out)
		}
	}
	o.done(t, "check")
}
