package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"
)

type settings struct {
	Only     []string `help:"Names of the consumers to run; all if empty." placeholder:"NAME,..."`
	Contract string   `help:"The contract that they read." default:"openapi/openapi.yaml" type:"path"`
	Jobs     int      `help:"Consumers that run at the same time." default:"3"`
	CI       bool     `help:"Fail, instead of skipping, where a program is missing." env:"CI"`
}

func main() {
	var s settings
	kong.Parse(&s, kong.Name("consumers"), kong.Description("Run programs of other projects on the contract."))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := s.run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "consumers:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// run runs the chosen consumers, prints the table to out and writes it to .tmp/consumers.md. It reports whether none
// failed.
func (s settings) run(ctx context.Context, out io.Writer) (bool, error) {
	chosen, err := choose(consumers, s.Only)
	if err != nil {
		return false, err
	}
	root, err := os.Getwd()
	if err != nil {
		return false, err
	}
	work := filepath.Join(root, ".tmp", "consumers")
	if err := os.MkdirAll(work, 0o750); err != nil {
		return false, err
	}
	daemon, err := build(ctx, work)
	if err != nil {
		return false, err
	}
	r := runner{contract: s.Contract, folders: filepath.Join(root, "conformance", "consumers"), work: work, daemon: daemon}
	results := make([]result, len(chosen))
	slots := make(chan struct{}, max(1, s.Jobs))
	var printing sync.Mutex
	var running sync.WaitGroup
	for i, c := range chosen {
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] = r.run(ctx, c)
			printing.Lock()
			defer printing.Unlock()
			results[i].print(out)
		})
	}
	running.Wait()
	table := markdown(results)
	if len(s.Only) == 0 {
		if err := os.WriteFile(work+".md", []byte(table), 0o600); err != nil {
			return false, err
		}
	}
	count := func(is func(result) bool) (n int) {
		for _, r := range results {
			if is(r) {
				n++
			}
		}
		return n
	}
	failed, skipped := count(result.failed), count(result.skipped)
	fmt.Fprintf(out, "\n%s\n%d passed, %d failed, %d skipped\n", table, len(results)-failed-skipped, failed, skipped)
	return failed == 0 && (skipped == 0 || !s.CI), nil
}

// choose returns the consumers with the given names, or all. Names are separated by commas or spaces.
func choose(all []consumer, names []string) ([]consumer, error) {
	names = strings.Fields(strings.Join(names, " "))
	if len(names) == 0 {
		return all, nil
	}
	var chosen []consumer
	for _, name := range names {
		i := slices.IndexFunc(all, func(c consumer) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no consumer %q", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}
