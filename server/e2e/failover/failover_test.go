//go:build linux

package failover

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/crossborder-payouts/payouts/server/servertest"
)

// The variables of `make failover`.
const (
	modeVariable   = "PAYOUTD_TEST_FAILOVER"        // sync or async; without it there is no test
	faultsVariable = "PAYOUTD_TEST_FAILOVER_FAULTS" // parts of names of faults, separated by commas; empty: all
)

// result is a line of the table.
type result struct {
	fault     string
	from, to  time.Duration
	promotion time.Duration
	notes     []string
}

// With the configuration of server/FAILOVER.md, no acknowledged transaction is lost or doubled by any fault. With
// asynchronous replication, which is the counter-proof, some are.
func TestFailover(t *testing.T) {
	t.Parallel()
	mode := os.Getenv(modeVariable)
	if mode == "" {
		t.Skip("make failover runs it")
	}
	if mode != "sync" && mode != "async" {
		t.Fatalf("%s is %q, want sync or async", modeVariable, mode)
	}
	programs := needs(t, map[string]string{
		"etcd": "etcd-server", "patroni": "patroni", "patronictl": "patroni", "haproxy": "haproxy",
	})
	out, err := filepath.Abs("../../../.tmp/failover")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(out, "logs"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := newWorkshop(t, filepath.Join(out, "logs"))
	programs["payoutd"] = filepath.Join(w.folder(t, "bin"), "payoutd")
	if built, err := exec.CommandContext(t.Context(), "go", "build", "-o", programs["payoutd"], "../../payoutd").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, built)
	}

	began := time.Now()
	c := startCluster(t, w, programs, mode == "async")
	primary, _ := c.primary()
	c.setUp(t, primary)
	routes := startRoutes(t, c)
	h := newHistory(t, out)
	l := startLoad(t, h, routes)
	h.flows(t, routes, 0, time.Minute)
	fmt.Fprintf(os.Stdout, "the cluster runs after %.0f s\n%s", time.Since(began).Seconds(), c.patronictl(t, commands[0]))

	var results []result
	for _, f := range faults {
		if !wanted(f.name) {
			continue
		}
		s := &scene{cluster: c, routes: routes, history: h, primary: c.settle(t, 2*time.Minute)}
		notes := f.strike(t, s)
		h.flows(t, routes, h.now(), 2*time.Minute)
		struck := h.now()
		c.settle(t, 2*time.Minute)
		notes = append(notes, fmt.Sprintf("whole again after %.1f s", (h.now()-s.began).Seconds()))
		fmt.Fprintf(os.Stdout, "%s: served again within %.1f s; %s\n", f.name, (struck - s.began).Seconds(), strings.Join(notes, "; "))
		<-time.After(time.Second)
		results = append(results, result{f.name, s.began, h.now(), s.promotion, notes})
	}
	l.stop()
	l.all.Wait()

	for _, wrong := range h.wrong {
		t.Errorf("a caller was told: %s", wrong)
	}
	primary = c.settle(t, time.Minute)
	db := c.open(t, primary, "payoutd", "payouts")
	v := judge(h.acknowledged, readKept(t, db))
	servertest.WantExactUsage(t, db)
	other := repeat(t, h)
	checked, err := w.run(t, w.dir, []string{routes[0].database}, programs["payoutd"], "check")
	if err != nil {
		t.Errorf("payoutd check: %v: %s", err, checked)
	}
	table := render(h, routes, results, v)
	fmt.Fprintf(os.Stdout, "\n%s\nMODE=%s: %d acknowledged, %d lost, %d doubled, %d repeats answered with another transaction\npayoutd check: %s",
		table, mode, v.acknowledged, len(v.lost), len(v.doubled), len(other), checked)
	for _, failure := range slices.Sorted(maps.Keys(h.failed)) {
		fmt.Fprintf(os.Stdout, "attempts that failed through %s: %d\n", failure, h.failed[failure])
	}
	switch {
	case len(v.doubled) > 0 || len(v.unexplained) > 0:
		t.Errorf("doubled: %s; unexplained: %s", some(v.doubled), some(v.unexplained))
	case mode == "sync" && (len(v.lost) > 0 || len(other) > 0):
		t.Errorf("lost: %s; answered with another transaction: %s", some(v.lost), some(other))
	case mode == "async" && len(v.lost) == 0:
		t.Error("asynchronous replication lost nothing: this test would not see a loss")
	}
}

// wanted reports whether a fault is among those of the variable.
func wanted(name string) bool {
	parts := os.Getenv(faultsVariable)
	return parts == "" || slices.ContainsFunc(strings.Split(parts, ","), func(part string) bool { return strings.Contains(name, part) })
}

// render is the table of the figures.
func render(h *history, routes []*route, results []result, v verdict) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "fault\tpromotion")
	for _, r := range routes {
		fmt.Fprintf(w, "\t%s: no success for\tslowest call", r.name)
	}
	fmt.Fprintln(w, "\tacknowledged\tlost\tdoubled")
	for _, one := range results {
		promotion := "-"
		if one.promotion > 0 {
			promotion = seconds(one.promotion)
		}
		fmt.Fprintf(w, "%s\t%s", one.fault, promotion)
		for _, r := range routes {
			gap, slowest := h.gap(r.name, one.from, one.to)
			fmt.Fprintf(w, "\t%s\t%s", seconds(gap), seconds(slowest))
		}
		within := func(key string) bool { a := h.acknowledged[key]; return a.at >= one.from && a.at <= one.to }
		acknowledged := 0
		for key := range h.acknowledged {
			if within(key) {
				acknowledged++
			}
		}
		fmt.Fprintf(w, "\t%d\t%d\t%d\n", acknowledged, count(v.lost, within), count(v.doubled, within))
	}
	_ = w.Flush() // into memory
	return b.String()
}

// some returns the first few of many keys.
func some(keys []string) string {
	if len(keys) > 5 {
		return fmt.Sprintf("%v and %d more", keys[:5], len(keys)-5)
	}
	return fmt.Sprint(keys)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func count(keys []string, within func(string) bool) (n int) {
	for _, key := range keys {
		if within(key) {
			n++
		}
	}
	return n
}
