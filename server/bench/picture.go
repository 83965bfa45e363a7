package main

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// most is how many callers pay at the same time at most in the picture.
const most = 64

// latencies draws how long a transaction takes while more and more callers pay, on both engines.
func latencies(ctx context.Context, b *bench) (err error) {
	cluster, err := pgtest.Start("", "fsync=on")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	plot.DefaultFont.Variant = "Sans"
	p := plot.New()
	p.Title.Text = fmt.Sprintf("payoutd: latency of a transaction against load, with 1, 2, 4 ... %d callers", most)
	p.X.Label.Text, p.Y.Label.Text = "transactions per second", "milliseconds (logarithmic)"
	p.Title.TextStyle.Font.Size, p.Title.Padding = 16, 12
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size, axis.Label.Padding = 13, 12, 6
	}
	p.X.Min, p.Y.Scale, p.Y.Tick.Marker = 0, plot.LogScale{}, plot.TickerFunc(milliseconds)
	p.Legend.Top, p.Legend.Left, p.Legend.Padding, p.Legend.TextStyle.Font.Size = true, true, 3, 13
	p.Legend.XOffs, p.Legend.YOffs = 8, -4
	p.Add(plotter.NewGrid())
	for _, engine := range []struct {
		name, database string
		color          color.Color
	}{
		{"PostgreSQL", cluster.URL, color.RGBA{B: 0xb0, G: 0x50, A: 0xff}},
		{"SQLite", "sqlite:" + filepath.Join(b.dir, "load.db"), color.RGBA{R: 0xc0, G: 0x40, A: 0xff}},
	} {
		median, worst, err := b.curve(ctx, engine.database)
		if err != nil {
			return err
		}
		if err := errors.Join(addCurve(p, engine.name+", p99", worst, engine.color, vg.Points(5)),
			addCurve(p, engine.name+", median", median, engine.color), addCallers(p, median, engine.color)); err != nil {
			return err
		}
	}
	p.X.Max, p.Y.Min, p.Y.Max = p.X.Max*1.05, p.Y.Min/1.3, p.Y.Max*4 // room for numbers and the legend
	return p.Save(10*vg.Inch, 6*vg.Inch, filepath.Join(b.out, "latency.svg"))
}

// addCurve adds a curve; dashes are the lengths of its dashes.
func addCurve(p *plot.Plot, name string, points plotter.XYs, c color.Color, dashes ...vg.Length) error {
	line, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color, line.Width, line.Dashes = c, vg.Points(1.5), dashes
	dots.Color, dots.Shape, dots.Radius = c, draw.CircleGlyph{}, vg.Points(3)
	p.Add(line, dots)
	p.Legend.Add(name, line, dots)
	return nil
}

// addCallers adds the number of callers at each point.
func addCallers(p *plot.Plot, points plotter.XYs, c color.Color) error {
	numbers := make([]string, len(points))
	for i := range numbers {
		numbers[i] = strconv.Itoa(1 << i)
	}
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: points, Labels: numbers})
	if err != nil {
		return err
	}
	labels.Offset = vg.Point{X: 3, Y: -12}
	for i := range labels.TextStyle {
		labels.TextStyle[i].Color, labels.TextStyle[i].Font.Size = c, 11
	}
	p.Add(labels)
	return nil
}

// milliseconds are ticks at 1, 2 and 5 of each power of ten.
func milliseconds(least, greatest float64) []plot.Tick {
	var ticks []plot.Tick
	for power := 0.01; power <= greatest; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if v := digit * power; v >= least && v <= greatest {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 3, 64)})
			}
		}
	}
	return ticks
}

// curve returns the median and the worst of a hundred latencies for each number of callers.
func (b *bench) curve(ctx context.Context, database string) (median, worst plotter.XYs, err error) {
	d, err := start(ctx, b.payoutd, database)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	all, err := senders(ctx, d.address, most)
	if err != nil {
		return nil, nil, err
	}
	for callers := 1; callers <= most; callers *= 2 {
		l, err := b.pay(ctx, d.address, all, fmt.Sprintf("load-%d", callers), callers)
		if err != nil {
			return nil, nil, err
		}
		median = append(median, plotter.XY{X: l.rate(), Y: l.milliseconds(.5)})
		worst = append(worst, plotter.XY{X: l.rate(), Y: l.milliseconds(.99)})
	}
	return median, worst, nil
}
