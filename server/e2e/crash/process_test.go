//go:build linux

package crash

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program is the built payoutd with its database.
type program struct {
	binary, database string
}

func build(t *testing.T, database string) program {
	t.Helper()
	p := program{filepath.Join(t.TempDir(), "payoutd"), database}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", p.binary, "../../payoutd").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return p
}

func (p program) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.binary, args...)
	cmd.Dir = filepath.Dir(p.binary)
	cmd.Env = []string{"PAYOUTD_DATABASE=" + p.database}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// replica is a process of payoutd that is started again whenever it ends, as by a service manager.
type replica struct {
	program
	url, listen string

	mu        sync.Mutex
	process   *os.Process // nil between two processes
	listens   bool
	killed    bool // the process, by the test
	stopping  bool
	problems  []string
	listening chan struct{} // has a value when it begins to listen
	ended     chan struct{}
}

// startReplica returns when it listens.
func startReplica(t *testing.T, p program, address string) *replica {
	t.Helper()
	r := &replica{
		program: p, listen: address, url: "http://" + address, listening: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	go r.run()
	t.Cleanup(func() {
		r.mu.Lock()
		r.stopping, r.killed = true, true
		if r.process != nil {
			_ = r.process.Kill()
		}
		r.mu.Unlock()
		<-r.ended
	})
	r.await(t)
	return r
}

// await returns when it listens again.
func (r *replica) await(t *testing.T) {
	t.Helper()
	select {
	case <-r.listening:
	case <-r.ended:
		t.Fatalf("payoutd does not start: %v", r.problems)
	case <-time.After(time.Minute):
		t.Fatal("payoutd does not listen")
	}
}

// run starts the process until it is stopped. One that ends before it listens is no problem: the database may be down.
func (r *replica) run() {
	defer close(r.ended)
	for r.once() {
		<-time.After(20 * time.Millisecond)
	}
}

// once runs one process to its end, and reports whether there shall be another.
func (r *replica) once() bool {
	cmd := r.command("serve", "--sandbox", "--listen="+r.listen, "--rate-limit=0", "--failure-limit=0", "--webhook-rescue=29s")
	log, err := cmd.StderrPipe()
	if err != nil {
		r.problem("start: %v", err)
		return false
	}
	r.mu.Lock()
	if r.stopping {
		r.mu.Unlock()
		return false
	}
	err = cmd.Start()
	r.process = cmd.Process
	r.mu.Unlock()
	if err != nil {
		r.problem("start: %v", err)
		return false
	}
	r.read(log)
	err = cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listens && !r.killed && (err != nil || !r.stopping) {
		r.problems = append(r.problems, fmt.Sprintf("it ended by itself: %v", err))
	}
	r.process, r.listens, r.killed = nil, false, r.killed && r.stopping
	return !r.stopping
}

// read reads the log of a process to its end.
func (r *replica) read(log io.Reader) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for listens := false; lines.Scan(); {
		line := lines.Bytes()
		switch {
		case bytes.Contains(line, []byte(`"msg":"listening"`)):
			listens = true
			r.mu.Lock()
			r.listens = true
			r.mu.Unlock()
			select {
			case r.listening <- struct{}{}:
			default:
			}
		// A panic, or an answer that blames the service for a fault of the database.
		case listens && (!bytes.HasPrefix(line, []byte("{")) ||
			bytes.Contains(line, []byte(`"msg":"request"`)) && bytes.Contains(line, []byte(`"status":500,`))):
			r.problem("%s", line)
		}
	}
}

func (r *replica) problem(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// kill ends the process with SIGKILL, and reports whether there was one that listened.
func (r *replica) kill() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.listens || r.killed || r.process.Kill() != nil {
		return false
	}
	r.killed = true
	select {
	case <-r.listening: // of this process
	default:
	}
	return true
}

// up reports whether a process listens that is not killed.
func (r *replica) up() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.listens && !r.killed
}

// stop ends the process as an operator does.
func (r *replica) stop(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	r.stopping = true
	err := r.process.Signal(syscall.SIGTERM)
	r.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	<-r.ended
	for _, p := range r.problems {
		t.Errorf("replica at %s: %s", r.listen, p)
	}
}
