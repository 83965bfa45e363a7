package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Cluster is a private PostgreSQL server. It ends and its files are removed with the process that started it, however that
// ends.
type Cluster struct {
	URL string // of the database postgres, over the socket
	Dir string // of its files and its socket

	bin    string
	port   string
	own    *syscall.SysProcAttr
	server *guarded
}

// Start creates a cluster in a new folder below dir and starts it, with settings of the form name=value in addition to those
// that make it small and fast. If the process is root, it runs as another user, because PostgreSQL refuses to run as root.
func Start(dir string, settings ...string) (*Cluster, error) {
	bin, err := Programs()
	if err != nil {
		return nil, err
	}
	return startWith(bin, dir, settings...)
}

// startWith is Start with the programs in a folder.
func startWith(bin, dir string, settings ...string) (*Cluster, error) {
	c, err := folder(bin, dir)
	if err != nil {
		return nil, err
	}
	if err := c.initialize(); err != nil {
		return nil, err
	}
	if err := c.start(append([]string{"listen_addresses="}, settings...)); err != nil {
		return nil, err
	}
	return c, nil
}

// folder returns a cluster that has no files yet.
func folder(bin, dir string) (*Cluster, error) {
	c := &Cluster{bin: bin, port: "5432"}
	var err error
	if c.Dir, err = os.MkdirTemp(dir, "pg"); err != nil {
		return nil, err
	}
	c.own, err = Unprivileged(c.Dir)
	return c, err
}

func (c *Cluster) initialize() error {
	return c.program("initdb", "-D", c.Dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
}

func (c *Cluster) start(settings []string) (err error) {
	args := []string{"-D", c.Dir, "-k", c.Dir, "-p", c.port}
	for _, setting := range append([]string{"max_connections=300", "fsync=off"}, settings...) {
		args = append(args, "-c", setting)
	}
	if c.server, err = guard(c.own, c.Dir, "QUIT", filepath.Join(c.bin, "postgres"), args...); err != nil {
		return err
	}
	c.URL = (&url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: url.Values{"host": {c.Dir}, "port": {c.port}}.Encode()}).String()
	if err := c.Resume(); err != nil {
		return errors.Join(err, c.Stop())
	}
	return nil
}

// A Mode says how a server stops: Fast ends all sessions and writes a checkpoint, as `pg_ctl stop -m fast` does; Immediate is
// a crash, from which the next start recovers.
type Mode string

// The modes, as the signals of PostgreSQL.
const (
	Fast      Mode = "INT"
	Immediate Mode = "QUIT"
)

// Halt stops the server; Resume starts it again.
func (c *Cluster) Halt(how Mode) error { return c.server.order(string(how)) }

// Resume starts a halted server, and returns when it responds.
func (c *Cluster) Resume() error {
	if err := c.server.order("start"); err != nil {
		return err
	}
	return await(c.URL, c.Dir)
}

// Stop ends the server and removes its files.
func (c *Cluster) Stop() error { return c.server.end() }

// program runs one of the machine's PostgreSQL programs as the owner of the cluster.
func (c *Cluster) program(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, name), args...) //nolint:gosec,noctx // a program of the machine
	cmd.Dir, cmd.SysProcAttr = c.Dir, c.own
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// await waits at most 30 seconds until the server of a URL responds; dir has its log.
func await(serverURL, dir string) error {
	db, err := sql.Open("pgx", serverURL)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(dir, "log")) //nolint:gosec // our own file
			return fmt.Errorf("PostgreSQL does not answer: %w: %s", err, bytes.TrimSpace(log))
		case <-tick.C:
		}
	}
}

// Programs returns the folder of the server programs: that of the newest version where Debian puts them, or one on PATH.
func Programs() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("no initdb on this machine")
	}
	return filepath.Dir(initdb), nil
}
