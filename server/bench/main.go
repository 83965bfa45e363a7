package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bench is a run of the program.
type bench struct {
	turns    int
	duration time.Duration // of each contender in each turn
	callers  int           // at the same time
	dir      string        // of databases and programs, removed at the end
	out      string        // of the table and the picture
	payoutd  string        // path of the program
	before   string        // path of another payoutd to compare with; empty: none
	table    table
}

var groups = []struct {
	name  string
	needs string // a program that may be missing
	run   func(context.Context, *bench) error
}{
	{"validation", "", validation}, {"transactions", "", transactions}, {"sqlite", "", sqlite}, {"reference", "", referenceData},
	{"front", "npm", front}, {"load", "", latencies},
}

func main() {
	b := &bench{}
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = g.name
	}
	only := flag.String("only", "", "groups to run, separated by commas: "+strings.Join(names, ","))
	flag.IntVar(&b.turns, "turns", 5, "turns of each group")
	flag.DurationVar(&b.duration, "duration", 2*time.Second, "of each contender in each turn")
	flag.IntVar(&b.callers, "callers", 32, "callers at the same time")
	flag.StringVar(&b.out, "out", "../../.tmp/bench", "folder of the table and the picture")
	flag.StringVar(&b.before, "before", "", "path of another payoutd, with which the group sqlite compares")
	short := flag.Bool("short", false, "one turn of a tenth of a second, of the groups that need nothing but Go and PostgreSQL: does it run?")
	testing.Init()
	flag.Parse()
	if *short {
		b.turns, b.duration = 1, 100*time.Millisecond
	}
	_ = flag.Set("test.benchtime", b.duration.String()) // it is a duration
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx, *only, *short); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // the context ends with the process
	}
}

func (b *bench) run(ctx context.Context, only string, short bool) (err error) {
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := errors.Join(os.Chmod(b.dir, 0o711), os.MkdirAll(b.out, 0o755)); err != nil { //nolint:gosec // PostgreSQL may run as another user
		return err
	}
	if b.payoutd, err = build(ctx, b.dir, "./server/payoutd"); err != nil {
		return err
	}
	for _, g := range groups {
		if only != "" && !slices.Contains(strings.Split(only, ","), g.name) || short && g.needs != "" {
			continue
		}
		if _, err := exec.LookPath(g.needs); g.needs != "" && err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s is missing; the group %s is left out\n", g.needs, g.name)
			continue
		}
		if err := g.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	text := b.table.markdown()
	fmt.Fprint(os.Stdout, text)
	return os.WriteFile(filepath.Join(b.out, "table.md"), []byte(text), 0o644) //nolint:gosec // it is to be read
}
