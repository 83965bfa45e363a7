//go:build linux

package soak

import (
	"fmt"
	"testing"
)

// What is allowed: growth of the resident memory over the last two thirds of the load, as a share of its mean and at least so
// many MiB, and goroutines and descriptors more than before the load.
const (
	allowedShare  = 0.10
	allowedMiB    = 8.0
	allowedCounts = 2
)

func resident(s sample) float64    { return s.resident }
func goroutines(s sample) float64  { return s.goroutines }
func descriptors(s sample) float64 { return s.descriptors }
func database(s sample) float64    { return s.database }

func mean(samples []sample, of func(sample) float64) (sum float64) {
	for _, s := range samples {
		sum += of(s) / float64(len(samples))
	}
	return sum
}

// growth returns by how much a figure grows from the first to the last sample, on the line of least squares.
func growth(samples []sample, of func(sample) float64) float64 {
	middle, average := float64(len(samples)-1)/2, mean(samples, of)
	var covariance, variance float64
	for i, s := range samples {
		x := float64(i) - middle
		covariance += x * (of(s) - average)
		variance += x * x
	}
	return covariance / variance * float64(len(samples)-1)
}

// judge returns what is not flat: in the last two thirds of the samples, or at rest after the load as compared with before.
// Connections to the database may come and go.
func judge(samples []sample, before, after sample) (findings []string) {
	late := samples[len(samples)/3:]
	if len(late) < 3 {
		return []string{fmt.Sprintf("%d samples are too few", len(samples))}
	}
	allowed := max(allowedMiB, allowedShare*mean(late, resident))
	if g := growth(late, resident); g > allowed {
		findings = append(findings, fmt.Sprintf("the resident memory grows by %.1f MiB in the last two thirds, %.1f are allowed", g, allowed))
	}
	for name, of := range map[string]func(sample) float64{"goroutines": goroutines, "descriptors": descriptors} {
		own := func(s sample) float64 { return of(s) - database(s) }
		if g := growth(late, own); g > 3*allowedCounts {
			findings = append(findings, fmt.Sprintf("%s grow by %.1f in the last two thirds", name, g))
		}
		if more := own(after) - own(before); more > allowedCounts {
			findings = append(findings, fmt.Sprintf("%.0f %s more than before the load are left", more, name))
		}
	}
	return findings
}

// The judge sees memory, goroutines and descriptors that leak, and accepts what is flat but noisy.
func TestJudge(t *testing.T) {
	t.Parallel()
	rest := sample{60, 20, 30, 16}
	load := func(leak sample) (all []sample) {
		for i := range 120 {
			noise, n := float64(i*7%11), float64(i)
			all = append(all, sample{80 + noise + n*leak.resident, 40 + noise/2 + n*leak.goroutines, 50 + noise/2 + n*leak.descriptors, 16})
		}
		return all
	}
	for name, c := range map[string]struct {
		leak, after sample
		findings    int
	}{
		"flat":        {sample{}, rest, 0},
		"memory":      {sample{resident: 0.2}, rest, 1},
		"goroutines":  {sample{goroutines: 0.2}, rest, 1},
		"descriptors": {sample{descriptors: 0.2}, rest, 1},
		"left over":   {sample{}, sample{60, 25, 35, 16}, 2},
		"connections": {sample{}, sample{60, 20, 34, 20}, 0},
	} {
		if got := judge(load(c.leak), rest, c.after); len(got) != c.findings {
			t.Errorf("%s: it finds %q", name, got)
		}
	}
}
