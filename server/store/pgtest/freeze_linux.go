package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Freeze stops all processes of a server where they are. Its connections stay open, and its kernel accepts new ones.
func (c *Cluster) Freeze() error {
	server, err := c.processes()
	if err == nil {
		err = signal(syscall.SIGSTOP, server[0]) // first, because it starts the others
	}
	if err != nil {
		return err
	}
	return c.signal(syscall.SIGSTOP)
}

// Thaw continues a frozen server.
func (c *Cluster) Thaw() error { return c.signal(syscall.SIGCONT) }

// Kill ends a frozen server at once.
func (c *Cluster) Kill() error { return c.signal(syscall.SIGKILL) }

// Crash ends all processes of a server at the same instant, as kill -9 does; Resume starts it again.
func (c *Cluster) Crash() error {
	if err := c.Freeze(); err != nil {
		return err
	}
	all, err := c.processes()
	if err == nil {
		err = signal(syscall.SIGKILL, all...)
	}
	if err == nil {
		err = c.Halt("KILL") // it has ended; the guardian notes that
	}
	if err != nil {
		return err
	}
	// The next start is refused while one of them still has the shared memory.
	for end := time.Now().Add(10 * time.Second); slices.ContainsFunc(all, runs); {
		if time.Now().After(end) {
			return errors.New("a killed process of PostgreSQL does not end")
		}
		<-time.After(time.Millisecond)
	}
	return nil
}

// runs reports whether a process exists and has not ended; nobody may ask what became of it.
func runs(id int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	_, state, _ := strings.Cut(string(stat), ") ") // after the name of the program
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

func (c *Cluster) signal(s syscall.Signal) error {
	all, err := c.processes()
	if err != nil {
		return err
	}
	return signal(s, all...)
}

func signal(s syscall.Signal, processes ...int) error {
	for _, id := range processes {
		if err := syscall.Kill(id, s); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("signal process %d: %w", id, err)
		}
	}
	return nil
}

// processes returns the process of the server and those of its children, each of which is a process group of its own.
func (c *Cluster) processes() ([]int, error) {
	text, err := os.ReadFile(filepath.Join(c.Dir, "postmaster.pid"))
	if err != nil {
		return nil, err
	}
	server, _, _ := strings.Cut(string(text), "\n")
	children, err := os.ReadFile(fmt.Sprintf("/proc/%[1]s/task/%[1]s/children", server)) //nolint:gosec // our own process
	if err != nil {
		return nil, err
	}
	var all []int
	for id := range strings.FieldsSeq(server + " " + string(children)) {
		n, err := strconv.Atoi(id)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}
