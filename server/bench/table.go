package main

import (
	"fmt"
	"slices"
	"strings"
)

// table has what was measured.
type table struct{ rows []row }

// row compares a contender with the base of its group.
type row struct {
	group, contender, unit string
	values                 []float64 // one for each turn
	base                   []float64 // of the base in the same turns; nil: it is the base
	note                   string
}

// add adds the contenders of a group, of which the first is the base, with a value for each turn.
func (t *table) add(group, unit string, names []string, values [][]float64, notes ...string) {
	for i, name := range names {
		r := row{group: group, contender: name, unit: unit, values: values[i]}
		if i > 0 {
			r.base = values[0]
		}
		if i < len(notes) {
			r.note = notes[i]
		}
		t.rows = append(t.rows, r)
	}
}

func (t *table) markdown() string {
	var b strings.Builder
	b.WriteString("| what | contender | median | ratio to the first, median (least to greatest of the turns) | |\n|---|---|---|---|---|\n")
	for _, r := range t.rows {
		ratio := "1"
		if r.base != nil {
			ratios := make([]float64, len(r.values))
			for i := range ratios {
				ratios[i] = r.values[i] / r.base[i]
			}
			ratio = fmt.Sprintf("%.2f (%.2f to %.2f)", median(ratios), slices.Min(ratios), slices.Max(ratios))
		}
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s | %s |\n", r.group, r.contender, short(median(r.values)), r.unit, ratio, r.note)
	}
	return b.String()
}

func short(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.1f", v)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
