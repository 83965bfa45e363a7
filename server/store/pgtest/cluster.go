package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// Cluster is a private PostgreSQL server. It ends, and its files go, with the process that started it, however that ends.
type Cluster struct {
	URL string // of the database postgres
	Dir string // of its files and its socket

	bin  string
	own  *syscall.SysProcAttr
	life io.WriteCloser
	done chan error
}

// guardian starts the server, waits for its own standard input to end, then stops the server and removes the files.
const guardian = `"$1" -D "$2" -k "$2" -c listen_addresses= -c max_connections=300 -c fsync=off >"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -QUIT $server 2>/dev/null
wait $server
rm -rf "$2"`

// Start makes a cluster in a new folder below dir and starts it. Run by root, its processes belong to another user,
// because PostgreSQL refuses root.
func Start(dir string) (*Cluster, error) {
	c := &Cluster{done: make(chan error, 1)}
	var err error
	if c.bin, err = programs(); err != nil {
		return nil, err
	}
	if c.Dir, err = os.MkdirTemp(dir, "pg"); err != nil {
		return nil, err
	}
	if c.own, err = unprivileged(c.Dir); err != nil {
		return nil, err
	}
	if out, err := c.program("initdb", "-D", c.Dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	guard := exec.Command("sh", "-c", guardian, "sh", filepath.Join(c.bin, "postgres"), c.Dir)
	guard.Dir, guard.SysProcAttr = c.Dir, c.own
	if c.life, err = guard.StdinPipe(); err != nil {
		return nil, err
	}
	if err := guard.Start(); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	go func() { c.done <- guard.Wait() }()
	c.URL = (&url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres",
		RawQuery: url.Values{"host": {c.Dir}}.Encode()}).String()
	if err := c.await(); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

// Stop ends the server and removes its files.
func (c *Cluster) Stop() error { return errors.Join(c.life.Close(), <-c.done) }

// program runs one of the machine's PostgreSQL programs as the owner of the cluster.
func (c *Cluster) program(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir, cmd.SysProcAttr = c.Dir, c.own
	return cmd.CombinedOutput()
}

// await waits until the server answers.
func (c *Cluster) await() error {
	db, err := sql.Open("pgx", c.URL)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			log, _ := os.ReadFile(filepath.Join(c.Dir, "log")) //nolint:gosec // our own file
			return fmt.Errorf("PostgreSQL does not answer: %w: %s", err, bytes.TrimSpace(log))
		case <-tick.C:
		}
	}
}

// programs finds the folder of the server programs: that of the newest version where Debian puts them, or the PATH.
func programs() (string, error) {
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

// unprivileged gives the folder to another user where the process is root's, and tells how to run as that user.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	other, err := user.Lookup("postgres")
	if err != nil {
		other, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(other.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(other.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}
