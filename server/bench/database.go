package main

import (
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

// transactions compares the service on PostgreSQL with pgbench, which writes the same rows (key, counters, transaction) in one
// prepared statement. Both wait for the disk.
func transactions(ctx context.Context, b *bench) (err error) {
	cluster, err := pgtest.Start("", "fsync=on")
	if err != nil {
		return err
	}
	defer func() {
		if failed := cluster.Stop(); failed != nil {
			err = errors.Join(err, fmt.Errorf("stop PostgreSQL: %w", failed))
		}
	}()
	d, err := start(b.payoutd, cluster.URL)
	if err != nil {
		return fmt.Errorf("start payoutd: %w", err)
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	all, err := senders(ctx, d.address, b.callers)
	if err != nil {
		return err
	}
	if _, err := b.pay(ctx, d.address, all, "first", b.callers); err != nil { // pgbench copies rows of these
		return err
	}
	script, err := pgbenchScript(ctx, b.dir, cluster.URL)
	if err != nil {
		return err
	}
	values := make([][]float64, 2)
	var p50, p99 []float64
	for turn := range b.turns {
		rate, err := pgbench(ctx, cluster, script, b)
		if err != nil {
			return err
		}
		l, err := b.pay(ctx, d.address, all, strconv.Itoa(turn), b.callers)
		if err != nil {
			return err
		}
		values[0], values[1] = append(values[0], rate), append(values[1], l.rate())
		p50, p99 = append(p50, l.quantile(.5).Seconds()*1000), append(p99, l.quantile(.99).Seconds()*1000)
	}
	b.table.add("transactions on PostgreSQL", "/s", []string{"pgbench, 16 clients, one statement", fmt.Sprintf("payoutd, %d callers", b.callers)}, values,
		"", fmt.Sprintf("median %.1f ms, p99 %.1f ms", median(p50), median(p99)))
	return nil
}

func pgbenchScript(ctx context.Context, dir, url string) (path string, err error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `create table bench_rows as select row_number() over () as i, t.* from
		(select distinct on (user_id) * from transactions) as t`); err != nil {
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
	return path, os.WriteFile(path, fmt.Appendf(nil, `\set i random(1, %d)
with r as (select * from bench_rows where i = :i), new as (select gen_random_uuid()::text as id),
k as (insert into idempotency_keys (client_id, idempotency_key, fingerprint, resource_id)
	select r.client_id, new.id, repeat('f', 64), new.id from r, new),
u as (insert into limit_usage (client_id, user_id, destination, currency, period, used)
	select r.client_id, r.user_id, r.destination, r.from_currency, p, 1 from r, unnest(array['2026', '2026-11', '2026-11-22']) as p order by p
	on conflict (client_id, user_id, destination, currency, period) do update set used = limit_usage.used + excluded.used)
insert into transactions (id, %s) select new.id, r.%s from r, new;
`, n, columns, regexp.MustCompile(`, `).ReplaceAllString(columns, ", r.")), 0o644) //nolint:gosec // another user reads it
}

var perSecond = regexp.MustCompile(`tps = ([0-9.]+)`)

func pgbench(ctx context.Context, cluster *pgtest.Cluster, script string, b *bench) (float64, error) {
	bin, err := pgtest.Programs()
	if err != nil {
		return 0, err
	}
	out, err := exec.CommandContext(ctx, filepath.Join(bin, "pgbench"), "-n", "-M", "prepared", "-c", "16", "-j", "2",
		"-T", strconv.Itoa(max(1, int(b.duration.Seconds()))), "-f", script, "-h", cluster.Dir, "-U", "postgres", "postgres").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w\n%s", err, out)
	}
	found := perSecond.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("pgbench printed %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// sqlite compares many callers with one: what committing together gives.
func sqlite(ctx context.Context, b *bench) (err error) {
	d, err := start(b.payoutd, "sqlite:"+filepath.Join(b.dir, "payouts.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	all, err := senders(ctx, d.address, b.callers)
	if err != nil {
		return err
	}
	values := make([][]float64, 2)
	var p50 [2][]float64
	for turn := range b.turns {
		for i, callers := range []int{1, b.callers} {
			l, err := b.pay(ctx, d.address, all, fmt.Sprintf("%d-%d", turn, callers), callers)
			if err != nil {
				return err
			}
			values[i], p50[i] = append(values[i], l.rate()), append(p50[i], l.quantile(.5).Seconds()*1000)
		}
	}
	b.table.add("transactions on SQLite", "/s", []string{"one caller", fmt.Sprintf("%d callers", b.callers)}, values,
		fmt.Sprintf("median %.1f ms", median(p50[0])), fmt.Sprintf("median %.1f ms", median(p50[1])))
	return nil
}

// referenceData compares a list of payers with the cheapest answer that there is.
func referenceData(ctx context.Context, b *bench) (err error) {
	d, err := start(b.payoutd, "sqlite:"+filepath.Join(b.dir, "reference.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	requests := [][]byte{message(http.MethodGet, "/healthz", nil, nil), message(http.MethodGet, "/payers?country=NP", credentials, nil)}
	values := make([][]float64, 2)
	for range b.turns {
		for i, r := range requests {
			l, err := send(ctx, d.address, b.callers, b.duration, http.StatusOK, func(int, int) []byte { return r })
			if err != nil {
				return err
			}
			values[i] = append(values[i], l.rate())
		}
	}
	b.table.add("reference data", "/s", []string{"GET /healthz", "GET /payers?country=NP"}, values)
	return nil
}
