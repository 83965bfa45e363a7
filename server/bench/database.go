package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // opens PostgreSQL

	"github.com/crossborder-payouts/payouts/server"
	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

var discard = slog.New(slog.NewTextHandler(io.Discard, nil))

var credentials = http.Header{"X-Client-Id": {server.SandboxClients[0].ID}, "X-Client-Secret": {server.SandboxClients[0].Secret}}

// pay sends transactions of all senders with keys, as many callers at the same time.
func (b *bench) pay(ctx context.Context, address string, all []sender, turn string, callers int) (load, error) {
	return send(ctx, address, callers, b.duration, http.StatusOK, func(caller, n int) []byte {
		h := credentials.Clone()
		h.Set("X-Idempotency-Key", turn+"-"+strconv.Itoa(caller)+"-"+strconv.Itoa(n)+"-0123456789")
		return message(http.MethodPost, all[caller].path, h, all[caller].body)
	})
}

// transactions compares the service on PostgreSQL with pgbench, which writes the same rows (key, counters, transaction, event) in one
// prepared statement, and with another payoutd, if there is one. All wait for the disk. It also says where the CPU time goes, which
// bounds them all.
func transactions(ctx context.Context, b *bench) (err error) {
	i, err := install(ctx, b, b.payoutd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.remove()) }()
	if _, err := b.pay(ctx, i.daemon.address, i.senders, "first", b.callers); err != nil { // pgbench copies rows of these
		return err
	}
	db, err := sql.Open("pgx", i.cluster.URL)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // it only reads
	script, err := pgbenchScript(ctx, b.dir, db)
	if err != nil {
		return err
	}
	type contender struct {
		name  string
		parts []part
		run   func(turn int) (load, error)
	}
	contenders := []contender{
		{
			"pgbench, 16 clients, one statement", []part{{name: "pgbench", meter: ended}, {name: "PostgreSQL", meter: i.database}},
			func(int) (load, error) { return pgbench(ctx, i.cluster, script, b) },
		},
		{"payoutd, " + many(b.callers), i.parts(), func(turn int) (load, error) {
			l, err := b.pay(ctx, i.daemon.address, i.senders, strconv.Itoa(turn), b.callers)
			return l, cmp.Or(err, published(ctx, db))
		}},
	}
	if b.before != "" {
		before, err := install(ctx, b, b.before)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, before.remove()) }()
		// Its events, if it has any, are not waited for.
		contenders = append(contenders, contender{"before, " + many(b.callers), before.parts(), func(turn int) (load, error) {
			return b.pay(ctx, before.daemon.address, before.senders, strconv.Itoa(turn), b.callers)
		}})
	}
	rates, costs := b.table.group("transactions on PostgreSQL", "/s"), b.table.group("CPU time of a transaction on PostgreSQL", "us")
	for turn := range b.turns {
		for _, c := range contenders {
			l, cost, err := measured(c.parts, func() (load, error) { return c.run(turn) })
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			rates.load(c.name, l)
			costs.add(c.name, cost)
			costs.note(c.name, "%s", split(c.parts))
		}
	}
	return nil
}

// installation is a payoutd on a PostgreSQL of its own, with a sender for each caller.
type installation struct {
	cluster  *pgtest.Cluster
	database meter
	daemon   *daemon
	senders  []sender
}

// install installs a payoutd. The caller removes it.
func install(ctx context.Context, b *bench, program string) (i *installation, err error) {
	i = &installation{}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.remove())
		}
	}()
	if i.cluster, err = pgtest.Start("", "fsync=on"); err != nil {
		return i, err
	}
	if i.database, err = postmaster(i.cluster.Dir); err != nil {
		return i, err
	}
	if i.daemon, err = start(ctx, program, i.cluster.URL); err != nil {
		return i, fmt.Errorf("start payoutd: %w", err)
	}
	i.senders, err = senders(ctx, i.daemon.address, b.callers)
	return i, err
}

// parts are all who work for a request.
func (i *installation) parts() []part {
	return []part{
		{name: "callers", meter: ourselves}, {name: "payoutd", meter: process(i.daemon.cmd.Process.Pid)}, {name: "PostgreSQL", meter: i.database},
	}
}

// remove stops what was started, and removes its files.
func (i *installation) remove() (err error) {
	if i.daemon != nil {
		err = i.daemon.stop()
	}
	if i.cluster != nil {
		err = errors.Join(err, i.cluster.Stop())
	}
	return err
}

// published waits until all events are published, which belongs to the work of the transactions.
func published(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var waiting bool
		if err := db.QueryRowContext(ctx, `select exists (select 1 from event_queue)`).Scan(&waiting); err != nil || !waiting {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func pgbenchScript(ctx context.Context, dir string, db *sql.DB) (path string, err error) {
	if err := published(ctx, db); err != nil {
		return "", err
	}
	// Its events are in a queue of their own, from which payoutd publishes none.
	if _, err := db.ExecContext(ctx, `create table bench_queue (like event_queue including all);
		create table bench_rows as select row_number() over () as i, t.*, e.type, e.data
		from (select distinct on (user_id) * from transactions) as t cross join lateral
			(select type, data from events where client_id = t.client_id and resource_id = t.id order by position limit 1) as e`); err != nil {
		return "", err
	}
	var n int
	var columns string
	if err := db.QueryRowContext(ctx, `select count(*) from bench_rows`).Scan(&n); err != nil {
		return "", err
	}
	if err := db.QueryRowContext(ctx, `select string_agg(quote_ident(column_name), ', ' order by ordinal_position) from information_schema.columns
		where table_name = 'transactions' and column_name not in ('id')`).Scan(&columns); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "transaction.sql")
	text := fmt.Sprintf(`\set i random(1, %d)
with r as (select * from bench_rows where i = :i), new as (select gen_random_uuid()::text as id),
k as (insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)
	select r.client_id, new.id, repeat('f', 64), new.id from r, new),
u as (insert into limit_usage (client_id, user_id, destination, currency, period, used)
	select r.client_id, r.user_id, r.destination, r.from_currency, p, 1 from r, unnest(array['2026', '2026-11', '2026-11-22']) as p order by p
	on conflict (client_id, user_id, destination, currency, period) do update set used = limit_usage.used + excluded.used),
e as (insert into bench_queue (client_id, id, type, resource_id, user_id, created_at, data)
	select r.client_id, new.id, r.type, new.id, r.user_id, r.created_at, r.data from r, new)
insert into transactions (id, %s) select new.id, r.%s from r, new;
`, n, columns, regexp.MustCompile(`, `).ReplaceAllString(columns, ", r."))
	return path, os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // another user reads it
}

var (
	perSecond = regexp.MustCompile(`tps = ([0-9.]+)`)
	processed = regexp.MustCompile(`actually processed: ([0-9]+)`)
)

func pgbench(ctx context.Context, cluster *pgtest.Cluster, script string, b *bench) (load, error) {
	bin, err := pgtest.Programs()
	if err != nil {
		return load{}, err
	}
	out, err := exec.CommandContext(ctx, //nolint:gosec // a program of the machine
		filepath.Join(bin, "pgbench"), "-n", "-M", "prepared", "-c", "16", "-j", "2",
		"-T", strconv.Itoa(max(1, int(b.duration.Seconds()))), "-f", script, "-h", cluster.Dir, "-U", "postgres", "postgres").CombinedOutput()
	if err != nil {
		return load{}, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	tps, all := perSecond.FindSubmatch(out), processed.FindSubmatch(out)
	if tps == nil || all == nil {
		return load{}, fmt.Errorf("pgbench printed %s", out)
	}
	rate, err := strconv.ParseFloat(string(tps[1]), 64)
	if err != nil {
		return load{}, err
	}
	n, err := strconv.Atoi(string(all[1]))
	return load{requests: n, duration: time.Duration(float64(n) / rate * float64(time.Second))}, err
}

// sqlite compares many callers with one: what committing together gives. If there is another payoutd, it compares with that as
// well.
func sqlite(ctx context.Context, b *bench) (err error) {
	type contender struct {
		name, address string
		senders       []sender
	}
	var contenders []contender
	for _, p := range [][2]string{{"before", b.before}, {"payoutd", b.payoutd}} {
		name, path := p[0], p[1]
		if path == "" {
			continue
		}
		d, err := start(ctx, path, "sqlite:"+filepath.Join(b.dir, name+".db"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.stop()) }()
		all, err := senders(ctx, d.address, b.callers)
		if err != nil {
			return err
		}
		contenders = append(contenders, contender{name, d.address, all})
	}
	together := b.table.group("transactions on SQLite", "/s")
	for turn := range b.turns {
		for _, callers := range []int{1, b.callers} {
			number := many(callers)
			for _, c := range contenders {
				l, err := b.pay(ctx, c.address, c.senders, fmt.Sprintf("%d-%d", turn, callers), callers)
				if err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				if b.before != "" {
					b.table.group("transactions on SQLite, "+number, "/s").load(c.name, l)
				}
				if c.name == "payoutd" {
					together.load(number, l)
				}
			}
		}
	}
	return nil
}

// referenceData compares a list of payers with the cheapest answer that there is, and with the list of another payoutd, if there is
// one.
func referenceData(ctx context.Context, b *bench) (err error) {
	const payers = "/payers?country=NP"
	type contender struct{ name, address, path string }
	d, err := start(ctx, b.payoutd, "sqlite:"+filepath.Join(b.dir, "reference.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	contenders := []contender{{"GET /healthz", d.address, "/healthz"}, {"GET " + payers, d.address, payers}}
	if b.before != "" {
		before, err := start(ctx, b.before, "sqlite:"+filepath.Join(b.dir, "reference-before.db"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, before.stop()) }()
		contenders = append(contenders, contender{"before, GET " + payers, before.address, payers})
	}
	g := b.table.group("reference data", "/s")
	for range b.turns {
		for _, c := range contenders {
			request := message(http.MethodGet, c.path, credentials, nil)
			l, err := send(ctx, c.address, b.callers, b.duration, http.StatusOK, func(int, int) []byte { return request })
			if err != nil {
				return err
			}
			g.load(c.name, l)
		}
	}
	return nil
}
