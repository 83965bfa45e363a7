//go:build linux

package failover

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/crossborder-payouts/payouts/server/store/pgtest"
)

// guardian is a shell script that ends everything that runs in a folder, and removes it, when its input ends, which happens
// however this process ends. Patroni starts processes of its own, and faults leave them without a parent, so that only the
// folder in which they run tells whose they are.
const guardian = `trap '' INT TERM HUP
cat >/dev/null
running() { ls -l /proc/[0-9]*/cwd 2>/dev/null | sed -n "s|.* /proc/\([0-9]*\)/cwd -> $1\(/.*\)*\$|\1|p"; }
while pids=$(running "$1") && [ -n "$pids" ]; do kill -KILL $pids; sleep 0.1; done
rm -rf "$1"`

// workshop is a folder in whose subfolders programs run, as another user if this process is root. Everything ends with the
// test, or with this process.
type workshop struct {
	dir  string
	logs string
	as   *syscall.SysProcAttr
}

func newWorkshop(t *testing.T, logs string) *workshop {
	t.Helper()
	dir, err := os.MkdirTemp("", "failover") //nolint:usetesting // another user cannot enter that of the test
	if err != nil {
		t.Fatal(err)
	}
	end := exec.Command("sh", "-c", guardian, "sh", dir)
	end.Dir, end.SysProcAttr = "/", &syscall.SysProcAttr{Setpgid: true}
	input, err := end.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := end.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmp.Or(input.Close(), end.Wait()); err != nil {
			t.Errorf("end the processes of the test: %v", err)
		}
	})
	w := &workshop{dir: dir, logs: logs}
	if w.as, err = pgtest.Unprivileged(dir); err != nil {
		t.Fatal(err)
	}
	w.as.Setpgid = true // an interrupt from the terminal is for this process alone
	return w
}

// folder makes a folder that belongs to the user of the programs.
func (w *workshop) folder(t *testing.T, elements ...string) string {
	t.Helper()
	path := w.dir
	for _, element := range elements {
		path = filepath.Join(path, element)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if as := w.as.Credential; as != nil {
			if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path
}

// start starts a program in a folder, with only these variables. Its output is appended to logs/NAME.log.
func (w *workshop) start(t *testing.T, dir, name string, env []string, program string, args ...string) {
	t.Helper()
	cmd := w.command(t, dir, name, env, program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	go cmd.Wait()
}

// run runs a program to its end, and returns what it printed.
func (w *workshop) run(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	t.Helper()
	cmd := w.command(t, dir, "", env, program, args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *workshop) command(t *testing.T, dir, log string, env []string, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.SysProcAttr = dir, w.as
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}, env...)
	if log != "" {
		file, err := os.OpenFile(filepath.Join(w.logs, log+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		cmd.Stdout, cmd.Stderr = io.Writer(file), io.Writer(file)
	}
	return cmd
}

// process is one that runs in a folder.
type process struct {
	id      int
	command string // as ps shows it
}

// processes returns those whose working directory is a folder or in it.
func processes(dir string) (found []process) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		cwd, err := os.Readlink(path + "/cwd")
		if err != nil || cwd != dir && !strings.HasPrefix(cwd, dir+"/") {
			continue // another one, or ended
		}
		id, _ := strconv.Atoi(filepath.Base(path))
		command, _ := os.ReadFile(path + "/cmdline")
		found = append(found, process{id, strings.ReplaceAll(string(command), "\x00", " ")})
	}
	return found
}

// signal sends a signal to all processes in a folder, also to those that start meanwhile, and returns how many there were.
func signal(t *testing.T, dir string, s syscall.Signal) int {
	t.Helper()
	var seen []int
	for more := true; more; {
		more = false
		for _, p := range processes(dir) {
			if !slices.Contains(seen, p.id) {
				if err := syscall.Kill(p.id, s); err == nil {
					seen, more = append(seen, p.id), true
				}
			}
		}
	}
	if len(seen) == 0 {
		t.Errorf("nothing runs in %s", dir)
	}
	return len(seen)
}

// kill ends all processes in a folder at the same instant: none of them sees another one end.
func kill(t *testing.T, dir string) {
	t.Helper()
	signal(t, dir, syscall.SIGSTOP)
	signal(t, dir, syscall.SIGKILL)
}

// needs returns the paths of programs of Debian packages. CI=true makes a missing one a failure instead of a warning.
func needs(t *testing.T, packages map[string]string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for program, of := range packages {
		path, err := exec.LookPath(program)
		if err != nil {
			path, err = exec.LookPath("/usr/sbin/" + program)
		}
		if err != nil {
			text := fmt.Sprintf("%s is missing: install the Debian package %s", program, of)
			fmt.Fprintf(os.Stderr, "\n*** %s IS NOT RUN: %s ***\n\n", t.Name(), text) // go test does not report skipped tests
			if os.Getenv("CI") == "true" {
				t.Fatal(text)
			}
			t.Skip(text)
		}
		found[program] = path
	}
	return found
}
