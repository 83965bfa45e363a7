package mutants_test

import (
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// killersOf gives for each mutant all checks that find it out.
//
// Running each of n mutants against the whole suite takes n runs. Most mutants are found out by one check, and so those
// that claim it are put in a square, and a run has all faults of a row, or all of a column, at once: 2 times the root of
// n runs. Two mutants share a row or a column, never both, so that the checks that fail in both are those of the mutant
// where they cross. Where that is not what the mutant claims, and for all mutants that do not claim it, a run of its own
// decides.
func killersOf(t *testing.T, handler http.Handler, all []mutant) [][]string {
	t.Helper()
	var narrow []int
	for i, m := range all {
		if m.only != "" {
			narrow = append(narrow, i)
		}
	}
	side := int(math.Ceil(math.Sqrt(float64(len(narrow)))))
	rows, columns := make([][]int, side), make([][]int, side)
	for place, i := range narrow {
		rows[place/side] = append(rows[place/side], i)
		columns[place%side] = append(columns[place%side], i)
	}
	together := func(group []int) []string {
		h := handler
		for _, i := range group {
			h = all[i].fault().with(h)
		}
		return killers(t, h)
	}
	failed := eachOf(t, slices.Concat(rows, columns), together)
	table := make([][]string, len(all))
	var apart []int
	for i := range all {
		if place := slices.Index(narrow, i); place >= 0 {
			for _, id := range failed[place/side] {
				if slices.Contains(failed[side+place%side], id) {
					table[i] = append(table[i], id)
				}
			}
			if slices.Equal(table[i], []string{all[i].only}) {
				continue
			}
		}
		apart = append(apart, i)
	}
	for place, found := range eachOf(t, apart, func(i int) []string { return killers(t, all[i].fault().with(handler)) }) {
		table[apart[place]] = found
	}
	return table
}

// eachOf runs something for each value, some at once, and tells how far it is.
func eachOf[V any](t *testing.T, values []V, run func(V) []string) [][]string {
	t.Helper()
	results := make([][]string, len(values))
	var wait sync.WaitGroup
	slots := make(chan struct{}, 2) // the checks of a run are parallel themselves
	for i, v := range values {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			results[i] = run(v)
			t.Logf("run %d of %d: %d checks failed", i+1, len(values), len(results[i]))
		})
	}
	wait.Wait()
	return results
}
