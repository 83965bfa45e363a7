//go:build linux

package failover

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// fault is something that happens to the cluster under load.
type fault struct {
	name string
	// strike returns when the fault is over for the callers' database, or as soon as it has happened; notes are printed.
	strike func(t *testing.T, s *scene) (notes []string)
}

// scene is what a fault happens to.
type scene struct {
	*cluster
	routes  []*route
	history *history
	primary host // before the fault
	// began is set by the fault at the moment at which it strikes.
	began, promotion time.Duration
}

func (s *scene) begin() { s.began = s.history.now() }

// promoted waits for the new primary.
func (s *scene) promoted(t *testing.T) host {
	t.Helper()
	h := s.cluster.promoted(t, s.primary)
	s.promotion = s.history.now() - s.began
	return h
}

// faults are in the order in which they happen.
var faults = []fault{
	{"switchover", switchover},
	{"kill -9 payoutd", killReplica},
	{"kill -9 primary host", killPrimary},
	{"slow standbys, kill -9", killAheadOfStandbys},
	{"SIGSTOP primary host", hang},
}

// switchover is `patronictl switchover`, as before maintenance of the primary.
func switchover(t *testing.T, s *scene) []string {
	t.Helper()
	s.begin()
	s.patronictl(t, commands[1])
	s.promoted(t)
	return nil
}

// killReplica crashes one replica of payoutd of each route. systemd starts it again after a second.
func killReplica(t *testing.T, s *scene) []string {
	t.Helper()
	s.begin()
	for _, r := range s.routes {
		kill(t, r.replica(1))
	}
	<-time.After(time.Second)
	for _, r := range s.routes {
		r.startReplica(t, 1)
		await(t, time.Minute, func() string { return "payoutd is not ready" }, func() bool { return ready(r.address(1)) })
	}
	return nil
}

// killPrimary crashes the host of the primary, with its etcd, and starts it again after the promotion.
func killPrimary(t *testing.T, s *scene) []string {
	t.Helper()
	s.begin()
	kill(t, s.dir(s.primary))
	s.promoted(t)
	s.startEtcd(t, s.primary)
	s.startPatroni(t, s.primary)
	return nil
}

// killAheadOfStandbys crashes the host of the primary when the standbys have received nothing for longer than callers without
// patience wait for a response, as when their network is slow. What is on its way to them is lost with the host.
func killAheadOfStandbys(t *testing.T, s *scene) []string {
	t.Helper()
	receivers := s.receivers(s.primary)
	send := func(signal syscall.Signal) {
		for _, id := range receivers {
			_ = syscall.Kill(id, signal) // one may have ended
		}
	}
	s.begin()
	send(syscall.SIGSTOP)
	<-time.After(4 * impatient)
	kill(t, s.dir(s.primary))
	before := 0
	for _, r := range s.routes {
		before += s.history.successes(r.name, s.began)
	}
	send(syscall.SIGTERM)
	send(syscall.SIGCONT)
	s.promoted(t)
	s.startEtcd(t, s.primary)
	s.startPatroni(t, s.primary)
	return []string{fmt.Sprintf("%d transactions were acknowledged while no standby received", before)}
}

// hang freezes the host of the primary until a standby is promoted and callers are served, and then lets it go on: the old
// primary must acknowledge nothing any more.
func hang(t *testing.T, s *scene) []string {
	t.Helper()
	probes := newProbes(t, s.cluster, s.primary)
	s.begin()
	signal(t, s.dir(s.primary), syscall.SIGSTOP)
	after := s.promoted(t)
	s.history.flows(t, s.routes, s.began+s.promotion, 15*time.Second)
	woken := time.Now()
	signal(t, s.dir(s.primary), syscall.SIGCONT)
	probes.send(t)
	await(t, time.Minute, func() string { return "the old primary does not become a standby" }, func() bool {
		return s.ask(s.primary, "/replica", nil) == 200
	})
	rejoined := time.Since(woken)
	probes.end()
	return append(probes.report(t, s, after), fmt.Sprintf("a standby again %.1f s after SIGCONT", rejoined.Seconds()))
}

// probes write to one server, past everything that leads callers to the primary: over connections from before the fault, and
// over new ones.
type probes struct {
	end          func()
	old          []*sql.Conn
	connect      func(context.Context) (*sql.Conn, error)
	done         sync.WaitGroup
	next         atomic.Int64
	mu           sync.Mutex
	acknowledged []int64
	refused      map[string]int
	lastRead     time.Duration
	woken        time.Time
}

func newProbes(t *testing.T, c *cluster, h host) *probes {
	t.Helper()
	db := c.open(t, h, "payoutd", "payouts")
	db.SetMaxOpenConns(0)
	servertest.Exec(t, db, "create table if not exists probes (n bigint)", "truncate probes")
	p := &probes{connect: db.Conn, refused: map[string]int{}}
	for range 3 {
		connection, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() }) // its server has closed it
		p.old = append(p.old, connection)
	}
	return p
}

// send starts to write and read, until end is called.
func (p *probes) send(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p.end = func() { cancel(); p.done.Wait() }
	p.woken = time.Now()
	for i, connection := range p.old {
		p.done.Go(func() {
			for p.try(ctx, connection, i == 0) {
			}
		})
	}
	for range 2 {
		p.done.Go(func() {
			for ctx.Err() == nil {
				if connection, err := p.connect(ctx); err == nil {
					p.try(ctx, connection, false)
					_ = connection.Close()
				}
				<-time.After(5 * time.Millisecond)
			}
		})
	}
}

// try writes a row, or reads all, and returns false when the connection is of no use any more.
func (p *probes) try(ctx context.Context, connection *sql.Conn, read bool) bool {
	if read {
		var n int
		err := connection.QueryRowContext(ctx, "select count(*) from probes where not pg_is_in_recovery()").Scan(&n)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lastRead = time.Since(p.woken)
		return err == nil
	}
	n := p.next.Add(1)
	_, err := connection.ExecContext(ctx, "insert into probes values ($1)", n)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.acknowledged = append(p.acknowledged, n)
		return true
	}
	p.refused[strings.ReplaceAll(err.Error(), "\n", " ")]++
	return false
}

// report compares what the old primary acknowledged with what the new one has.
func (p *probes) report(t *testing.T, s *scene, after host) []string {
	t.Helper()
	kept := 0
	servertest.Rows(t, s.open(t, after, "payoutd", "payouts"), "select count(*) from probes", func(rows *sql.Rows) error { return rows.Scan(&kept) })
	if lost := len(p.acknowledged) - kept; lost > 0 && !s.async {
		t.Errorf("the old primary acknowledged %d writes after the promotion, of which %d are lost", len(p.acknowledged), lost)
	}
	return []string{
		fmt.Sprintf("the old primary acknowledged %d of %d direct writes after SIGCONT (%d kept), and answered reads for %.2f s",
			len(p.acknowledged), p.next.Load(), kept, p.lastRead.Seconds()),
	}
}
