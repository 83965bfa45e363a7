package main

import (
	"fmt"
	"slices"
	"strings"
)

// table has what was measured.
type table struct{ groups []*group }

// group compares contenders by one measure. The first is the base.
type group struct {
	title, unit string
	rows        []*row
}

type row struct {
	contender string
	values    []float64 // one for each turn
	p50, p99  []float64 // milliseconds of each turn
	note      string
}

// group returns that of a title, which it adds the first time.
func (t *table) group(title, unit string) *group {
	for _, g := range t.groups {
		if g.title == title {
			return g
		}
	}
	g := &group{title: title, unit: unit}
	t.groups = append(t.groups, g)
	return g
}

// add adds the value of a contender in a turn.
func (g *group) add(contender string, value float64) {
	r := g.row(contender)
	r.values = append(r.values, value)
}

// load adds the rate of a contender in a turn, and notes its latencies.
func (g *group) load(contender string, l load) {
	g.add(contender, l.rate())
	if l.latencies == nil {
		return
	}
	r := g.row(contender)
	r.p50, r.p99 = append(r.p50, l.milliseconds(.5)), append(r.p99, l.milliseconds(.99))
	g.note(contender, "median %s ms, p99 %s ms", short(median(r.p50)), short(median(r.p99)))
}

// note says more about a contender.
func (g *group) note(contender, format string, args ...any) {
	g.row(contender).note = fmt.Sprintf(format, args...)
}

// row returns that of a contender, which it adds the first time.
func (g *group) row(contender string) *row {
	for _, r := range g.rows {
		if r.contender == contender {
			return r
		}
	}
	g.rows = append(g.rows, &row{contender: contender})
	return g.rows[len(g.rows)-1]
}

func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| what | contender | median | ratio to the first, median (least to greatest of the turns) | |\n|---|---|---|---|---|\n")
	for _, g := range t.groups {
		for i, r := range g.rows {
			ratio := "1"
			if i > 0 {
				ratios := make([]float64, len(r.values))
				for turn, v := range r.values {
					ratios[turn] = v / g.rows[0].values[turn]
				}
				ratio = fmt.Sprintf("%.2f (%.2f to %.2f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
			}
			fmt.Fprintf(&b, "| %s | %s | %s %s | %s | %s |\n", g.title, r.contender, short(median(r.values)), g.unit, ratio, r.note)
		}
	}
	return b.String()
}

func short(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
