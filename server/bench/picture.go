package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// latencies draws how long a transaction takes while more and more callers pay, on both engines.
func latencies(ctx context.Context, b *bench) (err error) {
	cluster, err := pgtest.Start("", "fsync=on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	p := plot.New()
	p.Title.Text = "Transactions: latency against load"
	p.X.Label.Text, p.Y.Label.Text = "transactions per second", "milliseconds"
	var lines []any
	for _, engine := range []struct{ name, database string }{{"PostgreSQL", cluster.URL}, {"SQLite", "sqlite:" + filepath.Join(b.dir, "load.db")}} {
		median, worst, err := b.curve(ctx, engine.database)
		if err != nil {
			return err
		}
		lines = append(lines, engine.name+", median", median, engine.name+", p99", worst)
	}
	if err := plotutil.AddLinePoints(p, lines...); err != nil {
		return err
	}
	p.Legend.Top, p.Legend.Left = true, true
	return p.Save(8*vg.Inch, 5*vg.Inch, filepath.Join(b.out, "latency.svg"))
}

func (b *bench) curve(ctx context.Context, database string) (median, worst plotter.XYs, err error) {
	d, err := start(b.payoutd, database)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	const most = 64
	all, err := senders(ctx, d.address, most)
	if err != nil {
		return nil, nil, err
	}
	for callers := 1; callers <= most; callers *= 2 {
		l, err := b.pay(ctx, d.address, all, fmt.Sprintf("load-%d", callers), callers)
		if err != nil {
			return nil, nil, err
		}
		median = append(median, plotter.XY{X: l.rate(), Y: l.quantile(.5).Seconds() * 1000})
		worst = append(worst, plotter.XY{X: l.rate(), Y: l.quantile(.99).Seconds() * 1000})
	}
	return median, worst, nil
}
