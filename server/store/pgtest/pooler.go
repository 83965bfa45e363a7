package pgtest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// poolerConfig configures transaction mode: each transaction of a client may get another of few connections.
const poolerConfig = `[databases]
* = host=%[2]s
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = %[1]s
auth_type = trust
auth_file = %[1]s/users
pool_mode = transaction
default_pool_size = 8
max_client_conn = 1000
`

// Pooled starts a private server for one test behind a private PgBouncer in transaction mode, and returns the URLs of an
// empty database through it and past it. Without these programs the test ends as with Database.
func Pooled(t testing.TB) (through, past string) {
	t.Helper()
	c := Private(t)
	past = database(t, c.URL)
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/pgbouncer"); err != nil {
			Missing(t, fmt.Errorf("PgBouncer: %w", err))
		}
	}
	dir, pooler, err := startPooler(c, program)
	if err != nil {
		t.Fatalf("start PgBouncer: %v", err)
	}
	t.Cleanup(func() {
		if err := pooler.end(); err != nil {
			t.Errorf("stop PgBouncer: %v", err)
		}
	})
	u, err := url.Parse(past)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = url.Values{"host": {dir}, "port": {"6432"}}.Encode()
	if err := await(u.String(), dir); err != nil {
		t.Fatal(err)
	}
	return u.String(), past
}

func startPooler(c *Cluster, program string) (string, *guarded, error) {
	dir, err := os.MkdirTemp(os.TempDir(), "pgbouncer")
	if err != nil {
		return "", nil, err
	}
	config := filepath.Join(dir, "pgbouncer.ini")
	err = errors.Join(
		os.WriteFile(config, fmt.Appendf(nil, poolerConfig, dir, c.Dir), 0o644),         //nolint:gosec // read by another user
		os.WriteFile(filepath.Join(dir, "users"), []byte("\"postgres\" \"\"\n"), 0o644)) //nolint:gosec // nothing secret
	if err != nil {
		return "", nil, err
	}
	own, err := Unprivileged(dir)
	if err != nil {
		return "", nil, err
	}
	pooler, err := guard(own, dir, "TERM", program, config)
	if err != nil {
		return "", nil, err
	}
	return dir, pooler, pooler.order("start")
}
