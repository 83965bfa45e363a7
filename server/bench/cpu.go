package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// meter returns the CPU time that was used so far.
type meter func() (time.Duration, error)

// process is the meter of a process and its children, also those that have ended.
func process(pid int) meter {
	return func() (time.Duration, error) {
		all, err := procfs.AllProcs()
		if err != nil {
			return 0, err
		}
		var ticks int
		for _, p := range all {
			s, err := p.Stat()
			switch {
			case err != nil: // it has just ended
			case s.PID == pid:
				ticks += int(s.UTime) + int(s.STime) + s.CUTime + s.CSTime
			case s.PPID == pid:
				ticks += int(s.UTime) + int(s.STime)
			}
		}
		return time.Duration(ticks) * 10 * time.Millisecond, nil // what Linux counts in
	}
}

// ourselves is the meter of this process, and ended that of its children that have ended.
func ourselves() (time.Duration, error) { return used(syscall.RUSAGE_SELF) }
func ended() (time.Duration, error)     { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(who, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// postmaster is the meter of the PostgreSQL whose files are in a folder.
func postmaster(dir string) (meter, error) {
	text, err := os.ReadFile(filepath.Join(dir, "postmaster.pid")) //nolint:gosec // of our own
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	return process(pid), err
}

// part is one of the processes that share the work of a contender.
type part struct {
	name string
	meter
	perRequest []float64 // in microseconds, one for each turn
}

// measured runs a load, adds to each part its CPU time for a request, and returns the load and the sum of these.
func measured(parts []part, run func() (load, error)) (l load, sum float64, err error) {
	before := make([]time.Duration, len(parts))
	for i, p := range parts {
		if before[i], err = p.meter(); err != nil {
			return l, 0, err
		}
	}
	if l, err = run(); err != nil {
		return l, 0, err
	}
	for i, p := range parts {
		after, err := p.meter()
		if err != nil {
			return l, 0, err
		}
		each := float64((after - before[i]).Nanoseconds()) / 1000 / float64(l.requests)
		parts[i].perRequest = append(parts[i].perRequest, each)
		sum += each
	}
	return l, sum, nil
}

// split returns the parts in words.
func split(parts []part) string {
	words := make([]string, len(parts))
	for i, p := range parts {
		words[i] = p.name + " " + short(median(p.perRequest))
	}
	return strings.Join(words, ", ")
}
