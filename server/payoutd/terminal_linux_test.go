package main

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo terminal; what is written to one end is read from the other, which is for a person.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there is no pseudo terminal: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// At a terminal the log is text with the time of the day, and the welcome is the last thing that is printed at the start.
func TestLogAtATerminal(t *testing.T) {
	t.Parallel()
	person, program := terminal(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--sandbox", "--listen=127.0.0.1:0", "--database=sqlite:" + filepath.Join(t.TempDir(), "payouts.db")},
			variables(), program, program)
	}()
	lines := bufio.NewScanner(person)
	var before []string
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Sandbox ") {
		before = append(before, lines.Text())
	}
	first := regexp.MustCompile(`^time=\d\d:\d\d:\d\d level=INFO msg=listening address=http://127\.0\.0\.1:\d+ sandbox=true `)
	if len(before) != 2 || !first.MatchString(before[0]) || before[1] != "" {
		t.Errorf("the log begins %q", before)
	}
	stop()
	if code := <-ended; code != exitOK {
		t.Errorf("code %d", code)
	}
}
