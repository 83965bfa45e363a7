package story

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// Variables of the process within the namespaces.
const (
	databaseVariable = "PAYOUTS_STORY_DATABASE"
	programsVariable = "PAYOUTS_STORY_PROGRAMS" // the folder of payoutd and receiver
)

// public is an address that the product takes for public. In the namespaces the loopback interface has it.
const public = "93.184.216.34"

func TestMain(m *testing.M) {
	if os.Getenv(databaseVariable) != "" {
		go func() { // ends with the process outside, however that ends, and all processes within with it
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
		os.Exit(m.Run())
	}
	code := 1
	defer func() { os.Exit(code) }()
	var err error
	if built, err = os.MkdirTemp("", "payouts-story-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer os.RemoveAll(built)
	code = m.Run()
}

// built is the folder of the programs.
var built string

var programs = sync.OnceValue(func() error {
	for _, program := range []string{"../../payoutd", "./receiver"} {
		out, err := exec.CommandContext(context.Background(), "go", "build", "-o", built, program).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	return nil
})

// onEachEngine runs a test on a new database of each engine, in namespaces of its own.
func onEachEngine(t *testing.T, test func(t *testing.T, p *place)) {
	t.Helper()
	onSQLite(t, test)
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		isolated(t, test, func() string { // over a socket, because the namespace has no network
			if err := pgtest.Available(); err != nil {
				pgtest.Missing(t, err)
			}
			cluster, err := pgtest.Start("")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cluster.Stop() })
			return cluster.URL
		})
	})
}

// onSQLite is for what does not depend on the engine.
func onSQLite(t *testing.T, test func(t *testing.T, p *place)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		isolated(t, test, func() string { return "sqlite:" + filepath.Join(t.TempDir(), "payouts.db") })
	})
}

// isolated runs the test that calls it once more, in a process that has network, mounts and processes of its own, and there test.
func isolated(t *testing.T, test func(t *testing.T, p *place), fresh func() string) {
	t.Helper()
	if os.Getenv(databaseVariable) != "" {
		test(t, newPlace(t))
		return
	}
	unshare := []string{"unshare", "--net", "--mount", "--pid", "--fork", "--kill-child"}
	if os.Geteuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	try := append(slices.Clone(unshare), "sh", "-c", "ip link set lo up && mount --bind /dev/null /etc/resolv.conf")
	if out, err := exec.CommandContext(t.Context(), try[0], try[1:]...).CombinedOutput(); err != nil {
		missing(t, fmt.Errorf("%w: %s", err, out))
	}
	if err := programs(); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := append(slices.Clone(unshare), self, "-test.v", "-test.timeout=5m", "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), databaseVariable+"="+fresh(), programsVariable+"="+built)
	alive, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// missing ends a test that needs namespaces if it may not have them.
func missing(t *testing.T, err error) {
	t.Helper()
	text := fmt.Sprintf("THIS TEST NEEDS NAMESPACES: it runs unshare, ip and mount as root, or where users may create namespaces (%v)", err)
	if os.Getenv("CI") == "true" {
		t.Fatal(text)
	}
	fmt.Fprintf(os.Stderr, "\n*** %s: %s ***\n\n", t.Name(), text) // go test does not report skipped tests
	t.Skip(text)
}

// place is where a story happens: a machine whose network is the loopback interface.
type place struct {
	dir, database, programs string
	names                   *names
	has                     map[netip.Addr]bool // the addresses of the loopback interface
	// A certificate for the names *.example.com, and its key. SSL_CERT_FILE names the first as an authority.
	certificate, key string

	mu     sync.Mutex
	logs   strings.Builder // of all services
	output strings.Builder // of all commands
}

// newPlace sets the network up.
func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{dir: t.TempDir(), database: os.Getenv(databaseVariable), programs: os.Getenv(programsVariable), has: map[netip.Addr]bool{}}
	p.tool(t, "ip", "link", "set", "lo", "up")
	p.address(t, public)
	p.names = newNames(t)
	p.tool(t, "mount", "--bind", p.file(t, "resolv.conf", "nameserver 127.0.0.1\n"), "/etc/resolv.conf")
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	pair := secure.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	p.certificate = p.file(t, "certificate.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})))
	p.key = p.file(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the logs of payoutd:\n%s", p.wholeLog())
		}
	})
	return p
}

// address gives the loopback interface an address, and reports whether it can: IPv6 may be off.
func (p *place) address(t *testing.T, address string) bool {
	t.Helper()
	ip := netip.MustParseAddr(address)
	if ip.Unmap().IsLoopback() || ip.IsUnspecified() {
		return ip.Unmap().Is4() || p.v6()
	}
	if ip.Unmap().Is6() && !p.v6() {
		return false
	}
	args := []string{"address", "add", netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen()).String(), "dev", "lo"}
	if ip.Unmap().Is6() {
		args = append(args, "nodad")
	}
	if !p.has[ip.Unmap()] {
		p.tool(t, "ip", args...)
	}
	p.has[ip.Unmap()] = true
	return true
}

// v6 reports whether there is IPv6.
func (p *place) v6() bool {
	_, err := os.Stat("/proc/net/if_inet6")
	return err == nil
}

func (p *place) tool(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
}

// file writes a file.
func (p *place) file(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// payoutd runs a command on the database that must succeed, and returns what it prints.
func (p *place) payoutd(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(p.programs, "payoutd"), args...)
	cmd.Env = []string{"PAYOUTD_DATABASE=" + p.database}
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("payoutd %q: %v: %s", args, err, errs.String())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output.WriteString(out.String() + errs.String())
	return out.String()
}

// serving is a program that runs until the test ends.
type serving struct {
	*exec.Cmd
	lines chan string   // what it prints
	read  chan struct{} // closed when all of it was read
	end   func()
}

// start starts a program and reads one of its outputs.
func start(t *testing.T, output func(*exec.Cmd) (io.ReadCloser, error), variables []string, program string, args ...string) *serving {
	t.Helper()
	s := &serving{Cmd: exec.CommandContext(context.Background(), program, args...), lines: make(chan string, 10_000), read: make(chan struct{})}
	s.Env = variables
	out, err := output(s.Cmd)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.read)
		readLines(out, s.lines)
	}()
	s.end = sync.OnceFunc(func() {
		_ = s.Process.Signal(os.Interrupt)
		<-s.read
		if err := s.Wait(); err != nil {
			if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.Exited() {
				t.Errorf("%s: %v", program, err)
			}
		}
	})
	t.Cleanup(s.end)
	return s
}

// within returns the next line that a function accepts, and fails the test if it does not come.
func within[T any](t *testing.T, what string, lines <-chan string, accept func(line string) (T, bool)) T {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case line, more := <-lines:
			if v, ok := accept(line); ok {
				return v
			}
			if !more {
				t.Fatalf("it ended before: %s", what)
			}
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}
